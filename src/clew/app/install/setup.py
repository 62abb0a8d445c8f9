"""`clew init`, whole: the folder becomes a project, its place opts in, and the clients of this user get their hooks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from clew.app.importing.adopt import Adopted, Offers
from clew.app.install.entries import (
    ChangedFile,
    Installation,
    Machine,
    hook_command,
    install,
    on_the_path,
    plan_install,
    unwritable,
)
from clew.app.install.init import Initialised, init, plan
from clew.app.project.opening import ProjectHandle
from clew.app.project.redaction import safe_errors
from clew.app.project.runtime_dirs import live_at, opt_in
from clew.app.results import JsonResult
from clew.clients.installing import Installer, Parts

Scope = Literal["user", "project"]


class Choices(NamedTuple):
    """What is wanted. `clients` are names, empty for none of them; None: those that this user has.

    `scope` "project" puts into the repository what works on any machine, and nothing into the user's settings.
    `status_line`: one is put where none is.
    `server` is the address of a database that is to keep the ledger, "" for a file.
    """

    clients: tuple[str, ...] | None = None
    scope: Scope = "user"
    status_line: bool = False
    server: str = ""


class AdoptedFile(JsonResult, frozen=True):
    """A file that was found, and whether it was imported (`importing.adopt.AdoptionOffer`)."""

    name: str
    sort: str
    bytes: int
    brought: bool
    new: Mapping[str, int]
    problem: str
    taken: bool


class InitResult(JsonResult, frozen=True):
    """What is told of `SetUp`."""

    dry_run: bool
    root: Path
    project: str
    ledger: Path
    joined: bool
    alias: str
    made: tuple[Path, ...]
    clients: tuple[str, ...]
    changes: tuple[ChangedFile, ...]
    opted_in: bool
    sessions: int
    checkpoint: str
    notes: tuple[str, ...]


class AdoptingResult(InitResult, frozen=True):
    """The same where what lay around was offered; `opened` is the id of the task that was opened for it, "" none."""

    adopt: tuple[AdoptedFile, ...]
    opened: str


class SetUp(NamedTuple):
    """What was done, or would be: the project, what changed for the clients (`clients` are their names), the live
    folder if it was made, sentences for the person, and the slash commands that the clients have now."""

    project: Initialised
    clients: tuple[str, ...]
    installed: tuple[Installation, ...]
    live: Path | None
    notes: tuple[str, ...]
    commands: tuple[str, ...] = ()

    def result(self, offers: Offers | None = None, adopted: Adopted | None = None) -> InitResult:
        """What `clew init --json` prints: with `--adopt` what was offered, and what was imported of that."""
        done, plan = self.project, self.project.plan
        told = {
            "root": plan.location.root,
            "project": done.project,
            "ledger": plan.location.ledger,
            "joined": plan.joins,
            "alias": plan.alias,
            "clients": self.clients,
            "changes": tuple(ChangedFile.of(change) for one in self.installed for change in one.changes),
            "opted_in": self.live is not None,
            "checkpoint": done.checkpoint.name if done.checkpoint is not None else "",
            "notes": self.notes,
        }
        if offers is None:
            return InitResult.of(done, **told)
        names = {one.file for one in adopted.taken.files} if adopted and adopted.taken else set()
        files = tuple(AdoptedFile.of(one, bytes=one.size, taken=one.name in names) for one in offers.found)
        opened = adopted.opened.task if adopted and adopted.opened else None
        return AdoptingResult.of(done, **told, adopt=files, opened=opened.id if opened else "")


def set_up(
    project: ProjectHandle,
    machine: Machine,
    installers: Sequence[Installer],
    choices: Choices,
    *,
    find_program: Callable[[str], str | None],
    progress: Callable[[int, int], None] = lambda _done, _left: None,
) -> SetUp:
    """Make `folder` (absolute) a project, and let hooks of this user's clients act in it.

    Whatever would refuse is asked before anything is made. Raises `InputError` and `LedgerError`.
    """
    with safe_errors(project.ports.redact):
        root = plan(project, choices.server).location.root
        chosen = list(_chosen(machine, installers, root, choices, find_program))
        planned = [plan_install(machine, one.parts) for one in chosen]
        live = live_at(machine.data, root) if choices.clients != () else None
        new_live = live if live is not None and not live.exists() else None
        installed: list[Installation] = []

        def founded() -> None:
            installed.extend(install(machine, one.parts) for one in chosen)
            if live is not None:
                try:
                    opt_in(machine.data, root)
                except OSError as error:
                    raise unwritable(live, error) from error

        found_project = init(project, progress=progress, founded=founded, server=choices.server)
        done = tuple(planned if project.dry_run else installed)
        said = [note for one in done for note in one.notes]
        said += _notes(machine, choices, chosen, find_program)
        commands = dict.fromkeys(name for one in chosen for name in one.parts.typed)
        names = tuple(one.installer.name for one in chosen)
        return SetUp(found_project, names, done, new_live, (*found_project.notes, *said), tuple(commands))


class _Chosen(NamedTuple):
    """A client that gets something."""

    installer: Installer
    parts: Parts


def _chosen(
    machine: Machine,
    installers: Sequence[Installer],
    root: Path,
    choices: Choices,
    find_program: Callable[[str], str | None],
) -> Iterator[_Chosen]:
    command = hook_command(machine)
    for one in installers:
        if one.name in choices.clients if choices.clients is not None else one.present(find_program):
            is_shared = choices.scope == "project"
            yield _Chosen(one, one.shared(root) if is_shared else one.user(command, status_line=choices.status_line))


def _notes(
    machine: Machine, choices: Choices, chosen: Sequence[_Chosen], find_program: Callable[[str], str | None]
) -> Iterable[str]:
    if not chosen:
        if choices.clients is None:
            yield "No client was found on this machine; run `clew init` again when there is one."
        return
    if choices.scope == "project":
        yield "Hooks are not put into a repository: they name places on one machine. Each person runs `clew init`."
        return
    for one in chosen:
        yield from one.parts.notes
    if any(_is_below(Path(machine.python), place) for place in machine.temporary):
        yield (
            f"{machine.python} is in a temporary place; without it hooks do nothing. "
            "Install clew for good (`uv tool install`, `pipx install`) and run `clew init` again."
        )
    if find_program("clew") is None:
        yield f"`clew` is not on your PATH: the slash commands need it there, hooks do not. {on_the_path(machine)}"


def _is_below(program: Path, place: Path) -> bool:
    """Whether the program is called by a path below `place`; where a link of that name leads is of no matter."""
    return program.is_relative_to(place) or program.parent.resolve().is_relative_to(place.resolve())

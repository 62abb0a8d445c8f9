"""Making a folder a project: an identity in `.clew/config.toml`, a `.clew/.gitignore`, and a ledger.

What is there stays: an identity that the configuration or the ledger has is used, no other byte of a file changes,
and doing it twice is doing it once. No client's settings are touched here.
"""

import codecs
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.intake.find import found_in, project_at
from clew.app.ports import Ports
from clew.app.project.location import PROJECT_FOLDER, SERVER_NAME, ProjectLocation, locate
from clew.app.project.opening import ProjectHandle, after_work, begin_session
from clew.app.project.redaction import safe_errors
from clew.app.project.session import ProjectSession
from clew.app.project.settings import FILE_BYTES_MAX, PROJECT_FILE, parse, project_text
from clew.app.record.checkpoint import Checkpoint
from clew.app.resume.catchup import catch_up
from clew.core.errors import InputError, LedgerError
from clew.core.state.ids import ulid
from clew.ledger.port import Ledger
from clew.ledger.portable import is_ulid
from clew.ledger.postgres.address import Address, address_file, is_address, read_address
from clew.workspace.atomic import alone, delete, make_folder, replace
from clew.workspace.disk import Disk, read
from clew.workspace.repository import bare_at, resolved

PROJECT_SETTING: Final = "project"
_IGNORE_NAME: Final = ".gitignore"
_PROGRESS_MS: Final = 2000
# So many of the newest sessions are imported while the person waits, the others behind it, some seconds at a time.
_FIRST_MAX: Final = 20
_PIECE_MS: Final = 10_000
_BEHIND: Final = "they are imported from now on without you (`clew status` tells how many wait)."


class InitPlan(NamedTuple):
    """What makes a folder a project. `project` is its identity, "" where one is still to be minted.

    `alias` is the identity that the configuration has while the ledger has another: the two are joined. `missing` are
    the files that are not there yet; `adds_identity`: the configuration gets a line, whether it is there or not.
    `joins`: the ledger is there already, made from this or another work tree. `server` is the address of the database
    that keeps it from now on, "" for none or the one that does.
    """

    location: ProjectLocation
    project: str
    alias: str
    missing: tuple[Path, ...]
    adds_identity: bool
    joins: bool
    server: str = ""


class Initialised(NamedTuple):
    """What was done, or would be with `dry_run`. `made` are the files that were made, in the order of `Plan.missing`;
    `sessions` how many sessions were imported (`dry_run`: session files that would be looked at), `left` how many files
    are left for `take_in_rest`.
    `notes` are sentences for the person who asked.
    """

    plan: InitPlan
    project: str
    made: tuple[Path, ...]
    sessions: int
    checkpoint: Checkpoint | None
    dry_run: bool
    notes: tuple[str, ...]
    left: int = 0


def init(
    project: ProjectHandle,
    *,
    progress: Callable[[int, int], None] = lambda _done, _left: None,
    founded: Callable[[], None] = lambda: None,
    server: str = "",
) -> Initialised:
    """Make `folder` (absolute) a project, or join the one that it belongs to, and import what the newest sessions
    left there.

    `progress` is told, every other second of a long intake, how many sessions were taken in and how many are left;
    `founded` is called when the project is made, before the intake. `server` is the address of a PostgreSQL database
    that is to keep the ledger: it is made there, or joined, and its schema brought to the newest.
    Interrupted, the rest is left for the next command. Raises `InputError` and `LedgerError`.
    """
    with safe_errors(project.ports.redact):
        planned = plan(project, server)
        if project.dry_run:
            waiting = sum(1 for _ in found_in(project.ports.locators, project_at(planned.location.root)))
            return Initialised(planned, planned.project, planned.missing, waiting, None, True, ())
        at = found(project.ports, planned)
        try:
            done, notes = 0, list(at.notes)
            founded()
            looked_at = 0
            while True:
                caught = catch_up(project.ports, at, deadline_ms=_PROGRESS_MS, most=_FIRST_MAX - looked_at)
                done, left = done + len(caught.intake.taken), caught.intake.left
                looked_at += caught.intake.looked_at
                if not left or looked_at >= _FIRST_MAX:
                    break
                progress(done, min(left, _FIRST_MAX - looked_at))
            told = caught.intake.notes[: -1 if left else None]  # the last one tells of what is left
            notes += [*told, f"{left:,} older session files are left: {_BEHIND}"] if left else told
            return Initialised(
                planned, at.ledger.project, planned.missing, done, caught.checkpoint, False, tuple(notes), left
            )
        finally:
            after_work(project.ports, at)
            at.ledger.close()


def take_in_rest(project: ProjectHandle) -> None:
    """Import what `init` left, the newest first; others that write get their turn in between. Raises `LedgerError`."""
    left = 1
    while left:
        with project.open(write=True, spool=False) as at:
            left = catch_up(project.ports, at, deadline_ms=_PIECE_MS).intake.left


def plan(project: ProjectHandle, server: str = "") -> InitPlan:
    """What `found` would do in `folder` (absolute). Changes nothing.

    Raises `InputError` for a folder that cannot be a project, or a configuration that cannot be read.
    """
    location = _checked_location(project)
    place = location.root / PROJECT_FOLDER
    configured = _identity(location.root)
    found_project, alias = configured, ""
    if server:
        location = _on_server(location, server)
        with suppress(LedgerError):  # there is none yet, or what is there is written anew
            found_project = read_address(location.ledger).project
            alias = configured if configured != found_project else ""
    joins = location.has_ledger and not server
    if joins:
        ledger = project.ports.open_ledger(location.ledger, project="", write=False)
        try:
            found_project = ledger.project
            if configured not in ("", found_project) and f"={configured}" not in ledger.fold("").entities:
                alias = configured
        finally:
            ledger.close()
    wanted = [location.root / PROJECT_FILE, place / _IGNORE_NAME, location.ledger]
    missing = tuple(path for path in wanted if not os.path.lexists(path))
    return InitPlan(location, found_project, alias, missing, not configured, joins, server)


def found(ports: Ports, planned: InitPlan) -> ProjectSession:
    """Make the project as `planned` and open it for writing; the caller closes the session's ledger.

    The ledger's identity is the truth: it is made first, and the configuration gets it. A crash in between leaves what
    the next call goes on from. Raises `InputError` or `LedgerError` where nothing can be written.
    """
    location = planned.location
    place = location.root / PROJECT_FOLDER
    with _writing(place):
        make_folder(place)
    project = planned.project or ulid(ports.now_ms(), ports.chance(10))
    if planned.server:
        ledger = _joined_server(ports, location.ledger, Address(planned.server, project))
    else:
        ledger = ports.open_ledger(location.ledger, project="" if planned.joins else project, write=True)
    alias = planned.alias
    try:
        if planned.adds_identity:
            named = _add_identity(location.root, ledger.project)
            alias = "" if named == ledger.project else named
        if not os.path.lexists(place / _IGNORE_NAME):
            with _writing(place / _IGNORE_NAME):
                replace(place / _IGNORE_NAME, b"*\n", mode=0o644)
        at = begin_session(ports, location, ledger, write=True)
        if alias:
            event = at.event("project.aliased", {"other": alias}, task="", key=f"alias:{alias}")
            at.append([event])
    except BaseException:
        ledger.close()
        raise
    return at


def _on_server(location: ProjectLocation, server: str) -> ProjectLocation:
    """The location with the file that says which server keeps the ledger."""
    if not is_address(server):
        raise _refused("this is no address of a PostgreSQL database", "It is `postgres://USER@HOST:PORT/DATABASE`.")
    if location.repository is None:
        raise _refused(
            f"{location.root} is in no git repository",
            "Run `git init` first: which server keeps a ledger is only taken from git's own folder.",
        )
    if location.has_ledger and not location.is_remote:
        raise _refused(
            f"{location.root} keeps its ledger in {location.ledger} already",
            "Run `clew export FILE`, move that ledger away, run this again, then `clew import FILE`.",
        )
    return location._replace(ledger=location.ledger.with_name(SERVER_NAME))


def _joined_server(ports: Ports, file: Path, address: Address) -> Ledger:
    """The ledger at `address`, open for writing, and the `file` that tells of it: written when all went well."""
    with _writing(file):
        trial = file.with_name(f".{ulid(ports.now_ms(), ports.chance(10))}.{SERVER_NAME}")
        replace(trial, address_file(address), mode=0o600)
        try:
            ledger = ports.open_ledger(trial, project=address.project, write=True)
        finally:
            delete(trial)
        replace(file, address_file(address._replace(key=ledger.key)), mode=0o600)
    return ledger


def _checked_location(project: ProjectHandle) -> ProjectLocation:
    """The location of `folder`, if it can be a project's."""
    location = locate(project.folder)
    start = resolved(project.folder)
    if location.repository is not None:
        for inside in (location.repository.git_dir, location.repository.common_dir):
            if start.is_relative_to(inside):
                raise _refused(
                    f"{project.folder} is inside git's own folder", f"Change to the work tree: {location.root}"
                )
    else:
        if (bare := bare_at(start)) is not None:
            raise _refused(
                f"{bare} is a bare repository, without files to work on",
                "Run `clew init` in a clone or a work tree of it (`git worktree add`).",
            )
        home = project.ports.environment.get("HOME", "")
        if location.root == Path(location.root.anchor) or (home and resolved(Path(home)).is_relative_to(location.root)):
            raise _refused(
                f"{location.root} is not a project: all other projects are below it",
                "Change to the folder that you work in, or run `git init` here first if it is one project.",
            )
    place = location.root / PROJECT_FOLDER
    try:
        facts = place.lstat()
    except FileNotFoundError:
        return location
    except OSError as error:
        raise _refused(f"{place} cannot be looked at: {error.strerror}", "Check its permissions.") from error
    if not stat.S_ISDIR(facts.st_mode):
        raise _refused(f"{place} is not a folder", "clew keeps its files there, and follows no link; move it away.")
    if hasattr(os, "getuid") and facts.st_uid != os.getuid():
        raise _refused(
            f"{place} belongs to another user",
            "What is kept there could be read and changed by that user; run `git init` or make `.clew` here first.",
        )
    return location


def _identity(root: Path) -> str:
    """The project's identity in its configuration, "" if it has none. Raises `InputError`."""
    text, problem = project_text(root)
    if problem:
        raise _invalid(problem)
    named = parse(text, PROJECT_FILE).get(PROJECT_SETTING, "")
    if named and not (isinstance(named, str) and is_ulid(named)):
        raise _invalid(f"`{PROJECT_SETTING}` is not an identity of a project")
    return str(named)


def _add_identity(root: Path, project: str) -> str:
    """Put the identity in a line in front of all others: no table of the file can swallow it there. Where somebody
    else was quicker theirs stays. The one that stands there now.
    """
    target = root / PROJECT_FILE
    with _writing(target), alone(target):
        if named := _identity(root):
            return named
        before = read(Disk(root), PROJECT_FILE, limit_bytes=FILE_BYTES_MAX).data or b""
        mark = codecs.BOM_UTF8 if before.startswith(codecs.BOM_UTF8) else b""
        end = "\r\n" if b"\r\n" in before else "\n"
        line = f'{PROJECT_SETTING} = "{project}"{end}'
        replace(target, mark + line.encode() + before.removeprefix(mark), mode=0o644)
    return project


def _refused(message: str, hint: str) -> InputError:
    return InputError(message, code="E-init-place", hint=hint)


def _invalid(why: str) -> InputError:
    return InputError(
        f"{PROJECT_FILE} cannot be used: {why}", code="E-settings-file", hint="Fix it, or move it away and run again."
    )


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Raises `InputError` where `path` cannot be written."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror or type(error).__name__}",
            code="E-init-readonly",
            hint="Check the rights of the folder and the room on its disk. `clew resume` works without `clew init`.",
        ) from error

"""Two people with a clone each, and the server between them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from clew.app.issue.run import pull, push
from clew.app.issue.sync import Synced
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import Speaker
from clew.core.state.events import Value
from clew.core.state.items import Kind
from clew.remotes.place import RemoteRepository
from tests.app.projects import World, open_task, state_item
from tests.remotes.memory import Forge, MemoryTracker, StoredIssue

NAME = "acme/till"


class Desk:
    """Somebody at a clone: `login` is who they are on the server."""

    def __init__(self, folder: Path, forge: Forge, login: str = "ada", *, ledger: bool = True) -> None:
        self.world = World(folder, ledger=ledger)
        self.forge = forge
        self.login = login
        self.world.repo.git("remote", "add", "origin", f"https://{forge.host}/{NAME}.git")
        self.before: Callable[[str], object] = lambda _: None
        self.after: Callable[[str], object] = lambda _: None

    def connect(self, repository: RemoteRepository) -> MemoryTracker:
        """The server, as this person."""
        return MemoryTracker(self.forge, str(repository), self.login, before=self.before, after=self.after)

    def task(self, title: str = "Tides for Brest") -> str:
        """A task is opened here; its id."""
        with self.world.desk() as at:
            return open_task(at, title)

    def state(self, kind: Kind, text: str, *, task: str, by: str = "agent", **data: Value) -> str:
        """Somebody states an item; its id."""
        with self.world.desk() as at:
            at.speaker = Speaker("ada", "human" if by == "human" else "agent", "", at.speaker.worktree, "main")
            return str(state_item(at, kind, text, task=task, **data).data["item"])

    def say(self, event: str, item: str, *, task: str, by: str = "agent", **data: Value) -> None:
        """Somebody says something about an item."""
        self.world.clock.tick()
        with self.world.desk() as at:
            at.speaker = Speaker("ada", "human" if by == "human" else "agent", "", at.speaker.worktree, "main")
            at.append([at.event(event, {"item": item, **data}, task=task)])

    def push(self, **more: object) -> Synced:
        """`clew issue push`."""
        self.world.clock.tick(1000)
        return push(
            ProjectHandle(self.world.ports, self.world.top, bool(more.pop("dry_run", False))), self.connect, **more
        )  # type: ignore[arg-type]

    def pull(self, **more: object) -> Synced:
        """`clew issue pull`."""
        self.world.clock.tick(1000)
        return pull(
            ProjectHandle(self.world.ports, self.world.top, bool(more.pop("dry_run", False))), self.connect, **more
        )  # type: ignore[arg-type]

    def texts(self, task: str, *, every: bool = False) -> dict[str, str]:
        """The live items of a task (or all): text by id."""
        with self.world.desk(write=False) as at:
            return {
                name: entry.item.text for name, entry in at.known(task).items() if every or entry.standing == "live"
            }

    def item(self, name: str, task: str):  # type: ignore[no-untyped-def]
        """One item as it stands."""
        with self.world.desk(write=False) as at:
            return at.known(task)[name]


def issue_of(forge: Forge, number: int = 1, name: str = NAME) -> StoredIssue:
    """An issue of the server."""
    return forge.repository(name)[number]


def edit(forge: Forge, old: str, new: str, *, login: str = "bea", number: int = 1, name: str = NAME) -> None:
    """Somebody changes a passage of an issue in a browser, which ends lines with CR LF."""
    body = issue_of(forge, number, name).body.replace("\r\n", "\n")
    assert old in body, f"{old!r} is not in\n{body}"
    forge.edit(name, number, login, body.replace(old, new).replace("\n", "\r\n"))

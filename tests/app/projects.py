"""A project with a ledger, for stories about what is kept: a repository, a home, a clock, who is at the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from clew.app.install.init import found, plan
from clew.app.ports import Ports
from clew.app.project.location import ProjectLocation
from clew.app.project.opening import ProjectHandle, open_project
from clew.app.project.session import ProjectSession, Speaker
from clew.core.state.events import Event, Value
from clew.core.state.extract import Extract
from clew.core.state.items import LETTERS, Authority, Item, Kind, Origin, Place, Provenance, new_item
from clew.ledger.port import Ledger
from clew.ledger.sqlite.connection import readonly
from clew.testing.clock import Chance, Clock
from tests.app.worlds import ports as plain_ports
from tests.app.worlds import project
from tests.workspace.repos import Repo

PERSON = Authority("human", "it came from a terminal that no client stands above")
AGENT = Authority("agent", "it was started below claude, an agent's client")


class World:
    """`ports` are a person's; `as_agent` an agent's. `clock` moves by hand."""

    def __init__(self, folder: Path, *, ledger: bool = True) -> None:
        self.home = folder / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        self.repo: Repo = project(folder / "tide", src__a_py="a = 1\n")
        self.top = self.repo.top.resolve()
        self.clock = Clock()
        self.chance = Chance(str(folder.name))
        self.ports = self.ports_of(PERSON)
        if ledger:
            found(self.ports, plan(ProjectHandle(self.ports, self.top))).ledger.close()

    def ports_of(self, authority: Authority) -> Ports:
        """The adapters for somebody with this authority."""
        plain = plain_ports(self.home)
        return plain._replace(channel=lambda: authority, actor="ada", now_ms=self.clock, chance=self.chance)

    @property
    def as_agent(self) -> Ports:
        """The adapters for an agent."""
        return self.ports_of(AGENT)

    @property
    def by_person(self) -> ProjectHandle:
        """The project as a person works on it."""
        return ProjectHandle(self.ports, self.top)

    @property
    def by_agent(self) -> ProjectHandle:
        """The project as an agent works on it."""
        return ProjectHandle(self.as_agent, self.top)

    def read_only(self) -> Ports:
        """The adapters of an agent in a sandbox that may not write the ledger."""
        ports = self.as_agent

        def opened(path: Path, *, project: str, write: bool) -> Ledger:
            if write:
                raise readonly(str(path))
            return ports.open_ledger(path, project=project, write=False)

        return ports._replace(open_ledger=opened)

    @contextmanager
    def desk(self, *, write: bool = True) -> Iterator[ProjectSession]:
        """The project's desk."""
        with open_project(self.ports, self.top, write=write, spool=False) as at:
            yield at


def session_over(
    ledger: Ledger,
    *,
    by: Speaker,
    at: ProjectLocation | None = None,
    clock: Clock | None = None,
    chance: Chance | None = None,
    redact: Callable[[str], str] = str,
) -> ProjectSession:
    """A session over a ledger that is at hand. Its rules redact nothing unless they are given."""
    nowhere = ProjectLocation(Path("/nowhere"), None, None, Path("/nowhere/.clew/ledger.db"))
    return ProjectSession(ledger, at or nowhere, by, now_ms=clock or Clock(), chance=chance or Chance(), redact=redact)


def state_item(at: ProjectSession, kind: Kind, text: str, *, task: str = "", **data: Value) -> Event:
    """Somebody at the desk states an item."""
    event = at.event("item.stated", {"item": at.new_id(LETTERS[kind]), "kind": kind, "text": text, **data}, task=task)
    at.append([event])
    return event


def open_task(at: ProjectSession, title: str) -> str:
    """A task is opened and bound to this work tree and branch; its id."""
    name = at.new_id("T")
    place: dict[str, Value] = {"worktree": str(at.location.root), "branch": at.location.branch, "task": name}
    at.append(
        [at.event("task.opened", {"task": name, "title": title}, task=""), at.event("place.bound", place, task="")]
    )
    return name


def read_item(
    kind: Kind,
    text: str,
    time: str,
    *,
    session: str = "s-1",
    status: str = "",
    by: Provenance = "verified",
    at: int = 0,
) -> Item:
    """An item that rules read off a session."""
    place = Place(session, at, text)
    return new_item(kind, text, client="claude-code", place=place, provenance=by, status=status, time=time)


def extract_of(world: World, *items: Item, session: str = "s-1", task: str = "", extent: int = 100) -> Extract:
    """What rules read off a session."""
    times = [item.time for item in items] or [""]
    origin = Origin("claude-code", session, str(world.top), "main", min(times), max(times), True, "")
    return Extract(origin, task, str(world.top), 1, extent, f"{extent:08}", items)

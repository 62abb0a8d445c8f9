"""What one server shows: the projects of this user, each opened for whoever visits."""

from __future__ import annotations

import asyncio
import math
import os
import re
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from clew.app.intake.find import found_in, project_at
from clew.app.ports import Ports
from clew.app.project.device import load_device
from clew.app.project.location import ProjectLocation, locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import known_roots, lives
from clew.app.team.hub_client import sync_hub
from clew.app.team.sync import joined_hubs
from clew.clients.registry import Locators
from clew.core.errors import ClewError, NotFound
from clew.core.runtime_dir import SESSIONS
from clew.interfaces.web.access import Access, Browser, by_person, digest, reader

if TYPE_CHECKING:
    from clew.app.install.entries import Machine
    from clew.app.stack.gather import StackTools
    from clew.clients.configured import ClientConfig
    from clew.clients.port import Locator, Transcript

T = TypeVar("T")
_KEY_CHARS: Final = 10
_CACHED_MAX: Final = 100
_LISTED_S: Final = 5.0
_REST_S: Final = 0.5
# While a page is open a hub is asked so often; open pages are told so often how long ago that was.
EXCHANGE_S: Final = 20.0
_TOLD_S: Final = 60.0
TICK_S: Final = 0.1
# New session files are looked for so often; of those there are, the newest are looked at each time.
_FILES_S: Final = 60.0
_NEWEST: Final = 4
_RECENT_S: Final = 3600.0
# So that a connection that nobody holds any more is noticed.
_BEAT_S: Final = 20.0
_LINE_END: Final = re.compile("\r\n|\r|\n")


class Marks:
    """The files of some projects that change when something happens there: ledgers, live sessions, runs."""

    def __init__(self, places: Sequence[ProjectLocation], locators: Locators, data: Path) -> None:
        self._places = places
        self._locators = locators
        self._data = data
        self._files: list[str] = []
        self._listed = -_FILES_S

    def now(self) -> str:
        """What stands for how things are; another text when something changed."""
        now = time.monotonic()
        if now - self._listed >= _FILES_S:
            self._files = list(self._watched())
            self._listed = now
        return " ".join(map(_stamp, self._files))

    def _watched(self) -> Iterable[str]:
        now_ns = time.time_ns()
        for at in self._places:
            folder = at.ledger.parent
            yield from (str(at.ledger), f"{at.ledger}-wal", str(at.root / ".clew"), str(at.spool), str(folder / "run"))
            yield from (f"{live}/{SESSIONS}" for live in lives(self._data, [at.root]))
            files = found_in(self._locators, project_at(at.root))
            recent = [one for one in files if now_ns - one.modified_ns < _RECENT_S * 1e9]
            recent.sort(key=lambda one: -one.modified_ns)
            yield from (str(one.path) for one in recent[:_NEWEST])


def _stamp(path: str) -> str:
    try:
        facts = os.stat(path)  # noqa: PTH116 - many times a second
    except (OSError, ValueError):
        return "-"
    return f"{facts.st_size}.{facts.st_mtime_ns}"


def event(name: str, data: str) -> str:
    """A server-sent event. A field ends at each line end that browsers know, so that no text makes another field."""
    lines = "".join(f"data: {line}\n" for line in _LINE_END.split(data))
    return f"event: {_LINE_END.sub(' ', name)}\n{lines}\n"


class Watch:
    """Looks (`now()` gives another text when something changed) for all pages that listen, and not while none does.
    `is_over`: the server ends.
    """

    def __init__(self, now: Callable[[], str], is_over: Callable[[], bool]) -> None:
        self._now = now
        self._is_over = is_over
        self._ears: set[asyncio.Event] = set()
        self._looks: asyncio.Task[None] | None = None

    async def changes(self, is_gone: Callable[[], Awaitable[bool]], *, is_behind: bool = False) -> AsyncIterator[str]:
        """An event each time that something changed, until whoever listens is gone or the server ends. `is_behind`:
        something changed since whoever listens last looked.
        """
        ear = asyncio.Event()
        if is_behind:
            ear.set()
        self._ears.add(ear)
        try:
            if self._looks is None or self._looks.done():
                mark = await asyncio.to_thread(self._now)
                self._looks = asyncio.create_task(self._look(mark))
            yield event("ready", "")
            while not self._is_over():
                try:
                    await asyncio.wait_for(ear.wait(), _BEAT_S)
                except TimeoutError:
                    if await is_gone():
                        return
                    yield event("beat", "")
                    continue
                ear.clear()
                if not self._is_over():
                    yield event("changed", str(time.time_ns() // 1_000_000))
        finally:
            self._ears.discard(ear)

    async def _look(self, mark: str) -> None:
        while self._ears and not self._is_over():
            await asyncio.sleep(TICK_S)
            now = self._now()
            if now != mark or self._is_over():
                mark = now
                for ear in self._ears:
                    ear.set()


class HubLine(NamedTuple):
    """A hub that a project has joined: its address, when it last confirmed what it holds ("" never), and why the last
    exchange failed, "" it did not.
    """

    url: str
    confirmed_at: str
    problem: str


class _ListedOnce:
    """A locator that lists the sessions of a folder once."""

    def __init__(self, locator: Locator) -> None:
        self._locator = locator
        self._listed = cache(lambda folder: tuple(locator.sessions_of(folder)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._locator, name)

    def sessions_of(self, folder: Path) -> Iterator[Transcript]:
        """See `Locator.sessions_of`."""
        return iter(self._listed(folder))


class ListedOnce(Locators):
    """Locators for one page, which asks several times for the sessions of a folder: there may be thousands."""

    def __init__(self, locators: Iterable[Locator]) -> None:
        self._all: list[Any] = [_ListedOnce(one) for one in locators]

    def __iter__(self) -> Iterator[Locator]:
        return iter(self._all)


class Tools(NamedTuple):
    """What pages need of this machine beside the ports; each is made when it is asked for."""

    machine: Callable[[], Machine]
    clients: Callable[[], Sequence[ClientConfig]]
    stacks: Callable[[], StackTools]


@dataclass(slots=True)
class Site:
    """One server's projects. `ports` are the user's, without a session that asks; `start` is the folder in which the
    server was started; `hosts` and `origins` are those by which it may be called. `is_over`: it is
    about to end.
    """

    ports: Ports
    tools: Tools
    access: Access
    start: Path
    hosts: frozenset[str]
    origins: frozenset[str]
    is_secure: bool = False
    is_over: Callable[[], bool] = lambda: False
    _projects: dict[str, Path] = field(default_factory=dict)
    _listed: float = -_LISTED_S
    _cache: OrderedDict[tuple[object, ...], tuple[str, Any]] = field(default_factory=OrderedDict)
    _watches: dict[tuple[Path, ...], tuple[Marks, Watch]] = field(default_factory=dict)
    _making: set[tuple[object, ...]] = field(default_factory=set)
    _renewed: int = 0
    _lock: Lock = field(default_factory=Lock)
    _due: dict[Path, float] = field(default_factory=dict)
    _told: dict[Path, float] = field(default_factory=dict)
    _trouble: dict[str, str] = field(default_factory=dict)

    def projects(self) -> Mapping[str, Path]:
        """The tops of the projects that keep a ledger, by the key that stands for each in addresses; the one that the
        server was started in first. Work trees of one repository are one project.
        """
        if time.monotonic() - self._listed >= _LISTED_S:
            found: dict[Path, Path] = {}
            here = locate(self.start)
            for at in (here, *map(locate, known_roots(self.ports.trust_store.parent))):
                if at.has_ledger and at.root.is_dir():
                    found.setdefault(at.ledger, at.root)
            self._projects = {digest(str(root))[:_KEY_CHARS]: root for root in found.values()}
            self._listed = time.monotonic()
        return self._projects

    def marks(self, key: str) -> Marks:
        """What to look at to see that something changed: of one project, or with "" of all."""
        return self._watched(key)[0]

    def watch(self, key: str) -> Watch:
        """What tells open pages of it."""
        return self._watched(key)[1]

    def _watched(self, key: str) -> tuple[Marks, Watch]:
        roots = tuple(root for name, root in self.projects().items() if key in ("", name))
        if roots not in self._watches:
            marks = Marks(list(map(locate, roots)), self.ports.locators, self.ports.trust_store.parent)

            def look() -> str:
                self._exchange_due(roots)
                return f"{marks.now()} {self._renewed}"

            self._watches[roots] = marks, Watch(look, lambda: self.is_over())  # noqa: PLW0108 - set later
        return self._watches[roots]

    def hubs(self, root: Path) -> list[HubLine]:
        """How it stands with the hubs that a project has joined."""
        try:
            found = joined_hubs(locate(root).exchange_file)
        except ClewError as error:
            return [HubLine("", "", error.message)]
        return [HubLine(url, time, self._trouble.get(f"{root} {url}", "")) for url, time in found.items()]

    def names(self, root: Path) -> tuple[str, ...]:
        """What the person at this machine is called in a project: by this machine, and by a hub that was joined."""
        person = ""
        with suppress(ClewError):
            person = load_device(locate(root).exchange_file).person
        return "", self.ports.actor, person

    def _exchange_due(self, roots: Iterable[Path]) -> None:
        """Exchange those projects with their hubs whose turn it is; pages do not wait for it."""
        now = time.monotonic()
        for root in roots:
            if now >= self._due.get(root, 0.0):
                self._due[root] = now + EXCHANGE_S
                if hubs := [one.url for one in self.hubs(root) if one.url]:
                    self._due[root] = math.inf
                    Thread(target=self._exchange, args=(root, hubs), daemon=True).start()

    def _exchange(self, root: Path, hubs: Iterable[str]) -> None:
        before = dict(self._trouble)
        try:
            self._exchange_with(root, hubs)
        finally:  # whatever happened, there is a next time
            now = time.monotonic()
            self._due[root] = now + EXCHANGE_S
        if self._trouble != before or now - self._told.get(root, -_TOLD_S) >= _TOLD_S:
            self._told[root] = now
            with self._lock:
                self._renewed += 1

    def _exchange_with(self, root: Path, hubs: Iterable[str]) -> None:
        project = ProjectHandle(self.ports._replace(channel=reader), root)
        for url in hubs:
            said = ""
            try:
                sync_hub(project, url)
            except ClewError as error:
                said = f"{error.message}. {error.hint}"
            except OSError as error:
                said = error.strerror or str(error)
            self._trouble[f"{root} {url}"] = self.ports.redact(said)

    def cached(self, mark: str, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """What `make` gives, or gave before for the same `mark`: results that only change with it."""
        with self._lock:
            known = self._cache.get(key)
            if known is not None and known[0] == mark:
                self._cache.move_to_end(key)
                return known[1]  # type: ignore[no-any-return] # what this key's maker gave
        made = make()
        with self._lock:
            self._cache[key] = (mark, made)
            while len(self._cache) > _CACHED_MAX:
                self._cache.popitem(last=False)
        return made

    def recent(self, mark: str, key: tuple[object, ...], make: Callable[[], T], meanwhile: T | None = None) -> T:
        """As `cached`, but what was made for an earlier mark is given at once, or where there is none what to tell
        `meanwhile`: the new one is made in the background, and open pages hear of it.
        """
        with self._lock:
            known: Any = self._cache.get(key) or ((None, meanwhile) if meanwhile is not None else None)
            if known is not None and known[0] != mark:
                if key not in self._making:
                    self._making.add(key)
                    rest_s = 0.0 if known[0] is None else _REST_S
                    Thread(target=self._renew, args=(mark, key, make, rest_s), daemon=True).start()
                return known[1]  # type: ignore[no-any-return] # as above
        return self.cached(mark, key, make)

    def _renew(self, mark: str, key: tuple[object, ...], make: Callable[[], object], rest_s: float) -> None:
        time.sleep(rest_s)  # the page that asks comes first, and what changes once often changes again
        try:
            made = make()
            with self._lock:
                self._cache[key] = (mark, made)
        except ClewError:  # whoever asks next is told
            with self._lock:
                self._cache.pop(key, None)
        finally:
            with self._lock:
                self._making.discard(key)
                self._renewed += 1


class Visit(NamedTuple):
    """One request: by which browser, of which project ("" none), with which parameters. `seen` stands for the words of
    a deed that a person confirmed, "" nothing yet; `acts`: what is done is a person's. `locators` are its own, None the
    site's.
    """

    site: Site
    browser: Browser
    key: str
    place: str
    given: Mapping[str, str]
    acts: bool = False
    seen: str = ""
    locators: Locators | None = None

    @property
    def root(self) -> Path:
        """The top of the project. Raises `NotFound`."""
        root = self.site.projects().get(self.key)
        if root is None:
            raise NotFound(
                "there is no such project here", code="E-page-project", hint="`clew init` there makes it one."
            )
        return root

    @property
    def ports(self) -> Ports:
        """The ports of whoever visits."""
        authority = by_person(self.seen) if self.acts else reader()
        ports = self.site.ports
        return ports._replace(channel=lambda: authority, locators=self.locators or ports.locators)

    @property
    def project(self) -> ProjectHandle:
        """The project as whoever visits may work on it."""
        return ProjectHandle(self.ports, self.root)

    def of(self, root: Path) -> ProjectHandle:
        """Another project, to look at."""
        return ProjectHandle(self._replace(acts=False).ports, root)

    def text(self, name: str, default: str = "") -> str:
        """A parameter."""
        return self.given.get(name, default).strip()

    def number(self, name: str, default: int, *, most: int) -> int:
        """A parameter that is a number from 1 up to `most`; the `default` where it is none."""
        text = self.text(name)
        return min(most, max(1, int(text))) if text.isascii() and text.isdigit() and len(text) < 10 else default

    @property
    def today(self) -> str:
        """The day as the person counts days."""
        return time.strftime("%Y-%m-%d", time.localtime(self.site.ports.now_ms() / 1000))

"""A made-up project with something on every page, and the site that shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from starlette.testclient import TestClient

from clew import wiring
from clew.app.install.init import found, plan
from clew.app.look.show import show
from clew.app.memory.use import remember
from clew.app.phase.lifecycle import phase_start
from clew.app.plan.lifecycle import plan_approve, plan_new, plan_write
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import opt_in
from clew.app.record.note import NewNote, note
from clew.app.results import SourcedRow
from clew.app.resume.payload import resume
from clew.app.stack.stack_file import add_source, new_stack
from clew.core.state.events import Event
from clew.core.state.items import Authority, Kind
from clew.interfaces.web.access import Access
from clew.interfaces.web.server import listen, make_app, make_server
from clew.interfaces.web.site import Site, Tools
from clew.testing.clock import Chance
from tests.app.worlds import ports as plain_ports
from tests.app.worlds import project
from tests.recordings.sessions import Recorder

HOST = "127.0.0.1:7414"
PERSON = Authority("human", "it came from a terminal that no client stands above")
AGENT = Authority("agent", "it was started below claude, an agent's client")
SESSION = "5e551011-0000-4000-8000-000000000001"
# The evening of the day on which the story happens.
NOW_MS = 1_772_478_000_000
PLAN = """\
# Import the bank's CSV every night

## Phase 1: Read the file

- [ ] Read rows with a streaming parser
- [ ] Refuse a row without a date

Validate: `python -m pytest -q tests/test_reader.py`
Budget: 60000

## Phase 2: Match transactions

- [ ] Match by amount and date

Validate: `python -m pytest -q tests/test_matcher.py`
Depends: 1
Budget: 90000

## Phase 3: Report what is left over

- [ ] One line for each row without a match

Validate: `python -m pytest -q tests/test_report.py`
Depends: 2
"""
WORDS = {
    "decision": "Match by amount and date, never by text",
    "why": "banks shorten the text, and each in its own way",
    "failed": "Loading the whole file with pandas",
    "constraint": "No transaction is ever booked twice",
    "question": "May a match within three days count as the same day?",
    "next": "Write the matcher, then run it on the March file",
    "learning": "The bank writes amounts with a comma: 1.234,50",
    "prompt": "Import the bank's CSV every night and book what matches",
    "reply": "The reader is done: 4,120 rows of the March file, none without a date. Next is the matcher.",
}


class House:
    """`words` are those that stand on its pages, by where they are said; a test may put others there."""

    def __init__(
        self, folder: Path, *, words: Mapping[str, str] = WORDS, barred: str = "", empty: bool = False
    ) -> None:
        self.words = {**WORDS, **words}
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        self.repo = project(folder / "ledgerline", src__reader_py="def rows():\n    return []\n")
        self.top = self.repo.top.resolve()
        self._now_ms = NOW_MS
        self._chance = Chance("house")
        self.ports = self.ports_of(PERSON)
        self.shown: list[str] = []
        found(self.ports, plan(ProjectHandle(self.ports, self.top))).ledger.close()
        opt_in(self.ports.trust_store.parent, self.top)
        if not empty:
            self._fill()
        self._now_ms += 20 * 60_000
        self.site = self.site_of(barred)

    def ports_of(self, authority: Authority) -> Ports:
        """The adapters for somebody with this authority; a millisecond passes with each look at the clock."""
        plain = plain_ports(self.home)
        return plain._replace(channel=lambda: authority, actor="mira", now_ms=self._tick, chance=self._chance)

    @property
    def by_person(self) -> ProjectHandle:
        """The project as a person works on it at a terminal."""
        return ProjectHandle(self.ports, self.top)

    @property
    def by_agent(self) -> ProjectHandle:
        """The project as an agent works on it."""
        return ProjectHandle(self.ports_of(AGENT)._replace(actor="claude-code"), self.top)

    def note(self, kind: Kind, text: str, *, agent: bool = False, **fields: Any) -> str:
        """Something is noted; its id."""
        done = note(self.by_agent if agent else self.by_person, NewNote(kind, text, **fields))
        assert done.item is not None
        return done.item.id

    def site_of(self, barred: str = "", host: str = HOST) -> Site:
        """The site as a server of this user shows it."""
        environment = {"HOME": str(self.home), "PATH": "/usr/bin:/bin"}
        tools = Tools(
            lambda: wiring.machine(environment),
            lambda: wiring.configurations(environment),
            lambda: wiring.stacks(environment),
        )
        access = Access(self._chance, lambda: self._now_ms / 1000, self._show, barred)
        return Site(self.ports, tools, access, self.top, frozenset([host]), frozenset([f"http://{host}"]))

    def browser(self, *, enters: bool = True) -> TestClient:
        """A browser; one that `enters` opened the link."""
        made = TestClient(make_app(self.site), base_url=f"http://{HOST}", follow_redirects=True)
        if enters:
            assert 200 == made.post("/enter", data={"ticket": self.site.access.ticket}).status_code
        return made

    def acting(self) -> tuple[TestClient, dict[str, str]]:
        """A browser in which a person typed the code, and the headers with which its page changes something."""
        browser = self.browser()
        token = re.search(r'name="clew-token" content="(\w+)"', browser.get("/").text)
        assert token is not None
        headers = {"x-clew-token": token[1]}
        assert 200 == browser.post("/person", json={}, headers=headers).status_code
        key = browser.post("/person", json={"code": self.code}, headers=headers).json()["key"]
        return browser, {**headers, "x-clew-key": key}

    @property
    def code(self) -> str:
        """The code that the terminal showed last."""
        found = re.search(r"type (\w{6}) there", self.shown[-1])
        assert found is not None
        return found[1]

    def live(self) -> list[SourcedRow]:
        """The items of the task that count."""
        return [one for one in show(self.by_person, None).items if one.standing == "live"]

    def one(self, kind: Kind) -> SourcedRow:
        """The first of them of a kind."""
        return next(item for item in self.live() if item.kind == kind)

    def events(self) -> list[Event]:
        """All that was recorded."""
        with self.by_person.open(write=False) as at:
            return [one.event for one in at.ledger.events()]

    @contextmanager
    def served(self) -> Iterator[str]:
        """The address at which a real server shows it."""
        with listen(0) as at:
            host = f"127.0.0.1:{at.getsockname()[1]}"
            self.site = self.site_of(host=host)
            server = make_server(self.site)
            thread = Thread(target=server.run, kwargs={"sockets": [at]})
            thread.start()
            try:
                yield f"http://{host}"
            finally:
                server.should_exit = True
                thread.join(30)

    @property
    def key(self) -> str:
        """The project's key in addresses."""
        return next(iter(self.site.projects()))

    def _show(self, text: str) -> bool:
        self.shown.append(text)
        return True

    def _tick(self) -> int:
        self._now_ms += 1
        return self._now_ms

    def _fill(self) -> None:
        said = self.words
        start = "2026-03-02T17:00:00"
        story = Recorder(self.top, start=start, model="claude-sonnet-4-5").user(said["prompt"])
        story.read("src/reader.py", "def rows():\n    return []\n")
        story.write("src/matcher.py", "def match(row):\n    return None\n").run("python -m pytest -q", "3 passed")
        story.compaction("The reader is done.").user("Go on with the matcher").run("ls", said["prompt"])
        story.reply(said["reply"]).save(self.home)
        self.repo.write("src/matcher.py", "def match(row):\n    return None\n")
        plan_new(self.by_agent, self.title)
        plan_write(self.by_agent, PLAN.replace("# Import the bank's CSV every night", f"# {self.title}"))
        self.note("decision", said["decision"], why=said["why"], agent=True)
        self.note("failed", said["failed"], why="it took 9 GB for a file of a year", agent=True)
        self.note("constraint", said["constraint"])
        self.note("question", said["question"], blocking=True, agent=True)
        self.note("next", said["next"], agent=True)
        self.note("learning", said["learning"], agent=True)
        remember(self.by_person, "project", "bank", "Statements come at six in the morning")
        new_stack(self.top, "matcher", title="What the matcher needs", budget=4000)
        for kind, words in (("files", ["README.md", "src/**"]), ("git-log", []), ("memory", [])):
            add_source(self.top, "matcher", kind, words, {})
        resume(self.by_person)

    @property
    def title(self) -> str:
        """The title of the plan and its task."""
        return self.words.get("title", "Import the bank's CSV every night")

    def approve(self) -> None:
        """A person at a terminal approves the plan, and the first phase begins."""
        plan_approve(self.by_person)
        phase_start(self.by_person, "1", with_baseline=False)

"""Histories: two people with a ledger each, others who edit in a browser, and pushes that are killed or overtaken.

A history is a list of numbers, so that Hypothesis can make it smaller. `told` plays one and says what went wrong. Each
text that somebody types holds a word that nobody else types (`W17W`), so that it can be looked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from clew.app.issue.body import marker, read
from clew.app.issue.link import link_of
from clew.app.issue.run import take_up
from clew.app.issue.sync import Syncing
from clew.app.ports import Ports
from clew.app.project.session import ProjectSession, Speaker
from clew.core.state.events import Value
from clew.core.state.items import LETTERS, Kind
from clew.ledger.memory import MemoryLedger
from clew.testing.clock import Chance, Clock
from tests.app.projects import session_over
from tests.remotes.memory import Forge, MemoryTracker, StoredIssue

NAME = "acme/till"
_KINDS: tuple[Kind, ...] = ("step", "phase", "decision", "risk", "constraint", "failed", "question", "reminder")
_SECTIONS = ("## Current status", "## Decisions locked", "## Open risks", "## Resume instruction")
_WORD = re.compile(r"W\d+W")
_LINE = re.compile(r"^[-*] ")
_BOX = re.compile(r"^- \[([ x])\] ")
STEPS = 16  # kinds of things that can happen


class Killed(Exception):
    """The process is gone."""


class _Desk:
    """One ledger, in memory, with the task."""

    def __init__(self, play: Play, name: str, ports: Ports) -> None:
        self.play, self.name, self.ports = play, name, ports
        self.clock = Clock(1_795_305_600_000 + (0 if name == "ada" else 500))
        project = {"ada": "01J00000000000000000000001", "dan": "01J00000000000000000000002"}[name]
        self.ledger = MemoryLedger(project=project, key=name.encode().ljust(32, b"."))
        self.chance = Chance(name)
        self.task = ""

    def at(self) -> ProjectSession:
        self.clock.tick(1000)
        by = Speaker(self.name, "agent", "", "/nowhere", "main")
        return session_over(self.ledger, by=by, clock=self.clock, chance=self.chance)

    def tracker(self) -> MemoryTracker:
        return MemoryTracker(
            self.play.forge, NAME, self.name, before=self.play.before_request, after=self.play.after_request
        )

    def begin(self) -> None:
        at = self.at()
        self.task = at.new_id("T")
        at.append([at.event("task.opened", {"task": self.task, "title": "Tides for Brest"}, task="")])

    def join(self) -> None:
        at = self.at()
        issue = self.tracker().issue(1)
        assert issue is not None
        self.task = take_up(at, issue)[0].id

    def sync(self, way: str) -> Syncing:
        at = self.at()
        task = at.task_of(self.task)
        assert task is not None
        link = link_of(at, self.task)
        made = Syncing(self.ports, at, self.tracker(), task, link)
        if way == "push":
            made.push()
        elif link.is_linked:
            made.pull()
        return made

    def live(self, at: ProjectSession) -> list[str]:
        found = at.known(self.task).items()
        return sorted(
            name for name, one in found if one.standing == "live" and one.item.kind in _KINDS and not one.item.owner
        )


class Play:
    """One history as it goes."""

    def __init__(self, ports: Ports) -> None:
        self.forge = Forge()
        self.ada, self.dan = _Desk(self, "ada", ports), _Desk(self, "dan", ports)
        self.typed: dict[str, bool] = {}  # words that people typed, and whether they still stand as they were left
        self.touched: set[str] = set()  # words that a ledger changed or ended
        # Items whose box a ledger set, by ending them too: whose tick came last is not the order of pushes. By id: the
        # words of the line may be other ones in the issue by then.
        self.set_here: set[str] = set()
        self.ticks: dict[str, str] = {}  # word of a line: how somebody left its box
        self.said: list[str] = []
        self._words = 0
        self._kill = 0
        self._race: Callable[[], None] | None = None

    # What goes on at the server

    def before_request(self, name: str) -> None:
        if name == "edit" and self._race is not None:
            race, self._race = self._race, None
            race()
        self._count()

    def after_request(self, name: str) -> None:
        self._count()

    def _count(self) -> None:
        if self._kill:
            self._kill -= 1
            if not self._kill:
                raise Killed

    @property
    def issue(self) -> StoredIssue | None:
        return self.forge.repository(NAME).get(1)

    # What happens

    def word(self) -> str:
        self._words += 1
        return f"W{self._words}W"

    def step(self, what: int, a: int, b: int) -> None:
        desk = self.dan if a % 3 == 2 and self.dan.task else self.ada
        deeds: tuple[Callable[[], object], ...] = (
            lambda: self.states(desk, a, b),
            lambda: self.rewords(desk, a, b),
            lambda: self.ends(desk, a, b),
            lambda: self.ticks_here(desk, a, b),
            lambda: self.browser(a, b),
            lambda: self.browser(b, a),
            lambda: self.browser(a + b, a),
            lambda: self.browser(a + 7, b),
            lambda: self.synced(desk, "push"),
            lambda: self.synced(desk, "push"),
            lambda: self.synced(desk, "pull"),
            lambda: self.killed(desk, a, b),
            lambda: self.raced(desk, a, b),
            self.joins,
            lambda: self.says(desk, a),
            lambda: self.browser(b + 3, a),
        )
        deeds[what % STEPS]()

    def states(self, desk: _Desk, a: int, b: int) -> None:
        at = desk.at()
        kind = _KINDS[a % len(_KINDS)]
        status = {"status": ("pending", "done", "in progress")[b % 3]} if kind in ("step", "phase") else {}
        data: dict[str, Value] = {
            "item": at.new_id(LETTERS[kind]), "kind": kind, "text": f"Ours {self.word()} of {desk.name}", **status,
        }  # fmt: skip
        at.append([at.event("item.stated", data, task=desk.task)])

    def _touch(self, at: ProjectSession, desk: _Desk, item: str) -> None:
        self.touched |= set(_WORD.findall(at.known(desk.task)[item].item.text))

    def _pick(self, desk: _Desk, at: ProjectSession, b: int) -> str:
        live = desk.live(at)
        return live[b % len(live)] if live else ""

    def rewords(self, desk: _Desk, a: int, b: int) -> None:
        at = desk.at()
        if item := self._pick(desk, at, b):
            self._touch(at, desk, item)
            at.append([at.event("item.edited", {"item": item, "text": f"Anew {self.word()}"}, task=desk.task)])

    def ends(self, desk: _Desk, a: int, b: int) -> None:
        at = desk.at()
        if item := self._pick(desk, at, b):
            self._touch(at, desk, item)
            self.set_here.add(item)
            kind = ("item.retracted", "item.resolved")[a % 2]
            at.append([at.event(kind, {"item": item}, task=desk.task)])

    def ticks_here(self, desk: _Desk, a: int, b: int) -> None:
        at = desk.at()
        item = self._pick(desk, at, b)
        if item and item[0] in "SP":
            self.set_here.add(item)
            status = ("done", "pending", "in progress")[a % 3]
            at.append([at.event("item.edited", {"item": item, "status": status}, task=desk.task)])

    def says(self, desk: _Desk, a: int) -> None:
        """A person states something that no stranger changes."""
        at = desk.at()
        at.speaker = at.speaker._replace(provenance="human")
        kind = ("constraint", "decision", "step")[a % 3]
        data: dict[str, Value] = {"item": at.new_id(LETTERS[kind]), "kind": kind, "text": f"Mine {self.word()}"}  # type: ignore[index]
        at.append([at.event("item.stated", data, task=desk.task)])

    def joins(self) -> None:
        if self.issue is not None and not self.dan.task:
            self.dan.join()

    # Edits in a browser

    def browser(self, a: int, b: int) -> None:
        """Somebody edits the text; every edit is one that a person can make by hand."""
        if self.issue is None:
            return
        rows = self.issue.body.replace("\r\n", "\n").split("\n")
        login = ("bea", "cid")[b % 2]
        changed = self._changed(rows, a, b)
        if changed is not None:
            text = ("\r\n" if b % 2 else "\n").join(changed)
            self.forge.edit(NAME, 1, login, text)

    def _changed(self, rows: list[str], a: int, b: int) -> list[str] | None:
        fixed = ("<!-- Q-", "- not recorded")
        lines = [at for at, row in enumerate(rows) if _LINE.match(row) and not any(one in row for one in fixed)]
        at = lines[b % len(lines)] if lines else -1
        match a % 9:
            case 0 | 1:
                return self._adds(rows, b)
            case 2 if at >= 0:
                return self._rewords_there(rows, at)
            case 3 if at >= 0:
                return self._deletes(rows, at)
            case 4 | 5:
                boxes = [one for one in lines if _BOX.match(rows[one])]
                return self._ticks_there(rows, boxes[b % len(boxes)]) if boxes else None
            case 6:
                word = self.word()
                self.typed[word] = True
                return [*rows[:1], "", f"Some words {word} of a person.", *rows[1:]]
            case 7 if len(lines) > 1:
                return self._swaps(rows, lines, b)
            case 8:
                return [row for row in rows if not row.startswith('{"v":1')] if b % 5 == 0 else self._adds(rows, b)
        return None

    def _adds(self, rows: list[str], b: int) -> list[str] | None:
        heading = _SECTIONS[b % len(_SECTIONS)]
        if heading not in rows:
            heading = next((row for row in rows if row in _SECTIONS), "")
        if not heading:
            return None
        word = self.word()
        self.typed[word] = True
        box = "[ ] " if heading == "## Current status" else ""
        if box:
            self.ticks[word] = " "
        at = rows.index(heading) + 1
        return [*rows[:at], f"- {box}Theirs {word} from a browser", *rows[at:]]

    def _rewords_there(self, rows: list[str], at: int) -> list[str]:
        word = self.word()
        for old in _WORD.findall(rows[at]):
            self.typed[old] = False
            self.ticks.pop(old, None)
        self.typed[word] = True
        found = re.fullmatch(r"(- (?:\[[ x]\] )?(?:[a-z, ]+: )?)(.*?)( <!-- \S+ -->)?", rows[at])
        assert found is not None
        return [*rows[:at], f"{found[1]}Other {word} words{found[3] or ''}", *rows[at + 1 :]]

    def _deletes(self, rows: list[str], at: int) -> list[str]:
        for old in _WORD.findall(rows[at]):
            self.typed[old] = False
            self.ticks.pop(old, None)
        return [*rows[:at], *rows[at + 1 :]]

    def _ticks_there(self, rows: list[str], at: int) -> list[str]:
        box = _BOX.match(rows[at])
        assert box is not None
        new = "x" if box[1] == " " else " "
        for word in _WORD.findall(rows[at]):
            self.ticks[word] = new
        return [*rows[:at], f"- [{new}] {rows[at][box.end() :]}", *rows[at + 1 :]]

    def _swaps(self, rows: list[str], lines: list[int], b: int) -> list[str]:
        at = lines[b % (len(lines) - 1)]
        if at + 1 not in lines:
            return rows
        return [*rows[:at], rows[at + 1], rows[at], *rows[at + 2 :]]

    # Syncs

    def synced(self, desk: _Desk, way: str) -> None:
        if not desk.task:
            return
        if desk is self.dan and self.issue is None:
            return
        desk.sync(way)
        again = desk.sync(way)
        if again.wrote or again.took:
            self.said.append(f"a second {way} of {desk.name} did something: {again.wrote} {again.took}")

    def killed(self, desk: _Desk, a: int, b: int) -> None:
        """The process is killed before or after some request, and the push is run again."""
        if not desk.task or (desk is self.dan and self.issue is None):
            return
        self._kill = 1 + b % 9
        with suppress(Killed):
            desk.sync("push" if a % 4 else "pull")
        self._kill = 0
        self.synced(desk, "push")

    def raced(self, desk: _Desk, a: int, b: int) -> None:
        """Somebody saves an edit between our reading and our writing."""
        self._race = lambda: self.browser(a, b)
        self.synced(desk, "push")
        self._race = None

    # What holds in the end

    def end(self) -> None:
        """All come to the same stand, and nothing was lost or doubled."""
        for _ in range(3):
            for desk in (self.ada, self.dan):
                if desk.task and (self.issue is not None or desk is self.ada):
                    self.synced(desk, "push")
        for desk in (self.ada, self.dan):
            if desk.task:
                last = desk.sync("push")
                if last.wrote or last.took:
                    self.said.append(f"they do not come to rest: {desk.name} {last.wrote} {last.took}")
        if self.issue is None:
            return
        if len(self.forge.repository(NAME)) > 1:
            self.said.append("there are two issues")
        body = self.issue.body
        if body.count(marker(link_of(self.ada.at(), self.ada.task).hid)) != 1:
            self.said.append("the issue cannot be found again")
        self._nothing_lost(body)
        self._nothing_twice(body)
        phases = [re.findall(r"P-[0-9a-z]{16}", one.body)[0] for one in self.issue.comments]
        if len(phases) != len(set(phases)):
            self.said.append(f"two comments on one phase: {phases}")

    def _nothing_lost(self, body: str) -> None:
        told = (one.event.data for desk in (self.ada, self.dan) for one in desk.ledger.events())
        kept = body + "\n".join(str(value) for data in told for value in data.values())
        for word, stands in self.typed.items():
            if stands and word not in kept:
                self.said.append(f"lost: {word}")
            if stands and word not in self.touched and word not in body:
                self.said.append(f"no longer in the issue: {word}")
        for row in body.split("\n"):
            box = _BOX.match(row)
            for word in _WORD.findall(row) if box and not any(one in row for one in self.set_here) else ():
                tick = self.ticks.get(word, box[1])
                if box[1] != tick and word not in self.touched and word not in _questions(body):
                    self.said.append(f"a tick is lost: {word} is [{box[1]}], somebody left [{tick}]")

    def _nothing_twice(self, body: str) -> None:
        rows = [row for row in body.split("\n") if _LINE.match(row) and "<!-- Q-" not in row]
        for word in set(_WORD.findall("\n".join(rows))):
            lines = [row for row in rows if word in row]
            if len(lines) > 1:
                self.said.append(f"twice: {lines}")
        for one in read(body).entries:
            same = [other for other in read(body).entries if other.id and other.id == one.id]
            if len(same) > 1:
                self.said.append(f"one id on two lines: {one.id}")


def _questions(body: str) -> str:
    return "\n".join(row for row in body.split("\n") if "<!-- Q-" in row)


def told(ports: Ports, history: Sequence[tuple[int, int, int]]) -> list[str]:
    """What went wrong in a history, in sentences; [] nothing did."""
    play = Play(ports)
    play.ada.begin()
    play.states(play.ada, 0, 0)
    play.states(play.ada, 1, 0)
    play.states(play.ada, 2, 0)
    for what, a, b in history:
        play.step(what, a, b)
    play.end()
    return play.said


def plain_ports(folder: Path) -> Ports:
    """The adapters for it: nothing of them is used but where trust is kept."""
    from tests.app.worlds import ports

    return ports(folder)

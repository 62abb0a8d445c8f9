"""Each member beside the reference, step by step: whatever is done in whatever order, both answer the same."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from clew.core.errors import InputError
from clew.core.state.crowd import Sort
from clew.core.state.events import Event
from clew.core.state.extract import Extract
from clew.ledger.memory import MemoryLedger
from clew.ledger.postgres import ledger as postgres
from clew.ledger.sqlite.opening import open_ledger
from clew.testing import strategies as drawn
from tests.ledger.postgres.server import server

TASKS = st.sampled_from(("", *drawn.TASKS))
SESSIONS = st.sampled_from((*drawn.SESSIONS, "unknown"))
BROKEN = st.sampled_from(({"said_at": "now"}, {"key": ""}, {"actor": "\ud800"}))


class Beside(RuleBasedStateMachine):
    """Everything that a ledger can be asked to do, done to both."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.reference = MemoryLedger(drawn.PROJECT)
        self.ledger = self._open()
        self.checkpoints: list[int] = []

    def _open(self):  # type: ignore[no-untyped-def]
        return open_ledger(self.folder / "ledger.db", project=drawn.PROJECT, write=True)

    def teardown(self) -> None:
        self.ledger.close()
        shutil.rmtree(self.folder)

    @rule(batch=drawn.batches())
    def append(self, batch: list[Event]) -> None:
        before = self.reference.position()
        assert self.reference.append(batch) == self.ledger.append(batch)
        self.checkpoints += [seq for seq, _ in self.reference.events(kinds=["checkpoint.taken"], after=before)]

    @rule(batch=drawn.batches(), extract=drawn.extracts(), back=st.integers(0, 20))
    def keep_what_was_made_before(self, batch: list[Event], extract: Extract, back: int) -> None:
        """Somebody may have redacted meanwhile."""
        looked = max(self.reference.position() - back, 0)
        before = self.reference.position()
        for do in (
            lambda ledger: ledger.append(batch, unless_redacted_after=looked),
            lambda ledger: ledger.take_in(extract, unless_redacted_after=looked),
        ):
            assert do(self.reference) == do(self.ledger)
        self.checkpoints += [seq for seq, _ in self.reference.events(kinds=["checkpoint.taken"], after=before)]

    @rule(batch=drawn.batches(), broken=drawn.events(), how=BROKEN)
    def append_what_cannot_be_kept(self, batch: list[Event], broken: Event, how: dict[str, str]) -> None:
        for ledger in (self.reference, self.ledger):
            try:
                ledger.append([*batch, broken._replace(**how)])  # type: ignore[arg-type]
            except InputError:
                continue
            raise AssertionError("kept what cannot be kept")

    @rule(name=st.sampled_from(drawn.CHECKPOINTS), number=st.integers(0, 10**9))
    def take_checkpoint(self, name: str, number: int) -> None:
        data = {"checkpoint": name, "name": "", "reason": ""}
        moment = drawn.TIMES[0]
        said = (f"checkpoint {number}", f"checkpoint {number}", drawn.PROJECT, "", "s1", "", "", "agent", "team")
        self.append([Event(*said, moment, moment, "checkpoint.taken", 1, data)])  # type: ignore[arg-type]

    @rule(task=TASKS, number=st.integers(0, 10**9), at_once=st.sampled_from((1, 5, 80, 530)))
    def append_much(self, task: str, number: int, at_once: int) -> None:
        """Enough for the next fold to write a snapshot, and for the tail to be filed; some of it checkpoints."""
        moment = drawn.TIMES[number % len(drawn.TIMES)]
        events = [
            Event(
                *(f"much {number} {n}", f"much {number} {n}", drawn.PROJECT, task, "", "", "", "agent", "team"),
                *(moment, moment),
                *(
                    ("item.edited", 1, {"item": drawn.ITEMS[n % 5], "text": drawn.SECRETS[n % 3]})
                    if n % 4 == 0
                    else ("item.stated", 1, {"item": f"D-{number}-{n}", "kind": "decision", "text": "one of many"})
                    if n % 41
                    else ("checkpoint.taken", 1, {"checkpoint": drawn.CHECKPOINTS[n % 3], "name": "", "reason": ""})
                ),
            )  # type: ignore[arg-type]
            for n in range(at_once if at_once > 5 else 90)
        ]
        for start in range(0, len(events), at_once):
            self.append(events[start : start + at_once])

    @rule(extract=drawn.extracts())
    def take_in(self, extract: Extract) -> None:
        assert self.reference.take_in(extract) == self.ledger.take_in(extract)

    @rule(session=SESSIONS, task=TASKS)
    def assign(self, session: str, task: str) -> None:
        assert self.reference.assign(session, task) == self.ledger.assign(session, task)

    @rule(task=TASKS, back=st.integers(-1, 12))
    def fold_in_the_past(self, task: str, back: int) -> None:
        upto = self.reference.position() - back
        assert self.reference.fold(task, upto=upto) == self.ledger.fold(task, upto=upto)

    @rule(task=TASKS, most=st.none() | st.integers(0, 4), also=st.sets(drawn.ids(), max_size=3))
    def look_at_a_part(self, task: str, most: int | None, also: set[str]) -> None:
        def room(sort: Sort) -> int | None:
            return most if sort.kind == "decision" else 1

        assert self.reference.select(task, room, also) == self.ledger.select(task, room, also)
        assert self.reference.fold_of(task, also) == self.ledger.fold_of(task, also)

    @rule(task=TASKS | st.none(), kinds=st.none() | st.sets(st.sampled_from(("item.stated", "checkpoint.taken", "x"))))
    def read(self, task: str | None, kinds: set[str] | None) -> None:
        after = self.reference.position() // 2
        for where in ({}, {"after": after}, {"upto": after}):
            ours = list(self.ledger.events(task=task, kinds=kinds, **where))
            assert list(self.reference.events(task=task, kinds=kinds, **where)) == ours

    @rule(prefix=st.sampled_from(("", "d", "D-7K2", "f-ab", "K-7k2q0000000000AB", "none")))
    def look_for_ids(self, prefix: str) -> None:
        assert self.reference.ids(prefix) == self.ledger.ids(prefix)

    @rule(wanted=st.sets(drawn.ids(), max_size=4))
    def shorten(self, wanted: set[str]) -> None:
        assert self.reference.shortest(wanted) == self.ledger.shortest(wanted)

    @rule(entity=drawn.ids() | st.sampled_from(("F-abce000000000000", "X-0000000000000001")))
    def find_the_task(self, entity: str) -> None:
        assert self.reference.task_of(entity) == self.ledger.task_of(entity)

    @rule(item=drawn.ids(), values=st.lists(st.sampled_from((*drawn.SECRETS, "", "a")), max_size=2))
    def purge(self, item: str, values: list[str]) -> None:
        assert self.reference.purge(item, values) == self.ledger.purge(item, values)

    @rule(before=st.sampled_from(drawn.TIMES))
    def prune(self, before: str) -> None:
        assert self.reference.prune(before) == self.ledger.prune(before)

    @rule()
    def open_again(self) -> None:
        self.ledger.close()
        self.ledger = self._open()

    @invariant()
    def the_same_is_known(self) -> None:
        assert self.reference.position() == self.ledger.position()
        for task in ("", *drawn.TASKS):
            assert self.reference.fold(task) == self.ledger.fold(task)
            assert self.reference.extracts(task=task) == self.ledger.extracts(task=task)
        assert list(self.reference.versions()) == list(self.ledger.versions())
        assert self.reference.taken() == self.ledger.taken()

    @invariant()
    def the_same_was_known_at_every_checkpoint(self) -> None:
        for seq in self.checkpoints[-3:]:
            assert self.reference.extracts(upto=seq) == self.ledger.extracts(upto=seq)
            (session, *_) = drawn.SESSIONS
            assert self.reference.extracts(session=session, upto=seq) == self.ledger.extracts(session=session, upto=seq)


class PostgresBeside(Beside):
    """The same with a ledger on a server."""

    def __init__(self) -> None:
        self.address = server().empty()
        super().__init__()

    def _open(self):  # type: ignore[no-untyped-def]
        return postgres.open_ledger(self.address, project=drawn.PROJECT, write=True, make=True)


Beside.TestCase.settings = settings(max_examples=30, stateful_step_count=25)
TestBeside = Beside.TestCase
PostgresBeside.TestCase.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
TestPostgresBeside = PostgresBeside.TestCase

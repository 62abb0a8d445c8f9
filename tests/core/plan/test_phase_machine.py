"""The phase machine: whatever is tried in whatever order, done means that a check passed on this tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.plan.phase_machine import (
    FAILED_CLAIMS_MAX,
    Command,
    CommandsRan,
    Finish,
    PhaseFact,
    PhaseRefusal,
    Raise,
    Release,
    Reopen,
    Start,
    Stop,
    Tick,
    transition,
)
from clew.core.plan.plan import Check, Phase, Plan, Step, digest
from clew.core.plan.recorded import plan_of
from clew.core.state.events import Event, checked
from clew.core.state.fold import fold
from clew.testing.strategies import PHASES, PROJECT, STEPS

FIRST, SECOND = PHASES
TEXT = "# Plan\n\n## Phase 1: Read\n\n- [ ] Read it\n\n## Phase 2: Write\n\n- [ ] Write it\n"
TREES = ("t1", "t2", "t3")


def read(text: str) -> Plan:
    """A plan of two phases, the second behind the first: the words of a plan are no business of the machine's."""
    one = Phase(1, "Read", (Step("Read it"),), ("true",))
    return Plan("Plan", (one, Phase(2, "Write", (Step("Write it"), Step("Try it")), depends=(1,))), text)


class History:
    """A ledger in small: facts become events, an event with a key that is there is not kept again."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.say("plan.opened", {"title": "Plan"})
        self.say("plan.written", {"text": TEXT, "phases": [FIRST, SECOND]})

    def say(self, kind: str, data: dict[str, Any], *, who: str = "agent", key: str = "") -> None:
        number = len(self.events)
        time = f"2026-11-22T01:{number // 60:02}:{number % 60:02}.000Z"
        identity = f"{number:026}"
        event = Event(identity, key or identity, PROJECT, "T-1", "", "", "", who, "team", time, time, kind, 1, data)  # type: ignore[arg-type]
        if event.key not in {one.key for one in self.events}:
            self.events.append(checked(event))

    def keep(self, facts: Sequence[PhaseFact]) -> None:
        for fact in facts:
            self.say(fact.kind, dict(fact.data), who="verified" if fact.proved else "agent", key=fact.key)

    def do(self, command: Command) -> tuple[PhaseFact, ...] | PhaseRefusal:
        said = transition(self.plan, command)
        if not isinstance(said, PhaseRefusal):
            self.keep(said)
        return said

    def approved(self) -> History:
        self.say("plan.approved", {"digest": digest(TEXT)}, who="human")
        return self

    @property
    def plan(self) -> Plan:
        return plan_of(fold(self.events), read)

    @property
    def first(self) -> Phase:
        return self.plan.phases[0]


def ran(
    tree: str, verdict: str = "passed", *, counted: bool = True, cause: str = "", phase: str = FIRST
) -> CommandsRan:
    return CommandsRan(phase, Check(tree, verdict, counted, cause))  # type: ignore[arg-type]


def test_a_phase_from_start_to_done() -> None:
    work = History().approved()
    assert [fact.kind for fact in work.do(Start(FIRST, "t0")) if isinstance(fact, PhaseFact)] == ["phase.started"]
    assert (work.first.status, work.first.attempt, work.first.tree) == ("started", 1, "t0")
    work.do(ran("t1"))
    work.do(Finish(FIRST, "t1", "Read all of it", commit="abc"))
    assert (work.first.status, work.first.outcome, work.first.commit) == ("done", "Read all of it", "abc")
    assert work.plan.current == work.plan.phases[1]


def refused(said: object) -> str:
    assert isinstance(said, PhaseRefusal), said
    return said.reason


def test_what_is_refused_and_why() -> None:
    work = History()
    assert refused(work.do(Start(FIRST))) == "unapproved"
    work.approved()
    assert refused(work.do(Start("P-none"))) == "no-phase"
    assert refused(work.do(Start(SECOND))) == "waits"
    assert refused(work.do(ran("t1"))) == "state"
    work.do(Start(FIRST))
    assert refused(work.do(Start(FIRST))) == "state"
    assert refused(work.do(Finish(FIRST, "t1", "Did it"))) == "unproved"
    work.do(ran("t1", counted=False))
    assert refused(work.do(Finish(FIRST, "t2", "Did it"))) == "unproved"
    assert refused(work.do(Finish(FIRST, "t1", " "))) == "no-outcome"
    assert refused(work.do(Finish(FIRST, "t1", "Did it", attempt=2))) == "late"
    assert refused(work.do(Stop(FIRST, ""))) == "no-cause"
    assert refused(work.do(Tick(FIRST, STEPS[0]))) == "no-step"
    assert refused(work.do(Raise(FIRST, 0))) == "budget"


def test_the_second_failed_claim_stops_the_phase_and_a_cause_is_wanted_before_it() -> None:
    work = History().approved()
    work.do(Start(FIRST))
    work.do(ran("t1", "failed", counted=False))
    work.do(ran("t1", "failed"))
    assert (work.first.status, work.first.needs_cause) == ("started", True)
    assert refused(work.do(ran("t2", "failed"))) == "no-cause"
    work.do(ran("t2", "failed", cause="the clock was not faked"))
    assert (work.first.status, work.first.cause) == ("stopped", "the clock was not faked")
    work.do(Reopen(FIRST, "with a fake clock"))
    assert work.first.status == "planned"
    work.do(Start(FIRST))
    assert (work.first.attempt, work.first.checks) == (2, ())


def test_a_late_worker_ends_no_newer_attempt() -> None:
    work = History().approved()
    work.do(Start(FIRST))
    work.do(ran("t1"))
    late = transition(work.plan, Finish(FIRST, "t1", "Did it"))
    work.do(Stop(FIRST, "the machine was gone"))
    work.do(Reopen(FIRST))
    work.do(Start(FIRST))
    assert not isinstance(late, PhaseRefusal)
    work.keep(late)  # its key is taken: somebody else ended that attempt
    assert (work.first.status, work.first.attempt) == ("started", 2)


@pytest.mark.parametrize("done_first", [True, False])
def test_an_attempt_is_done_or_taken_over_but_not_both(done_first: bool) -> None:
    """Given a worker that finishes at the moment at which another one takes its phase over."""
    work = History().approved()
    work.do(Start(FIRST))
    work.do(ran("t1"))
    done = transition(work.plan, Finish(FIRST, "t1", "Did it", attempt=1))
    released = transition(work.plan, Release(FIRST, 1, "no sign of life"))
    assert not isinstance(done, PhaseRefusal) and not isinstance(released, PhaseRefusal)
    for facts in (done, released) if done_first else (released, done):
        work.keep(facts)
    assert work.first.status == ("done" if done_first else "planned")
    assert isinstance(work.do(Release(FIRST, 1)), PhaseRefusal)
    if not done_first:
        work.do(Start(FIRST))
        assert isinstance(work.do(Finish(FIRST, "t1", "Did it", attempt=1)), PhaseRefusal)
        assert isinstance(work.do(Release(FIRST, 1)), PhaseRefusal)


@pytest.mark.parametrize("who", ["agent", "human", "inferred"])
def test_nobodys_word_makes_a_phase_done(who: str) -> None:
    """Not even a person's: it is a check's exit code that does."""
    work = History().approved()
    work.do(Start(FIRST))
    about = {"phase": FIRST, "attempt": 1, "tree": "t1"}
    work.say("validation.ran", {**about, "verdict": "passed"}, who=who)
    work.say("phase.done", {**about, "outcome": "Did it"}, who=who)
    assert work.first.status == "started"


def test_other_words_want_another_approval() -> None:
    work = History().approved()
    assert work.plan.mode == "approved"
    work.say("plan.written", {"text": TEXT.replace("[ ] Read it", "[x] Read it"), "phases": [FIRST, SECOND]})
    assert work.plan.mode == "approved"  # a tick is no word
    work.say("plan.written", {"text": TEXT + "\n- [ ] And delete the rest\n", "phases": [FIRST, SECOND]})
    assert (work.plan.mode, work.plan.is_planning) == ("changed", True)
    work.say("plan.approved", {"digest": work.plan.digest})  # no person's
    assert work.plan.mode == "changed"


def test_steps_are_ticked_by_events_over_the_text() -> None:
    work = History().approved()
    step = work.first.steps[0]
    work.do(Tick(FIRST, step.id))
    assert work.first.steps[0].ticked and work.first.step is None
    assert work.do(Tick(FIRST, step.id)) == ()
    work.do(Tick(FIRST, step.id, ticked=False))
    assert not work.first.steps[0].ticked


_PHASE = st.sampled_from(PHASES)
_TREE = st.sampled_from(TREES)
_CHECK = st.builds(
    Check, _TREE, st.sampled_from(("passed", "failed", "not-run")), st.booleans(), st.sampled_from(("", "why"))
)
COMMANDS = st.lists(
    st.one_of(
        st.builds(Start, _PHASE, _TREE),
        st.builds(Start, _PHASE, _TREE),
        st.builds(CommandsRan, _PHASE, _CHECK, st.just(()), st.just(5)),
        st.builds(CommandsRan, _PHASE, _CHECK, st.just(()), st.just(5)),
        st.builds(
            Finish, _PHASE, _TREE, st.sampled_from(("did it", "")), spent_tokens=st.just(9), attempt=st.integers(0, 2)
        ),
        st.builds(Stop, _PHASE, st.sampled_from(("no", "")), spent_tokens=st.just(9), attempt=st.integers(0, 2)),
        st.builds(Reopen, _PHASE),
        st.builds(Release, _PHASE, st.integers(0, 2)),
        st.builds(Raise, _PHASE, st.integers(-1, 3)),
    ),
    max_size=25,
)
MACHINE = settings(max_examples=60, deadline=None)


@MACHINE
@given(COMMANDS)
def test_whatever_is_tried_done_means_that_a_check_passed_on_this_tree(commands: list[Command]) -> None:
    """What is refused changes nothing, and no attempt fails more often than once and then once more."""
    work = History().approved()
    passed: dict[str, str] = {}  # of the running attempt: the trees with what the last run on each said
    for command in commands:
        plan = work.plan
        before = {phase.id: phase for phase in plan.phases}
        said = work.do(command)
        after = work.plan
        if isinstance(said, PhaseRefusal) or not said:
            assert after == plan
        elif isinstance(command, CommandsRan):
            passed[command.phase + command.check.tree] = command.check.verdict
        else:
            assert after != plan
            if isinstance(command, Start):
                passed = {key: verdict for key, verdict in passed.items() if not key.startswith(command.phase)}
        for phase in after.phases:
            assert phase.failed_claims <= FAILED_CLAIMS_MAX
            assert phase.failed_claims < FAILED_CLAIMS_MAX or phase.status in ("stopped", "planned")
            if phase.status == "done" and before[phase.id].status != "done":
                assert isinstance(command, Finish)
                assert passed.get(phase.id + command.tree) == "passed"
                assert before[phase.id].status == "started"


@MACHINE
@given(COMMANDS, st.randoms(use_true_random=False))
def test_the_order_of_arrival_makes_no_difference(commands: list[Command], chance: Any) -> None:
    work = History().approved()
    for command in commands:
        work.do(command)
    mixed = chance.sample(work.events, len(work.events))
    assert plan_of(fold(mixed), read) == work.plan == plan_of(fold([*mixed, *mixed]), read)

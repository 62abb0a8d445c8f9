"""What a run does next: in whatever order things happen, wherever it is killed, a phase is done once or explained."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, TypeAlias

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from clew.core.plan import next_actions as na
from clew.core.plan.next_actions import (
    Action,
    ClaimVerdict,
    CommitPhase,
    EndRun,
    Halt,
    Limits,
    Merge,
    Recover,
    ReviewPhase,
    Round,
    RunState,
    StartPhase,
    StopPhase,
    Validate,
    Wait,
    WorkOnPhase,
    next_actions,
)
from clew.core.plan.phase_machine import Command, CommandsRan, Finish, PhaseFact, PhaseRefusal, transition
from clew.core.plan.phase_machine import Start as Begin
from clew.core.plan.phase_machine import Stop as GiveUp
from clew.core.plan.plan import Check, Phase, Plan, Step, digest
from clew.core.plan.recorded import plan_of, rounds_of
from clew.core.state.events import Event, checked
from clew.core.state.fold import Entity, fold
from clew.testing.strategies import PROJECT

TEXT = "# Plan\n"
NAMES = tuple(f"P-{number}000000000000000" for number in range(1, 5))
# The second and the third are independent of each other, the fourth joins them.
DEPENDS = ((), (1,), (1,), (2, 3))
NOW = "2026-11-22T01:00:00.000Z"
LATER = "2026-11-22T06:00:00.000Z"


def read(text: str) -> Plan:
    phases = [
        Phase(number, f"Part {number}", (Step("Do it"),), ("true",), 1000, depends=depends)
        for number, depends in enumerate(DEPENDS, 1)
    ]
    return Plan("Plan", tuple(phases), text)


class Ledger:
    """A ledger in small: of two events with one key the first is kept."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.keys: set[str] = set()
        self._count = 0
        self._entities: dict[str, Entity] = {}
        self.say("plan.written", {"text": TEXT, "phases": list(NAMES)})
        self.say("plan.approved", {"digest": digest(TEXT)}, who="human")

    def say(self, kind: str, data: dict[str, Any], *, who: str = "human", key: str = "") -> bool:
        """Whether it was the first with its key."""
        number = len(self.events)
        time = f"2026-11-22T01:{number // 60 % 60:02}:{number % 60:02}.{number // 3600:03}Z"
        identity = f"{number:026}"
        event = Event(identity, key or identity, PROJECT, "T-1", "", "", "", who, "team", time, time, kind, 1, data)  # type: ignore[arg-type]
        if event.key in self.keys:
            return False
        self.keys.add(event.key)
        self.events.append(checked(event))
        return True

    def do(self, command: Command) -> bool:
        said = transition(self.plan, command)
        facts: tuple[PhaseFact, ...] = () if isinstance(said, PhaseRefusal) else said
        told = [
            self.say(fact.kind, dict(fact.data), who="verified" if fact.proved else "human", key=fact.key)
            for fact in facts
        ]
        return bool(told) and all(told)

    @property
    def plan(self) -> Plan:
        return self._known()[0]

    @property
    def rounds(self) -> dict[str, tuple[Round, ...]]:
        return self._known()[1]

    def _known(self) -> tuple[Plan, dict[str, tuple[Round, ...]]]:
        """What the events fold to; folded again when there are more of them."""
        if self._count != len(self.events):
            self._entities = fold(self.events[self._count :], self._entities)
            plan = plan_of(self._entities, read)
            self._folded = plan, rounds_of(plan, self._entities)
            self._count = len(self.events)
        return self._folded


def approved(*phases: Phase) -> Plan:
    return Plan("Plan", phases, TEXT, mode="approved", approved=digest(TEXT))


def one(status: str = "started", **more: Any) -> Phase:
    return Phase(1, "Part", id="P-1", status=status, attempt=1, **more)  # type: ignore[arg-type]


def asked(*rounds: Round, phase: Phase | None = None, **more: Any) -> Action:
    phase = phase or one()
    (action,) = next_actions(RunState(approved(phase), {phase.id: rounds}, NOW, **more))
    return action


def test_a_phase_from_its_beginning_to_its_commit() -> None:
    planned = Phase(1, "Part", id="P-1")
    assert StartPhase("P-1") == asked(phase=planned)
    assert WorkOnPhase("P-1", 1, 1) == asked()
    assert Recover("P-1", 1, 1) == asked(Round(1))
    assert Validate("P-1", 1, 1) == asked(Round(1, "finished", "Did it"))
    passed = Round(1, "finished", "Did it", judged=(ClaimVerdict("passed"),))
    assert CommitPhase("P-1", 1, "Did it") == asked(passed, proved=("P-1",))
    assert Validate("P-1", 1, 1) == asked(passed), "the files are others since"
    assert ReviewPhase("P-1", 1, 1) == asked(passed, proved=("P-1",), reviews=True)
    accepted = passed._replace(judged=(ClaimVerdict("passed"), ClaimVerdict("accepted")))
    assert CommitPhase("P-1", 1, "Did it") == asked(accepted, proved=("P-1",), reviews=True)
    changes = passed._replace(judged=(ClaimVerdict("passed"), ClaimVerdict("changes", "Shorter.")))
    assert WorkOnPhase("P-1", 1, 2, "changes", "Shorter.") == asked(changes, reviews=True)
    assert EndRun("done") == asked(phase=one("done"))
    assert Merge("P-1", 1) == asked(phase=one("done", place="p1"))
    assert EndRun("done") == asked(phase=one("done", place="p1", merged=True))


def test_a_failure_is_mended_once_with_what_failed_first() -> None:
    failed = Round(1, "finished", "Did it", judged=(ClaimVerdict("failed", "1 != 2"),))
    assert WorkOnPhase("P-1", 1, 2, "retry", "1 != 2") == asked(failed)
    again = Round(2, "finished", "Did it", judged=(ClaimVerdict("failed", "1 != 3"),))
    assert StopPhase("P-1", 1, "the checks failed again after it was fixed: 1 != 3") == asked(failed, again)


def test_limits_are_waited_for_and_the_session_goes_on() -> None:
    limited = Round(1, "limited", "usage limit", until=LATER, session="s-1")
    assert Wait("P-1", LATER, "usage limit") == asked(limited)
    state = RunState(approved(one()), {"P-1": (limited,)}, LATER)
    assert (WorkOnPhase("P-1", 1, 2, "resume", session="s-1"),) == next_actions(state)


def test_checks_that_were_not_run_are_run_by_the_next_run() -> None:
    """Given a command that nobody trusted: a person trusts it, and the work done is checked, not repeated."""
    claimed = Round(1, "finished", "done", judged=(ClaimVerdict("not-run", "not trusted"),))
    assert Validate("P-1", 1, 1) == asked(claimed)


@pytest.mark.parametrize(
    ("rounds", "phase", "limits", "said"),
    [
        ([Round(1, "over", tokens=900)], one(budget_tokens=900), Limits(), "900 of its 900 tokens"),
        ([Round(1, "over", cents=250)], one(), Limits(cents=250), "2.50 of 2.50 US dollars"),
        ([Round(1, "over", duration_ms=60_000)], one(), Limits(seconds=60), "60 of 60 seconds"),
    ],
)
def test_a_spent_budget_halts_and_a_raised_one_goes_on(
    rounds: list[Round], phase: Phase, limits: Limits, said: str
) -> None:
    """It fails nothing: the attempt stays under way, and all that was done stays."""
    halted = asked(*rounds, phase=phase, limits=limits)
    assert isinstance(halted, EndRun) and said in halted.halts[0].why
    more = Limits(seconds=limits.seconds * 2, cents=limits.cents * 2)
    raised = phase._replace(budget_tokens=phase.budget_tokens * 2)
    assert WorkOnPhase("P-1", 1, 2, "again") == asked(*rounds, phase=raised, limits=more)


def test_what_comes_to_nothing_is_tried_again_a_bounded_number_of_times() -> None:
    failing = [Round(number, "failed", "no such model") for number in range(1, na.FAILURES_MAX + 1)]
    assert isinstance(asked(*failing[:-1]), WorkOnPhase)
    stopped = asked(*failing)
    assert isinstance(stopped, StopPhase) and "no such model" in stopped.cause
    full = [Round(number, "outgrown") for number in range(1, 4)]
    assert WorkOnPhase("P-1", 1, 3, "context") == asked(*full[:-1])
    assert isinstance(asked(*full), StopPhase)
    lost = [Round(number, "lost") for number in range(1, 100)]
    assert isinstance(asked(*lost), WorkOnPhase), "a run that is killed a hundred times goes on a hundred times"


def test_phases_side_by_side_have_work_trees_of_their_own_and_wait_for_the_merge() -> None:
    done = one("done", place="a")._replace(id=NAMES[0])
    rest = read(TEXT).phases[1:]
    phases = (done, *(phase._replace(id=name) for phase, name in zip(rest, NAMES[1:], strict=True)))
    state = RunState(approved(*phases), {}, NOW, Limits(jobs=2))
    assert (Merge(NAMES[0], 1),) == next_actions(state), "what comes after it needs it"
    merged = state._replace(plan=approved(done._replace(merged=True), *phases[1:]))
    assert (StartPhase(NAMES[1], True), StartPhase(NAMES[2], True)) == next_actions(merged)
    (stuck,) = next_actions(state._replace(stuck={NAMES[0]: "conflict in a.py"}))
    assert isinstance(stuck, EndRun)
    assert Halt(NAMES[0], "conflict in a.py", "clew worktree merge a") == stuck.halts[0]
    assert "phase 2 comes after phase 1, not done yet" == stuck.halts[1].why


def test_what_nobody_approved_is_not_begun() -> None:
    plan = approved(one("planned"))._replace(mode="changed")
    (over,) = next_actions(RunState(plan, {}, NOW))
    assert isinstance(over, EndRun) and "nobody approved" in over.halts[0].why


# A deed in steps, between which the run can be killed. What it says was drawn when the deed was begun.
Steps: TypeAlias = Generator[None, None, None]


# Half of what is drawn goes well: the client finishes and changed files, the checks pass, the person accepts.
WELL = len(na.ENDS)
DRAWS = st.lists(st.integers(0, 35) | st.sampled_from((WELL, WELL, 0)), min_size=4, max_size=4)


class Runs(RuleBasedStateMachine):
    """Runs over one ledger and one repository, each killed at any moment; their clients may live on and speak late.

    Beside the ledger stand the repository (commits, merges: a name each), and the clients that are alive.
    """

    @initialize(jobs=st.integers(1, 3), reviews=st.booleans())
    def begin(self, jobs: int, reviews: bool) -> None:
        self.ledger = Ledger()
        self.jobs, self.reviews = jobs, reviews
        self.commits: list[tuple[str, int]] = []
        self.merges: list[tuple[str, int]] = []
        self.alive: dict[tuple[str, int, int], int] = {}
        self.doing: dict[str, Steps] = {}
        self.trees: dict[str, int] = {}
        self.raised = 0
        self.now = NOW

    def state(self) -> RunState:
        limits = Limits(self.jobs, contexts=2, cents=100 * (1 + self.raised))
        return RunState(
            self.ledger.plan, self.ledger.rounds, self.now, limits, frozenset(self.doing), reviews=self.reviews,
            proved=frozenset(one.id for one in self.ledger.plan.phases if self._is_proved(one)),
        )  # fmt: skip

    def start(self, action: Action, draw: int) -> None:
        match action:
            case StartPhase(phase, apart):
                self.doing[phase] = self._start(phase, apart)
            case WorkOnPhase(phase):
                self.doing[phase] = self._work(action, draw)
            case Recover(phase):
                self.doing[phase] = self._recover(action)
            case Validate(phase):
                self.doing[phase] = self._validate(action, draw)
            case ReviewPhase(phase, attempt, number):
                self.doing[phase] = self._judge(phase, attempt, number, "changes" if draw % 4 == 0 else "accepted")
            case CommitPhase(phase):
                self.doing[phase] = self._commit(action)
            case Merge(phase, attempt):
                self.doing[phase] = self._merge(phase, attempt)
            case StopPhase(phase, attempt, cause):
                self.doing[phase] = self._stop(phase, attempt, cause)
            case Wait(_, until):
                self.now = until
            case EndRun() | Halt():
                pass

    def _start(self, phase: str, apart: bool) -> Steps:
        yield
        self.ledger.do(Begin(phase, "t0", place=f"w{phase}" if apart else ""))

    def _stop(self, phase: str, attempt: int, cause: str) -> Steps:
        yield
        self.ledger.do(GiveUp(phase, cause, attempt=attempt))

    def _work(self, action: WorkOnPhase, draw: int) -> Steps:
        yield
        name = (action.phase, action.attempt, action.number)
        data = {"phase": name[0], "attempt": name[1], "round": name[2]}
        if not self.ledger.say("work.started", data, key=f"begin{name}"):
            return
        yield
        assert all(one[0] != action.phase for one in self.alive), "two clients at one phase"
        self.alive[name] = draw
        yield
        if draw % 5:
            self.edit(action.phase)
        yield
        self._ends(name, draw)

    def _ends(self, name: tuple[str, int, int], draw: int) -> None:
        self.alive.pop(name, None)
        end = na.ENDS[draw % len(na.ENDS)]
        end = "failed" if end == "lost" else end
        data = {"phase": name[0], "attempt": name[1], "round": name[2], "word": end, "reason": "Did it", "cents": 9}
        self.ledger.say("work.ended", {**data, "until": LATER if end == "limited" else ""}, key=f"end{name}")

    def _recover(self, action: Recover) -> Steps:
        yield
        name = (action.phase, action.attempt, action.number)
        self.alive.pop(name, None)
        yield
        data = {"phase": name[0], "attempt": name[1], "round": name[2], "word": "lost"}
        self.ledger.say("work.ended", data, key=f"end{name}")

    def _validate(self, action: Validate, draw: int) -> Steps:
        yield
        phase, verdict = action.phase, "failed" if draw // len(na.ENDS) % 3 == 0 else "passed"
        cause = "it was wrong" if self._phase(phase).needs_cause else ""
        self.ledger.do(CommandsRan(phase, Check(self._tree(phase), verdict, True, cause)))  # type: ignore[arg-type]
        yield
        yield from self._judge(phase, action.attempt, action.number, verdict)

    def _judge(self, phase: str, attempt: int, number: int, word: str) -> Steps:
        yield
        rounds = self.ledger.rounds[phase]
        k = len(rounds[number - 1].judged) + 1
        data = {"phase": phase, "attempt": attempt, "round": number, "number": k, "word": word}
        self.ledger.say("work.judged", data, key=f"judge{phase, attempt, number, k}")

    def _commit(self, action: CommitPhase) -> Steps:
        yield
        finish = Finish(action.phase, self._tree(action.phase), action.outcome, commit="c", attempt=action.attempt)
        if isinstance(transition(self.ledger.plan, finish), PhaseRefusal):
            number = len(self.ledger.rounds[action.phase])
            yield from self._judge(action.phase, action.attempt, number, "unproved")
            return
        if (action.phase, action.attempt) not in self.commits:  # as `git log` tells by the trailers
            self.commits.append((action.phase, action.attempt))
        yield
        self.ledger.do(finish)

    def _merge(self, phase: str, attempt: int) -> Steps:
        yield
        assert all(one.place or one.status != "started" for one in self.ledger.plan.phases), "merged into work"
        if (phase, attempt) not in self.merges:  # as the branch tells
            self.merges.append((phase, attempt))
        yield
        self.ledger.say("phase.merged", {"phase": phase, "attempt": attempt, "commit": "m"}, key=f"m{phase, attempt}")

    def _phase(self, name: str) -> Phase:
        found = self.ledger.plan.with_id(name)
        assert found is not None
        return found

    def _tree(self, phase: str) -> str:
        """What stands for the files of a phase's work tree now."""
        return f"t{self.trees.get(phase, 0)}"

    def _is_proved(self, phase: Phase) -> bool:
        check = phase.check_on(self._tree(phase.id))
        return check is not None and check.verdict == "passed"

    def edit(self, phase: str) -> None:
        """Somebody changes files of the phase's work tree."""
        self.trees[phase] = self.trees.get(phase, 0) + 1

    @rule(draws=DRAWS)
    def look(self, draws: Sequence[int]) -> None:
        """The run asks, and begins what it is told."""
        for action, draw in zip(next_actions(self.state()), draws, strict=False):
            self.start(action, draw)

    @rule(draws=DRAWS, times=st.integers(1, 4))
    def go_far(self, draws: Sequence[int], times: int) -> None:
        """It asks, does all of it, and asks again."""
        for _ in range(times):
            self.look(draws)
            for name in sorted(self.doing):
                for _step in self.doing.pop(name):
                    self.nothing_twice()

    @rule(phase=st.sampled_from(NAMES))
    def meddle(self, phase: str) -> None:
        """A person edits files of a phase that is under way."""
        if phase not in self.doing:
            self.edit(phase)

    @precondition(lambda self: self.doing)
    @rule(which=st.integers(0, 3), steps=st.integers(1, 6))
    def go_on(self, which: int, steps: int) -> None:
        """One of the deeds goes on by some steps."""
        name = sorted(self.doing)[which % len(self.doing)]
        for _ in range(steps):
            if next(self.doing[name], self) is self:
                del self.doing[name]
                return

    @rule(draws=DRAWS, steps=st.integers(0, 6), jobs=st.integers(1, 3))
    def die(self, draws: Sequence[int], steps: int, jobs: int) -> None:
        """SIGKILL on the way: what was under way is not, its clients live on. The next run may do more at a time."""
        self.look(draws)
        for _ in range(steps):
            for name in sorted(self.doing):
                if next(self.doing[name], self) is self:
                    del self.doing[name]
        self.doing.clear()
        self.jobs = jobs

    @rule(which=st.integers(0, 3))
    def speak_late(self, which: int) -> None:
        """A client whose run is gone tells what it did, to whoever still hears it."""
        orphans = [name for name in sorted(self.alive) if name[0] not in self.doing]
        if orphans:
            name = orphans[which % len(orphans)]
            self._ends(name, self.alive[name])

    @rule()
    def raise_budget(self) -> None:
        self.raised += 1

    @invariant()
    def nothing_twice(self) -> None:
        assert len(set(self.commits)) == len(self.commits)
        assert len(set(self.merges)) == len(self.merges)
        done = [event.data["phase"] for event in self.ledger.events if event.kind == "phase.done"]
        assert len(set(map(str, done))) == len(done)
        at_work = [name[0] for name in self.alive]
        assert len(set(at_work)) == len(at_work), "two clients at one phase"

    @invariant()
    def only_what_passed_is_done(self) -> None:
        for event in self.ledger.events:
            if event.kind == "phase.done":
                told = {(one.data.get("tree"), one.data.get("verdict")) for one in self.ledger.events}
                assert (event.data["tree"], "passed") in told

    @invariant()
    def a_failure_is_mended_once(self) -> None:
        for rounds in self.ledger.rounds.values():
            failed = [one for one in rounds if any(judged.word == "failed" for judged in one.judged)]
            assert len(failed) <= na.FAILED_CLAIMS_MAX

    @invariant()
    def no_more_than_so_many_at_a_time(self) -> None:
        assert len(self.doing) <= max(self.jobs, 1)
        here = [one for one in self.ledger.plan.phases if one.status == "started" and not one.place]
        assert len(here) <= 1

    def teardown(self) -> None:
        """From wherever it was left it comes to an end, with good luck to all that is done or explained."""
        if not hasattr(self, "ledger"):
            return
        self.doing.clear()
        for _ in range(500):
            actions = next_actions(self.state())
            assert actions, "nothing is under way, and nothing is to be done"
            if isinstance(actions[0], EndRun):
                break
            for action in actions:
                self.start(action, WELL)  # which finishes, passes and is accepted
            for name in list(self.doing):
                for _step in self.doing.pop(name):
                    self.nothing_twice()
        else:
            raise AssertionError("it does not come to an end")
        (over,) = next_actions(self.state())
        assert isinstance(over, EndRun)
        if all(phase.status != "stopped" for phase in self.ledger.plan.phases):
            assert "done" == over.word
        for phase in self.ledger.plan.phases:
            through = phase.status == "done" and (phase.merged or not phase.place)
            assert through or any(halt.phase == phase.id for halt in over.halts)
            assert phase.status != "done" or (phase.id, phase.attempt) in self.commits


TestRuns = Runs.TestCase
TestRuns.settings = settings(max_examples=80, stateful_step_count=50, deadline=None)

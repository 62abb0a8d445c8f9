"""What a run does next: from how a plan's phases stand, whatever happened, to the deeds that may be done now. Pure.

```text
planned ─ Start ─► started ─ Work ─► the client works ─► finished ─ Validate ─► passed ─ (Review) ─ Commit ─► done
                      ▲                   │                            │                              (own tree) │
                      └─ outgrown, limited, killed, lost, raised       └─ failed: Work once more, then Stop      Merge
```

A runner does a deed, records what happened, and asks again; so it asks after a crash. A *round* is one context in which
a client worked at an attempt: it is begun once and ended once, whoever does it (the facts' keys say so), so that the
word of a client which was thought dead comes too late to count. Nothing here knows where a client runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from clew.core.plan.plan import Phase, Plan

# How a round ended. finished: the client says that the phase is done. blocked: it says that a person has to decide.
# outgrown: its context is full. limited: its account is used up for now. offline: nobody answers. failed: it ended
# with an error of its own. killed: something else ended it. lost: the run ended before it. over: a budget is spent.
End = Literal["finished", "blocked", "outgrown", "limited", "offline", "failed", "killed", "lost", "over"]
ENDS: Final[tuple[End, ...]] = get_args(End)
# What came of a claim. unproved: the files are not those any more on which the checks passed.
Word = Literal["passed", "failed", "not-run", "unproved", "accepted", "changes"]
WORDS: Final[tuple[Word, ...]] = get_args(Word)

# Without a limit of their own they would go on for ever; each is more than a run needs that comes to something.
FAILED_CLAIMS_MAX: Final = 2
FAILURES_MAX: Final = 3
KILLED_MAX: Final = 5
UNPROVED_MAX: Final = 3
WAITS_MAX: Final = 200


class ClaimVerdict(NamedTuple):
    """What came of a claim: by the checks, or (accepted, changes) by the person who looked through it. `tree` is what
    was looked at.
    """

    word: Word
    reason: str = ""
    tree: str = ""


class Round(NamedTuple):
    """One context in which a client works at an attempt. `end` "": it has not ended. `reason` is what it said then (of
    one that finished: what it did), `cause` why it says that the checks failed before. `until` (RFC 3339) is when it
    may go on, `session` the client's own.
    """

    number: int
    end: End | Literal[""] = ""
    reason: str = ""
    cause: str = ""
    until: str = ""
    session: str = ""
    tokens: int = 0
    cents: int = 0
    duration_ms: int = 0
    judged: tuple[ClaimVerdict, ...] = ()

    @property
    def verdict(self) -> Word | Literal[""]:
        """What came of its claim last, "" nothing yet."""
        return self.judged[-1].word if self.judged else ""


class Limits(NamedTuple):
    """What a run may use. `jobs`: phases at a time. `contexts`: how often an attempt may outgrow one. Of a phase:
    `seconds`, `cents` and `tokens` for all its rounds, 0 no limit; tokens hold where the plan says no budget.
    """

    jobs: int = 1
    contexts: int = 3
    seconds: int = 0
    cents: int = 0
    tokens: int = 0


class RunState(NamedTuple):
    """How a run stands. `rounds` are those of each phase's newest attempt, oldest first. `now` is RFC 3339.

    `busy`: phases for which a deed of this run is under way. `only`: the phases that are meant, () all. `reviews`: a
    person looks through each. `proved`: phases whose checks passed on the files as they are now. `clean`: nothing that
    is not committed lies in the work tree the run was started in. `stuck`: of phases for which a person has to do
    something, what. `barred`: why no client may be started any more, "" nothing bars it.
    """

    plan: Plan
    rounds: Mapping[str, Sequence[Round]] = {}
    now: str = ""
    limits: Limits = Limits()
    busy: Collection[str] = ()
    only: Collection[str] = ()
    reviews: bool = False
    proved: Collection[str] = ()
    clean: bool = True
    stuck: Mapping[str, str] = {}
    barred: str = ""


class StartPhase(NamedTuple):
    """Begin a phase; `apart`: in a work tree of its own."""

    phase: str
    apart: bool = False


# Why a client works: begin (the phase), again (what went before was lost), resume (the same session goes on), context
# (the last one was outgrown), retry (the checks failed), changes (a person wants some).
Why = Literal["begin", "again", "resume", "context", "retry", "changes"]


class WorkOnPhase(NamedTuple):
    """Have a client work, in the round `number`. `told` is what failed first, or what the person wants; `session` is
    the one to go on in, "" a new one.
    """

    phase: str
    attempt: int
    number: int
    why: Why = "begin"
    told: str = ""
    session: str = ""


class Recover(NamedTuple):
    """A round was begun and nobody is at it: end what is left of its client, and record that it is lost."""

    phase: str
    attempt: int
    number: int


class Validate(NamedTuple):
    """Run the checks on what a round claims."""

    phase: str
    attempt: int
    number: int


class ReviewPhase(NamedTuple):
    """Have a person look through it."""

    phase: str
    attempt: int
    number: int


class CommitPhase(NamedTuple):
    """Commit what the phase changed, take a checkpoint, record that it is done."""

    phase: str
    attempt: int
    outcome: str


class Merge(NamedTuple):
    """Bring what was done in a work tree of its own into the branch that the run began on."""

    phase: str
    attempt: int


class StopPhase(NamedTuple):
    """It cannot be done so: a person decides."""

    phase: str
    attempt: int
    cause: str


class Wait(NamedTuple):
    """Nothing can be done before `until` (RFC 3339)."""

    phase: str
    until: str
    why: str


class Halt(NamedTuple):
    """Nothing can be done for this phase before a person did something. `next` is the command to begin with, "" where
    `why` says it, or another phase comes first.
    """

    phase: str
    why: str
    next: str = ""


class EndRun(NamedTuple):
    """The run is over. done: all that was meant is. halted: a person is needed; `halts` say where and why."""

    word: Literal["done", "halted"]
    halts: tuple[Halt, ...] = ()


Action: TypeAlias = (
    StartPhase | WorkOnPhase | Recover | Validate | ReviewPhase | CommitPhase | Merge | StopPhase | Wait | Halt | EndRun
)


def next_actions(state: RunState) -> tuple[Action, ...]:
    """The deeds that may be done now, each for another phase that nothing is done for; () while those that are under
    way have to come to an end first. Only where there is nothing else: one `Wait`, or `EndRun`.
    """
    meant = [one for one in state.plan.phases if not state.only or one.id in state.only]
    wanted = [action for one in meant if one.id not in state.busy for action in _of_phase(state, one)]
    deeds = list(_fitting(state, wanted))
    if deeds or state.busy:
        return tuple(deeds)
    waits = [one for one in wanted if isinstance(one, Wait)]
    if waits and not state.barred:
        return (min(waits, key=lambda one: one.until),)
    halts = tuple(one for one in wanted if isinstance(one, Halt))
    if not halts and all(is_through(one) for one in meant):
        return (EndRun("done"),)
    told = {one.phase for one in halts}
    return (EndRun("halted", (*halts, *_starved(state, [one for one in meant if one.id not in told]))),)


def spent(rounds: Sequence[Round]) -> tuple[int, int, int]:
    """What an attempt cost so far: tokens, cents, seconds of clients' work."""
    return (
        sum(one.tokens for one in rounds),
        sum(one.cents for one in rounds),
        sum(one.duration_ms for one in rounds) // 1000,
    )


def over_budget(phase: Phase, limits: Limits, tokens: int, cents: int, seconds: float) -> str:
    """Which budget of a phase is spent, as a sentence without its full stop; "" none."""
    most = phase.budget_tokens or limits.tokens
    if most and tokens >= most:
        return f"phase {phase.number} has spent {tokens:,} of its {most:,} tokens"
    if limits.cents and cents >= limits.cents:
        return f"phase {phase.number} has spent {cents / 100:.2f} of {limits.cents / 100:.2f} US dollars"
    if limits.seconds and seconds >= limits.seconds:
        return f"phase {phase.number} has worked {seconds:,.0f} of {limits.seconds:,} seconds"
    return ""


def is_through(phase: Phase) -> bool:
    """Whether nothing is left to be done for it."""
    return phase.status == "done" and (phase.merged or not phase.place)


def _of_phase(state: RunState, phase: Phase) -> Iterator[Action]:
    if phase.id in state.stuck and not is_through(phase):
        merging = f"clew worktree merge {phase.place}" if phase.status == "done" else ""
        yield Halt(phase.id, state.stuck[phase.id], merging)
        return
    match phase.status:
        case "planned":
            yield from _begun(state, phase)
        case "started":
            yield _gone_on(state, phase, state.rounds.get(phase.id, ()))
        case "stopped":
            why = f"phase {phase.number} is stopped: {phase.cause or 'nobody said why'}"
            yield Halt(phase.id, why, f"clew phase reopen {phase.number}")
        case "done" if not is_through(phase):
            yield Merge(phase.id, phase.attempt)
        case _:
            pass


def _begun(state: RunState, phase: Phase) -> Iterator[Action]:
    """The beginning of a phase, once what it comes after is done and merged."""
    if state.plan.mode != "approved":
        yield Halt(phase.id, "nobody approved the plan as it is", "clew plan approve")
    elif all(is_through(one) for one in state.plan.phases if one.number in phase.depends):
        yield StartPhase(phase.id, state.limits.jobs > 1)


def _gone_on(state: RunState, phase: Phase, rounds: Sequence[Round]) -> Action:
    last = rounds[-1] if rounds else None
    if last is None:
        return _work(state, phase, rounds, "begin")
    if not last.end:
        return Recover(phase.id, phase.attempt, last.number)
    match last.end:
        case "finished":
            return _claimed(state, phase, rounds, last)
        case "blocked":
            return StopPhase(phase.id, phase.attempt, last.reason or "the agent says that a person has to decide")
        case "limited" | "offline":
            if state.now < last.until:
                return Wait(phase.id, last.until, last.reason or last.end)
            if _tail(rounds, ("limited", "offline")) > WAITS_MAX:
                return Halt(phase.id, f"phase {phase.number} waited {WAITS_MAX} times: {last.reason}")
            return _work(state, phase, rounds, "resume" if last.session else "again", session=last.session)
        case "outgrown":
            if sum(one.end == "outgrown" for one in rounds) >= state.limits.contexts:
                cause = f"it outgrew {state.limits.contexts} contexts; the phase is too large"
                return StopPhase(phase.id, phase.attempt, cause)
            return _work(state, phase, rounds, "context")
        case "failed" | "killed":
            most = FAILURES_MAX if last.end == "failed" else KILLED_MAX
            if _tail(rounds, ("failed", "killed", "lost")) >= most and _tail_of(rounds, last.end) >= most:
                return StopPhase(phase.id, phase.attempt, f"the client {_ENDED[last.end]} {most} times: {last.reason}")
            return _work(state, phase, rounds, "again")
        case _:  # lost, over
            return _work(state, phase, rounds, "again")


_ENDED: Final = {"failed": "failed", "killed": "was ended by something else"}


def _tail(rounds: Sequence[Round], ends: Collection[str]) -> int:
    """How many rounds at the end ended in one of these ways."""
    count = 0
    for one in reversed(rounds):
        if one.end not in ends:
            break
        count += 1
    return count


def _tail_of(rounds: Sequence[Round], end: str) -> int:
    """How many of the last rounds that came to nothing ended like this."""
    tail = _tail(rounds, ("failed", "killed", "lost"))
    return sum(one.end == end for one in rounds[len(rounds) - tail :])


def _claimed(state: RunState, phase: Phase, rounds: Sequence[Round], last: Round) -> Action:
    """What follows on a claim that the phase is done."""
    validate = Validate(phase.id, phase.attempt, last.number)
    match last.verdict:
        case "":
            return validate
        case "not-run":
            return validate  # a person may have done what was missing; a run asks once (`stuck`)
        case "failed":
            failed = sum(any(one.word == "failed" for one in each.judged) for each in rounds)
            told = last.judged[-1].reason
            if failed >= FAILED_CLAIMS_MAX:
                return StopPhase(phase.id, phase.attempt, f"the checks failed again after it was fixed: {told}")
            return _work(state, phase, rounds, "retry", told)
        case "changes":
            return _work(state, phase, rounds, "changes", last.judged[-1].reason)
        case "unproved" if sum(one.word == "unproved" for one in last.judged) >= UNPROVED_MAX:
            return StopPhase(
                phase.id, phase.attempt, "its checks change files of the project, so that nothing is proved"
            )
        case _ if phase.id not in state.proved:
            return validate
        case "accepted":
            return CommitPhase(phase.id, phase.attempt, last.reason)
        case _:
            if state.reviews:
                return ReviewPhase(phase.id, phase.attempt, last.number)
            return CommitPhase(phase.id, phase.attempt, last.reason)


def _work(
    state: RunState, phase: Phase, rounds: Sequence[Round], why: Why, told: str = "", *, session: str = ""
) -> Action:
    if state.barred:
        return Halt(phase.id, state.barred)
    if over := over_budget(phase, state.limits, *spent(rounds)):
        return Halt(phase.id, over, f"clew budget raise --phase {phase.number}")
    return WorkOnPhase(phase.id, phase.attempt, len(rounds) + 1, why, told, session)


def _fitting(state: RunState, wanted: Sequence[Action]) -> Iterator[Action]:
    """Those of the actions that are deeds and go together: so many phases at a time, and in the work tree that the run
    was started in one thing after the other.
    """
    phases = {one.id: one for one in state.plan.phases}
    halted = {one.phase for one in wanted if isinstance(one, Halt)}
    going = {one.id for one in state.plan.phases if one.status == "started" and one.id not in halted}
    going |= set(state.busy)
    here = [one for one in state.plan.phases if one.status == "started" and not one.place]
    taken = any(not phases[name].place or phases[name].status == "done" for name in state.busy if name in phases)
    free = state.limits.jobs - len(state.busy)
    for action in wanted:
        match action:
            case Wait() | Halt() | EndRun():
                continue
            case StartPhase():
                fits = len(going) < state.limits.jobs and not state.barred
                if action.apart:
                    fits = fits and not any(isinstance(one, Merge) for one in wanted)
                else:
                    fits = fits and state.clean and not here and not taken
            case Merge():
                fits = not here and not taken
            case _:
                fits = bool(phases[action.phase].place) or not taken
        if not fits or free <= 0:
            continue
        free -= 1
        going.add(action.phase)
        taken = (
            taken
            or isinstance(action, Merge)
            or (not phases[action.phase].place and not (isinstance(action, StartPhase) and action.apart))
        )
        yield action


def _starved(state: RunState, meant: Sequence[Phase]) -> tuple[Halt, ...]:
    """Why phases that are not halted themselves cannot be begun."""
    found = []
    for one in meant:
        if is_through(one):
            continue
        waits = [each.number for each in state.plan.phases if each.number in one.depends and not is_through(each)]
        next_ = ""
        if waits:
            why = f"phase {one.number} comes after phase {' and '.join(map(str, waits))}, not done yet"
        elif state.barred:
            why = state.barred
        elif not state.clean:
            why = "there are changes in the work tree that are not committed, and the phase's commit would hold them"
            next_ = "git status"
        else:
            why = f"phase {one.number} cannot be begun beside what is under way"
        found.append(Halt(one.id, why, next_))
    return tuple(found)


def end_of(word: str) -> End:
    """The end that a word of the ledger's means; one that is not known counts as lost."""
    return word if word in ENDS else "lost"

"""Phases begun, ended, stopped, begun again, as the phase machine lets them; with what sessions tell of one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from clew.app.cost.spent import spent_on
from clew.app.intake.find import found_in, project_at, reader_at
from clew.app.phase.checking import baseline, commit, committed, known_of, message, run_of, under_way
from clew.app.plan.where import phase_named, plan_here, recorded, refused
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import ProjectSession
from clew.app.record.checkpoint import take_checkpoint
from clew.app.results import JsonResult, PlanPhase
from clew.app.validate.tree import Ground, forget, ground
from clew.app.validate.validation import Validation, ValidationRequest, validated
from clew.core.errors import InputError
from clew.core.plan.phase_machine import Finish, PhaseRefusal, Raise, Reopen, Start, Stop, Tick, transition
from clew.core.plan.plan import Phase, Plan, Verdict
from clew.core.records.todos import TodoList
from clew.core.state.events import timestamp
from clew.core.state.ids import identity
from clew.core.text.cleaning import shorten
from clew.documents.draft import REQUEST
from clew.sessions.log import SessionLog

# A session whose file was written last before the phase began has no part in it.
_SESSIONS_MAX: Final = 20
_WORD: Final = re.compile(r"\w+")
# So much of the words of a step stands in the to-do that means it, and the other way round.
_LIKE: Final = 0.7
WARN_PERCENT: Final = 80


class Done(NamedTuple):
    """What sessions did since a phase began. `tokens` are those that no cache gave, sub-agents' too.
    `completed` are the texts of to-dos that are ticked off now.
    """

    tokens: int
    completed: tuple[str, ...]


def done_in(ports: Ports, at: ProjectSession, phase: Phase) -> Done:
    """What was done since a phase began, read from the clients' own records: to-dos of this work tree's sessions."""
    return Done(spent_on(ports, at, phase), completed_since(ports, at, phase.started_at))


def completed_since(ports: Ports, at: ProjectSession, since: str) -> tuple[str, ...]:
    """The to-dos that sessions of this work tree ticked off since `since` (RFC 3339)."""
    completed: list[str] = []
    files = found_in(ports.locators, project_at(at.location.root))
    recent = [item for item in files if item.modified_ns and timestamp(item.modified_ns // 1_000_000) >= since][
        :_SESSIONS_MAX
    ]
    for item in recent:
        reader = reader_at(item.path, ports.readers)
        if reader is None:
            continue
        todos = TodoList()
        try:
            todos.take(one for one in SessionLog(item.path, reader) if one.time >= since)
        except OSError:
            continue
        completed += [at.redact(one.text) for one in todos.entries if one.status == "completed"]
    return tuple(dict.fromkeys(completed))


def ticks(phase: Phase, completed: Iterable[str]) -> tuple[Tick, ...]:
    """The steps of a phase that to-dos which are ticked off mean: by their words."""
    said = [set(_WORD.findall(text.lower())) for text in completed]
    found = []
    for step in phase.steps:
        words = set(_WORD.findall(step.text.lower()))
        if words and not step.ticked and any(len(words & one) >= _LIKE * max(len(words), len(one)) for one in said):
            found.append(Tick(phase.id, step.id))
    return tuple(found)


def percent(tokens: int, budget: int) -> int:
    """How much of a budget is spent, 0 where there is none."""
    return tokens * 100 // budget if budget else 0


_WHY_CHARS: Final = 2_000
_TEXT_CHARS: Final = 300
_GIVE_BACK: Final = "Give the checks back what they asked."


class PhaseOutcome(JsonResult, frozen=True):
    """What became of a phase: as it is now, the validation that was run (None: none), the tokens spent since it began,
    the commit ("" none), the checkpoint's id ("" none). `done`: it ended well. `next` is the phase that comes then.
    `asks` is the request for a hand-off, "" where nobody is asked. `notes` are for the person.
    """

    task: str
    phase: PlanPhase
    validation: Validation | None
    spent_tokens: int
    commit: str
    checkpoint: str
    done: bool
    next: PlanPhase | None
    ticked: tuple[str, ...]
    asks: str
    notes: tuple[str, ...]


def phase_start(
    project: ProjectHandle,
    wanted: str,
    *,
    budget: int = 0,
    with_baseline: bool = True,
    place: str = "",
    progress: Callable[[str], None] = lambda _: None,
) -> PhaseOutcome:
    """Begin the phase `wanted` ("" the next one) of the plan here, or with a `budget` let the one that is under way go
    on with that. What fails already is found out first, unless told not to. `place`: `folder` is a work tree of this
    name that a run made for it. Raises `InputError`, and `NotAllowed` for an agent that raises a budget.
    """
    with _open(project) as (at, here):
        task, plan = plan_here(at)
        phase = _meant(plan, wanted)
        _check_may_raise(project.ports, at, phase, budget)
        if budget and phase.status == "started":
            recorded(at, plan, Raise(phase.id, budget), task=task)
            return _now(at, task, phase.id, spent=done_in(project.ports, at, phase))
        head = at.location.head
        start = Start(phase.id, here.tree(), head.commit if head else "", place=place)
        recorded(at, plan, start, task=task)
        plan = at.plan(task)
        phase = plan.with_id(phase.id) or phase
        if budget:
            recorded(at, plan, Raise(phase.id, budget), task=task)
        found = None
        if with_baseline:
            progress("what fails already")
            found = baseline(project.ports, at, here, plan, phase)
            if found is not None and found.results:
                recorded(at, plan, run_of(phase, found), task=task)
        return _now(at, task, phase.id, validation=found)


def phase_done(
    project: ProjectHandle,
    wanted: str,
    *,
    outcome: str,
    cause: str = "",
    commits: bool = False,
    accepts: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> PhaseOutcome:
    """Claim that a phase is done: its commands and the project's are run on the files as they are, and what changed is
    looked through for checks that ask less. It is done only if all of that is well.

    A failure may be fixed once, with its `cause`; the second stops the phase. `accepts`: a person takes it that checks
    ask less. Raises `InputError`, `NotAllowed`.
    """
    with _open(project) as (at, here):
        claim = _claimed(project.ports, at, here, wanted, outcome, cause, accepts=accepts, progress=progress)
        if claim.phase.status == "stopped" or claim.verdict != "passed":
            return claim.told(at)
        return _ended(project.ports, at, here, claim, at.safe(outcome), commits=commits)


def phase_claim(
    project: ProjectHandle,
    wanted: str,
    *,
    outcome: str,
    cause: str = "",
    attempt: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> PhaseOutcome:
    """The first half of `phase_done`: the claim, and what the checks say of it. `phase_finish` is the other one.
    `attempt`: it is about that one (0: the newest). Raises `InputError` (E-phase-late) where there is a newer one.
    """
    with _open(project) as (at, here):
        _check_attempt(at, wanted, attempt)
        return _claimed(project.ports, at, here, wanted, outcome, cause, progress=progress).told(at)


def phase_finish(
    project: ProjectHandle, wanted: str, *, outcome: str, attempt: int = 0, publish: Callable[[], None] = lambda: None
) -> PhaseOutcome:
    """End a phase whose claim passed on the files as they are: commit, `publish` (where that raises the phase is not
    ended), take a checkpoint, record it. Raises `InputError` where they are others (E-phase-unproved). `attempt`: as
    for `phase_claim`.
    """
    with _open(project) as (at, here):
        _check_attempt(at, wanted, attempt)
        task, plan = plan_here(at)
        phase = _meant(plan, wanted)
        claim = _Claim(task, phase, None, done_in(project.ports, at, phase), (), "passed")
        return _ended(project.ports, at, here, claim, at.safe(outcome), commits=True, publish=publish)


@contextmanager
def _open(project: ProjectHandle, *, write: bool = True) -> Iterator[tuple[ProjectSession, Ground]]:
    with project.open(write=write) as at, ground(at.location, project.ports.environment, lasting=True) as here:
        yield at, here


@dataclass(frozen=True, slots=True)
class _Claim:
    """A claim to be done: what the checks said of it (`verdict`, `found`), and the phase as it stands then."""

    task: str
    phase: Phase
    found: Validation | None
    spent: Done
    ticked: tuple[str, ...]
    verdict: Verdict

    def told(self, at: ProjectSession, **more: Any) -> PhaseOutcome:
        """What became of the phase by it, with more fields of `_now`."""
        return _now(at, self.task, self.phase.id, validation=self.found, spent=self.spent, ticked=self.ticked, **more)


def _claimed(
    ports: Ports,
    at: ProjectSession,
    here: Ground,
    wanted: str,
    outcome: str,
    cause: str,
    *,
    accepts: bool = False,
    progress: Callable[[str], None],
) -> _Claim:
    task, plan = plan_here(at)
    phase = _meant(plan, wanted)
    _check_claim(phase, outcome, cause)
    if accepts:
        at.require_person("checks", instead=_GIVE_BACK, code=False)
    known = known_of(at, plan, phase)
    found = validated(ports, at.location, here, ValidationRequest(), known, redact=at.redact, progress=progress)
    is_fine = accepts and found.word == "CHECKS_WEAKENED"
    if is_fine:
        weakened = "\n".join(f"{one.path}: {one.what}" for one in found.weakened)
        at.require_person("checks", instead=_GIVE_BACK, about=lambda: weakened)
    ran = run_of(phase, found, counted=True, cause=at.safe(cause), accepted=is_fine)
    recorded(at, plan, ran, task=task)
    spent = done_in(ports, at, phase)
    told = ticks(phase, spent.completed)  # what a client's to-dos say is done
    for tick in told:
        recorded(at, at.plan(task), tick, task=task)
    ticked = tuple(one.text for one in phase.steps if one.id in {tick.step for tick in told})
    phase = at.plan(task).with_id(phase.id) or phase
    if phase.status == "stopped":
        _explain(at, task, phase)
    return _Claim(task, phase, found, spent, ticked, ran.check.verdict)


def _ended(
    ports: Ports,
    at: ProjectSession,
    here: Ground,
    claim: _Claim,
    outcome: str,
    *,
    commits: bool,
    publish: Callable[[], None] = lambda: None,
) -> PhaseOutcome:
    """Commit if asked, take a checkpoint, record the end."""
    task, phase, tree, made = claim.task, claim.phase, here.tree(), ""
    plan = at.plan(task)
    finish = Finish(phase.id, tree, outcome, "", "", claim.spent.tokens, phase.attempt)
    said = transition(plan, finish)
    if isinstance(said, PhaseRefusal):
        raise refused(said, phase)
    if commits:
        paths = sorted({path for one in here.changed(phase.tree, tree) for path in (one.path, one.was) if path})
        shown = at.short(task) if task else ""
        text = message(outcome, task=shown, phase=phase.id, number=phase.number, title=phase.title)
        made = commit(here, paths, text, ports.environment) or committed(here, phase.id, phase.head, ports.environment)
    publish()
    mark = take_checkpoint(at, name=f"phase-{phase.number}-done", message=shorten(outcome, 200))
    recorded(at, plan, finish._replace(commit=made, checkpoint=mark.id), task=task)
    if not phase.place and under_way(at.plan(task)) is None:
        forget(at.location)
    return claim.told(at, commit=made, checkpoint=mark.id, asks=_request(ports), is_done=True)


def phase_stop(project: ProjectHandle, wanted: str, *, cause: str) -> PhaseOutcome:
    """Stop a phase that cannot be done so: why becomes a failed approach and what the work waits for."""
    with project.open(write=True) as at:
        task, plan = plan_here(at)
        phase = _meant(plan, wanted)
        last = next((one.failure for one in reversed(phase.checks) if one.failure), "")
        stop = Stop(phase.id, at.safe(cause), last)
        said = transition(plan, stop)
        if isinstance(said, PhaseRefusal):
            raise refused(said, phase)
        spent = done_in(project.ports, at, phase)
        mark = take_checkpoint(at, name=f"phase-{phase.number}-stopped", message=shorten(cause, 200))
        recorded(at, plan, stop._replace(checkpoint=mark.id, spent_tokens=spent.tokens), task=task)
        _explain(at, task, at.plan(task).with_id(phase.id) or phase)
        return _now(at, task, phase.id, spent=spent, checkpoint=mark.id, asks=_request(project.ports))


def phase_reopen(project: ProjectHandle, wanted: str, *, reason: str = "", budget: int = 0) -> PhaseOutcome:
    """Let a phase that ended be started again. One that was stopped waits for a person's word, which settles what the
    work waited for; what failed stays known.
    """
    with project.open(write=True) as at:
        task, plan = plan_here(at)
        phase = _meant(plan, wanted)
        if phase.status == "stopped":
            instead = "Report what you found; the person decides how to continue."
            at.require_person(
                "phase", instead=instead, about=lambda: _stopped(at.plan(task).with_id(phase.id) or phase)
            )
        _check_may_raise(project.ports, at, phase, budget)
        recorded(at, plan, Reopen(phase.id, at.safe(reason)), task=task)
        blocker = at.known(task).get(_blocker(task, phase))
        if blocker is not None and blocker.standing == "live":
            over = {"item": blocker.item.id, "outcome": at.safe(reason) or "It has to be started again."}
            at.keep([at.event("item.resolved", {**over, "was": blocker.item.text}, task=task)])
        if budget:
            recorded(at, at.plan(task), Raise(phase.id, budget), task=task)
        return _now(at, task, phase.id)


def _stopped(phase: Phase) -> str:
    """A phase that was stopped, in words: what is to be done, and why it was not."""
    told = (f"Phase {phase.number}: {phase.title}", *(one.text for one in phase.steps), phase.cause, phase.failure)
    return "\n".join(filter(None, told))


def phase_diff(project: ProjectHandle, wanted: str, *, stat: bool = False) -> str:
    """All that changed since a phase began, untracked files too, as a patch. Raises `InputError`."""
    with _open(project, write=False) as (at, here):
        phase = _meant(plan_here(at)[1], wanted)
        if not phase.tree or here.snapshots is None:
            raise InputError(
                f"what phase {phase.number} began with is not known",
                code="E-phase-no-tree",
                hint="`clew phase start` notes it, in a git repository.",
            )
        if not here.snapshots.holds(phase.tree):
            raise InputError(
                f"what phase {phase.number} began with is kept no longer, since it ended",
                code="E-phase-no-tree",
                hint=f"`git show {phase.commit[:10]}` has what it changed."
                if phase.commit
                else "`git log -p` has what was committed since.",
            )
        options = ("--stat=100",) if stat else ("-p",)
        return at.redact(here.snapshots.diff(phase.tree, here.tree(), options=options))


def _meant(plan: Plan, wanted: str) -> Phase:
    """The phase that is named, else the one that the work is at. Raises `InputError`."""
    if wanted:
        return phase_named(plan, wanted)
    phase = plan.current
    if phase is None:
        raise refused(PhaseRefusal("no-phase", "all phases are done" if plan.phases else "the plan has no phases"))
    return phase


def _check_attempt(at: ProjectSession, wanted: str, attempt: int) -> None:
    phase = _meant(plan_here(at)[1], wanted)
    if attempt and attempt != phase.attempt:
        raise refused(PhaseRefusal("late", f"phase {phase.number} is in attempt {phase.attempt}, not in {attempt}"))


def _check_may_raise(ports: Ports, at: ProjectSession, phase: Phase, budget: int) -> None:
    """A budget stands in the plan that a person approved or in the settings, or was set since; an agent may only set
    one where there is none, or lower it.
    """
    if budget and 0 < (phase.budget_tokens or ports.settings(at.location.root).number("budget.phase_tokens")) < budget:
        instead = "Hand over what is left (`clew checkpoint`), and say so."
        at.require_person("budget", "raise the budget of a phase", instead)


def _check_claim(phase: Phase, outcome: str, cause: str) -> None:
    """What can be said before anything is run: a run that counts for nothing costs time."""
    if phase.status != "started":
        is_so = {"planned": "was not started", "done": "is done already", "stopped": "is stopped"}[phase.status]
        raise refused(PhaseRefusal("state", f"phase {phase.number} {is_so}"), phase)
    if not outcome.strip():
        raise refused(PhaseRefusal("no-outcome", f"nobody said in a line what phase {phase.number} did"), phase)
    if phase.failed_claims and not cause.strip():
        raise refused(PhaseRefusal("no-cause", f"phase {phase.number} failed before, and nobody said why"), phase)


def _explain(at: ProjectSession, task: str, phase: Phase) -> None:
    """A stopped phase as what the next session must know: what was tried, why it failed, and that a person decides."""
    what = f"Phase {phase.number} ({phase.title})"
    said = filter(None, (phase.cause, phase.failure and f"The check said: {phase.failure}"))
    why = shorten(". ".join(part.rstrip(".") for part in said), _WHY_CHARS)
    text = shorten(f"{what}, attempt {phase.attempt}", _TEXT_CHARS)
    failed = {"item": at.new_id("X"), "kind": "failed", "text": text, "why": why}
    blocks = shorten(f"{what} is stopped until a person decides how to go on", _TEXT_CHARS)
    blocker = {"item": _blocker(task, phase), "kind": "blocker", "text": blocks}
    at.keep([at.event("item.stated", data, task=task) for data in (failed, blocker)])


def _blocker(task: str, phase: Phase) -> str:
    """The id of what the work waits for where this attempt at the phase was stopped."""
    return f"B-{identity('phase-stopped', task, phase.id, str(phase.attempt))}"


def _request(ports: Ports) -> str:
    """The request for a hand-off, where an agent ends a phase: its context is to be dropped next."""
    return REQUEST if ports.asking_session else ""


def _now(
    at: ProjectSession,
    task: str,
    phase: str,
    *,
    validation: Validation | None = None,
    spent: Done = Done(0, ()),  # noqa: B008
    commit: str = "",
    checkpoint: str = "",
    asks: str = "",
    ticked: tuple[str, ...] = (),
    is_done: bool = False,
) -> PhaseOutcome:
    plan = at.plan(task)
    here = plan.with_id(phase)
    assert here is not None, "the phase was just recorded"
    follows = plan.current if is_done else None
    notes = [*at.notes, *(validation.notes if validation else ())]
    share = percent(spent.tokens, here.budget_tokens)
    if share >= WARN_PERCENT and not is_done:
        notes.append(f"{spent.tokens:,} of {here.budget_tokens:,} tokens are spent ({share} %).")
    shown = at.short(checkpoint) if checkpoint and not at.dry_run and at.refusal is None else checkpoint
    return PhaseOutcome(
        task=task,
        phase=PlanPhase.of(here),
        validation=validation,
        spent_tokens=spent.tokens,
        commit=commit,
        checkpoint=shown,
        done=is_done,
        next=PlanPhase.of(follows) if follows is not None else None,
        ticked=ticked,
        asks=asks,
        notes=tuple(dict.fromkeys(notes)),
    )

"""Where the work stands, on one screen. Looks only: nothing is taken in and nothing is written."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from clew.app.intake.find import ran_in, reader_at
from clew.app.intake.sessions import Sessions
from clew.app.ports import Ports
from clew.app.project.device import PlaceStatus, place_status
from clew.app.project.lookup import live_state
from clew.app.project.opening import ProjectHandle
from clew.app.project.redaction import redacted_name
from clew.app.project.runtime_dirs import PAYLOAD_TOKENS_MAX, lives
from clew.app.project.session import ProjectSession
from clew.app.project.trust import Thing, project_at, untrusted
from clew.app.record.checkpoint import CheckpointRow, last_checkpoint
from clew.app.results import ItemRow, JsonResult, PlanPhase, TaskRow
from clew.app.resume.drifted import drifted_at
from clew.core.errors import InputError
from clew.core.plan.plan import Mode, Plan
from clew.core.plan.recorded import run_of
from clew.core.state.crowd import room_in
from clew.core.state.drift import Verdict
from clew.core.state.items import Kind
from clew.core.text.cleaning import clean
from clew.workspace.times import nanoseconds

_COMMANDS_MAX: Final = 3


class PlanStatus(JsonResult, frozen=True):
    """A task's plan; `current` is the number of the phase that the work is at, 0 none."""

    mode: Mode
    title: str
    phases: tuple[PlanPhase, ...]
    current: int


class UntrustedThing(JsonResult, frozen=True):
    """What came with the repository and is not trusted (`app.project.trust.Thing`)."""

    sort: str
    name: str
    place: str


class ProjectStatus(JsonResult, frozen=True):
    """What is known of a project, and of the task that is bound here.

    `task` is None where none is bound: items are then those of no task. `other_tasks` are the other open ones, newest
    change first. `sessions` counts those taken in for the task, `free` those that count for no task, `waiting` the
    session files that hold more than was imported. `kinds` counts live items. `blocking` are questions without an
    answer that work waits for. `hooked`: hooks act on sessions here. `checkpoint` is the newest one of the task,
    `checkpoint_age_s` how many seconds ago it was taken. `verdict` is over the files in play (as `clew drift` gives
    it), None where no item cites one. `spool` counts batches that wait there. `next` are commands that may be run next,
    the most pressing first. `exchanges` says how it stands with each place that the project is exchanged with.
    """

    root: Path
    project: str
    ledger: Path
    branch: str
    task: TaskRow | None
    other_tasks: tuple[TaskRow, ...]
    sessions: int
    waiting: int
    free: int
    kinds: Mapping[Kind, int]
    blocking: tuple[ItemRow, ...]
    pins: int
    hooked: bool
    checkpoint: CheckpointRow | None
    checkpoint_age_s: int
    verdict: Verdict | None
    spool: int
    untrusted: tuple[UntrustedThing, ...]
    next: tuple[str, ...]
    notes: tuple[str, ...]
    plan: PlanStatus
    exchanges: tuple[PlaceStatus, ...]


def status(project: ProjectHandle, *, runs: Callable[[Path], int] = lambda _: 0) -> ProjectStatus:
    """The status of the project that `folder` (absolute) is in. `runs` gives the process that is at a run beside a
    ledger, 0 none. Raises `NotFound` where no ledger is kept.
    """
    with project.open(write=False) as at:
        here = at.task()
        every = at.tasks()
        task = next((one for one in every if one.id == here), None)
        # Of items that are alike all by which more is told than how many there are.
        rest = room_in(PAYLOAD_TOKENS_MAX)
        state = live_state(at, here, room=lambda one: None if one.has_files or one.kind == "question" else rest(one))
        last = last_checkpoint(at.ledger, here)
        taken_ns = nanoseconds(last.time) if last else None
        taken = at.ledger.taken().values()
        things: tuple[Thing, ...] = ()
        problem: tuple[str, ...] = ()
        try:
            things = untrusted(project.ports.trust_store, project_at(at.location.root))
        except InputError as error:
            problem = (f"{clean(error.message)} [{error.code}] {clean(error.hint)}".strip(),)
        blocking = tuple(one for one in state.items if one.kind == "question" and one.blocking and not one.answer)
        counts: dict[Kind, int] = {}
        for item in state.items:
            counts[item.kind] = counts.get(item.kind, 0) + 1
        for item, count in state.more:
            counts[item.kind] = counts.get(item.kind, 0) + count
        sessions = Sessions(project.ports, at)
        cites = any(one.files for one in state.items)
        drifted = drifted_at(at, sessions, task, state, project=project) if cites else None
        named = [*(one.id for one in blocking), *(one.id for one in every), *([last.id] if last else [])]
        shown = at.ledger.shortest(named)
        tasks = {one.id: TaskRow.of(one, short_id=shown[one.id]) for one in every}
        plan = at.plan(here)
        found = ProjectStatus(
            root=at.location.root,
            project=at.ledger.project,
            ledger=at.location.ledger,
            branch=redacted_name(at.location.branch, at.redact),
            task=tasks.get(here),
            other_tasks=tuple(tasks[one.id] for one in every if one.status == "open" and one.id != here),
            sessions=sum(one.task == here for one in taken),
            free=sum(not one.task for one in taken),
            waiting=_waiting(project.ports, at, sessions),
            kinds=counts,
            blocking=tuple(ItemRow.of(one, short_id=shown[one.id]) for one in blocking),
            pins=sum(item.pinned for item in state.items),
            checkpoint=CheckpointRow.of(last, short_id=shown[last.id]) if last is not None else None,
            checkpoint_age_s=max(0, project.ports.now_ms() // 1000 - taken_ns // 10**9) if taken_ns else 0,
            verdict=drifted.verdict if drifted else None,
            spool=sum(1 for _ in at.location.spool.glob("*.batch")),
            untrusted=tuple(map(UntrustedThing.of, things)),
            next=(),
            notes=(*at.notes, *(drifted.notes if drifted else ()), *problem),
            plan=PlanStatus.of(
                plan,
                phases=tuple(map(PlanPhase.of, plan.phases)),
                current=plan.current.number if plan.current is not None else 0,
            ),
            hooked=bool(lives(project.ports.trust_store.parent, [at.location.root])),
            exchanges=place_status(at.location.exchange_file, at.ledger, project.ports.now_ms()),
        )
        return replace(found, next=_next(found, plan, _run(at, here, runs)))


def _waiting(ports: Ports, at: ProjectSession, sessions: Sessions) -> int:
    """Session files that hold more than was imported. Of those that are not known, only what ran here counts."""
    known = at.ledger.taken()
    count = 0
    for item in sessions.waiting():
        reader = None if item.session in known else reader_at(item.path, ports.readers, client=item.client)
        count += item.session in known or (reader is not None and ran_in(sessions.project, item.path, reader))
    return count


def _run(at: ProjectSession, task: str, runs: Callable[[Path], int]) -> str:
    """What takes the run of the plan on where it was cut off or waits; where it is under way, what shows it."""
    run, word, _ = run_of(at.plan_entities(task))
    if not run or word in ("done", "halted"):
        return ""
    return "clew run --watch" if runs(at.location.ledger) else "clew run"


def _phase(plan: Plan, run: str) -> list[str]:
    """What takes an approved plan on, where a phase is to be begun or was stopped, or a run goes on (`run`)."""
    if run:
        return [run]
    phase = plan.current
    if plan.mode != "approved" or phase is None or phase.status == "started":
        return []
    return [f"clew phase {'reopen' if phase.status == 'stopped' else 'start'} {phase.number}"]


def _next(found: ProjectStatus, plan: Plan, run: str) -> tuple[str, ...]:
    """What may be run next, the most pressing first."""
    commands = []
    if plan.is_planning and not found.blocking:
        from clew.documents.plan.lint import grave, lint_plan  # here: few projects are being planned

        commands.append("clew plan edit" if grave(lint_plan(plan)) else "clew plan approve")
    commands += _phase(plan, run)
    commands += [f'clew answer {one.short_id} "…"' for one in found.blocking[:1]]
    if found.verdict is not None and found.verdict.kind != "current":
        commands.append("clew drift")
    if found.untrusted:
        commands.append("clew trust")
    if found.task is None and not (found.other_tasks or found.kinds or found.sessions or found.waiting):
        return (*commands[: _COMMANDS_MAX - 1], 'clew note goal "…"')  # there is nothing to resume yet
    if found.task is None:
        commands.append(f"clew task bind {found.other_tasks[0].short_id}" if found.other_tasks else 'clew task new "…"')
    return (*commands[: _COMMANDS_MAX - 1], "clew resume")

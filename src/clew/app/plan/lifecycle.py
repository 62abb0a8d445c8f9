"""A plan opened, written, approved, reopened, dropped. What lets work begin is a person's to say."""

from __future__ import annotations

from difflib import unified_diff
from typing import Final

from clew.app.plan.where import plan_here, task_here
from clew.app.plan.writing import question_events, still_asked, unanswered, written
from clew.app.project.opening import ProjectHandle, open_project
from clew.app.project.reading import newest_first
from clew.app.project.session import Outcome, ProjectSession
from clew.app.results import EventRow
from clew.app.tasks.lifecycle import checked_title, task_new
from clew.core.errors import InputError
from clew.core.plan.plan import Plan
from clew.core.state.events import Event
from clew.core.text.cleaning import shorten
from clew.documents.plan.grammar import asked
from clew.documents.plan.lint import grave, lint_plan
from clew.documents.plan.prompts import TEMPLATES, template

_NAMED_MAX: Final = 3
_TITLE_CHARS: Final = 60
_THEN_EDIT: Final = "clew plan edit"
_ASK: Final = (
    "Ask the person you work for: they look at `clew plan show` and type the command in a terminal, or accept the plan "
    "in the client's own plan dialog."
)


def plan_new(project: ProjectHandle, title: str, *, template_name: str = "plain", task: str | None = None) -> Outcome:
    """Open planning: from now on nothing but reading passes, until a person approves the plan. Where no task is bound
    here, one is opened with this title. Raises `InputError` where a plan exists already.
    """
    if template_name not in TEMPLATES:
        raise InputError(
            f"there is no template {template_name[:40]}",
            code="E-plan-template",
            hint=f"Choose one of: {', '.join(TEMPLATES)}.",
        )
    with project.open(write=False) as at:
        is_bound = bool(task or at.task())
    opened: tuple[EventRow, ...] = ()
    if not is_bound:
        opened = task_new(project, title).events
        if project.dry_run:
            with open_project(project.ports, project.folder, write=True, dry_run=True) as at:
                said = f"Opened a task and planning: {checked_title(at, title)}"
                return at.outcome(said, _THEN_EDIT, events=opened)
    with project.open(write=True) as at:
        name = checked_title(at, title)
        where = task_here(at, task)
        before = at.plan(where)
        if before.phases and before.mode != "dropped" and not before.is_done:
            done = sum(one.status == "done" for one in before.phases)
            stands = f"{before.mode}, {done} of {_count(before)} done"
            raise InputError(
                f"there is a plan already: {shorten(before.title, _TITLE_CHARS)} ({stands})",
                code="E-plan-there",
                hint="`clew plan edit` changes it, `clew plan reopen` opens planning again, `clew plan drop` ends it.",
            )
        events = [at.event("plan.opened", {"title": name, "template": template_name}, task=where)]
        events += written(at, where, template(template_name, name), is_new=True).events
        at.keep(events)
        said = f"Planning is open: {name}. Agents may only read until a person approves the plan"
        return at.outcome(said, _THEN_EDIT, events=[*opened, *events])


def plan_write(
    project: ProjectHandle, text: str, *, source: str = "", whole: bool = True, task: str | None = None
) -> Outcome:
    """Make `text` the plan here (`app/plan/writing.py`)."""
    with project.open(write=True) as at:
        where = task_here(at, task)
        before = at.plan(where)
        new = written(at, where, text, source=source or before.source, client=at.speaker.actor, whole=whole)
        at.keep(new.events)
        if not new.events:
            return at.outcome("The plan already says that: nothing to change", "clew plan show")
        return at.outcome(*told_of(at, before, still_asked(at, where, new.plan)), events=new.events)


def told_of(at: ProjectSession, before: Plan, now: Plan) -> tuple[str, str]:
    """What is said when a plan was written, and the command that may come next."""
    count = sum(len(phase.steps) for phase in now.phases)
    steps = "1 step" if count == 1 else f"{count} steps"
    said = f"Kept the plan {shorten(now.title, _TITLE_CHARS)}".rstrip() + f": {_count(now)}, {steps}"
    gone = {one.title for one in before.phases if now.with_id(one.id) is None and one.status != "planned"}
    if gone:
        at.note(f"No longer in it, with what was recorded of it: {', '.join(sorted(gone)[:_NAMED_MAX])}.")
    if now.mode == "changed":
        at.note("A person approved other words: work waits until it is approved again.")
    _note_remarks(at, now)
    then = (
        "clew plan questions" if now.questions else "clew plan show" if now.mode == "approved" else "clew plan approve"
    )
    return said, then


def plan_approve(project: ProjectHandle, *, task: str | None = None) -> Outcome:
    """A person agrees to the plan as it stands, which they are shown before: phases can be started. Raises `NotAllowed`
    for anybody else, and `InputError` while a question is open, or the plan cannot be carried out.
    """
    with project.open(write=True) as at:
        where, plan = plan_here(at, task)
        if plan.mode == "approved":
            return at.outcome(f"The plan is approved already: {shorten(plan.title, _TITLE_CHARS)}", _first(plan))
        check_fit(at, where, plan)
        shown: list[Plan] = []
        at.require_person("plan", instead=_ASK, about=lambda: _shown_plan(at, where, shown))
        was, plan = plan, shown[0]
        events = approval(at, where, plan)
        at.keep(events)
        if was.mode == "dropped":
            at.note("It had been dropped, and is the plan here again.")
        _note_remarks(at, still_asked(at, where, plan))
        said = f"Approved: {shorten(plan.title, _TITLE_CHARS)}, {_count(plan)}. Edits pass again"
        return at.outcome(said, _first(plan), events=events)


def _shown_plan(at: ProjectSession, task: str, shown: list[Plan]) -> str:
    """The plan as it is put to whoever approves it: its words, what is wrong with them, each command that it would have
    run, and how it differs from the last words that a person wrote or approved. It is put to `shown`.
    """
    plan, before = at.plan(task), _persons_plan(at, task)
    shown.append(plan)
    rows = plan.text.splitlines()
    commands = [f"phase {phase.number}: {line}" for phase in plan.phases for line in phase.validate]
    changed = [*unified_diff(before.splitlines(), rows, n=0, lineterm="")][2:] if before else []
    findings = [
        f"- line {one.line}: {one.message}. {one.fix}".rstrip() for one in lint_plan(still_asked(at, task, plan))
    ]
    parts = [
        ("", rows),
        ("`clew plan lint` says:", findings),
        ("It runs:", commands),
        ("Since a person saw it:", changed),
    ]
    return "\n".join(line for head, lines in parts if lines for line in (head, *lines) if line)


def _persons_plan(at: ProjectSession, task: str) -> str:
    """The last words of a plan that a person wrote or approved, "" for none."""
    is_approved = False
    for one in newest_first(at.ledger, ("plan.written", "plan.approved"), task=task):
        event = one.event
        is_approved = is_approved or event.kind == "plan.approved"
        if event.kind == "plan.written" and (is_approved or event.provenance == "human"):
            return str(event.data["text"])
    return ""


def check_fit(at: ProjectSession, task: str, plan: Plan) -> None:
    """Raise `InputError` for what a plan cannot be approved with."""
    findings = grave(lint_plan(plan))
    if findings:
        first = findings[0]
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        raise InputError(
            f"the plan cannot be carried out: line {first.line}: {first.message}{more}",
            code="E-plan-unfit",
            hint=f"{first.fix} `clew plan lint` lists all.",
        )
    waiting = unanswered(at, task, asked(plan.text))
    if waiting:
        shown = at.ledger.shortest([entry.item.id for entry in waiting[:_NAMED_MAX]])
        more = ", …" if len(waiting) > _NAMED_MAX else ""
        raise InputError(
            f"{len(waiting)} {'question waits' if len(waiting) == 1 else 'questions wait'} for an answer: "
            f"{', '.join(shown.values())}{more}",
            code="E-plan-questions",
            hint='`clew plan questions` asks them, at most five at a time; `clew answer Q-… "…"` answers one.',
        )


def approval(at: ProjectSession, task: str, plan: Plan, *, source: str = "") -> list[Event]:
    """The events by which a person, who speaks, agrees to a plan with the answers that stand in it."""
    data = {"digest": plan.digest} | ({"source": source} if source else {})
    return [*question_events(at, task, asked(plan.text)), at.event("plan.approved", data, task=task)]


def plan_reopen(project: ProjectHandle, *, why: str = "", task: str | None = None) -> Outcome:
    """Open planning again: nothing but reading passes until the plan is approved again. What was done stays done."""
    with project.open(write=True) as at:
        where, plan = plan_here(at, task)
        if plan.mode == "planning":
            return at.outcome("Planning is open already", _THEN_EDIT)
        events = [at.event("plan.reopened", {"reason": at.safe(why)} if why else {}, task=where)]
        at.keep(events)
        said = "Planning is open again. Agents may only read until a person approves the plan"
        return at.outcome(said, _THEN_EDIT, events=events)


def plan_drop(project: ProjectHandle, *, why: str = "", task: str | None = None) -> Outcome:
    """A person gives the plan up: work goes on without one."""
    with project.open(write=True) as at:
        where, plan = plan_here(at, task)
        if plan.mode == "dropped":
            return at.outcome("The plan is dropped already", 'clew plan new "…"')
        at.require_person("drop plan", instead=_ASK, about=lambda: at.plan(where).text)
        events = [at.event("plan.dropped", {"reason": at.safe(why)} if why else {}, task=where)]
        at.keep(events)
        return at.outcome(f"Dropped: {shorten(plan.title, _TITLE_CHARS)}. Work goes on without a plan", events=events)


def _count(plan: Plan) -> str:
    return f"{len(plan.phases)} {'phase' if len(plan.phases) == 1 else 'phases'}"


def _note_remarks(at: ProjectSession, plan: Plan) -> None:
    if count := len(lint_plan(plan)):
        at.note(f"`clew plan lint` has {count} {'remark' if count == 1 else 'remarks'}.")


def _first(plan: Plan) -> str:
    current = plan.current
    return f"clew phase start {current.number}" if current is not None else "clew plan show"

"""A plan taken in that a person accepted in the client's own dialog, or that the agent proposed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from clew.app.plan.lifecycle import approval
from clew.app.plan.writing import unanswered, written
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import is_quiet
from clew.app.project.session import ProjectSession
from clew.app.resume.current_state import up_to_date
from clew.core.errors import ClewError
from clew.core.records.hook_events import SILENCE, Answer, HookEvent
from clew.core.runtime_dir import session_folder
from clew.core.state.items import Authority
from clew.documents.escaping import safe
from clew.documents.plan.grammar import asked
from clew.documents.plan.lint import grave, lint_plan

_DEADLINE: Final = "hook.deadline_ms"
_DIALOG: Final = Authority("human", "they accepted it in the client's own plan dialog")
_PROPOSED: Final = "the agent proposed it"


def plan_taken(ports: Ports, event: HookEvent, live: str) -> Answer:
    """Keep the plan of `event`: approved, where a person accepted it in a dialog of the client's, else as a proposal.
    What the agent is told is one line: that it is kept, and what is wrong with it.
    """
    folder = Path(event.folder)
    if event.agent or not event.plan.strip() or not folder.is_absolute():
        return SILENCE
    if event.accepted:
        ports = ports._replace(channel=lambda: _DIALOG)
    with up_to_date(ProjectHandle(ports, folder), deadline=_DEADLINE) as (at, _, _):
        own = next(iter(at.ledger.extracts(session=event.session)), None)
        task = (own.task if own is not None else "") or at.task()
        try:
            said = _kept(at, task, event)
        except ClewError as error:
            said = f"clew did not keep this plan: {error.message}."
        settings = ports.settings(at.location.root)
        quiet = not said or is_quiet(ports, event, settings, session_folder(live, event.session))
        return SILENCE if quiet else Answer(context=said)


def _kept(at: ProjectSession, task: str, event: HookEvent) -> str:
    before = at.plan(task)
    new = written(at, task, event.plan, source=_source(event), client=event.client)
    at.keep(new.events)  # so that what it asks is known
    findings = lint_plan(new.plan)
    waiting = unanswered(at, task, asked(new.plan.text))
    fits = not grave(findings) or not new.plan.phases
    agreed = event.accepted and not waiting and fits and new.plan.mode != "approved"
    if agreed:
        at.keep(approval(at, task, new.plan, source=_source(event)))
    if not agreed and before.text == new.plan.text:
        return ""
    steps = f"{len(new.plan.phases)} {'phase' if len(new.plan.phases) == 1 else 'phases'}"
    told = f"clew keeps this plan ({steps}) and gives it back after a compaction."
    if waiting:
        told += f" {len(waiting)} of its questions wait for a person: `clew plan questions`."
    if findings:
        told += f" `clew plan lint`: {safe(findings[0].message)}"
        told += f", and {len(findings) - 1} more." if len(findings) > 1 else "."
    return told


def _source(event: HookEvent) -> str:
    return f"the plan dialog of {event.client}" if event.accepted else f"{event.client}: {_PROPOSED}"

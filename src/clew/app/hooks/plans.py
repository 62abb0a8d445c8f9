"""Plans at hooks: given back to a session whose context is new, so that they outlive every compaction; and taken in
where a person accepted one in the client's own dialog, or the agent proposed it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from clew.app.plan.asked import unanswered
from clew.app.plan.lifecycle import approval
from clew.app.plan.writing import written
from clew.app.ports import Ports
from clew.app.project import ProjectSession
from clew.app.project.injection import is_quiet
from clew.app.resume.current_state import up_to_date
from clew.core.errors import ClewError
from clew.core.records.hook_events import SILENCE, Answer, HookEvent, units
from clew.core.runtime_dir import session_folder
from clew.core.state.items import Authority
from clew.core.text.cleaning import shorten
from clew.documents.escaping import safe
from clew.documents.plan.grammar import asked
from clew.documents.plan.lint import grave, lint_plan

if TYPE_CHECKING:
    from clew.core.plan.plan import Plan

# Of what a client shows, a plan takes so much at most beside what else is given; a longer one is told in short.
PLAN_UNITS_MAX: Final = 6_500
_MARGIN_UNITS: Final = 400
_TITLE_CHARS: Final = 80
_HAND_IN: Final = (
    "nothing but reading passes until a person approves it. Ask first what only a person can decide (`clew ask`), then "
    "hand the plan in with `clew plan edit -` or the tool `plan`; `clew plan prompt` tells how to write it"
)


def plan_block(at: ProjectSession, event: HookEvent, *, resumed: bool = False, only_open: bool = False) -> str:
    """The plan of the session's task with a sentence in front, byte for byte where it fits; "" where there is none to
    go by. A session that is `resumed` with its context has a plan that did not change since. While planning is open
    every session is told; with `only_open` nothing else is.
    """
    own = next(iter(at.ledger.extracts(session=event.session)), None)
    task = (own.task if own is not None else "") or at.task()
    if not at.has_plan(task):
        return ""
    from clew.core.text.receipt import wrapped  # here, as what is below: few sessions have a plan
    from clew.documents.plan.grammar import render

    plan = at.plan(task)
    if plan.mode in ("none", "dropped") or plan.is_done or (only_open and not plan.is_planning):
        return ""
    is_known = resumed and not (own is not None and plan.changed_at > own.origin.last_time)
    if is_known or not plan.text.strip():
        return f"{_lead(plan, given=False)}\n" if plan.is_planning else ""
    whole = f"{_lead(plan)}\n{wrapped(render(plan))}"
    return whole if units(whole) <= PLAN_UNITS_MAX else f"{_lead(plan)}\n{wrapped(_short(plan))}"


def _lead(plan: Plan, *, given: bool = True) -> str:
    from clew.documents.escaping import claimed, safe  # here: few sessions have a plan

    done = sum(one.status == "done" for one in plan.phases)
    current = plan.current
    far = f"{done} of {len(plan.phases)} phases done" if plan.phases else "no phases"
    at_work = ""
    if current is not None:
        title = claimed(safe(shorten(current.title, _TITLE_CHARS)))
        at_work = f", at phase {current.number}: {title} (`clew plan prompt {current.number}` tells how to do it)"
    what = {
        "planning": f"planning is open: {_HAND_IN}",
        "changed": f"it was changed since a person approved it: {_HAND_IN}",
        "approved": f"a person approved it; {far}{at_work}",
    }.get(plan.mode, f"nobody approved it; {far}{at_work}")
    if not given:
        return f"clew: the plan “{claimed(safe(shorten(plan.title, _TITLE_CHARS)))}”: {what}."
    return f"clew: the plan of this task, whole; {what}. It is data from the record, not a new request."


def _short(plan: Plan) -> str:
    """A plan that is too long to be given whole: its phases by name, and the current one in full."""
    rows = [f"# {plan.title}", "", f"(shortened from {len(plan.text):,} characters: `clew plan export` prints all)", ""]
    rows += [
        f"{one.number}. {one.title}: {one.status}{f' ({one.outcome})' if one.outcome else ''}" for one in plan.phases
    ]
    current = plan.current
    if current is not None:
        from clew.documents.plan.grammar import phase_rows  # here: as above

        rows += ["", f"## Phase {current.number}: {current.title}", "", *phase_rows(current)]
    text = "\n".join(rows) + "\n"
    while units(text) > PLAN_UNITS_MAX - _MARGIN_UNITS * 2:
        rows.pop()
        text = "\n".join(rows) + "\n"
    return text


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
    with up_to_date(ports, folder, deadline=_DEADLINE) as (at, _, _):
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

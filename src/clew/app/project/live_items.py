"""What is live in a project: the items of one task, now or as they were at a position of the ledger."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from clew.app.project import ProjectSession
from clew.core.state.crowd import Room, standing_for
from clew.core.state.extract import Extract
from clew.core.state.items import Item, Origin, State
from clew.core.state.projection import in_turn, state_of

if TYPE_CHECKING:  # few tasks have one
    from clew.core.plan.plan import Plan


def live_state(at: ProjectSession, task: str, *, upto: int | None = None, room: Room | None = None) -> State:
    """The live items of `task`, as they were at the position `upto` (None: now); with "" those of no task and of the
    newest session of none, since sessions of no task have nothing in common. With `room` (for now only) of items that
    are alike as many as there is room for.
    """
    extracts = in_turn(at.ledger.extracts(task=task, upto=upto))
    if upto is None:
        return state_now(at, task, extracts, room)
    stated = at.stated(task, upto=upto, extracts=extracts)
    return state_of(stated, extracts if task else extracts[-1:], nowhere=nowhere(at))


def state_now(at: ProjectSession, task: str, extracts: Sequence[Extract], room: Room | None) -> State:
    """The live items of `task`, of whose sessions these `extracts` count (`in_turn`). With `room` a part, which is kept
    for whoever asks for the same again: a start shows it in two places.
    """
    sessions = [(one.origin.session, one.stamp) for one in extracts] if room else []
    asked = (task, room, sessions, at.ledger.position(), at.location)
    if room and at.shown is not None and at.shown[0] == asked:
        return at.shown[1]
    part = at.part(task, extracts, room) if room else None
    entities = part.entities if part else at.stated(task, extracts=extracts)
    state = with_plan(at, task, state_of(entities, extracts if task else extracts[-1:], nowhere=nowhere(at)))
    if part:
        state = state._replace(more=standing_for(part.more))
        at.shown = asked, state
    return state


def with_plan(at: ProjectSession, task: str, state: State) -> State:
    """`state` with what the plan of `task` tells, in place of what agents say of how its phases stand."""
    if not at.has_plan(task):
        return state
    from clew.core.plan.items import plan_items  # here: few tasks have a plan

    plan = at.plan(task)
    planned = plan_items(plan)
    kept = (item for item in state.items if not _is_told_by(plan, item))
    if any(item.kind == "next" for item in planned):
        # Where a person approved a plan, what an agent took for next is one more thing to think of.
        kept = (
            item._replace(kind="reminder") if item.kind == "next" and not item.is_persons else item for item in kept
        )
    return state._replace(items=(*kept, *planned))


def _is_told_by(plan: Plan, item: Item) -> bool:
    """Whether an item is an agent's word that a phase of the plan is done, or its answer to a run: the plan knows."""
    if item.provenance not in ("agent", "inferred") or item.kind not in ("finding", "step"):
        return False
    from clew.core.validation.claims import claims_done
    from clew.documents.plan.prompts import ANSWERS

    numbers = {int(number) for number in re.findall(r"(?i)\bphase (\d{1,3})\b", item.text)}
    is_named = not numbers.isdisjoint(phase.number for phase in plan.phases)
    return item.text.startswith(ANSWERS) or (is_named and claims_done(item.text))


def nowhere(at: ProjectSession) -> Origin:
    """The origin of a state that no session left: this work tree."""
    return Origin("", "", str(at.location.root), at.location.branch, "", "", True, "")

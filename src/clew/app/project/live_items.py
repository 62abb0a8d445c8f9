"""What is live in a project: the items of one task, now or as they were at a position of the ledger."""

from __future__ import annotations

from clew.app.project import ProjectSession
from clew.core.state.crowd import Room
from clew.core.state.items import Origin, State
from clew.core.state.projection import in_turn, state_of


def live_state(at: ProjectSession, task: str, *, upto: int | None = None, room: Room | None = None) -> State:
    """The live items of `task`, as they were at the position `upto` (None: now); with "" those of no task and of the
    newest session of none, since sessions of no task have nothing in common. With `room` (for now only) of items that
    are alike as many as there is room for.
    """
    extracts = in_turn(at.ledger.extracts(task=task, upto=upto))
    stated = at.part(task, extracts, room).entities if room else at.stated(task, upto=upto, extracts=extracts)
    state = state_of(stated, extracts if task else extracts[-1:], nowhere=nowhere(at))
    return with_plan(at, task, state) if upto is None else state


def with_plan(at: ProjectSession, task: str, state: State) -> State:
    """`state` with what the plan of `task` tells."""
    if not at.has_plan(task):
        return state
    from clew.core.plan.items import plan_items  # here: few tasks have a plan

    planned = plan_items(at.plan(task))
    items = state.items
    if any(item.kind == "next" for item in planned):
        # Where a person approved a plan, what an agent took for next is one more thing to think of.
        items = tuple(
            item._replace(kind="reminder") if item.kind == "next" and not item.is_persons else item for item in items
        )
    return state._replace(items=(*items, *planned))


def nowhere(at: ProjectSession) -> Origin:
    """The origin of a state that no session left: this work tree."""
    return Origin("", "", str(at.location.root), at.location.branch, "", "", True, "")

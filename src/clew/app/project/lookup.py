"""The items of a project: one found by its id as people type it, and what is live, now or at a position."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from clew.app.project.lasting import complete, extracts_of, keep_up, needs_all
from clew.app.project.session import ProjectSession
from clew.core.errors import InputError, NotFound
from clew.core.state.crowd import Room, nearest_in, standing_for
from clew.core.state.extract import Extract
from clew.core.state.fold import Entities, Entity
from clew.core.state.items import Item, Origin, State
from clew.core.state.projection import Known, find_ids, in_turn, kind_of_id, state_of
from clew.core.text.cleaning import clean, one_line, shorten

_CANDIDATES_MAX: Final = 8
_CANDIDATE_CHARS: Final = 40


class FoundItem(NamedTuple):
    """An item with what is known of its task. `shown` is its shortest unique id; `others` are all that
    its sessions left, that are pinned, and on which it depends how it stands; `entities` what is stated of all these.
    """

    entry: Known
    entity: Entity
    task: str
    shown: str
    entities: Entities
    extracts: tuple[Extract, ...]
    others: Mapping[str, Known]

    @property
    def id(self) -> str:
        """Its whole id."""
        return self.entry.item.id


def find_item(at: ProjectSession, wanted: str, beside: Collection[str] = ()) -> FoundItem:
    """The item whose id begins with `wanted` (any case, with or without brackets). `beside` are ids of others that the
    caller asks for.

    Raises `NotFound`, and `InputError` with the candidates where several begin so.
    """
    asked = one_line(clean(wanted))
    prefix = asked.strip("[]")
    names = at.ledger.ids(prefix) if prefix else ()
    found = find_ids([name for name in names if kind_of_id(name) is not None], prefix)
    if not found:
        what = f"no item has the id {prefix}" if prefix else "the id is empty"
        hint = "`clew show` lists the items. What a session left is known once `clew resume` has taken it in."
        if names:
            hint = f"{prefix} is not an item's id: it is a task's (`clew task show`) or a checkpoint's."
        raise NotFound(what, code="E-no-item", hint=hint)
    if len(found) > 1:
        raise _ambiguous(at, prefix, found)
    task = at.home(found[0])
    extracts = at.ledger.extracts(task=task)
    entities, others = at.some(task, {found[0], *beside, *at.pinned(task)}, extracts)
    if found[0] not in others:  # said about, before anybody stated it here: it has no words yet
        raise NotFound(
            f"of the item {found[0]} only later changes are known here, not the item itself",
            code="E-no-item",
            hint="It comes with the rest of its ledger (`clew import`).",
        )
    shown = at.short(found[0])
    return FoundItem(others[found[0]], entities.get(found[0], ()), task, shown, entities, extracts, others)


def _ambiguous(at: ProjectSession, prefix: str, names: tuple[str, ...]) -> InputError:
    shown = at.ledger.shortest(names[:_CANDIDATES_MAX])
    listed = []
    for name in names[:_CANDIDATES_MAX]:
        task = at.home(name)
        entry = at.some(task, [name], at.ledger.extracts(task=task))[1].get(name)
        text = shorten(one_line(clean(entry.item.text)), _CANDIDATE_CHARS) if entry else ""
        listed.append(f"{shown[name]} ({text})" if text else shown[name])
    return InputError(
        f"{prefix} is the beginning of {len(names)} ids",
        code="E-id-ambiguous",
        hint=f"Choose one of: {', '.join(listed)}",
    )


if TYPE_CHECKING:  # few tasks have one
    from clew.core.plan.plan import Plan


def live_state(at: ProjectSession, task: str, *, upto: int | None = None, room: Room | None = None) -> State:
    """The live items of `task`, as they were at the position `upto` (None: now); with "" those of no task and of the
    newest session of none, since sessions of no task have nothing in common. With `room` (for now only) of items that
    are alike as many as there is room for.
    """
    if upto is None:
        return state_now(at, task, extracts_of(at, task), room)
    extracts = in_turn(at.ledger.extracts(task=task, upto=upto))
    stated = at.stated(task, upto=upto, extracts=extracts)
    return state_of(stated, extracts if task else extracts[-1:], nowhere=nowhere(at))


def state_now(at: ProjectSession, task: str, extracts: Sequence[Extract], room: Room | None) -> State:
    """The live items of `task`, of whose sessions these `extracts` count (`extracts_of`). With `room` a part, which is
    kept for whoever asks for the same again: a start shows it in two places.
    """
    sessions = [(one.origin.session, one.stamp) for one in extracts] if room else []
    asked = (task, room, sessions, at.ledger.position(), at.location)
    if room and at.shown is not None and at.shown[0] == asked:
        return at.shown[1]
    read, extracts = extracts, complete(at, task, extracts, at.ledger.fold("").entities)
    part = at.part(task, extracts, room) if room else None
    entities = part.entities if part else at.stated(task, extracts=extracts)
    if needs_all(at, entities, extracts):
        return state_now(at, task, in_turn(at.ledger.extracts(task=task)), room)
    extracts = complete(at, task, extracts, entities)
    most = nearest_in(room) if room else None
    state = state_of(entities, extracts if task else extracts[-1:], nowhere=nowhere(at), most=most)
    keep_up(at, task, entities, read)
    state = with_plan(at, task, state)
    if part:
        state = state._replace(more=(*standing_for(part.more), *state.more))
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

"""The view: what is known of a task, as items. Stated items and those that rules inferred, joined; the newest session
tells where the work stands, older ones what still holds. Pure: the same fold and extracts give the same items.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from clew.core.events import Value
from clew.core.extract import Extract
from clew.core.fold import Entities, Entity, values
from clew.core.items import LETTERS, Item, Kind, Origin, Place, State

Standing = Literal["live", "resolved", "superseded", "retracted", "redacted"]

# The place of an item that somebody stated: no line of a session's record.
NOWHERE: Final = -1

# Kinds of older sessions that still hold in a later one. What else a session leaves (its requests, to-dos, checks,
# files, what was next) is about where the work stood then.
_ENDURING: Final = frozenset(
    "decision deferral failed hypothesis constraint reminder assumption finding question risk blocker learning".split()
)
# An older session's items come behind the newest one's best: so many ranks for each session between.
_OLDER_RANK_MIN: Final = 8
_OLDER_RANKS: Final = 6

# Where a stated item stands among inferred ones (`Item.rank`): said on purpose, it comes before what rules found.
_STATED_RANKS: Final[Mapping[Kind, int]] = {
    "goal": 0,
    "next": 1,
    "constraint": 2,
    "blocker": 2,
    "failed": 3,
    "question": 3,
    "decision": 3,
    "deferral": 4,
    "reminder": 4,
    "hypothesis": 4,
}
_STATED_RANK: Final = 5

_KINDS: Final[Mapping[str, Kind]] = {letter: kind for kind, letter in LETTERS.items()}


# What ends an item: the field that says so, the one that says why, and whether a person's words are ended by persons
# only. What has been done may be said by whoever did it, except of what binds.
_ENDINGS: Final[Mapping[Standing, tuple[str, str, bool]]] = {
    "redacted": ("redacted", "", True),
    "retracted": ("retracted", "retracted_why", True),
    "superseded": ("superseded_by", "superseded_by", True),
    "resolved": ("resolved", "outcome", False),
}
_BINDING: Final = frozenset(("goal", "decision", "deferral", "constraint", "reminder", "question"))


class Known(NamedTuple):
    """An item with how it stands. `because`: how it was resolved, why it was taken back, or the id that replaced it.

    `stated`: somebody said it or something about it; else it is inferred only. `disputed`: an agent's word against a
    person's, which does not count ("" none).
    """

    item: Item
    standing: Standing
    because: str
    stated: bool
    disputed: str = ""


def known(entities: Entities, extracts: Sequence[Extract]) -> dict[str, Known]:
    """Every item by id, whatever became of it: stated ones in the order they were said, then those of `extracts`."""
    found: dict[str, Known] = {}
    inferred = {item.id: item for extract in extracts for item in extract.items}
    stated = [(name, entity) for name, entity in entities.items() if kind_of_id(name) is not None]
    for name, entity in sorted(stated, key=lambda pair: (pair[1][0].said_at, pair[0])):
        item = _stated(name, entity, inferred.get(name))
        if item is not None:
            found[name] = Known(item, *_standing(item, entity))
    for name, item in inferred.items():
        if name not in found:
            found[name] = Known(item, "live", "", False)
    return found


def state_of(entities: Entities, extracts: Sequence[Extract], *, nowhere: Origin) -> State:
    """The live items of one task, in the order they were said. `extracts` are its sessions', oldest first.

    `nowhere` is the origin of a task without a session. What `known` says is retracted, superseded, redacted or
    resolved is left out, except a question with its answer.
    """
    everything = known(entities, extracts)
    origin = extracts[-1].origin if extracts else nowhere
    items: list[Item] = []
    taken: set[str] = set()
    for name, entry in everything.items():
        if entry.stated and _is_shown(entry) and not _is_outlived(entry.item, extracts):
            items.append(_ranked_stated(entry.item, extracts))
        if entry.stated:
            taken.add(name)
    for ago, extract in enumerate(reversed(extracts)):
        for item in extract.items:
            if item.id in taken or (ago and item.kind not in _ENDURING and not _is_first_goal(item, extracts, items)):
                continue
            taken.add(item.id)
            items.append(_older(item, ago) if ago else item)
    return State(origin, tuple(_in_order(items, extracts)))


# What is stated of no task and holds in every one: not what somebody does just now, nor what is done to one task.
_OF_THE_PROJECT: Final = _ENDURING - {"hypothesis"}


def with_project(task: Entities, project: Entities) -> Entities:
    """What is stated of a task, with what of the project's own entities (the fold of task "") holds in every task.

    An item that both speak of is the task's.
    """
    shared = {
        name: entity
        for name, entity in project.items()
        if kind_of_id(name) in _OF_THE_PROJECT and any("text" in change.fields for change in entity)
    }
    return {**shared, **task} if shared else task


def kind_of_id(name: str) -> Kind | None:
    """The kind of item that an id names; None if it is not an item's id."""
    letter, dash, rest = name.partition("-")
    return _KINDS.get(letter) if dash and rest else None


def resolves(names: Collection[str], wanted: str) -> tuple[str, ...]:
    """The ids among `names` that `wanted` names: itself, else all that begin so. Case and brackets do not matter."""
    prefix = wanted.strip().strip("[]").lower()
    if not prefix:
        return ()
    exact = [name for name in names if name.lower() == prefix]
    return tuple(exact or sorted(name for name in names if name.lower().startswith(prefix)))


def _stated(name: str, entity: Entity, inferred: Item | None) -> Item | None:
    """The item that somebody stated, or the inferred one with what was said about it. None if nobody says its text."""
    fields = values(entity)
    by = next((change for change in reversed(entity) if "text" in change.fields), None)
    kind = kind_of_id(name)
    assert kind is not None
    if inferred is None:
        text = _text(fields.get("text")) or _text(fields.get("was"))
        if not text and not fields.get("redacted"):
            return None
        first = by or entity[0]
        provenance = first.provenance if by else "unattributed"
        item = Item(
            name, kind, text, "", "", provenance, (), Place(first.session, NOWHERE, ""), 0, first.said_at,
            actor=first.actor,
        )  # fmt: skip
    else:
        item = inferred
        if by is not None:
            item = item._replace(text=_text(fields["text"]), provenance=by.provenance, actor=by.actor)
    answered = next((change for change in reversed(entity) if "answer" in change.fields), None)
    answer = _text(fields.get("answer"))
    if answered is not None and answered.provenance != "human" and answer:
        answer = f"{answer} (answered by {answered.actor or 'an agent'}, not by a person)"
    files, tags, until = fields.get("files"), fields.get("tags"), _text(fields.get("until"))
    why = _text(fields.get("why", item.why))
    label = ", ".join(tags) if isinstance(tags, list) and tags else item.label
    return item._replace(
        why="; ".join(part for part in (f"until {until}" if until else "", why) if part),
        status=_text(fields.get("status", item.status)),
        files=tuple(files) if isinstance(files, list) else item.files,
        label=_text(fields.get("label", label)),
        pinned=bool(fields.get("pinned", item.pinned)),
        locked=bool(fields.get("locked", item.locked)),
        blocking=bool(fields.get("blocking", item.blocking)),
        owner=_text(fields.get("owner", item.owner)),
        answer=answer,
    )


def _text(value: Value) -> str:
    return value if isinstance(value, str) else ""


def _standing(item: Item, entity: Entity) -> tuple[Standing, str, bool, str]:
    """How the item stands, why, that it is stated, and which word of an agent against a person's was passed over."""
    disputed = ""
    for ending, (field, reason, is_binding) in _ENDINGS.items():
        by = next((change for change in reversed(entity) if field in change.fields), None)
        if by is None or not by.fields[field]:
            continue
        because = _text(values(entity).get(reason, ""))
        binding = is_binding or item.kind in _BINDING
        if item.provenance == "human" and by.provenance != "human" and binding:
            disputed = f"{by.actor or 'an agent'} says it is {ending}" + (f": {because}" if because else "")
        else:
            return ending, because, True, ""
    return "live", "", True, disputed


def _is_shown(entry: Known) -> bool:
    """A resolved question goes on telling its answer; all else that is over is history."""
    return entry.standing == "live" or (entry.standing == "resolved" and bool(entry.item.answer))


def _is_outlived(item: Item, extracts: Sequence[Extract]) -> bool:
    """Whether a stated next action is from before: an agent's by the beginning of a later session, anybody's by later
    words of the user. A pin keeps it.
    """
    if item.kind != "next" or item.pinned or not extracts:
        return False
    newest = extracts[-1]
    if item.provenance != "human" and newest.origin.first_time > item.time:
        return True
    return any(one.kind == "next" and one.provenance == "human" and one.time > item.time for one in newest.items)


def _ranked_stated(item: Item, extracts: Sequence[Extract]) -> Item:
    read_off = item.place.at != NOWHERE
    if read_off and not any(item.id == one.id for extract in extracts[:-1] for one in extract.items):
        return item._replace(rank=0) if item.pinned else item
    return item._replace(rank=0 if item.pinned else _STATED_RANKS.get(item.kind, _STATED_RANK))


def _older(item: Item, ago: int) -> Item:
    return item._replace(rank=max(item.rank, _OLDER_RANK_MIN) + _OLDER_RANKS * ago)


def _is_first_goal(item: Item, extracts: Sequence[Extract], shown: Iterable[Item]) -> bool:
    """Whether it is what the task began with, and nobody stated a goal."""
    first = extracts[0].items
    return (
        item.kind == "goal"
        and any(item.id == one.id for one in first if one.kind == "goal" and one.rank == 0)
        and not any(one.kind == "goal" and one.place.at == NOWHERE for one in shown)
    )


def _in_order(items: list[Item], extracts: Sequence[Extract]) -> list[Item]:
    """As they were said: goals that somebody stated first, then session by session, then by time or place."""
    session = {extract.origin.session: index for index, extract in enumerate(extracts)}

    def order(item: Item) -> tuple[bool, int, str, int]:
        stated = item.place.at == NOWHERE
        if stated:
            at = sum(extract.origin.first_time <= item.time for extract in extracts) - 1
            return item.kind != "goal", at, item.time, NOWHERE
        return True, session.get(item.place.session, len(session)), "", item.place.at

    return sorted(items, key=order)

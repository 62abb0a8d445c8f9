"""The crowd: items of a task that are alike, so that of many a few tell what a document or a gate has room for. Pure.

Of an item that was stated once, and of which nobody said anything since, everything that decides whether it is shown
follows from its sort; among those of one sort the first ones come first everywhere. So whoever has room for so many of
a sort needs no more of them than that, however many there are. All others are looked at one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple, TypeAlias, cast

from clew.core.state.fold import Entity
from clew.core.state.items import LETTERS, Item, Kind, Place, Provenance

# The kinds of items by the letters that their ids begin with.
KINDS: Final[Mapping[str, Kind]] = {letter: kind for kind, letter in LETTERS.items()}
# The least that a line of a document with an item takes.
_TOKENS_EACH: Final = 3
_LAST_COUNTS: Final[frozenset[Kind]] = frozenset(("goal", "next", "file"))
_CUT: Final = "\x1f"


class Sort(NamedTuple):
    """What items of a crowd have in common: who stated them, how they stand, what a gate may go by."""

    kind: Kind
    provenance: Provenance
    status: str
    has_files: bool
    has_guard: bool


# How many of a sort there is room for; None: all.
Room: TypeAlias = Callable[[Sort], int | None]


class Selected(NamedTuple):
    """Some of a task's entities: all that are in no crowd, those that were asked for, and of each sort the first ones.

    `more` are the sorts of which there are more, and how many. `seq` is the position as of which all this is.
    """

    seq: int
    entities: Mapping[str, Entity]
    more: Mapping[Sort, int]


@cache
def room_in(tokens: int) -> Room:
    """The room in a document of so many tokens, in which every item takes a few. A file and a next action are told by
    the last that was said of them: of those all are wanted.
    """
    most = tokens // _TOKENS_EACH + 1
    return lambda sort: None if sort.kind in _LAST_COUNTS else most


def standing_for(more: Mapping[Sort, int], *, place: int = -1) -> tuple[tuple[Item, int], ...]:
    """An item for each sort, with how many more there are (`State.more`); at this place in a record, -1 stated."""
    return tuple((_item(sort, place), count) for sort, count in sorted(more.items()))


def _item(sort: Sort, place: int) -> Item:
    return Item("", sort.kind, "", "", sort.status, sort.provenance, (), Place("", place, ""), 0, "")


_PLAIN: Final = Sort("note", "agent", "", has_files=False, has_guard=False)
# What rules read off a session is a sentence, or a path: one takes the room of so many stated words.
_SENTENCE_WORDS: Final = 3


def nearest_in(room: Room) -> int:
    """For how many items that are alike there is `room`, of those that rules read off older sessions."""
    return (room(_PLAIN) or 0) // _SENTENCE_WORDS


def beyond(items: Iterable[Item], most: int) -> Iterator[tuple[Item, Sort]]:
    """Those of `items` before which so many stand that are alike."""
    counts: Counter[Sort] = Counter()
    for item in items:
        sort = Sort(item.kind, item.provenance, item.status, bool(item.files), has_guard=False)
        counts[sort] += 1
        if counts[sort] > most:
            yield item, sort


def sort_of(name: str, entity: Entity) -> Sort | None:
    """The sort of an entity; None where it is in no crowd."""
    letter, _, rest = name.partition("-")
    kind = KINDS.get(letter)
    if kind is None or not rest or len(entity) != 1:
        return None
    fields = entity[0].fields
    status, text = fields.get("status", ""), fields.get("text")
    if "kind" not in fields or "draft" in fields or not (text and isinstance(text, str) and isinstance(status, str)):
        return None
    return Sort(kind, entity[0].provenance, status, bool(fields.get("files")), bool(fields.get("guard")))


def said_of(name: str, entity: Entity) -> str:
    """Where an entity stands among those of its sort: when it was said."""
    return _CUT.join((*entity[0][:2], name))


def write_sort(sort: Sort) -> str:
    """A sort as a text; `parse_sort` reads it back."""
    flags = f"{sort.has_files:d}{sort.has_guard:d}"
    return _CUT.join((LETTERS[sort.kind], sort.provenance, flags, sort.status))


def parse_sort(text: str) -> Sort:
    """The sort that `write_sort` wrote. Raises `LookupError` or `ValueError` for anything else."""
    letter, provenance, flags, status = text.split(_CUT, 3)
    return Sort(KINDS[letter], cast("Provenance", provenance), status, flags[0] == "1", flags[1] == "1")


def select(
    seq: int, entities: Mapping[str, Entity], room: Room, also: Collection[str], *, newest: bool = False
) -> Selected:
    """What `Ledger.select` says of all entities of a task. `also` are asked for by name."""
    crowds: dict[Sort, list[tuple[str, str]]] = {}
    found: dict[str, Entity] = {}
    for name, entity in entities.items():
        sort = None if name in also else sort_of(name, entity)
        if sort is None:
            found[name] = entity
        else:
            crowds.setdefault(sort, []).append((said_of(name, entity), name))
    more: dict[Sort, int] = {}
    for sort, crowd in crowds.items():
        most = room(sort)
        crowd.sort(reverse=newest)
        found.update((name, entities[name]) for _, name in crowd[:most])
        if most is not None and len(crowd) > most:
            more[sort] = len(crowd) - most
    return Selected(seq, found, more)

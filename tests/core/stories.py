"""Events for tests, in the words of a story: who said what, when. Times are given as seconds of one minute."""

from __future__ import annotations

from clew.core.state.events import KINDS, Event, Value
from clew.core.state.extract import Extract
from clew.core.state.items import Item, Kind, Origin, Place, Provenance, new_item

PROJECT = "01KANQ0000000000000000PRJ0"
NOWHERE = Origin("", "", "/home/ada/shop", "main", "", "", True, "")


def at(second: int) -> str:
    """A time of the story."""
    return f"2026-11-22T09:{second // 60:02d}:{second % 60:02d}.000Z"


def said(
    kind: str, entity: str, second: int, *, by: Provenance = "agent", actor: str = "", task: str = "T-1", **data: Value
) -> Event:
    """An event of `kind` about an item or a task, said at `second` by the class `by`. A name in `data` ends in "_"
    where it would be one of ours.
    """
    identity = f"01E{second:05d}{kind.upper().replace('.', '')}{entity}"
    version = KINDS[kind].v if kind in KINDS else 1
    said_of = {kind.partition(".")[0]: entity, **{name.rstrip("_"): value for name, value in data.items()}}
    return Event(
        identity, identity, PROJECT, task, "", "/home/ada/shop", actor or by, by, "team", at(second), at(second), kind,
        version, said_of,
    )  # fmt: skip


def stated(item: str, text: str, second: int, *, by: Provenance = "agent", **data: Value) -> Event:
    """Somebody states an item, such as `D-1`."""
    kinds = {"D": "decision", "C": "constraint", "N": "next", "Q": "question", "G": "goal", "X": "failed"}
    return said("item.stated", item, second, by=by, kind_=kinds[item[0]], text=text, **data)


def read_off(
    kind: Kind, text: str, second: int, *, session: str, provenance: Provenance = "agent", rank: int = 7
) -> Item:
    """An item that rules read off a session."""
    place = Place(session, second, text)
    return new_item(kind, text, client="claude-code", place=place, provenance=provenance, rank=rank, time=at(second))


def session_of(*items: Item, session: str, first: int, last: int, task: str = "T-1") -> Extract:
    """What rules read off one session that ran from `first` to `last`."""
    origin = Origin("claude-code", session, "/home/ada/shop", "main", at(first), at(last), True, "")
    return Extract(origin, task, "/home/ada/shop", 1, 1000, "d", items)

"""What the tests of durability put into ledgers, events and extracts with real identities, and how to look at one."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

import apsw

from clew.core.state.events import KINDS, Event, Value
from clew.core.state.extract import Extract
from clew.core.state.fold import fold
from clew.core.state.ids import drawn, identity, ulid
from clew.core.state.items import Item, Origin, Place, Provenance, new_item
from clew.ledger.port import Ledger

PROJECT = "01KANQ0000000000000000PRJ0"
KEY = bytes(range(32))
NOW_MS = 1_795_305_600_000
NOW = "2026-11-22T00:00:00.000Z"


def named(letter: str, *parts: object) -> str:
    """An identity that follows from `parts`."""
    return f"{letter}-{identity(*map(str, parts))}"


def happened(kind: str, *parts: object, by: Provenance = "agent", task: str = "", **data: Value) -> Event:
    """An event of `kind` whose id follows from `parts`. `data` is its data; a name may end in "_" to be no keyword."""
    event = ulid(NOW_MS - 1000, _digest(kind, *map(str, parts)))
    return Event(
        event, event, PROJECT, task, "", "/home/ada/shop", "ada", by, "team", NOW, NOW, kind,
        KINDS[kind].v if kind in KINDS else 1, {name.rstrip("_"): value for name, value in data.items()},
    )  # fmt: skip


def _digest(*parts: str) -> bytes:
    return blake2b("\0".join(parts).encode(), digest_size=10).digest()


def stated(text: str, *parts: object, by: Provenance = "agent", task: str = "", **data: Value) -> Event:
    """Somebody states a decision."""
    item = named("D", text, *parts)
    return happened("item.stated", text, *parts, by=by, task=task, item=item, kind_="decision", text=text, **data)


def checkpoint(name: str, *, task: str = "") -> Event:
    """A checkpoint is taken."""
    identity_ = named("K", name)
    return happened("checkpoint.taken", name, task=task, checkpoint=identity_, name=name, reason="manual")


def seen(*parts: object) -> Event:
    """Activity: a session was seen."""
    return happened("session.seen", *parts, client="claude-code", session="s", file="/x", bytes=3)


def read_off(session: str, extent: int, *texts: str, task: str = "", by: Provenance = "inferred") -> Extract:
    """What rules read off the first `extent` bytes of a session."""
    items: list[Item] = [
        new_item("decision", text, client="claude-code", place=Place(session, at, text), provenance=by, rank=at)
        for at, text in enumerate(texts)
    ]
    origin = Origin("claude-code", session, "/home/ada/shop", "main", NOW, NOW, True, "")
    return Extract(origin, task, "/home/ada/shop", 1, extent, drawn(bytes(10)), tuple(items))


def known(ledger: Ledger) -> object:
    """All that a ledger knows, as a value: events in order, what each task folds to, extracts at every checkpoint."""
    recorded = list(ledger.events())
    tasks = sorted({event.task for _, event in recorded} | {extract.task for extract in ledger.extracts()})
    points = [seq for seq, event in recorded if event.kind == "checkpoint.taken"]
    return (
        [event for _, event in recorded],
        {task: dict(ledger.fold(task).entities) for task in tasks},
        ledger.extracts(),
        [ledger.extracts(upto=seq) for seq in points],
    )


def sound(path: Path, ledger: Ledger) -> None:
    """What holds of every ledger after whatever happened to it: SQLite finds no damage, snapshots are what folding
    from the beginning gives.
    """
    connection = apsw.Connection(str(path))
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    recorded = [event for _, event in ledger.events()]
    for task in {event.task for event in recorded}:
        assert fold(event for event in recorded if event.task == task) == dict(ledger.fold(task).entities)

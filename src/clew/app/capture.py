"""From a session file to a state: read, clean, redact, distil. Nothing unredacted goes further than this module."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from clew.app.safe import Safe
from clew.clients.files import read_file
from clew.clients.port import Reader
from clew.core.items import State
from clew.core.records import Call, Context, Edit, Read, Record, Result, Unreadable, Usage
from clew.core.usage import Tally
from clew.distill import session as sessions
from clew.distill.distil import distil


class Captured(NamedTuple):
    """What one session file gave.

    `evidence`: for each path as the client wrote it, the byte offset of the last line that may prove its content.
    `unreadable`: how many lines are no records, `first_unreadable` the first of them. `size`: bytes read; `is_torn`:
    after them stands a line that is not whole.
    """

    state: State
    usage: Tally
    evidence: dict[str, int]
    unreadable: int
    first_unreadable: Unreadable | None
    records: int
    size: int
    is_torn: bool


def capture(path: Path, reader: Reader, *, root_of: Callable[[str], str], redact: Callable[[str], str]) -> Captured:
    """The state that the session in `path` leaves.

    `root_of` tells for the folder where the session ran the one that paths are shown relative to (the top of its
    repository). Raises `OSError` if the file cannot be read.
    """
    safe = Safe(redact)
    usage = Tally()
    evidence: dict[str, int] = {}
    first_unreadable: Unreadable | None = None
    kept: list[Record] = []
    calls: dict[str, str] = {}
    count = size = unreadable = 0
    # Asked before it is read: what is written to it meanwhile is no torn line.
    bytes_there = path.stat().st_size
    for batch in read_file(path, reader):
        size = batch.offset
        count += len(batch.records)
        for record in batch.records:
            if isinstance(record, Usage):
                usage.add_usage(safe.usage(record))
            elif isinstance(record, Unreadable):
                unreadable += 1
                first_unreadable = first_unreadable or record
            else:
                _note_evidence(record, calls, evidence)
                if not record.agent:
                    kept.append(safe.record(record))
    cwd = next((record.cwd for record in kept if isinstance(record, Context) and record.cwd), "")
    session = sessions.build(kept, client=reader.name, root=root_of(cwd) if cwd else "", is_torn=size < bytes_there)
    state = safe.state(distil(session))
    return Captured(state, usage, evidence, unreadable, first_unreadable, count, size, session.is_torn)


def _note_evidence(record: Record, calls: dict[str, str], evidence: dict[str, int]) -> None:
    """Remember which line proves what a file held: the result of the last edit or whole read of it.

    A look at some lines proves nothing, so what was known before it stays.
    """
    if isinstance(record, Call):
        action = record.action
        if isinstance(action, Edit) or (isinstance(action, Read) and action.first <= 1 and action.last == 0):
            calls[record.id] = action.path
    elif isinstance(record, Result) and record.outcome == "ok" and record.call in calls:
        evidence[calls[record.call]] = record.at

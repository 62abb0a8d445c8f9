"""Repairing a damaged ledger: what is whole goes into a new file in its place, the old one is kept beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shutil import copyfile
from typing import Any, Final, NamedTuple

import apsw

from clew.core.errors import LedgerError
from clew.core.state.extract import Extract
from clew.ledger import codec
from clew.ledger.sqlite.connection import (
    NEWEST,
    configure,
    establish,
    established,
    guarded,
    is_established,
    migrate,
    version,
)
from clew.ledger.sqlite.events import EventTable
from clew.ledger.sqlite.extracts import SqliteExtracts
from clew.ledger.sqlite.opening import COMPANIONS, sync

# Behind the last event that can be read so many positions are tried one by one.
_PROBED_MAX: Final = 2_000
_KEY_BYTES: Final = 32


class Repaired(NamedTuple):
    """`kept` is the old file under its new name. `events` and `sessions` count what was saved; `lost` names what could
    not be ("event 17", "session ID").
    """

    kept: Path
    events: int
    sessions: int
    lost: tuple[str, ...]


def repair(path: Path, *, stamp: str, project: str = "") -> Repaired:
    """Put a new ledger in the place of the damaged one at `path`, with all events and extracts that can be read, in
    their order. The old file is kept as it is, as `ledger.db.damaged-STAMP`.

    While it works nobody else writes: the old file is held. Whoever had it open before gets an error for the next write
    and finds the new one when it opens the ledger again. `project` (a ULID) is whose ledger it is, for a file that does
    not tell. Raises `LedgerError`: E-ledger-busy, E-ledger-full, and E-ledger-corrupt where nothing can be read.
    """
    kept, part = path.with_name(f"{path.name}.damaged-{stamp}"), path.with_name(f".{path.name}.repaired")
    with guarded(str(path)):
        old = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            configure(old, writable=False)
            if not 0 < version(old) <= NEWEST:
                raise _hopeless(path)
            old.execute("BEGIN IMMEDIATE")
            _forget(part)
            try:
                found = _saved(old, part, project)
                _copy(path, kept)
                with suppress(apsw.Error):  # whoever has it open fails at the next write, and does not write unseen
                    old.execute("ALTER TABLE event RENAME TO event_replaced")
                    old.execute("COMMIT")
                part.replace(path)
            finally:
                _forget(part)
            sync(path.parent)
        finally:
            old.close()
            for end in COMPANIONS:  # those of the old file would be taken for the new one's
                with suppress(OSError):
                    Path(f"{path}{end}").unlink(missing_ok=True)
    return found._replace(kept=kept)


def _saved(old: apsw.Connection, part: Path, project: str) -> Repaired:
    os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    new = apsw.Connection(str(part), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        configure(new, writable=True)
        migrate(new)
        lost: list[str] = []
        key = os.urandom(_KEY_BYTES)  # where there is none
        with suppress(LookupError, TypeError, apsw.Error):
            told, key = established(old)
            is_whole = not _is_summed(old) or is_established(old)
            project = told if is_whole else project or told
            lost += [] if is_whole else ["the project's id or the ledger's key: one of them is not what was written"]
        if not project:
            raise _hopeless(part)
        establish(new, project=project, key=key)
        with new:
            events = _events(old, new, lost)
            sessions = _extracts(old, new, lost)
        new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        new.execute("PRAGMA journal_mode = DELETE")
        return Repaired(part, events, sessions, tuple(lost))
    finally:
        new.close()


def _events(old: apsw.Connection, new: apsw.Connection, lost: list[str]) -> int:
    """Every event that is what was written, at its position; `lost` gets the others."""
    there, table, count = EventTable(old, summed=_is_summed(old)), EventTable(new), 0
    for seq, row in _rows(old, there):
        event = there.event(row) if row is not None else None
        if event is None:
            lost.append(f"event {seq}")
        elif table.put(seq, event):
            count += 1
    return count


def _is_summed(old: apsw.Connection) -> bool:
    """Whether its rows have checksums."""
    return version(old) > 1


def _rows(old: apsw.Connection, table: EventTable) -> Iterator[tuple[int, Any]]:
    """Positions and rows of all events; None for a row that cannot be read. One by one: a page that is damaged
    then costs only the events on it.
    """
    with suppress(apsw.Error):
        positions: list[Any] = old.execute("SELECT seq FROM event ORDER BY seq").fetchall()
        yield from ((seq, _row(table, seq)) for (seq,) in positions)
        return
    seq = last = 0
    while seq - last < _PROBED_MAX:
        seq += 1
        row = _row(table, seq)
        if row is not None:
            yield from ((gone, None) for gone in range(last + 1, seq))  # or dropped by age: nobody can tell
            yield seq, row
            last = seq


def _row(table: EventTable, seq: int) -> Any:
    with suppress(apsw.Error, UnicodeDecodeError):
        return table.row(seq)
    return None


def _extracts(old: apsw.Connection, new: apsw.Connection, lost: list[str]) -> int:
    """Every version of every extract, as far as it is what was written."""
    tables, into = SqliteExtracts(old, summed=_is_summed(old)), SqliteExtracts(new)
    try:
        versions: list[tuple[int, Extract]] = tables.every()
    except (apsw.Error, *codec.DAMAGE):
        lost.append("what was read off sessions (the next command reads their records again)")
        return 0
    for since, extract in versions:
        into.replace(into.now(extract.origin.session), extract, since=since, checkpoint=since)
    lost += [f"session {one}: a part of what was read off it" for one in sorted(tables.passed_over)]
    return len(versions)


def _copy(path: Path, kept: Path) -> None:
    copyfile(path, kept)
    kept.chmod(0o600)
    if Path(f"{path}-wal").exists():
        copyfile(f"{path}-wal", f"{kept}-wal")
        Path(f"{kept}-wal").chmod(0o600)


def _forget(part: Path) -> None:
    for name in (part, *(Path(f"{part}{end}") for end in COMPANIONS)):
        name.unlink(missing_ok=True)


def _hopeless(path: Path) -> LedgerError:
    return LedgerError(
        f"nothing of {path} can be read",
        code="E-ledger-corrupt",
        hint="It was left as it is. Put a backup in its place, or move it away: `clew init` starts a new ledger.",
    )

"""Opening the file of a ledger: made whole or not at all, private to its owner, read also where nothing can be written.

Which file that is, is not known here. What SQLite's errors mean is known in `connection.py`.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote

import apsw

from clew.core.errors import LedgerError
from clew.ledger.sqlite.connection import APPLICATION_ID, NEWEST, configure, establish, guarded, migrate, version
from clew.ledger.sqlite.ledger import SqliteLedger

_KEY_BYTES: Final = 32
_COPY_TRIES: Final = 3
COMPANIONS: Final = ("-wal", "-shm")


def open_ledger(
    path: Path, *, project: str = "", write: bool, chance: Callable[[int], bytes] = os.urandom
) -> SqliteLedger:
    """The ledger in the file `path`. With `write` and a `project` (a ULID) one that is not there is made.

    Without `write` nothing of it is changed, and no right to write is needed. Where it is written it is made private:
    a file that others may read loses that. `chance(n)` gives the n random bytes of a new ledger's key.

    Raises `LedgerError`: E-ledger-missing, E-ledger-readonly (only with `write`), E-ledger-newer, E-ledger-corrupt,
    E-ledger-busy, E-ledger-full, E-ledger-io. The file is then as it was.
    """
    with guarded(str(path)):
        if not _is_there(path):
            if not (write and project):
                raise LedgerError(
                    f"there is no ledger {path}",
                    code="E-ledger-missing",
                    hint="Run `clew init` in the project; nothing is kept before.",
                )
            _make(path, project, chance(_KEY_BYTES))
        connection = _for_writing(path) if write else _for_reading(path)
        return SqliteLedger(connection, writable=write, place=str(path))


def _is_there(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _refused(path, error) from None
    return True


def _make(path: Path, project: str, key: bytes) -> None:
    """Make a new ledger under another name, then give it its own: killed anywhere, there is a whole one or none."""
    part = path.with_name(f".{path.name}.{key[:8].hex()}.new")
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        connection = apsw.Connection(str(part), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            configure(connection, writable=True)
            migrate(connection)
            establish(connection, project=project, key=key)
        finally:
            connection.close()
        _give_name(part, path)
    except OSError as error:
        raise _refused(path, error, making=True) from None
    finally:
        for name in (part, *(Path(f"{part}{suffix}") for suffix in COMPANIONS)):
            with contextlib.suppress(OSError):
                name.unlink(missing_ok=True)


def _give_name(part: Path, path: Path) -> None:
    """Let the file `part` be found at `path`, unless somebody else was quicker: theirs is as good."""
    try:
        os.link(part, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links; a rename would replace what is there
        if not path.exists():
            part.rename(path)
    sync(path.parent)


def _for_writing(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        configure(connection, writable=False)
        if connection.readonly("main"):
            raise apsw.ReadOnlyError("no right to write the file")
        _check(connection, path)
        configure(connection, writable=True)
        migrate(connection)
        _make_private(path)
    except BaseException:
        connection.close()
        raise
    return connection


def _for_reading(path: Path) -> apsw.Connection:
    """A connection that reads, by the first way that works here."""
    refused: apsw.Error = apsw.CantOpenError("no way to read it")
    for connect in _ways(path):
        try:
            connection = connect()
        except _NOT_THIS_WAY as error:
            refused = error
            continue
        try:
            configure(connection, writable=False)
            _check(connection, path)
        except _NOT_THIS_WAY as error:
            connection.close()
            refused = error
            continue
        except BaseException:
            connection.close()
            raise
        if version(connection) == NEWEST:
            return connection
        # Written by an older clew. Its file changes when something is written; until then a copy does.
        connection.close()
        connection = _copied(path)
        migrate(connection)
        return connection
    raise refused


# SQLite has no right to do what this way of reading needs, such as making a file beside a read-only one.
_NOT_THIS_WAY: Final = (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError, apsw.IOError)


def _ways(path: Path) -> Iterator[Callable[[], apsw.Connection]]:
    yield lambda: apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    yield lambda: apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    log = _marks(path)[1]
    if log is None or not log[0]:
        # As if nobody could change it: only right while there is no write-ahead log beside it.
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        yield lambda: apsw.Connection(f"file:{quote(str(path))}?immutable=1", flags=flags)
    yield lambda: _copied(path)


def _copied(path: Path) -> apsw.Connection:
    """What the file and its write-ahead log hold together, in memory."""
    import tempfile
    from shutil import copyfile

    with tempfile.TemporaryDirectory(prefix="clew-") as folder:
        copy = Path(folder) / path.name
        for _ in range(_COPY_TRIES):
            before = _marks(path)
            try:
                copyfile(path, copy)
                if before[1] is not None:
                    copyfile(f"{path}-wal", f"{copy}-wal")
            except OSError as error:
                raise _refused(path, error) from None
            if before == _marks(path):
                break
        else:
            raise apsw.BusyError("it changed while it was copied")
        on_disk = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            on_disk.pragma("journal_mode", "delete")
            in_memory = apsw.Connection(":memory:")
            with in_memory.backup("main", on_disk, "main") as backup:
                backup.step()
        finally:
            on_disk.close()
    return in_memory


def _check(connection: apsw.Connection, path: Path) -> None:
    """Read enough to know whether it is a ledger that this clew can read. Raises `LedgerError`, `apsw.Error`."""
    found = version(connection)
    if connection.pragma("application_id") != APPLICATION_ID or found == 0:
        raise LedgerError(
            f"{path} is not a ledger of clew's, or what made it one is destroyed",
            code="E-ledger-corrupt",
            hint="It was left as it is. Put a copy of the ledger in its place, or move it away and start a new one.",
        )
    if found > NEWEST:
        raise LedgerError(
            f"the ledger {path} was written by a newer clew (schema {found}; this one knows up to {NEWEST})",
            code="E-ledger-newer",
            hint="It was left as it is. Update clew here.",
        )
    connection.execute("SELECT 1 FROM meta LIMIT 1").fetchall()


def _marks(path: Path) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """Size and time of the file and of its write-ahead log, None for what is not there."""
    found: list[tuple[int, int] | None] = []
    for name in (path, Path(f"{path}-wal")):
        try:
            facts = name.stat()
            found.append((facts.st_size, facts.st_mtime_ns))
        except OSError:
            found.append(None)
    return found[0], found[1]


def _make_private(path: Path) -> None:
    """Take the file and its companions from everybody but their owner, where this process may."""
    if os.name != "posix":
        return
    for name in (path, *(Path(f"{path}{suffix}") for suffix in COMPANIONS)):
        with contextlib.suppress(OSError):
            mode = name.stat().st_mode & 0o777
            if mode & 0o077:
                name.chmod(mode & 0o700)


def sync(folder: Path) -> None:
    """Make what was renamed in a folder last, as far as the system can."""
    with contextlib.suppress(OSError):  # not every system opens folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _refused(path: Path, error: OSError, *, making: bool = False) -> LedgerError:
    """What it means that the system refused to look at the file at `path`, or to make it."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return LedgerError(
            f"the ledger {path} cannot be made: the disk is full",
            code="E-ledger-full",
            hint="Nothing was kept. Free some space and do it again.",
        )
    code = "E-ledger-readonly" if making and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) else "E-ledger-io"
    whose = f"its folder is yours (another user, such as root, may have made it: `ls -ld {path.parent}`)"
    return LedgerError(
        f"the ledger {path} cannot be used: {error.strerror}",
        code=code,
        hint=f"Nothing was kept. See whether the disk is there and {whose}, then do it again.",
    )

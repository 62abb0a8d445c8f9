"""Records of sessions, kept beside the ledger so that of a grown session file only the new lines are read.

One file a session: a head, then pieces in the order in which they were read, each with a checksum. What is there is
clean and redacted. It can be deleted at any time; what is damaged, of another version or of another file is not used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import msgspec

from clew.app.intake.capture import Piece
from clew.clients.places import opened, size_of
from clew.core.records.transcript import (
    Ask,
    Call,
    Compaction,
    Context,
    Delegate,
    Edit,
    Interruption,
    Link,
    Model,
    Other,
    Plan,
    Poll,
    Prompt,
    Question,
    Read,
    Record,
    Reply,
    Result,
    Rollback,
    Run,
    Running,
    Search,
    Spawned,
    Summary,
    Thought,
    Todo,
    Todos,
    Unreadable,
    Usage,
)
from clew.workspace.atomic import check_way, delete, private_folder

FOLDER_NAME: Final = "cache"
# Raised when what is written changes its form. What changes with the rules is in the caller's stamp.
_VERSION: Final = 3
_SUFFIX: Final = ".records"
FILES_MAX: Final = 64
BYTES_MAX: Final = 128 << 20
FILE_BYTES_MAX: Final = 32 << 20
DAYS_MAX: Final = 30
# So much of a session file's beginning, and of what stands before the place to go on from, tells that it is the same.
_PRINT_BYTES: Final = 1024
_SUM_BYTES: Final = 16
_LENGTH_BYTES: Final = 8

# By their place here they are known in the file: new ones go to the end.
_RECORDS: Final = (
    Context, Prompt, Reply, Call, Result, Compaction, Summary, Usage, Interruption, Link, Model, Thought, Running,
    Spawned, Rollback,
)  # fmt: skip
_ACTIONS: Final = (Run, Read, Edit, Search, Plan, Todos, Ask, Delegate, Other, Poll)


class RecordsCache:
    """Implements `clew.app.intake.capture.Memory` in the folder `folder`, which is made when something is to be kept.

    `stamp` is what the records depend on beside the session file: the rules of cleaning and redacting, and their key.
    `now_s` is the time in seconds since 1970. Never raises: what cannot be kept is read again.
    """

    def __init__(self, folder: Path, *, stamp: str, now_s: int, writable: bool = True) -> None:
        self._folder = folder
        self._stamp = f"{_VERSION} {stamp}"
        self._now_s = now_s
        self._writable = writable
        # Of a session file that was recalled: where its cache ends that can be gone on from, and the chain's checksum.
        self._ends: dict[Path, tuple[int, bytes]] = {}

    def recall(self, path: Path, client: str) -> Iterable[Piece]:
        """See `Memory.recall`."""
        self._ends.pop(path, None)
        try:
            frames = list(_frames(self._place(path).read_bytes()))
            pieces = [_piece(payload) for _, payload, _ in frames[1:]]
            if not frames or msgspec.msgpack.decode(frames[0][1]) != self._head(path, client):
                return ()
            if not _goes_on(pieces, path):
                return ()
        except (OSError, ValueError, TypeError, IndexError, AttributeError):
            return ()
        end, _, chain = frames[-1]
        self._ends[path] = end, chain
        return [piece for piece, _ in pieces]

    def keep(self, path: Path, client: str, piece: Piece) -> None:
        """See `Memory.keep`."""
        if not self._writable:
            return
        with suppress(OSError, ValueError, TypeError):
            end, chain = self._ends.get(path, (0, b""))
            frames = b""
            if not end:
                frame, chain = _frame(msgspec.msgpack.encode(self._head(path, client)), chain)
                frames += frame
            frame, chain = _frame(_written(piece, path), chain)
            frames += frame
            if end + len(frames) > FILE_BYTES_MAX:
                return
            private_folder(self._folder)
            self._append(path, end, frames)
            self._ends[path] = end + len(frames), chain
            self._tidy(self._place(path))

    def _append(self, path: Path, end: int, frames: bytes) -> None:
        """Put `frames` behind the first `end` bytes of the cache: what is behind them is of no use."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(self._place(path), flags, 0o600)
        with os.fdopen(descriptor, "r+b") as file:
            file.truncate(end)
            file.seek(end)
            file.write(frames)

    def _place(self, path: Path) -> Path:
        return self._folder / (path.stem + _SUFFIX)

    def _head(self, path: Path, client: str) -> list[str]:
        return [self._stamp, client, _print_of(path, 0)]

    def _tidy(self, newest: Path) -> None:
        """Remove what was not written to for long, then the oldest, until number and size are within bounds. `newest`
        was written just now.
        """
        with os.scandir(self._folder) as entries:
            found = [(entry.path == str(newest), entry.stat(follow_symlinks=False), entry.path) for entry in entries]
        count, size = 0, 0
        for is_newest, facts, place in sorted(found, key=lambda one: (not one[0], -one[1].st_mtime_ns)):
            count, size = count + 1, size + facts.st_size
            is_old = not is_newest and self._now_s - facts.st_mtime > DAYS_MAX * 86400
            if count > FILES_MAX or size > BYTES_MAX or is_old:
                with suppress(OSError):
                    delete(Path(place))


def forget_all(folder: Path) -> int:
    """Remove every cache in `folder` (the ledger's folder and `FOLDER_NAME`): how many. A link is not followed.
    Raises `OSError`.
    """
    gone = 0
    check_way(folder)
    with suppress(FileNotFoundError):
        for place in list(folder.iterdir()):
            delete(place)
            gone += 1
    return gone


def torn(folder: Path) -> list[Path]:
    """The caches in `folder` that are not what was written: their sessions are read anew. [] without a folder."""
    found = []
    with suppress(FileNotFoundError, NotADirectoryError):
        for place in sorted(folder.iterdir()):
            try:
                data = place.read_bytes()
            except OSError:
                found.append(place)
                continue
            if max((end for end, _, _ in _frames(data)), default=0) != len(data):
                found.append(place)
    return found


def _frame(payload: bytes, chain: bytes) -> tuple[bytes, bytes]:
    """`payload` as it is written behind what has the checksum `chain`, and the checksum after it."""
    chain = blake2b(chain + payload, digest_size=_SUM_BYTES).digest()
    return len(payload).to_bytes(_LENGTH_BYTES, "big") + chain + payload, chain


def _frames(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """(where it ends, payload, checksum of all up to it) of each whole frame, up to the first that is not."""
    at, chain = 0, b""
    while len(head := data[at : at + _LENGTH_BYTES + _SUM_BYTES]) == _LENGTH_BYTES + _SUM_BYTES:
        start = at + len(head)
        at = start + int.from_bytes(head[:_LENGTH_BYTES], "big")
        payload = data[start:at]
        chain = blake2b(chain + payload, digest_size=_SUM_BYTES).digest()
        if head[_LENGTH_BYTES:] != chain:
            return
        yield at, payload, chain


def _goes_on(pieces: Sequence[tuple[Piece, str]], path: Path) -> bool:
    """Whether the pieces follow on each other from the beginning and `path` still holds what stood before their end."""
    ends = [0, *(piece.end for piece, _ in pieces)]
    if not pieces or [piece.start for piece, _ in pieces] != ends[:-1]:
        return False
    return size_of(path) >= ends[-1] and _print_of(path, ends[-1]) == pieces[-1][1]


def _print_of(path: Path, end: int) -> str:
    """A hash of what stands before the byte `end` of a file; of its first line, or the beginning of it, for 0."""
    with opened(path) as file:
        file.seek(max(0, end - _PRINT_BYTES))
        data = file.read(min(end, _PRINT_BYTES) if end else _PRINT_BYTES)
    return blake2b(data if end else data.partition(b"\n")[0], digest_size=_SUM_BYTES).hexdigest()


def _written(piece: Piece, path: Path) -> bytes:
    records = [_packed(record) for record in piece.records]
    told = (piece.start, piece.end, records, piece.total, piece.unreadable, piece.first_unreadable)
    return msgspec.msgpack.encode((_print_of(path, piece.end), told))


def _packed(record: Record) -> list[Any]:
    fields: list[Any] = [_RECORDS.index(type(record)), *record]
    if isinstance(record, Call):
        fields[-1] = [_ACTIONS.index(type(record.action)), *record.action]
    return fields


def _piece(payload: bytes) -> tuple[Piece, str]:
    """A piece, and what stands in the session file before its end."""
    mark, (start, end, records, total, unreadable, first) = msgspec.msgpack.decode(payload)
    made = [_record(kind, fields) for kind, *fields in records]
    return Piece(start, end, made, total, unreadable, Unreadable(*first) if first else None), mark


def _record(kind: int, fields: list[Any]) -> Record:
    made = _RECORDS[kind]
    if made is Call:
        number, *parts = fields[-1]
        fields[-1] = _action(number, parts)
    elif made is Result:
        fields[8] = tuple((question, answer) for question, answer in fields[8])
    return made(*fields)


def _action(kind: int, parts: list[Any]) -> Any:
    made = _ACTIONS[kind]
    if made is Todos:
        return Todos(tuple(Todo(*entry) for entry in parts[0]), parts[1])
    if made is Ask:
        return Ask(tuple(Question(text, tuple(options)) for text, options in parts[0]))
    return made(*parts)

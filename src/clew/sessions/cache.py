"""What is kept beside the ledger so that of session files only what is new is read. It can be deleted at any time.

Records: one file a session: a head, then pieces in the order in which they were read, each with a checksum. What is
there is clean and redacted; what is damaged, of another version or of another file is not used. Facts: one small file a
session, with what is asked again and again, so that of a session that did not change not even the records are read.
What lasts of a task's older sessions: one file a task. Beside them one file tells which session files hold nothing for
the project, with hashes for names.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from clew.clients.places import size_of
from clew.clients.port import Transcript
from clew.core.cost.uses import UsageTotals
from clew.core.records import transcript as neutral
from clew.core.records.transcript import Call, Record, Result, Unreadable
from clew.core.state.extract import Extract
from clew.core.state.items import Origin, item_made
from clew.sessions.log import Cursor
from clew.workspace.atomic import check_way, delete, private_folder, replace

FOLDER_NAME: Final = "cache"
# Raised when what is written changes its form. What changes with the rules is in the caller's stamp.
_VERSION: Final = 4
_SUFFIX: Final = ".records"
_FACTS: Final = ".facts"
FILES_MAX: Final = 64
# A session of 400 MB has about 70 MB of records.
BYTES_MAX: Final = 128 << 20
DAYS_MAX: Final = 30
_SUM_BYTES: Final = 16
_LENGTH_BYTES: Final = 8

# By their place here they are known in the file: new ones go to the end.
_RECORDS: Final = tuple(
    getattr(neutral, name)
    for name in (
        "Context Prompt Reply Call Result Compaction Summary Usage Interruption Link Model Thought Running Spawned "
        "Rollback"
    ).split()
)
_ACTIONS: Final = tuple(
    getattr(neutral, name) for name in "Run Read Edit Search Plan Todos Ask Delegate Other Poll".split()
)


class RecordsPiece(NamedTuple):
    """What the lines of a session file from byte `start` to byte `end` gave.

    `records` are clean and redacted, in file order: those of the main chain, every `Usage`, and of sub-agents what
    proves the content of files. `total` records were read, `unreadable` lines are none.
    """

    start: int
    end: int
    records: list[Record]
    total: int
    unreadable: int
    first_unreadable: Unreadable | None


class SessionFacts(msgspec.Struct, frozen=True, array_like=True):
    """What is asked of a session that was read again and again. All texts are clean and redacted but `folders`.

    `size`: where its last whole line ends; `extent`: how large the file was; `is_torn`: behind the last line stands one
    that is not whole. `records` were read, `unreadable` lines are none. `evidence`: for each path the byte offset of
    the last line that may prove its content. `folders` where it stood, the first one on `branch`. Times are those of
    the client ("" none): the `first` and the `latest`, that of the record which stands `last`, the latest of an edit.
    `prompts`: how many there are. `digest_tokens`: what its digest costs to read, 0 not known yet.
    """

    size: int
    extent: int
    is_torn: bool
    records: int
    unreadable: int
    first_unreadable: Unreadable | None
    usage: UsageTotals
    evidence: dict[str, int]
    folders: tuple[str, ...]
    branch: str
    first: str
    latest: str
    last: str
    edited: str
    prompts: int
    digest_tokens: int = 0


# Those of no session.
NO_FACTS: Final = SessionFacts(0, 0, False, 0, 0, None, UsageTotals(0, {}), {}, (), "", "", "", "", "", 0)


class RecordsCache:
    """Implements `clew.sessions.capture.Memory` in the folder `folder`, which is made when something is to be kept.

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

    def recall(self, path: Path, client: str) -> Iterable[RecordsPiece]:
        """What was kept of the file `path`, from its beginning, without gaps; nothing if the file is another one."""
        self._ends.pop(path, None)
        try:
            frames = list(_frames(self._place(path).read_bytes()))
            pieces = [_unpack_piece(payload) for _, payload, _ in frames[1:]]
            is_whole = bool(pieces) and msgspec.msgpack.decode(frames[0][1]) == self._head(client)
            ends = [0, *(piece.end for piece, _ in pieces)]
            is_whole = is_whole and [piece.start for piece, _ in pieces] == ends[:-1]
            if not is_whole or not Cursor(ends[-1], pieces[-1][1]).fits(path):
                return ()
        except (OSError, ValueError, TypeError, IndexError, AttributeError):
            return ()
        end, _, chain = frames[-1]
        self._ends[path] = end, chain
        return [piece for piece, _ in pieces]

    def keep(self, path: Path, client: str, piece: RecordsPiece) -> None:
        """Keep `piece`, which goes on where what was recalled of `path` ends."""
        if not self._writable:
            return
        with suppress(OSError, ValueError, TypeError):
            end, chain = self._ends.get(path, (0, b""))
            frames = b""
            if not end:
                frame, chain = _frame(msgspec.msgpack.encode(self._head(client)), chain)
                frames += frame
            frame, chain = _frame(_pack_piece(piece, path), chain)
            frames += frame
            if end + len(frames) > BYTES_MAX:
                return
            private_folder(self._folder)
            self._append(self._place(path), end, frames)
            self._ends[path] = end + len(frames), chain

    def facts(self, path: Path, client: str) -> SessionFacts | None:
        """What was kept of the facts of the file `path`; None if there is nothing, or the file is not as it was."""
        try:
            frames = list(_frames(self._place(path, _FACTS).read_bytes()))
            mark, facts = msgspec.msgpack.decode(frames[1][1], type=tuple[str, SessionFacts])
            is_whole = msgspec.msgpack.decode(frames[0][1]) == self._head(client)
            same = is_whole and size_of(path) == facts.extent and Cursor(facts.size, mark).fits(path)
        except (OSError, ValueError, IndexError):
            return None
        return facts if same else None

    def keep_facts(self, path: Path, client: str, facts: SessionFacts) -> None:
        """Keep the facts of the file `path`."""
        if not self._writable:
            return
        with suppress(OSError, ValueError, TypeError):
            head, chain = _frame(msgspec.msgpack.encode(self._head(client)), b"")
            frame, _ = _frame(msgspec.msgpack.encode((Cursor.at(path, facts.size).mark, facts)), chain)
            private_folder(self._folder)
            self._append(self._place(path, _FACTS), 0, head + frame)
            self._tidy(path)

    def _append(self, place: Path, end: int, frames: bytes) -> None:
        """Put `frames` behind the first `end` bytes of a file: what is behind them is of no use."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(place, flags, 0o600)
        with os.fdopen(descriptor, "r+b") as file:
            file.truncate(end)
            file.seek(end)
            file.write(frames)

    def _place(self, path: Path, suffix: str = _SUFFIX) -> Path:
        return self._folder / (path.stem + suffix)

    def _head(self, client: str) -> list[str]:
        return [self._stamp, client]

    def _tidy(self, newest: Path) -> None:
        """Remove what was not written to for long, then the oldest, until their number, of each sort, and size are
        within bounds. What is kept of the session file `newest` was written just now.
        """
        with os.scandir(self._folder) as entries:
            newest_stem = f"{newest.stem}."
            found = [
                (entry.name.startswith(newest_stem), entry.stat(follow_symlinks=False), entry.path) for entry in entries
            ]
        counts, size = dict[str, int](), 0
        for is_newest, facts, place in sorted(found, key=lambda one: (not one[0], -one[1].st_mtime_ns)):
            sort = place.rpartition(".")[2]
            count, size = counts.get(sort, 0) + 1, size + facts.st_size
            counts[sort] = count
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
    """The caches in `folder` that are not what was written: their sessions are read again. [] without a folder, and of
    one that may not be entered.
    """
    found = []
    with suppress(OSError):
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


def _pack_piece(piece: RecordsPiece, path: Path) -> bytes:
    records = [_pack(record) for record in piece.records]
    told = (piece.start, piece.end, records, piece.total, piece.unreadable, piece.first_unreadable)
    return msgspec.msgpack.encode((Cursor.at(path, piece.end).mark, told))


def _pack(record: Record) -> list[Any]:
    fields: list[Any] = [_RECORDS.index(type(record)), *record]
    if isinstance(record, Call):
        fields[-1] = [_ACTIONS.index(type(record.action)), *record.action]
    return fields


def _unpack_piece(payload: bytes) -> tuple[RecordsPiece, str]:
    """A piece, and the mark of the session file up to its end."""
    mark, (start, end, records, total, unreadable, first) = msgspec.msgpack.decode(payload)
    made = [_unpack(kind, fields) for kind, *fields in records]
    return RecordsPiece(start, end, made, total, unreadable, Unreadable(*first) if first else None), mark


def _unpack(kind: int, fields: list[Any]) -> Record:
    made = _RECORDS[kind]
    if made is Call:
        number, *parts = fields[-1]
        fields[-1] = msgspec.convert(parts, _ACTIONS[number])
    return msgspec.convert(fields, Result) if made is Result else made(*fields)


_LASTING: Final = ".lasting"


class LastingExtracts(NamedTuple):
    """What of the older sessions of a task may still count (`core.state.carry_over.carried`), the oldest first.
    `sessions`: the rules by which each of them was read and how many bytes. `claims` is another text once something is
    said of the claims that their drafts made.
    """

    sessions: dict[str, tuple[int, int]]
    claims: str
    extracts: list[Extract]


def recall_lasting(folder: Path, stamp: str, task: str) -> LastingExtracts | None:
    """What was kept of a task in `folder`; None where nothing is, or not what was written under this stamp."""
    try:
        [(_, payload, _)] = _frames((folder / (task + _LASTING)).read_bytes())
        found, sessions, claims, extracts = msgspec.msgpack.decode(payload)
        made = [_extract(*fields) for fields in extracts] if found == stamp else []
        return (
            LastingExtracts({name: (rules, extent) for name, rules, extent in sessions}, claims, made) if made else None
        )
    except (OSError, ValueError, TypeError):
        return None


def keep_lasting(folder: Path, stamp: str, task: str, lasting: LastingExtracts) -> None:
    """Keep it for the next command. Never raises."""
    sessions = [(name, *facts) for name, facts in lasting.sessions.items()]
    with suppress(OSError, ValueError):
        private_folder(folder)
        frame, _ = _frame(msgspec.msgpack.encode((stamp, sessions, lasting.claims, lasting.extracts)), b"")
        replace(folder / (task + _LASTING), frame, mode=0o600, durable=False)


def _extract(origin: list[Any], *fields: Any) -> Extract:
    return Extract._make((Origin(*origin), *fields[:-1], tuple(map(item_made, fields[-1]))))


PASSED_OVER: Final = "passed-over.json"
_HASH_BYTES: Final = 12


class PassedOver:
    """Session files that were looked into in vain, at their size then. `stamp` is what that depended on beside the file
    itself; `key` hides the names. Never raises: what cannot be read or kept is looked into again.
    """

    def __init__(self, folder: Path, *, stamp: str, key: bytes) -> None:
        self._place = folder / PASSED_OVER
        self._stamp = stamp
        self._key = key[:64]
        self._sizes: dict[str, int] = {}
        self._is_new = False
        with suppress(OSError, ValueError, RecursionError):
            found, sizes = msgspec.json.decode(self._place.read_bytes(), type=tuple[str, dict[str, int]])
            self._sizes = sizes if found == stamp else {}

    def __contains__(self, item: Transcript) -> bool:
        """Whether the file was passed over and has not changed its size since."""
        return self._sizes.get(self._name(item)) == item.size

    def add(self, item: Transcript) -> None:
        """Pass over a file that was looked into, until it has another size."""
        self._sizes[self._name(item)] = item.size
        self._is_new = True

    def keep(self, files: Iterable[Transcript]) -> None:
        """Write down what is new. `files` are those that there are: the others are forgotten."""
        if not self._is_new:
            return
        names = {self._name(item) for item in files}
        kept = {name: size for name, size in self._sizes.items() if name in names}
        with suppress(OSError):
            replace(self._place, msgspec.json.encode((self._stamp, kept)), mode=0o600)
            self._is_new = False

    def _name(self, item: Transcript) -> str:
        path = str(item.path).encode("utf-8", "surrogateescape")
        return blake2b(path, key=self._key, digest_size=_HASH_BYTES).hexdigest()

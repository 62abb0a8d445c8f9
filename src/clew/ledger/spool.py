"""The spool: where events wait that a command could not write to the ledger (a sandboxed shell), one file a batch.

A file there was written by whoever can write to the work tree, so it is imported with authority of an agent at most,
only if it carries the seal that this ledger's key makes (a repository that was cloned cannot have it), and only for
the kinds that record something. Format and reasons: docs/reference/ledger.md.
"""

import contextlib
import hmac
import os
import stat
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from clew.core.errors import InputError, LedgerError
from clew.core.state.events import Event, checked, timestamp
from clew.core.text.cleaning import clean
from clew.ledger.codec import read_event, write_line
from clew.ledger.port import Ledger
from clew.ledger.portable import find_malformation, is_ulid, lower_event
from clew.ledger.redaction import find_overlong, safe_event

# What a command records in passing. Not among them: what only a person decides (redact, unpin), what brings back what
# somebody took away (restore), what steers clew itself (aliases, seen sessions) and a harness's own state; tasks and
# their places, since the notes that come next would go to the task from before; pins, since an agent has a few only.
SPOOLED: Final = frozenset(
    """item.stated item.edited item.resolved item.answered item.superseded item.retracted checkpoint.taken step.ticked
    step.unticked""".split()
)
BATCH_BYTES_MAX: Final = 256 << 10
BATCH_EVENTS_MAX: Final = 100
# So many entries of the folder are looked at in one go; the rest waits for the next command.
ENTRIES_MAX: Final = 200
REFUSED: Final = "refused"

_HEAD: Final = b"clew-spool 1 "
_SUFFIX: Final = ".batch"
_LEFT_BEHIND_MS: Final = 3_600_000


class Refused(NamedTuple):
    """A file of the spool that was not imported: its name, and why."""

    name: str
    why: str


class SpoolResult(NamedTuple):
    """What `take_in` did: batches and events appended, files refused, and whether more is waiting."""

    batches: int
    events: int
    refused: tuple[Refused, ...]
    more: bool


class _UnfitError(Exception):
    """The file cannot be imported. `stays`: it is not ours to move."""

    def __init__(self, why: str, *, stays: bool = False) -> None:
        super().__init__(why)
        self.stays = stays


def put(folder: Path, events: Sequence[Event], *, key: bytes) -> Path:
    """Write `events` (one batch, taken in whole) to the spool `folder` (`<work tree>/.clew/spool`): the new file.

    `key` is the ledger's. When this returns the file is on the disk, whole. Raises `InputError` (E-not-spooled) for
    what may not wait there: a kind that is not in `SPOOLED`, a key that is not the event's id, too long or too much;
    `LedgerError` (E-ledger-readonly) where the folder cannot be written either.
    """
    for event in events:
        why = _not_allowed(checked(event))
        long = find_overlong(event)
        why = why or (long and f"its {long}")
        if why:
            raise _not_spooled(why)
    lines = b"".join(write_line(event) + b"\n" for event in events)
    data = _HEAD + _seal(lines, key) + b"\n" + lines
    if not events or len(events) > BATCH_EVENTS_MAX or len(data) > BATCH_BYTES_MAX:
        raise _not_spooled(f"a batch there is 1 to {BATCH_EVENTS_MAX} events in {BATCH_BYTES_MAX >> 10} KiB")
    target = folder / f"{events[0].id}{_SUFFIX}"
    try:
        _prepare(folder)
        _write_whole(target, data)
    except OSError as error:
        raise LedgerError(
            f"neither the ledger nor the spool {folder} can be written ({error.strerror})",
            code="E-ledger-readonly",
            hint="Nothing was recorded. Run the command again where one of the two can be written.",
        ) from None
    return target


def take_in(folder: Path, ledger: Ledger, *, now_ms: int, redact: Callable[[str], str]) -> SpoolResult:
    """Append what waits in the spool `folder` to `ledger`, a file a transaction, and delete what was appended.

    A file is deleted after its events were kept, and they are kept by key: killed anywhere, nothing is lost and nothing
    is there twice. What does not belong there is moved to the folder `refused`; files of another user stay where
    they are. `now_ms` is the time in milliseconds since 1970; every text passes `redact`.
    Nothing in the folder makes this fail; raises `LedgerError` as `append` does, and the file then waits on.
    """
    names, more, refused = _names(folder, now_ms)
    if not ledger.writable:
        return SpoolResult(0, 0, (), bool(names))
    batches = count = 0
    now = timestamp(now_ms)
    for name in names:
        path = folder / name
        try:
            events = _opened(_read(path), ledger, now, redact)
            ledger.append(events)
        except FileNotFoundError:
            continue  # another command took it in
        except (_UnfitError, InputError) as error:
            refused.append(Refused(clean(name)[:80], str(error)))
            if not (isinstance(error, _UnfitError) and error.stays):
                _set_aside(path)
            continue
        with contextlib.suppress(OSError):  # what cannot be deleted is there again next time, and has its keys
            path.unlink()
        batches += 1
        count += len(events)
    return SpoolResult(batches, count, tuple(refused), more)


def _opened(data: bytes, ledger: Ledger, now: str, redact: Callable[[str], str]) -> list[Event]:
    """The events of a batch as they may be appended. Raises `_UnfitError`."""
    head, _, lines = data.partition(b"\n")
    if not head.startswith(_HEAD):
        raise _UnfitError("it is not a batch of this version of clew")
    if not hmac.compare_digest(head.removeprefix(_HEAD), _seal(lines, ledger.key)):
        raise _UnfitError("its seal is not this ledger's: it was changed, or came from elsewhere (a cloned repository)")
    rows = lines.splitlines()
    if len(rows) > BATCH_EVENTS_MAX:
        raise _UnfitError(f"it holds more than {BATCH_EVENTS_MAX} events")
    events = []
    for row in rows:
        try:
            event = read_event(row)
        except ValueError:
            raise _UnfitError("one of its lines is not an event") from None
        why = _not_allowed(event) or find_malformation(event)
        if not why and event.project != ledger.project:
            why = "an event in it belongs to another project"
        if why:
            raise _UnfitError(why)
        events.append(safe_event(lower_event(event, "agent", now), redact))
    return events


def _not_allowed(event: Event) -> str:
    if event.kind.startswith(("task.", "place.")):
        return f"tasks and their places do not come by the spool ({event.kind[:40]})"
    if event.kind not in SPOOLED:
        return f"events of the kind {event.kind[:40]!r} do not come by the spool"
    if event.data.get("draft"):
        return "no part of a hand-off comes by the spool: it is proved when it is kept"
    # A key that others can compute could keep a later fact out of the ledger.
    if event.key != event.id or not is_ulid(event.id):
        return "the key of an event in it is not its own id"
    return ""


def _seal(lines: bytes, key: bytes) -> bytes:
    return blake2b(lines, key=key[:64], person=b"clew spool", digest_size=20).hexdigest().encode()


def _prepare(folder: Path) -> None:
    """Make the spool folder, out of git's sight. Raises `OSError`, also where a link stands in its place."""
    for place in (folder.parent, folder):
        place.mkdir(mode=0o700, exist_ok=True)
        if not _is_folder(place):
            raise NotADirectoryError(20, "Not a directory", str(place))
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_bytes(b"*\n")


def _write_whole(target: Path, data: bytes) -> None:
    """`data` as the file `target`, on the disk: there is never a part of it under that name."""
    part = target.with_name(f".{target.name}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(part, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    with contextlib.suppress(OSError):  # not every system opens folders
        opened = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _names(folder: Path, now_ms: int) -> tuple[list[str], bool, list[Refused]]:
    """Names of what waits, oldest first, whether there is more of it, and the folder itself if it is unfit."""
    if not (folder.is_symlink() or folder.exists()):
        return [], False, []
    if not (_is_folder(folder.parent) and _is_folder(folder)):
        return [], False, [Refused(folder.name, "the spool is a link or no folder")]
    names: list[str] = []
    seen = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                seen += 1
                if seen > ENTRIES_MAX:
                    return sorted(names), True, []
                if entry.name.endswith(f"{_SUFFIX}.tmp"):
                    with contextlib.suppress(OSError):  # half-written by who was killed: nobody was told of it
                        if now_ms - entry.stat(follow_symlinks=False).st_mtime_ns // 1_000_000 > _LEFT_BEHIND_MS:
                            (folder / entry.name).unlink()
                elif not entry.name.startswith(".") and entry.name != REFUSED:
                    names.append(entry.name)
    except OSError:
        return [], False, [Refused(folder.name, "the spool cannot be read")]
    return sorted(names), False, []


def _read(path: Path) -> bytes:
    """The bytes of a regular file of ours of at most `BATCH_BYTES_MAX`; nothing else is even opened."""
    try:
        facts = path.lstat()
        if hasattr(os, "geteuid") and facts.st_uid != os.geteuid():
            raise _UnfitError("it belongs to another user; left where it is", stays=True)
        if not stat.S_ISREG(facts.st_mode):
            raise _UnfitError("it is not a regular file")
        if not path.name.endswith(_SUFFIX):
            raise _UnfitError("it is not a batch")
        if facts.st_size > BATCH_BYTES_MAX:
            raise _UnfitError(f"it is larger than {BATCH_BYTES_MAX >> 10} KiB")
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _UnfitError(f"it cannot be read ({error.strerror})") from None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise _UnfitError("it is not a regular file")
        return file.read(BATCH_BYTES_MAX)


def _set_aside(path: Path) -> None:
    """Move an unfit entry out of the way, without opening it. What cannot be moved stays, and is refused again."""
    aside = path.parent / REFUSED
    with contextlib.suppress(OSError):
        aside.mkdir(mode=0o700, exist_ok=True)
        if not _is_folder(aside):
            return
        path.rename(aside / path.name)


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def _not_spooled(why: str) -> InputError:
    return InputError(
        f"the ledger cannot be written from here, and this cannot wait in the spool: {why}",
        code="E-not-spooled",
        hint="Nothing was recorded. A person can do it, or a command outside the sandbox, in a shell that can write "
        "to the ledger.",
    )

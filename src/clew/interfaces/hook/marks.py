"""Marks that hooks leave in the live folder. One that cannot be left is left out: no hook fails for it."""

import posix

from clew.core import runtime_dir as places
from clew.core.runtime_dir import CANONICAL
from clew.interfaces.hook.wire import dialect_of

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from typing import Any

    from clew.interfaces.hook.wire import Event

READ_MAX = 4 << 20


def folder_of(event: "Event", live: str) -> str:
    """The folder of the session that `event` comes from; "" if it names none that can be used."""
    session = event.get("session_id")
    return places.session_folder(live, session) if isinstance(session, str) else ""


def holding(live: str, name: str) -> str:
    """The live folder that has the file `name`: the place's, or that of the work tree which it lies in; "" none has."""
    if is_there(f"{live}/{name}"):
        return live
    root = read(f"{live}/{places.ROOT}", most=8192).decode("utf-8", "surrogateescape").strip("\r\n")
    head, cut, _ = live.rpartition(f"/{places.FOLDER}{root}/")
    above = f"{head}{cut}{places.LEAF}" if root and cut else ""
    return above if above and above != live and is_there(f"{above}/{name}") else ""


def dialect(event: "Event") -> "Any":
    """The dialect of the client that `event` comes from; None if that speaks the canonical form."""
    client = event.get("client", CANONICAL)
    return dialect_of(client) if client != CANONICAL else None


def running(event: "Event", folder: str) -> str:
    """The mark of a tool call that is under way: by its id, or for a client without ids by what it is given."""
    name = event.get("tool_use_id")
    if not isinstance(name, str) or not name.replace("_", "").replace("-", "").isalnum():
        given = event.get("tool_input")
        name = digest(str(given.get("command") if isinstance(given, dict) else ""))
    return f"{folder}/running-{name[:80]}"


def digest(text: str) -> str:
    """A short name for any text: a digest in the library would cost more than all that is done here."""
    return str(int.from_bytes(text.encode("utf-8", "replace"), "little") % ((1 << 61) - 1))


def first(path: str) -> bool:
    """Whether nobody left the mark `path` before; it is left now. Hooks of one session run at the same time. Where no
    mark can be left, everybody is the first.
    """
    try:
        posix.close(_opened(path, posix.O_CREAT | posix.O_EXCL))
    except OSError as error:
        return not isinstance(error, FileExistsError)
    return True


def is_there(path: str) -> bool:
    """Whether there is anything at `path`."""
    try:
        posix.stat(path)
    except (OSError, ValueError):
        return False
    return True


def touch(path: str) -> None:
    """Set the time of `path` to now; make it, and its folder, where they are missing."""
    try:
        posix.utime(path)
    except FileNotFoundError:
        write(path, b"", flags=posix.O_CREAT)
    except OSError:
        return


def append(path: str, data: bytes) -> None:
    """Add `data` to the end of `path` in one write, which other hooks cannot cut in two."""
    write(path, data, flags=posix.O_CREAT | posix.O_APPEND)


def write(path: str, data: bytes, *, flags: int) -> None:
    """Write `data` to `path`, opened with `flags`; its folder is made where it is missing."""
    try:
        file = _opened(path, flags)
        try:
            if data:
                posix.write(file, data)
        finally:
            posix.close(file)
    except OSError:
        return


def _opened(path: str, flags: int) -> int:
    """`path` opened to be written; its folder is made where it is missing. Raises OSError."""
    flags |= posix.O_WRONLY | posix.O_CLOEXEC
    try:
        return posix.open(path, flags, 0o600)
    except FileNotFoundError:
        _make(path.rpartition("/")[0])
        return posix.open(path, flags, 0o600)


def _make(folder: str) -> None:
    """Make `folder` and the one above it, but never a live folder: that it is there is a person's word."""
    for path in (folder.rpartition("/")[0], folder):
        if not path.endswith("/" + places.LEAF):
            try:
                posix.mkdir(path, 0o700)
            except FileExistsError:
                continue


def read(path: str, *, most: int = READ_MAX) -> bytes:
    """The first `most` bytes of `path`; empty if it cannot be read."""
    return _read(path, 0, most)


def tail(path: str, size: int) -> bytes:
    """The last `size` bytes of `path`, fewer if it has fewer; empty if it cannot be read."""
    return _read(path, size, size)


def _read(path: str, from_end: int, most: int) -> bytes:
    try:
        file = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NONBLOCK)
    except OSError:
        return b""
    try:
        if from_end:
            posix.lseek(file, max(0, posix.fstat(file).st_size - from_end), 0)
        pieces = []
        while most > 0 and (piece := posix.read(file, min(most, 1 << 20))):
            pieces.append(piece)
            most -= len(piece)
        return b"".join(pieces)
    except OSError:
        return b""
    finally:
        posix.close(file)


def state(path: str) -> tuple[int, int, int] | None:
    """(mtime_ns, size, ctime_ns) of a file now; None if it is gone."""
    try:
        found = posix.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ctime_ns

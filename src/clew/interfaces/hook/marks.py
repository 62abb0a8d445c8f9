"""Marks that hooks leave in the live folder. One that cannot be left is left out: no hook fails for it."""

import posix

from clew.core import runtime_dir as places
from clew.core.runtime_dir import CANONICAL
from clew.interfaces.hook.wire import dialect_of, parsed

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from typing import Any

    from clew.interfaces.hook.wire import Event

READ_MAX = 4 << 20
SHELLS = ("Bash", "PowerShell")
FILE_TOOLS = ("Read", "Edit", "Write", "MultiEdit", "NotebookEdit")
# They change nothing: what is watched need not be looked at behind them.
LOOKS = ("Read", "Grep", "Glob", "LS", "TodoWrite", "TaskUpdate", "TaskCreate", "AskUserQuestion", "ExitPlanMode")
# Its result comes when a person has accepted the plan.
PLAN_DIALOG = "ExitPlanMode"
# Growth of a record after which its end is looked at again: a threshold is met this much late at most, by what its text
# can add to the context, some 10,000 tokens.
_GROWTH = 32 << 10
# So much of a record makes a start slow that has to import it.
_LEFT_OVER = 256 << 10
# So much of a record's end may hold what a compaction left.
_COMPACTED = 4 << 20
SUMMARY_BYTES_MAX = 256 << 10
# A token has some four bytes: by so many more of them a client that tells tokens has grown.
_TOKEN = 4
# How a client tells that a hook denied a call: it never ran.
_DENIED = ("PreToolUse:", "Hook PreToolUse", "Command blocked by PreToolUse hook:", "Tool execution blocked:", "clew: ")
# Beside the list of failures: what was changed since the last one, while a command has not passed again; and a mark
# while one failed in the same way again.
TRIED = "tried"
REPEATING = "repeating"


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


def replace(path: str, data: "bytes | None") -> None:
    """Write `path` again, whole, whoever else does; None: take it away."""
    made = f"{path}.{posix.getpid()}"
    try:
        if data is None:
            posix.unlink(path)
        else:
            write(made, data, flags=posix.O_CREAT | posix.O_TRUNC)
            posix.rename(made, path)
    except OSError:
        return


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


def read(path: str, *, most: int = READ_MAX, start: int = 0) -> bytes:
    """The first `most` bytes of `path`, from the byte `start` on, or from so many before its end where that is below 0;
    empty if it cannot be read.
    """
    try:
        file = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NONBLOCK)
    except OSError:
        return b""
    try:
        if start:
            posix.lseek(file, start if start > 0 else max(0, posix.fstat(file).st_size + start), 0)
        pieces = []
        while most > 0 and (piece := posix.read(file, min(most, 1 << 20))):
            pieces.append(piece)
            most -= len(piece)
        return b"".join(pieces)
    except OSError:
        return b""
    finally:
        posix.close(file)


def tail(path: str, size: int) -> bytes:
    """The last `size` bytes of `path`, fewer if it has fewer; empty if it cannot be read."""
    return read(path, most=size, start=-size)


def state(path: str) -> tuple[int, int, int] | None:
    """(mtime_ns, size, ctime_ns) of a file now; None if it is gone."""
    try:
        found = posix.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ctime_ns


def begin_of(event: "Event", folder: str, now_ns: int) -> int:
    """When a shell command began: as the client tells, or as the hook before it noted."""
    took_ms = event.get("duration_ms")
    if isinstance(took_ms, int):
        return now_ns - took_ms * 1_000_000
    mark = running(event, folder)
    try:
        began = posix.stat(mark).st_mtime_ns
        posix.unlink(mark)
    except OSError:
        return now_ns
    return began


def grown(event: "Event", folder: str, *, least: int = _GROWTH, since: str = "pulse") -> bool:
    """Whether the record has grown by so many bytes, or shrunk, since its end was last looked at: since the mark
    `since` was left, which begins with its size then.
    """
    size = record_size(event)
    if size < 0:
        return False
    looked = read(f"{folder}/{since}", most=64).split()
    before = int(looked[0]) if looked and looked[0].isdigit() else 0
    return not before <= size < before + least


def is_left_over(event: "Event", folder: str) -> bool:
    """Whether much of the record waits to be imported, as behind a turn that was stopped: the caller then does it."""
    return grown(event, folder, least=_LEFT_OVER, since="imported") and note_import(event, folder)


def note_import(event: "Event", folder: str) -> bool:
    """Note how large the record is that is being imported; True."""
    write(folder + "/imported", f"{record_size(event):>15}\n".encode(), flags=posix.O_CREAT)
    return True


def compacted(event: "Event", folder: str, *, known: bool = True) -> bool:
    """Whether the record shows a compaction of which nobody told: then `event` is its start, and its summary is kept.

    For clients without a hook for it. It is noted at once, for one hook of several to tell: what that one fails to say
    is left out, not tried at every tool again. Not `known`: the session is seen for the first time, so what was before
    is only noted.
    """
    find = getattr(dialect(event), "compacted", None)
    text = find(tail(transcript_of(event), _COMPACTED), parsed) if find is not None else ""
    if not text or not first(f"{folder}/compacted-{digest(text)}"):
        return False
    if known:
        keep_summary(folder, text)
        event["source"] = "compact"
    return known


def record_size(event: "Event") -> int:
    """The size of the record in bytes, or something that grows like it; -1 if there is none."""
    tokens = event.get("tokens")
    if isinstance(tokens, int):
        return max(0, tokens) * _TOKEN
    found = state(transcript_of(event))
    return found[1] if found else -1


def transcript_of(event: "Event") -> str:
    """The path of the session's record; "" unknown."""
    path = event.get("transcript_path")
    return path if isinstance(path, str) and path.startswith("/") else ""


def is_quiet(told: "Event", folder: str) -> bool:
    """Whether the session has heard enough: `told` (told.json) names the prompt until which it is left alone."""
    until, prompts = told.get("quiet_until"), state(folder + "/prompts")
    return isinstance(until, int) and prompts is not None and prompts[1] < until


def keep_summary(folder: str, words: object) -> None:
    """Keep the summary of a compaction that a client's `words` hold in the session's `folder`, at most 256 KB of it:
    what follows it can see it nowhere else. It can quote what no file of ours may hold, so it is redacted first.
    """
    if not folder or not isinstance(words, str) or not words:
        return
    _, opened, inside = words.partition("<summary>")
    text = inside.rpartition("</summary>")[0] or inside if opened else words
    from clew.secrets.redact import Redactor

    data = Redactor(key=None).redact(text.strip()[:SUMMARY_BYTES_MAX]).encode("utf-8", "replace")[:SUMMARY_BYTES_MAX]
    replace(folder + "/summary", data.decode("utf-8", "ignore").encode())


def was_denied(text: str) -> bool:
    """Whether what a client tells of a failed call is that a gate denied it."""
    return text.removeprefix("Error: ").startswith(_DENIED)

"""The list of files that a session has read or written, as its after-tool hooks append it. Pure; imports nothing.

A record is `mtime_ns size path` for a file as it was when a tool had read it (`+path`: had written it), and
`start_ns end_ns $` for a shell command of the session: what changed while one ran was not changed from outside.
Each begins with a line end and ends with a tab, so that one which a full disk cut off is known.
"""

TYPE_CHECKING = False  # `typing` would cost a hook more than all it does here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SHELL = "$"
WROTE = "+"
_END = "\t"
# The clock that stamps files ticks this coarsely, so a stamp may be older than what it stamps.
_TICK_NS = 20_000_000
# What changes a file so soon after the session wrote it is a formatter that the project runs after an edit.
FORMATTER_NS = 2_000_000_000


def file_line(mtime_ns: int, size: int, path: str, *, wrote: bool) -> bytes:
    """The record of a file that was read or written; empty for a path that a line cannot hold."""
    if not path.startswith("/") or any(sign in path for sign in "\n\r\t"):
        return b""
    return f"\n{mtime_ns} {size} {WROTE if wrote else ''}{path}{_END}".encode("utf-8", "surrogateescape")


def shell_line(start_ns: int, end_ns: int) -> bytes:
    """The record of a shell command that ran from `start_ns` to `end_ns` of the clock."""
    return f"\n{start_ns} {end_ns} {SHELL}{_END}".encode()


def known(lines: bytes) -> "tuple[dict[str, tuple[int, int, bool, int]], list[tuple[int, int]]]":
    """What a list tells: the files, the one seen last standing last, and (start_ns, end_ns) of each shell command.

    A path leads to the newest (mtime_ns, size, wrote, ran): whether the session had just written it, and how many of
    the commands had run by then.
    """
    files: dict[str, tuple[int, int, bool, int]] = {}
    shells: list[tuple[int, int]] = []
    for line in lines.decode("utf-8", "surrogateescape").split("\n"):
        first, _, rest = line.partition(" ")
        second, _, path = rest.partition(" ")
        if not (first.isdecimal() and second.isdecimal() and path.endswith(_END)):
            continue
        path = path[: -len(_END)]
        if path == SHELL:
            shells.append((int(first), int(second)))
            continue
        wrote = path.startswith(WROTE)
        path = path[wrote:]
        files.pop(path, None)
        files[path] = int(first), int(second), wrote, len(shells)
    return files, shells


def last_ns(lines: bytes, path: str, *, wrote: bool = False) -> int:
    """The mtime_ns of the newest record of a file in a list, or of the newest that says it was written; 0 for none."""
    name = path.encode("utf-8", "surrogateescape") + _END.encode()
    at = max(lines.rfind(b" " + WROTE.encode() + name), -1 if wrote else lines.rfind(b" " + name))
    stamp = lines[lines.rfind(b"\n", 0, at) + 1 : at].partition(b" ")[0] if at > 0 else b""
    return int(stamp) if stamp.isdigit() else 0


def written(lines: bytes) -> "dict[str, int]":
    """The files that a list says its session wrote, with the newest mtime_ns of each."""
    found: dict[str, int] = {}
    for line in lines.decode("utf-8", "surrogateescape").split("\n"):
        stamp, _, rest = line.partition(" ")
        path = rest.partition(" ")[2]
        if path.startswith(WROTE) and path.endswith(_END) and stamp.isdecimal():
            found[path[len(WROTE) : -len(_END)]] = int(stamp)
    return found


def ran(lines: bytes, moment_ns: int, *, around_ns: int = 0) -> bool:
    """Whether a shell command of the list's session ran at a moment, or so shortly before or behind it."""
    return any(begin - around_ns <= moment_ns <= end + around_ns for begin, end in _apart(known(lines)[1]))


def changed(
    lines: bytes, state: "Callable[[str], tuple[int, int, int] | None]", *, only: str = "", most: int = 2000
) -> "dict[str, tuple[int, int]]":
    """Files that are not what they were when the session last saw them, and that its own work did not change.

    `state(path)` tells (mtime_ns, size, ctime_ns) of a file now, None where it is gone. The answer leads from a path to
    its (mtime_ns, size) now, (0, 0) for one that is gone: if commands of the session ran since, one of them may have
    removed it, and it is not named. `only`: look at this path alone. Else the `most` paths seen last are looked at.
    """
    files, shells = known(_from_last(lines, only) if only else lines)
    spans: list[tuple[int, int]] | None = None
    found: dict[str, tuple[int, int]] = {}
    for path in [only] if only else list(files)[-most:]:
        if path not in files:
            continue
        mtime_ns, size, wrote, ran = files[path]
        now = state(path)
        if now is None:
            if ran == len(shells):
                found[path] = 0, 0
        elif now[:2] != (mtime_ns, size):
            spans = _apart(shells) if spans is None else spans
            own = _within(now[2], spans) or (wrote and now[2] <= mtime_ns + FORMATTER_NS)
            if not own:
                found[path] = now[:2]
    return found


def _from_last(lines: bytes, path: str) -> bytes:
    """What the list holds from where it names `path` for the last time; empty if it never does."""
    name = path.encode("utf-8", "surrogateescape") + _END.encode()
    at = max(lines.rfind(b" " + name), lines.rfind(b" " + WROTE.encode() + name))
    return lines[lines.rfind(b"\n", 0, at) :] if at > 0 else b""


def _apart(spans: "Iterable[tuple[int, int]]") -> "list[tuple[int, int]]":
    """The spans in order and widened by a tick at both ends; those that meet are one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start - _TICK_NS <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end + _TICK_NS)
        else:
            found.append((start - _TICK_NS, end + _TICK_NS))
    return found


def _within(moment_ns: int, spans: "list[tuple[int, int]]") -> bool:
    """Whether a moment is in one of the spans that `_apart` made. Halving: there are thousands of files and spans."""
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        if spans[middle][0] <= moment_ns:
            low = middle + 1
        else:
            high = middle
    return low > 0 and moment_ns <= spans[low - 1][1]

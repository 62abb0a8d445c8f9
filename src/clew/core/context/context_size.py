"""How full a session's context is, read off the last bytes of its record. Pure over bytes; imports nothing.

What a line of a client's record says is the client's dialect's business (`usage`, and `USAGE`: what a line must hold
to be worth parsing). What was said before a compaction says nothing any more.
"""

TYPE_CHECKING = False  # `typing` would cost a hook more than all it does here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    class Says(Protocol):
        """The part of a dialect that is about usage."""

        USAGE: tuple[bytes, ...]

        def usage(self, line: dict[str, Any]) -> tuple[int, str, int] | None:
            """Tokens of context, model and window; None for a line that is about something else."""
            ...


TAIL = 64 << 10
TAIL_MAX = 1 << 20
_TOKENS_MAX = 1 << 53


def look(
    tail: "Callable[[int], bytes]", parse: "Callable[[bytes], dict[str, Any]]", says: "Says"
) -> "tuple[int, str, int] | None":
    """Tokens of context, the model's name ("" unknown) and its window (0 unknown), as the end of a record tells them;
    None if it tells nothing.

    `tail(n)` gives the record's last n bytes, or all if it has fewer; asked for 64 KB, then for twice as much up to
    1 MB, so the cost does not grow with the record. `parse` gives the JSON object that a line holds, {} if none.
    Right after a compaction the tokens are those that the client says are left (0 if it does not).
    """
    size = TAIL
    while size <= TAIL_MAX:
        data = tail(size)
        found = last_usage(data, whole=len(data) < size, parse=parse, says=says)
        if found is not None or len(data) < size:
            return found
        size *= 2
    return None


def last_usage(
    data: bytes, *, whole: bool, parse: "Callable[[bytes], dict[str, Any]]", says: "Says"
) -> "tuple[int, str, int] | None":
    """The newest usage in `data`, as `look` tells it. Not `whole`: its first line is the end of one, and left out."""
    end = len(data)
    while end > 0:
        start = data.rfind(b"\n", 0, end) + 1
        if start == 0 and not whole:
            return None
        # Most bytes are lines of other kinds: only those that could be meant are parsed.
        if any(data.find(mark, start, end) >= 0 for mark in says.USAGE):
            found = says.usage(parse(data[start:end]))
            if found is not None and found[0] < _TOKENS_MAX:
                return found
        end = start - 1
    return None

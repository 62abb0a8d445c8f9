"""How full a session's context is, read off the last bytes of its transcript. Pure over bytes; imports nothing.

Claude Code writes one line a content block, each with the usage of its whole response: input and cache together are
the context that the response was made from. Lines of sub-agents say nothing of the session's own context, and what was
said before a compaction says nothing any more.
"""

TYPE_CHECKING = False  # `typing` would cost a hook more than all it does here
if TYPE_CHECKING:
    from collections.abc import Callable

TAIL = 64 << 10
TAIL_MAX = 1 << 20


def look(tail: "Callable[[int], bytes]", parse: "Callable[[bytes], dict[str, object]]") -> "tuple[int, str] | None":
    """Tokens of context and the model's name, as the end of a transcript tells them; None if it tells nothing.

    `tail(n)` gives the transcript's last n bytes, or all if it has fewer; asked for 64 KB, then for twice as much up to
    1 MB, so the cost does not grow with the transcript. `parse` gives the JSON object that a line holds, {} if none.
    Right after a compaction the model is "" and the tokens are those that the client says are left (0 if it does not).
    """
    size = TAIL
    while size <= TAIL_MAX:
        data = tail(size)
        found = last_usage(data, whole=len(data) < size, parse=parse)
        if found is not None or len(data) < size:
            return found
        size *= 2
    return None


def last_usage(data: bytes, *, whole: bool, parse: "Callable[[bytes], dict[str, object]]") -> "tuple[int, str] | None":
    """The newest usage in `data`, as `look` tells it. Not `whole`: its first line is the end of one, and left out."""
    end = len(data)
    while end > 0:
        start = data.rfind(b"\n", 0, end) + 1
        if start == 0 and not whole:
            return None
        # Most bytes are lines of other kinds: only those that could be meant are parsed.
        if data.find(b'"usage"', start, end) >= 0 or data.find(b'"compact_boundary"', start, end) >= 0:
            found = _told(parse(data[start:end]))
            if found is not None:
                return found
        end = start - 1
    return None


def _told(line: "dict[str, object]") -> "tuple[int, str] | None":
    """What one line says: a response of the main chain its context, a compaction what it left; None for all others."""
    if line.get("isSidechain") or line.get("agentId"):
        return None
    if line.get("type") == "system" and line.get("subtype") == "compact_boundary":
        left = line.get("compactMetadata")
        return (_count(left.get("postTokens")) if isinstance(left, dict) else 0), ""
    message = line.get("message")
    if line.get("type") != "assistant" or line.get("isApiErrorMessage") or not isinstance(message, dict):
        return None
    usage, model = message.get("usage"), message.get("model")
    if not isinstance(usage, dict) or not isinstance(model, str) or model == "<synthetic>":
        return None
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    tokens = sum(_count(usage.get(name)) for name in names)
    return (tokens, model) if tokens else None


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 53 else 0

"""Messages: what programs keep a conversation in, how large each is, and where the list may be parted. Pure.

Three shapes are known: Anthropic's Messages, OpenAI's Chat Completions and OpenAI's Responses. A message or a block is
a mapping, or an object of an SDK with the same names. What is in none of these shapes is carried along, never refused.
Knows nothing about summaries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from clew.core.text.tokens import estimate

Message: TypeAlias = Any

# result: what a tool gave back, in whichever role. other: in no shape that is known.
Author = Literal["system", "user", "assistant", "result", "other"]

# What a message costs beside its words.
_FRAME_TOKENS: Final = 4
# The most that a picture costs at either vendor in its usual detail (1,568 tokens at one, less at the other).
_PICTURE_TOKENS: Final = 1_600
_PICTURES: Final = frozenset(("image", "image_url", "input_image"))
# Long texts that nobody reads as words, with the characters that make about one token: files in base 64 (a page of
# a PDF is some 3,000 tokens and 100 KB), reasoning that is kept encrypted. A signature costs nothing.
_OPAQUE: Final[Mapping[str, int]] = {
    "data": 30,
    "file_data": 30,
    "encrypted_content": 6,
    "signature": 1 << 30,
    "thought_signature": 1 << 30,
}
# Names and marks of the wire format: neither they nor what stands under those of the second line are words.
_WIRE: Final = frozenset("role type content text input arguments name function source parts output summary".split())
_MARKS: Final = frozenset("role type id call_id tool_use_id tool_call_id status cache_control media_type".split())
_DEPTH_MAX: Final = 32


def author(message: Message) -> Author:
    """Who made a message."""
    role, kind = _word(message, "role"), _word(message, "type")
    if role in ("system", "developer"):
        return "system"
    if role in ("assistant", "model"):
        return "assistant"
    if role in ("tool", "function") or _results(message):
        return "result"
    if role == "user":
        return "user"
    is_act = kind.endswith("_call") or kind in ("reasoning", "item_reference", "mcp_approval_request", "compaction")
    return "assistant" if is_act else "other"


def partings(messages: Sequence[Message]) -> list[int]:
    """Where the list may be parted, ascending: before each of these indexes, which go from 0 to its length.

    Parted elsewhere, an API refuses one of the halves: a call would be without its result, a result without its call,
    an act without the reasoning that led to it. Calls of the last turn whose results are still to come hold the end.
    """
    count = len(messages)
    held = [0] * (count + 2)
    for first, last in _spans(messages):
        held[first + 1] += 1
        held[last + 1] -= 1
    found, depth = [], 0
    for index in range(count + 1):
        depth += held[index]
        if not depth and (index in (0, count) or author(messages[index]) != "result"):
            found.append(index)
    return found


def tokens_of(message: Message) -> int:
    """About how many tokens a message has: its words by clew's own estimate, pictures and files by rule of thumb."""
    words: list[str] = []
    beside = _gather(message, words, 0)
    return _FRAME_TOKENS + beside + estimate("\n".join(words))


def field(value: Any, name: str) -> Any:
    """What stands under a name in a mapping or an object; None if nothing does."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def blocks(message: Message) -> Sequence[Any]:
    """The blocks of a message's content; none where it is a text."""
    content = field(message, "content")
    return content if isinstance(content, (list, tuple)) else ()


def _word(value: Any, name: str) -> str:
    found = field(value, name)
    return found if isinstance(found, str) else ""


def _spans(messages: Sequence[Message]) -> Iterable[tuple[int, int]]:
    """First and last index of what belongs together."""
    open_calls: dict[str, int] = {}
    answered: set[str] = set()
    for index, message in enumerate(messages):
        for call in _calls(message):
            open_calls[call] = index
            answered.discard(call)
        for call in _results(message):
            if call in open_calls:
                answered.add(call)
                yield open_calls[call], index
    last_turn = _last_turn(messages)
    for call, index in open_calls.items():
        if call not in answered and index >= last_turn:
            yield index, len(messages)
    yield from _reasoned(messages)


def _last_turn(messages: Sequence[Message]) -> int:
    """Where the assistant's last acts begin whose results, some or all, stand at the end of the list or are to come."""
    index = len(messages)
    while index and author(messages[index - 1]) == "result":
        index -= 1
    while index and author(messages[index - 1]) == "assistant":
        index -= 1
    return index


def _reasoned(messages: Sequence[Message]) -> Iterable[tuple[int, int]]:
    """Reasoning of the Responses API with all that the assistant did right after it."""
    start: int | None = None
    for index, message in enumerate(messages):
        if author(message) != "assistant":
            start = None
        elif start is not None:
            yield start, index
        if start is None and _word(message, "type") == "reasoning":
            start = index


def _calls(message: Message) -> list[str]:
    """Names of the calls that a message makes; its results name the same."""
    calls = field(message, "tool_calls")
    found = [_word(call, "id") for call in calls] if isinstance(calls, (list, tuple)) else []
    found += [_word(block, "id") for block in blocks(message) if _word(block, "type").endswith("tool_use")]
    legacy = field(message, "function_call")
    if legacy is not None:
        found.append(f"function {_word(legacy, 'name')}")
    kind = _word(message, "type")
    if kind.endswith("_call") or kind == "mcp_approval_request":
        found.append(_word(message, "call_id") or _word(message, "id"))
    return [call for call in found if call]


def _results(message: Message) -> list[str]:
    """Names of the calls whose results a message holds; "" for a result that names none."""
    kind = _word(message, "type")
    found = [_word(block, "tool_use_id") for block in blocks(message) if _word(block, "type").endswith("tool_result")]
    if _word(message, "role") == "tool":
        found.append(_word(message, "tool_call_id"))
    elif _word(message, "role") == "function":
        found.append(f"function {_word(message, 'name')}")
    if kind.endswith("_call_output"):
        found.append(_word(message, "call_id"))
    elif kind == "mcp_approval_response":
        found.append(_word(message, "approval_request_id"))
    return found


def _gather(value: Any, words: list[str], depth: int) -> int:
    """Put the words of `value` into `words`; the tokens of what has none."""
    if isinstance(value, str):
        words.append(value)
        return 0
    if value is None or isinstance(value, (bool, bytes)) or depth > _DEPTH_MAX:
        return 0
    if isinstance(value, (int, float)):
        words.append(repr(value))
        return 0
    if isinstance(value, Mapping):
        return _PICTURE_TOKENS if _word(value, "type") in _PICTURES else _gather_fields(value, words, depth)
    if isinstance(value, (list, tuple)):
        return sum(_gather(part, words, depth + 1) for part in value)
    return _gather(plain(value), words, depth + 1)


def _gather_fields(value: Mapping[Any, Any], words: list[str], depth: int) -> int:
    beside = 0
    for name, part in value.items():
        if name in _MARKS and isinstance(part, (str, Mapping)):
            continue
        if name in _OPAQUE and isinstance(part, str):
            beside += len(part) // _OPAQUE[name]
            continue
        if name not in _WIRE:
            words.append(str(name))
        beside += _gather(part, words, depth + 1)
    return beside


def plain(value: Any) -> Any:
    """An SDK's object as the mapping it stands for; any other value as it is written."""
    dump = getattr(value, "model_dump", None)
    try:
        if callable(dump):
            found = dump(exclude_none=True)
            return found if isinstance(found, Mapping) else str(found)
        return dict(vars(value)) if hasattr(value, "__dict__") else str(value)
    except Exception:  # somebody else's object: what it cannot tell has no size
        return ""

"""The tokens of a Claude Code session file, and no more: most lines hold none and are not decoded.

A line with usage has the word `"usage"`: a name of a field, so no text can hold it (its quotes would be escaped). Of
such a line what else it holds is skipped. What cannot be decoded in this way is read as the reader does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from clew.clients.claude_code.wire import Tokens
from clew.clients.lines import time_of
from clew.core.records.transcript import Batch, Call, Context, Other, Record, Usage

# Model name of messages that the client makes up itself (API errors, "No response requested.").
SYNTHETIC: Final = "<synthetic>"
# A sidechain line of the versions that had no agent ids yet.
SIDECHAIN: Final = "sidechain"
CALLS: Final = frozenset(("tool_use", "server_tool_use", "mcp_tool_use"))
_AGENT: Final = "agent_progress"
_COUNT_MAX: Final = 1 << 53
_MARK: Final = b'"usage"'


class _Block(msgspec.Struct, gc=False):
    type: str = ""
    id: str = ""
    name: str = ""


class _Message(msgspec.Struct, gc=False):
    id: str = ""
    model: str | None = None
    content: str | list[_Block] | None = None
    usage: Tokens | None = None


class _Line(msgspec.Struct, gc=False):
    type: str = ""
    timestamp: str | None = None
    sessionId: str | None = None
    agentId: str | None = None
    cwd: str | None = None
    gitBranch: str | None = None
    requestId: str | None = None
    isSidechain: bool | None = None
    isApiErrorMessage: bool | None = None
    message: _Message | None = None


class _Within(msgspec.Struct, gc=False):
    timestamp: str | None = None
    requestId: str | None = None
    message: _Message | None = None


class _Data(msgspec.Struct, gc=False):
    type: str = ""
    agentId: str | None = None
    message: _Within | None = None


class _Progress(msgspec.Struct, gc=False):
    data: _Data | None = None


_decode_progress = msgspec.json.Decoder(_Progress).decode
_decode = msgspec.json.Decoder(_Line).decode
_NOTHING = Other("")


def usage_of(usage: Tokens, at: int, time: str, agent: str, message: str, request: str, model: str) -> Usage:
    """What a response used, as a record."""
    found = (
        usage.input_tokens,
        usage.cache_creation_input_tokens,
        usage.cache_read_input_tokens,
        usage.output_tokens,
    )
    given, written, read, output = [value if value and 0 < value < _COUNT_MAX else 0 for value in found]
    long = count(usage.cache_creation.ephemeral_1h_input_tokens) if usage.cache_creation is not None else 0
    return Usage(at, time, agent, message, request, model, given, written, read, output, min(long, written))


def count(value: int | None) -> int:
    """A number of tokens; 0 for what is none."""
    return value if value is not None and 0 <= value < _COUNT_MAX else 0


def progress_usage(data: bytes, at: int) -> Usage | None:
    """What a sub-agent's response used, which a `progress` line of the main chain repeats; None for any other. Older
    versions leave no other trace of it.
    """
    if _MARK not in data:
        return None
    try:
        told = _decode_progress(data).data
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None
    within = told.message if told is not None and told.type == _AGENT else None
    message = within.message if within is not None else None
    if told is None or within is None or message is None or message.usage is None or not message.model:
        return None
    agent, request = told.agentId or SIDECHAIN, within.requestId or ""
    return usage_of(message.usage, at, time_of(within.timestamp), agent, message.id, request, message.model)


def read_usage(chunk: bytes, offset: int, whole: Callable[..., Batch]) -> Batch:
    """See `clew.clients.port.UsageReader`. `whole` reads a line with all that it holds."""
    records: list[Record] = []
    end = chunk.rfind(b"\n") + 1
    find = chunk.find
    place: tuple[str | None, str | None] = (None, None)
    at = find(_MARK, 0, end)
    while at >= 0:
        start = chunk.rfind(b"\n", 0, at) + 1
        stop = find(b"\n", at)
        data = chunk[start:stop]
        try:
            line = _decode(data)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            records += whole(data + b"\n", offset=offset + start).records
        else:
            if line.type == "assistant" and line.sessionId is None:  # as `claude -p` prints it: with other names
                records += whole(data + b"\n", offset=offset + start).records
            elif line.type == "progress" and (used := progress_usage(data, offset + start)) is not None:
                records.append(used)
            elif line.type == "assistant":
                place = _take(line, offset + start, place, records)
        at = find(_MARK, stop, end)
    return Batch(records, offset + end)


def _take(
    line: _Line, at: int, place: tuple[str | None, str | None], records: list[Record]
) -> tuple[str | None, str | None]:
    message = line.message
    usage = message.usage if message is not None else None
    if message is None or usage is None or not message.model or message.model == SYNTHETIC or line.isApiErrorMessage:
        return place
    time, agent = time_of(line.timestamp), line.agentId or (SIDECHAIN if line.isSidechain else "")
    here = (line.sessionId, line.cwd)
    if here != place:
        records.append(Context(at, time, agent, line.sessionId or "", line.cwd or "", line.gitBranch or "", ""))
    for block in message.content if isinstance(message.content, list) else ():
        if block.type in CALLS:
            records.append(Call(at, time, agent, block.id, block.name, _NOTHING))
    records.append(usage_of(usage, at, time, agent, message.id, line.requestId or "", message.model))
    return here

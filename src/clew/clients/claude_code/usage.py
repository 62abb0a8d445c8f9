"""The tokens of a Claude Code session file, and no more: most lines hold none and are not decoded.

A line with usage has a field whose name ends in `input_tokens"`, which no text can hold (its quote would be escaped).
Of such a line what else it holds is skipped. What cannot be decoded in this way is read as the reader does. Most of a
file are lines of results, which say at their head that the user's side wrote them; those are not looked through.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from clew.clients.claude_code.dialect import ADVISOR, ADVISOR_MESSAGE, priced_as
from clew.clients.claude_code.wire import Iteration, MessageUsage
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
# Every usage has it, and a longer word is found sooner.
_SOUGHT: Final = b'input_tokens"'
# Where clients write it: behind the content. Elsewhere it is looked for in the whole line.
_TAIL_BYTES: Final = 768
# Before the first value with braces it is the line's own type, and no text can hold it.
_USERS: Final = b'"type":"user"'
_HEAD_BYTES: Final = 1024


class _Block(msgspec.Struct, gc=False):
    type: str = ""
    id: str = ""
    name: str = ""


class _Message(msgspec.Struct, gc=False):
    id: str = ""
    model: str | None = None
    content: str | list[_Block] | None = None
    usage: MessageUsage | None = None


class _UsageLine(msgspec.Struct, gc=False):
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
_decode = msgspec.json.Decoder(_UsageLine).decode
_NOTHING = Other("")


def usages_of(
    usage: MessageUsage, at: int, time: str, agent: str, message: str, request: str, model: str
) -> list[Usage]:
    """What a response used, as a record, and before it what an advisor used on its behalf, which is an agent."""
    if not usage.iterations:
        return [_usage(usage, at, time, agent, message, request, model)]
    advisors = [one for one in usage.iterations if one.type == ADVISOR_MESSAGE and one.model]
    return [
        *(
            _usage(one, at, time, agent or ADVISOR, f"{message}/{number}", request, one.model or "")
            for number, one in enumerate(advisors)
        ),
        _usage(usage, at, time, agent, message, request, model),
    ]


def _usage(
    usage: MessageUsage | Iteration, at: int, time: str, agent: str, message: str, request: str, model: str
) -> Usage:
    found = (usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens, usage.output_tokens)
    given, written, read, output = [value if value and 0 < value < _COUNT_MAX else 0 for value in found]
    long = count(usage.cache_creation.ephemeral_1h_input_tokens) if usage.cache_creation is not None else 0
    name = priced_as(model, usage.speed, usage.inference_geo)
    return Usage(at, time, agent, message, request, name, given, written, read, output, min(long, written))


def count(value: int | None) -> int:
    """A number of tokens; 0 for what is none."""
    return value if value is not None and 0 <= value < _COUNT_MAX else 0


def progress_usages(data: bytes, at: int) -> list[Usage]:
    """What a sub-agent's response used, which a `progress` line of the main chain repeats; nothing for any other. Older
    versions leave no other trace of it.
    """
    if _MARK not in data:
        return []
    try:
        told = _decode_progress(data).data
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return []
    within = told.message if told is not None and told.type == _AGENT else None
    message = within.message if within is not None else None
    if told is None or within is None or message is None or message.usage is None or not message.model:
        return []
    agent, request = told.agentId or SIDECHAIN, within.requestId or ""
    return usages_of(message.usage, at, time_of(within.timestamp), agent, message.id, request, message.model)


def read_usage(chunk: bytes, offset: int, whole: Callable[..., Batch]) -> Batch:
    """See `clew.clients.port.UsageReader`. `whole` reads a line with all that it holds."""
    records: list[Record] = []
    find, rfind = chunk.find, chunk.rfind
    lines = _UsageLines(records)
    start, stop = 0, -1
    while True:
        start, stop = stop + 1, find(b"\n", stop + 1)
        if stop < 0:
            break
        if rfind(_SOUGHT, max(start, stop - _TAIL_BYTES), stop) < 0 and not _has_usage(chunk, start, stop):
            continue
        data = chunk[start:stop]
        try:
            line = _decode(data)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            line = None
        if line is not None and line.type == "assistant" and line.sessionId is not None:
            lines.take(line, offset + start)
        elif line is None or line.type in ("assistant", "progress"):
            lines.close()
            # What `claude -p` prints has other names for the same; a sub-agent's use stands further in.
            used = progress_usages(data, offset + start) if line is not None and line.type == "progress" else []
            records += used or whole(data + b"\n", offset=offset + start).records
    lines.close()
    return Batch(records, offset + start)


def _has_usage(chunk: bytes, start: int, stop: int) -> bool:
    """Whether a line holds usage in its middle. Lines of the user's side are not looked through."""
    of_user = chunk.find(_USERS, start, min(stop, start + _HEAD_BYTES))
    is_users = of_user >= 0 and chunk.find(b"{", start + 1, of_user) < 0
    return not is_users and chunk.find(_SOUGHT, start, stop) >= 0


class _UsageLines:
    """Makes records of lines in turn. Of lines of one response, which come one behind the other with growing numbers,
    only the last one gives a `Usage`.
    """

    def __init__(self, records: list[Record]) -> None:
        self._records = records
        self._place: tuple[str | None, str | None] = (None, None)
        self._name: tuple[str, str | None] = ("", None)
        self._line: _UsageLine | None = None
        self._at = self._output = 0

    def take(self, line: _UsageLine, at: int) -> None:
        message = line.message
        if message is None or message.usage is None or not message.model or message.model == SYNTHETIC:
            return
        if line.isApiErrorMessage:
            return
        name = (message.id, line.requestId)
        if self._line is None or name != self._name or not message.id:
            self.close()
            self._name = name
            here = (line.sessionId, line.cwd)
            if here != self._place:
                self._place, branch = here, line.gitBranch or ""
                self._records.append(
                    Context(at, "", line.agentId or "", line.sessionId or "", line.cwd or "", branch, "")
                )
        if isinstance(message.content, list):
            for block in message.content:
                if block.type in CALLS:
                    self._records.append(Call(at, "", line.agentId or "", block.id, block.name, _NOTHING))
        output = message.usage.output_tokens or 0
        if self._line is None or output >= self._output:
            self._line, self._at, self._output = line, at, output

    def close(self) -> None:
        """No more lines of the response come."""
        line = self._line
        if line is None or line.message is None or line.message.usage is None:
            return
        self._line, message = None, line.message
        agent = line.agentId or (SIDECHAIN if line.isSidechain else "")
        time, request = time_of(line.timestamp), line.requestId or ""
        self._records += usages_of(line.message.usage, self._at, time, agent, message.id, request, message.model or "")

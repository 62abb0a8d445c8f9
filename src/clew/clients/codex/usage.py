"""The tokens of a Codex rollout, and no more: what a line is about stands at its head, and most are not decoded.

Lines that begin in another way than the client writes them, or are refused by the decoder, are read as the reader does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import msgspec

from clew.clients.codex.wire import Info
from clew.clients.lines import time_of
from clew.core.records.transcript import Batch, Call, Other, Record, Usage

# What `_take` makes of such a line has nothing to do with tokens, models, tools or the session's place.
_SKIPPED: Final = frozenset(
    b"""message reasoning function_call_output custom_tool_call_output web_search_call_output user_message agent_message
    agent_reasoning agent_reasoning_section_break task_started task_complete turn_aborted""".split()
)
# Of calls that scripts made, and of plans, the events of their end tell; all others of these have an item.
_ENDS: Final = frozenset(b"exec_command_end patch_apply_end item_completed".split())
_SCRIPTED: Final = (b'"exec-', b'"Plan"')
_SCRIPTS: Final = ("exec", "functions.exec")
_head: Final = re.compile(
    rb'\{"timestamp": ?"[^"\\]{1,40}", ?(?:"ordinal": ?\d+, ?)?"type": ?"(\w+)", ?"payload": ?\{"type": ?"(\w+)"'
).match
_NOTHING: Final = Other("")


class _Count(msgspec.Struct, gc=False):
    info: Info | None = None


class _CountLine(msgspec.Struct, gc=False):
    timestamp: str | None = None
    payload: _Count | None = None


class _Named(msgspec.Struct, gc=False):
    call_id: str | None = None
    name: str | None = None
    namespace: str | None = None


class _NamedLine(msgspec.Struct, gc=False):
    payload: _Named | None = None


_count: Final = msgspec.json.Decoder(_CountLine).decode
_named: Final = msgspec.json.Decoder(_NamedLine).decode


def usage_of(info: Info, at: int, time: str) -> Usage | None:
    """What the last response used; None where nothing was. A response is told of again and again, so its name is what
    all of them used up to it, which grows with every response. After a compaction `last` is an estimate of the context,
    of no response.
    """
    total, last = info.total_token_usage, info.last_token_usage
    if total is None or last is None:
        return None
    given, cached, output = last.input_tokens or 0, last.cached_input_tokens or 0, last.output_tokens or 0
    if not given + output:
        return None
    written = last.cache_write_input_tokens or 0
    name = f"{total.input_tokens}/{total.cached_input_tokens}/{total.output_tokens}/{total.reasoning_output_tokens}"
    fresh, window = max(0, given - cached - written), info.model_context_window or 0
    return Usage(at, time, "", name, "", "", fresh, written, cached, output, window=window)


def read_usage(chunk: bytes, offset: int, whole: Callable[..., Batch]) -> Batch:
    """See `clew.clients.port.UsageReader`. `whole` reads a line with all that it holds."""
    records: list[Record] = []
    find = chunk.find
    start, end = 0, find(b"\n")
    while end >= 0:
        found = _head(chunk, start, end)
        kind = found[2] if found is not None else b""
        is_skipped = kind in _SKIPPED or (kind in _ENDS and not any(find(one, start, end) >= 0 for one in _SCRIPTED))
        if not is_skipped and end > start:
            quick = _quick(kind, chunk[start:end], offset + start)
            made = whole(chunk[start : end + 1], offset=offset + start).records if quick is None else quick
            if not (made and records and _is_again(made[0], records[-1])):
                records += made
        start = end + 1
        end = find(b"\n", start)
    return Batch(records, offset + start)


def _is_again(one: Record, before: Record) -> bool:
    """Whether a response is told of again, in the same words."""
    return isinstance(one, Usage) and isinstance(before, Usage) and one[3:] == before[3:]


def _quick(kind: bytes, data: bytes, at: int) -> list[Record] | None:
    """The records of a line of this kind; None for one that has to be read whole."""
    try:
        if kind == b"token_count":
            line = _count(data)
            info = line.payload.info if line.payload is not None else None
            used = usage_of(info, at, time_of(line.timestamp)) if info is not None else None
            return [used] if used is not None else []
        if kind in (b"function_call", b"custom_tool_call"):
            call = _named(data).payload
            if call is None or call.name in _SCRIPTS:
                return None
            name = call.name or ("function" if kind == b"function_call" else "custom_tool")
            tool = f"{call.namespace}__{name}" if call.namespace else name
            return [Call(at, "", "", call.call_id or "", tool, _NOTHING)]
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None
    return None

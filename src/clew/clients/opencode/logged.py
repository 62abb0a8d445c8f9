"""The log that a plugin of OpenCode writes, one line an event: what the user said, calls and their results.

Lines have no ids: a call and its result are the same tool with the same input. Seen with sessions of January 2026
(`~/.claude/transcripts/ses_….jsonl`); docs/clients/opencode.md, "Logs".
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final

import msgspec

from clew.clients.fields import inner, text
from clew.clients.lines import NotALine, decode_any, time_of
from clew.clients.opencode.calls import actions
from clew.core.records.transcript import Call, Prompt, Record, Reply, Result

_FIELDS: Final = {
    "user": {"type", "timestamp", "content"},
    "assistant": {"type", "timestamp", "content"},
    "tool_use": {"type", "timestamp", "tool_name", "tool_input"},
    "tool_result": {"type", "timestamp", "tool_name", "tool_input", "tool_output"},
}
_encode: Final = msgspec.json.Encoder(order="sorted").encode


def recognises(head: bytes, lines_looked_at: int) -> bool:
    """Whether the first whole line is one of these, with exactly its fields."""
    for data in head.split(b"\n")[:lines_looked_at]:
        try:
            line = decode_any(data)
        except NotALine:
            continue
        kind = line.get("type")
        return isinstance(kind, str) and _FIELDS.get(kind) == set(line)
    return False


def read(line: Mapping[str, Any], at: int, records: list[Record]) -> None:
    """The records of one decoded line."""
    kind, tool = line.get("type"), text(line, "tool_name")
    time = time_of(line.get("timestamp"))
    words = text(line, "content").strip()
    if kind == "user" and words:
        records.append(Prompt(at, time, "", words, "typed", "", ""))
    elif kind == "assistant" and words:
        records.append(Reply(at, time, "", words, ""))
    elif kind == "tool_use":
        for action in actions(tool, line.get("tool_input")):
            records.append(Call(at, time, "", _id(tool, inner(line, "tool_input")), tool, action))
    elif kind == "tool_result":
        records.append(_result(tool, line, at, time))


def _result(tool: str, line: Mapping[str, Any], at: int, time: str) -> Result:
    output = inner(line, "tool_output")
    code = output.get("exit")
    code = code if isinstance(code, int) and not isinstance(code, bool) else None
    outcome = "error" if code else "ok"
    call = _id(tool, inner(line, "tool_input"))
    return Result(at, time, "", call, outcome, code, text(output, "output"), "", (), "")


def _id(tool: str, given: Mapping[str, Any]) -> str:
    """Of a call and of its result the same. With the result the client's environment stands in the input of a shell."""
    asked = {name: value for name, value in given.items() if name != "env"}
    try:
        data = _encode([tool, asked])
    except RecursionError:
        data = tool.encode()
    return blake2b(data, digest_size=8).hexdigest()

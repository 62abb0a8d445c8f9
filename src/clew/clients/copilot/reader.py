"""GitHub Copilot CLI sessions to neutral records: each line is an event, and stands for itself.

Of a call the request in the model's message is read and the end of its execution; other events repeat these. Format:
docs/clients/copilot.md, seen in 1.0.102.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from clew.clients.copilot import results
from clew.clients.copilot.calls import actions
from clew.clients.fields import inner, number, rows, text
from clew.clients.lines import LineReader, decode_any, object_of, time_of
from clew.core.records.context_parts import ContextPart
from clew.core.records.transcript import (
    Call,
    Compaction,
    Context,
    FileVersion,
    Interruption,
    Prompt,
    Record,
    Reply,
    Result,
    Running,
    Summary,
    Thought,
    Usage,
)

_START: Final = b'"session.start"'
_VERSION: Final = b'"copilotVersion"'
_SYSTEM: Final = b'"system.message"'
# How the client tells the model that nobody sits there.
_HEADLESS: Final = b"You are running in non-interactive mode"
_COMMAND: Final = re.compile(r"/[\w:.-]+(?:\s|\Z)")


class CopilotReader(LineReader):
    """Implements `clew.clients.port.Reader`."""

    name = "copilot"

    def recognises(self, head: bytes) -> bool:
        first = head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
        return first.startswith(b"{") and _START in first and _VERSION in first

    def take(self, data: bytes, at: int, records: list[Record]) -> None:
        line = decode_any(data)
        kind, told = line.get("type"), inner(line, "data")
        take = _TAKES.get(kind) if isinstance(kind, str) else None
        if take is not None:
            take(_Place(at, time_of(line.get("timestamp")), text(line, "agentId")), told, records)

    def attended(self, head: bytes) -> bool:
        told = (line for line in head.split(b"\n") if line[:200].find(_SYSTEM) >= 0)
        return not any(_HEADLESS in line for line in told)

    def file_versions(self, line: bytes) -> Iterable[FileVersion]:
        found = object_of(line) if b'"tool.execution_complete"' in line else {}
        return results.file_versions(inner(found, "data")) if found.get("type") == "tool.execution_complete" else ()

    def injected(self, line: bytes) -> Iterable[str]:
        """The client records each hook with what it took of its answer."""
        return (given,) if (given := _given(object_of(line))) else ()

    def context_parts(self, line: bytes, at: int) -> Iterable[ContextPart]:
        found = object_of(line)
        kind, agent, told = found.get("type"), text(found, "agentId"), inner(found, "data")
        if kind == "system.message":
            return (ContextPart(at, agent, "system", "instructions", text(told, "content")),)
        if kind == "assistant.message":
            return [
                ContextPart(at, agent, "input", text(one, "toolCallId"), f"{text(one, 'name')} {_sent(one)}")
                for one in rows(told, "toolRequests")
            ]
        if kind == "skill.invoked":
            return (ContextPart(at, agent, "skills", text(told, "name"), text(told, "content")),)
        given = _given(found)
        return (ContextPart(at, agent, "hook", text(told, "hookType"), given),) if given else ()


def _given(line: Mapping[str, Any]) -> str:
    """What a hook put before the model, "" if the line is no hook's end."""
    data = inner(line, "data") if line.get("type") == "hook.end" else {}
    return text(inner(data, "output"), "additionalContext") if data.get("success") is True else ""


def _sent(request: Mapping[str, Any]) -> str:
    return json.dumps(request.get("arguments"), ensure_ascii=False)


class _Place(NamedTuple):
    """The fields with which every record of a line begins."""

    at: int
    time: str
    agent: str


_Take: TypeAlias = Callable[[_Place, Mapping[str, Any], list[Record]], None]


def _session(place: _Place, data: Mapping[str, Any], records: list[Record]) -> None:
    """Where the session runs: at its start, when it is gone on with, and when it moves."""
    context = inner(data, "context") or data
    cwd, branch = text(context, "cwd"), text(context, "branch")
    records.append(Context(*place, text(data, "sessionId"), cwd, branch, text(data, "copilotVersion")))


def _prompt(place: _Place, data: Mapping[str, Any], records: list[Record]) -> None:
    """What a person typed. A `source` names another who put it there; what a stop hook asked for is queued, and has no
    mode in which it would have been typed.
    """
    by_hook = data.get("delivery") == "queued" and "agentMode" not in data
    if by_hook or data.get("isAutopilotContinuation") is True or (data.get("source") and not place.agent):
        return
    words = text(data, "content").strip()
    if any(one.get("type") in ("image", "blob") for one in rows(data, "attachments")):
        words = f"[image] {words}".strip()
    if words:
        source = "command" if _COMMAND.match(words) else "typed"
        records.append(Prompt(*place, words, source, text(data, "messageId"), ""))


def _answer(place: _Place, data: Mapping[str, Any], records: list[Record]) -> None:
    if thought := text(data, "reasoningText").strip():
        records.append(Thought(*place, thought))
    if words := text(data, "content").strip():
        records.append(Reply(*place, words, text(data, "messageId")))
    for one in rows(data, "toolRequests"):
        _called(place, one, text(one, "name"), records)


def _by_user(place: _Place, data: Mapping[str, Any], records: list[Record]) -> None:
    """A tool that the user ran."""
    _called(place, data, text(data, "toolName"), records)


def _called(place: _Place, one: Mapping[str, Any], name: str, records: list[Record]) -> None:
    given = one.get("arguments")
    given = {"input": given} if isinstance(given, str) else given  # of a tool for free text
    server = text(one, "mcpServerName")
    tool = f"mcp__{server}__{text(one, 'mcpToolName')}" if server else name
    records += [Call(*place, text(one, "toolCallId"), tool, action) for action in actions(name, given)]


def _result(place: _Place, data: Mapping[str, Any], records: list[Record]) -> None:
    found, call = results.outcome(data), text(data, "toolCallId")
    if found.outcome == "running":
        records.append(Running(*place, call, found.process, found.text))
    else:
        records.append(Result(*place, call, found.outcome, found.exit_code, found.text, "", (), ""))


def _usage(place: _Place, data: Mapping[str, Any], records: list[Record]) -> None:
    told = inner(data, "usage")
    records.append(_used(place, told, text(told, "apiCallId")))


def _used(place: _Place, told: Mapping[str, Any], name: str) -> Usage:
    """The client counts what a cache holds as input too."""
    written, read = number(told, "cacheWriteTokens"), number(told, "cacheReadTokens")
    fresh = max(0, number(told, "inputTokens") - written - read)
    model, output, window = text(told, "model"), number(told, "outputTokens"), number(told, "maxPromptTokens")
    return Usage(*place, name, "", model, fresh, written, read, output, window=window)


def _compaction(place: _Place, data: Mapping[str, Any], records: list[Record]) -> None:
    """One that was called off dropped nothing, but was paid for."""
    if told := inner(data, "compactionTokensUsed"):
        records.append(_used(place, told, text(data, "compactionAttemptId")))
    if data.get("success") is not True or not (summary := text(data, "summaryContent")):
        return
    trigger = "manual" if data.get("trigger") == "manual" else "auto"
    before, after = number(data, "preCompactionTokens"), number(data, "postCompactionTokens")
    records.append(Compaction(*place, trigger, before, after))
    records.append(Summary(*place, summary))


def _interruption(place: _Place, _: Mapping[str, Any], records: list[Record]) -> None:
    records.append(Interruption(*place))


_TAKES: Final[Mapping[str, _Take]] = {
    "session.start": _session,
    "session.resume": _session,
    "session.context_changed": _session,
    "user.message": _prompt,
    "assistant.message": _answer,
    "tool.user_requested": _by_user,
    "tool.execution_complete": _result,
    "session.usage_record": _usage,
    "session.compaction_complete": _compaction,
    "abort": _interruption,
}
READER: Final = CopilotReader()

"""GitHub Copilot CLI sessions to neutral records: each line is an event, and stands for itself.

Of a call the request in the model's message is read and the end of its execution; other events repeat these. Format:
docs/clients/copilot.md, seen in 1.0.102.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from clew.clients.fields import inner, number, rows, text
from clew.clients.lines import LineReader, decode_any, object_of, time_of
from clew.clients.tools import CallOutcome, Meaning, actions_of, delegate, edit, patch, plan, poll, run, search
from clew.core.records.context_parts import ContextPart
from clew.core.records.transcript import (
    Action,
    Ask,
    Call,
    Compaction,
    Context,
    FileVersion,
    Interruption,
    Prompt,
    Question,
    Read,
    Record,
    Reply,
    Running,
    Summary,
    Thought,
    Usage,
)


def _view(fields: dict[str, Any]) -> tuple[Action, ...]:
    """`view_range`: the first line and the last, which is -1 for the end."""
    span = fields.get("view_range")
    first, last = span if isinstance(span, list) and len(span) == 2 else (0, 0)
    whole = [value if type(value) is int and value > 0 else 0 for value in (first, last)]
    return (Read(text(fields, "path"), *whole),)


def _ask(fields: dict[str, Any]) -> tuple[Action, ...]:
    """A form: the fields of its schema may have a list of values to choose from. Older: a question with choices."""
    properties = inner(inner(fields, "requestedSchema"), "properties")
    lists = [fields.get("choices"), *(inner(properties, name).get("enum") for name in properties)]
    labels = tuple(label for one in lists if isinstance(one, list) for label in one if isinstance(label, str))
    return (Ask((Question(text(fields, "message", "question"), labels),)),)


_TOOLS: Final[dict[str, Meaning]] = {
    **dict.fromkeys(("bash", "powershell"), run("command")),
    **dict.fromkeys(("read_bash", "write_bash", "read_powershell", "write_powershell"), poll("shellId")),
    "view": _view,
    "edit": edit("path", "old_str", "new_str"),
    "create": edit("path", "", "file_text"),
    "apply_patch": patch("input"),
    **dict.fromkeys(("grep", "rg", "glob"), search("pattern", "path", "paths", "glob")),
    "task": delegate("description", "name"),
    "ask_user": _ask,
    "exit_plan_mode": plan("summary"),
}
# What a call of a tool with these arguments does. Mostly one action; a patch gives one for each of its places.
actions = partial(actions_of, _TOOLS)


# What the client puts behind the output of a tool that a hook had something to say of.
_GUIDANCE: Final = re.compile(r'\n\nTool "[^"\n]+" succeeded\. Additional guidance from postToolUse hooks:\n')
_ENDED: Final = re.compile(r"\n?<shellId: (\S+) completed with exit code (-?\d{1,9})>\s*\Z")
_RUNS: Final = re.compile(
    r"\n?<command (?:started in background )?with shellId: (\w+)"
    r"(?:>| is still running[^>]*>| moved to background[^>]*>)\s*\Z"
)
_STOPPED: Final = re.compile(r"<command with id: \S+ stopped>\s*\Z")
_OUTCOMES: Final = {"denied": "denied", "rejected": "rejected"}
_BY_HOOK: Final = "Denied by "
# Before the lines of a new file in the difference that the client keeps.
_NEW: Final = re.compile(r"\ndiff --git [^\n]*\ncreate file mode [^\n]*\n(?:index [^\n]*\n)?--- a?/dev/null\n\+\+\+ b")
_SHOWN: Final = re.compile(r"\ndiff --git [^\n]*\n(?:index [^\n]*\n)?--- a[^\n]*\n\+\+\+ b([^\n]+)\n")


def outcome(data: Mapping[str, Any]) -> CallOutcome:
    """How a call ended."""
    if data.get("success") is not True:
        error = inner(data, "error")
        said = text(error, "message")
        came = "denied" if said.startswith(_BY_HOOK) else _OUTCOMES.get(text(error, "code"), "error")
        return CallOutcome(came, None, said)
    said = text(inner(data, "result"), "content")
    if found := _GUIDANCE.search(said):
        said = said[: found.start()]
    if runs := _RUNS.search(said):
        return CallOutcome("running", None, said[: runs.start()], process=runs[1])
    ended = _ENDED.search(said)
    code = inner(data, "shellExecution").get("exitCode", int(ended[2]) if ended else None)
    said = said[: ended.start()] if ended else said
    if isinstance(code, int) and not isinstance(code, bool):
        return CallOutcome("error" if code else "ok", code, said)
    return CallOutcome("interrupted" if _STOPPED.search(said) else "ok", None, said)


def file_versions(data: Mapping[str, Any]) -> Iterator[FileVersion]:
    """The file that a call made, by the difference that is kept with it; or one that was shown whole."""
    result, telemetry = inner(data, "result"), inner(data, "toolTelemetry")
    kept = text(result, "detailedContent")
    if data.get("success") is not True or not kept:
        return
    if found := _NEW.match(kept):
        path, _, rest = kept[found.end() :].partition("\n")
        lines = rest.rstrip("\n").split("\n")[1:]
        if all(line.startswith("+") for line in lines):
            yield FileVersion(path, "".join(f"{line[1:]}\n" for line in lines).encode("utf-8", "replace"))
    elif _is_whole(telemetry) and (shown := _SHOWN.match(kept)):
        content = text(result, "content")
        if guided := _GUIDANCE.search(content):
            content = content[: guided.start()]
        yield FileVersion(shown[1], content.encode("utf-8", "replace"))


def _is_whole(telemetry: Mapping[str, Any]) -> bool:
    """Whether a file was shown from its beginning to its end, uncut."""
    properties, metrics = inner(telemetry, "properties"), inner(telemetry, "metrics")
    shown, length = metrics.get("resultForLlmLength"), metrics.get("resultLength")
    is_file = (properties.get("command"), properties.get("viewType")) == ("view", "file")
    return is_file and "view_range" not in text(properties, "inputs") and shown is not None and shown == length


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
        return file_versions(inner(found, "data")) if found.get("type") == "tool.execution_complete" else ()

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
    found, call = outcome(data), text(data, "toolCallId")
    if found.outcome == "running":
        records.append(Running(*place, call, found.process, found.text))
    else:
        records.append(found.record(*place, call))


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

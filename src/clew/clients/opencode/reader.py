"""OpenCode sessions to neutral records. They lie in its database, or in a file: what `opencode export` printed, or the
log of a plugin that writes one line an event.

`open` makes lines of the first two (`rendering.py`); every record is made from one line alone. Format: docs/clients/
opencode.md, seen in 1.18.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from clew.clients.fields import inner, labels, number, rows, text
from clew.clients.lines import LineReader, NotALine, decode_any, object_of, time_of
from clew.clients.opencode.contents import actions, file_versions
from clew.clients.tools import CallOutcome
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
    Summary,
    Usage,
)

_FIELDS: Final = {
    "user": {"type", "timestamp", "content"},
    "assistant": {"type", "timestamp", "content"},
    "tool_use": {"type", "timestamp", "tool_name", "tool_input"},
    "tool_result": {"type", "timestamp", "tool_name", "tool_input", "tool_output"},
}
_encode: Final = msgspec.json.Encoder(order="sorted").encode


def _recognises_log(head: bytes, lines_looked_at: int) -> bool:
    """Whether the first whole line is one of these, with exactly its fields."""
    for data in head.split(b"\n")[:lines_looked_at]:
        try:
            line = decode_any(data)
        except NotALine:
            continue
        kind = line.get("type")
        return isinstance(kind, str) and _FIELDS.get(kind) == set(line)
    return False


def _read_log(line: Mapping[str, Any], at: int, records: list[Record]) -> None:
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


# Errors by which the client tells the model that the person said no (seen in the text of 1.18.33).
_REFUSED: Final = ("The user rejected permission to use this", "The user dismissed this question")
_SAID: Final = " following feedback: "  # "… with the following feedback: ", "… User provided the following feedback: "
# What clew's plug-in throws for a call that a gate denies, and what the client does for one that a rule denies.
_DENIED: Final = ("clew: ", "Error: clew: ", "The user has specified a rule which prevents you from using this")
# How the client wraps what a sub-agent said.
_HELPER: Final = re.compile(r"<task [^>]*>\s*<task_result>\s*(.*?)\s*</task_result>\s*</task>", re.DOTALL)
_STOPPED: Final = ("Tool execution aborted", "Tool execution was interrupted")


def outcome(tool: str, state: Mapping[str, Any]) -> CallOutcome | None:
    """How a call ended; None for one that has not."""
    status, metadata = state.get("status"), inner(state, "metadata")
    if status == "completed":
        return _completed(tool, text(state, "output"), inner(state, "input"), metadata)
    if status != "error":
        return None
    said = text(state, "error")
    if metadata.get("interrupted") is True or any(mark in said for mark in _STOPPED):
        return CallOutcome("interrupted", None, said)
    if any(mark in said for mark in _REFUSED):
        return CallOutcome("rejected", None, said, said.partition(_SAID)[2].strip())
    return CallOutcome("denied" if said.startswith(_DENIED) else "error", None, said)


def _completed(tool: str, output: str, given: Mapping[str, Any], metadata: Mapping[str, Any]) -> CallOutcome:
    if tool == "invalid":  # a call that the client could not make sense of
        return CallOutcome("error", None, output)
    if "exit" in metadata:
        code = metadata["exit"]
        if not isinstance(code, int) or isinstance(code, bool):  # the client stopped the command: too long, or told to
            return CallOutcome("interrupted", None, output)
        return CallOutcome("error" if code else "ok", code, output)
    if tool == "task":
        output = _HELPER.sub(lambda found: found[1], output, count=1)
    return CallOutcome("ok", None, output, answers=_answers(given, metadata))


def _answers(given: Mapping[str, Any], metadata: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """(question, answer) pairs: the client keeps the chosen labels in the order of the questions."""
    chosen = metadata.get("answers")
    if not isinstance(chosen, list):
        return ()
    asked = [text(question, "question") or text(question, "header") for question in rows(given, "questions")]
    pairs = zip(asked, map(labels, chosen), strict=False)
    return tuple((question, answer) for question, answer in pairs if answer)


_MAGIC: Final = b"SQLite format 3\0"
_BOM: Final = b"\xef\xbb\xbf"
_EXPORT: Final = re.compile(rb'\s*\{\s*"info"\s*:\s*\{')
_ABORTED: Final = "MessageAbortedError"
_LINES_LOOKED_AT: Final = 50


class OpenCodeReader(LineReader):
    """Implements `clew.clients.port.Reader`. The address of a session in the database is `<database>/<session id>`."""

    name = "opencode"
    grows = False

    def recognises(self, head: bytes) -> bool:
        if head.startswith(_MAGIC):
            return True  # whose tables these are stands somewhere in the file, or in its log only
        if _EXPORT.match(head.removeprefix(_BOM)):
            return b'"ses_' in head
        return _recognises_log(head, _LINES_LOOKED_AT)

    def open(self, path: Path) -> BinaryIO:
        if not path.is_file():
            from clew.clients.opencode import rendering, store  # here: SQLite costs as much as the interpreter

            return io.BytesIO(rendering.of_rows(store.stored(path.parent, path.name)))
        file = path.open("rb")
        head = file.read(4096)
        file.seek(0)
        if not head.startswith(_MAGIC) and not _EXPORT.match(head.removeprefix(_BOM)):
            return file
        with file:
            data = b"" if head.startswith(_MAGIC) else file.read()
        if not data:
            raise OSError(21, "it holds many sessions: name one of them, FILE/SESSION", str(path))
        from clew.clients.opencode import rendering

        try:
            return io.BytesIO(rendering.of_export(decode_any(data)))
        except NotALine as problem:
            raise OSError(5, f"the export cannot be read: {problem.why}", str(path)) from None

    def take(self, data: bytes, at: int, records: list[Record]) -> None:
        line = decode_any(data)
        of = line.get("of")
        if isinstance(of, dict):
            _MessageLine(of, at, records).read(line)
        elif isinstance(line.get("type"), str):
            _read_log(line, at, records)

    def file_versions(self, line: bytes) -> Iterable[FileVersion]:
        return file_versions(inner(object_of(line), "part"))

    def attended(self, head: bytes) -> bool:
        return inner(object_of(head.split(b"\n", 1)[0]), "session").get("attended") is not False

    def injected(self, line: bytes) -> Iterable[str]:
        found = object_of(line)
        part = inner(found, "part")
        if inner(found, "of").get("role") != "user" or part.get("synthetic") is not True:
            return ()
        return [text(part, "text")]

    def context_parts(self, line: bytes, at: int) -> Iterable[ContextPart]:
        found = object_of(line)
        of, part = inner(found, "of"), inner(found, "part")
        agent = text(of, "session") if text(of, "parent") else ""
        if part.get("type") == "tool":
            sent = json.dumps(inner(part, "state").get("input"), ensure_ascii=False)
            return (ContextPart(at, agent, "input", text(part, "callID"), f"{text(part, 'tool')} {sent}"),)
        if part.get("type") == "file":
            return (ContextPart(at, agent, "image", text(part, "mime") or "file", ""),)
        return [ContextPart(at, agent, "client", "files and notes", words) for words in self.injected(line)]


class _MessageLine:
    """A line with what it says of its message."""

    def __init__(self, of: dict[str, Any], at: int, records: list[Record]) -> None:
        self.of = of
        self.at = at
        self.records = records
        self.time = _time(of.get("time"))
        # A session with a parent is a sub-agent's.
        self.agent = text(of, "session") if text(of, "parent") else ""
        self.message = text(of, "message")

    def read(self, line: Mapping[str, Any]) -> None:
        part, compacted = inner(line, "part"), line.get("compacted")
        kind = part.get("type")
        if isinstance(compacted, dict):
            trigger = "auto" if compacted.get("auto") else "manual"
            self.records.append(Compaction(self.at, self.time, self.agent, trigger, number(compacted, "before"), 0))
        elif line.get("undone") is True or line.get("ended") == _ABORTED:
            self.records.append(Interruption(self.at, self.time, self.agent))
        elif kind == "tool":
            self._tool(part, inner(part, "state"))
        elif kind == "step-finish":
            self._usage(text(part, "id"), inner(part, "tokens"))
        elif self.of.get("role") == "user":
            self._said(part)
        elif kind == "text":
            self._told(part)

    def _context(self, time: str) -> None:
        session, cwd, version = (text(self.of, name) for name in ("session", "cwd", "version"))
        attended = self.of.get("attended") is not False
        session = "" if self.agent else session  # a sub-agent's own is none of the user's
        self.records.append(Context(self.at, time, self.agent, session, cwd, "", version, attended))

    def _said(self, part: Mapping[str, Any]) -> None:
        """A part of the user's message. What the client or a plugin put beside the words is marked `synthetic`."""
        kind = part.get("type")
        words, source = "", "typed"
        if kind == "text" and part.get("synthetic") is not True and part.get("ignored") is not True:
            words = _unquoted(text(part, "text"))
        elif kind == "subtask":
            source = "command"
            words = (
                f"/{text(part, 'command')} {text(part, 'prompt')}" if text(part, "command") else text(part, "prompt")
            )
        elif kind == "file" and text(part, "mime").startswith("image/"):
            words = "[image]"
        if words.strip():
            self._context(self.time)
            self.records.append(Prompt(self.at, self.time, self.agent, words.strip(), source, self.message, ""))

    def _told(self, part: Mapping[str, Any]) -> None:
        words = text(part, "text").strip()
        time = _time(inner(part, "time").get("start")) or self.time
        if not words:
            return
        if self.of.get("summary") is True:
            self.records.append(Summary(self.at, time, self.agent, words))
        else:
            self.records.append(Reply(self.at, time, self.agent, words, self.message))

    def _tool(self, part: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        times, call, tool = inner(state, "time"), text(part, "callID"), text(part, "tool")
        begun = _time(times.get("start")) or self.time
        found = outcome(tool, state)
        if found is not None:
            self._context(begun)
        elif state.get("status") == "pending" and not state.get("input"):
            return  # the model is still writing it
        for action in actions(tool, state.get("input")):
            self.records.append(Call(self.at, begun, self.agent, call, tool, action))
        if found is not None:
            self.records.append(found.record(self.at, _time(times.get("end")) or begun, self.agent, call))

    def _usage(self, step: str, tokens: Mapping[str, Any]) -> None:
        """The tokens of one answer. What the model thought is output, which the client counts apart."""
        cache = inner(tokens, "cache")
        written, read = number(cache, "write"), number(cache, "read")
        given, output = number(tokens, "input"), number(tokens, "output") + number(tokens, "reasoning")
        model, created = text(self.of, "modelID"), number(self.of, "time")
        message = self.message
        if created:  # a fork copies messages with new ids, their times and tokens as they were
            message, step = str(created), f"{model} {given}/{written}/{read}/{output}"
        self.records.append(Usage(self.at, self.time, self.agent, message, step, model, given, written, read, output))


def _unquoted(words: str) -> str:
    """`opencode run` puts words with spaces between double quotes, as a shell would."""
    if len(words) > 2 and words[0] == words[-1] == '"' and " " in words:
        return words[1:-1].replace('\\"', '"')
    return words


def _time(milliseconds: object) -> str:
    """Milliseconds since 1970 as RFC 3339 in UTC, "" for anything else."""
    if not isinstance(milliseconds, int | float) or isinstance(milliseconds, bool) or not 0 < milliseconds < 1 << 47:
        return ""
    seconds, rest = divmod(int(milliseconds), 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"


READER: Final = OpenCodeReader()

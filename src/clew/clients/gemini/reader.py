"""A session file of Gemini CLI as lines of our own, and those lines as neutral records.

The client changes what it wrote before, so a session is folded first (`rendering.py`); every record is then made from
one line of that alone. Format: docs/clients/gemini.md, seen in sessions from October 2025 on and in 0.61.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from clew.clients import fields
from clew.clients.gemini.paths import folder_of
from clew.clients.gemini.rendering import action, lines
from clew.clients.gemini.wire import entries, is_ours
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
    Summary,
    Unreadable,
    Usage,
)


class GeminiReader(LineReader):
    """Implements `clew.clients.port.Reader`."""

    name = "gemini"
    grows = False

    def recognises(self, head: bytes) -> bool:
        return is_ours(head)

    def open(self, path: Path) -> BinaryIO:
        with path.open("rb") as file:
            encode = msgspec.json.Encoder().encode
            rendered = BytesIO()
            for line in lines(entries(file), lambda wanted_hash: folder_of(path, wanted_hash)):
                rendered.write(encode(line))
                rendered.write(b"\n")
        rendered.seek(0)
        return rendered

    def take(self, data: bytes, at: int, records: list[Record]) -> None:
        line = decode_any(data)
        kind, time, agent = line.get("type"), time_of(line.get("time")), fields.text(line, "agent")
        if kind in ("prompt", "result"):
            session = "" if agent else fields.text(line, "session")  # a sub-agent's own is none of the user's
            records.append(Context(at, time, agent, session, fields.text(line, "cwd"), "", ""))
        if kind == "prompt":
            text, source, name, parent = (fields.text(line, field) for field in ("text", "source", "id", "parent"))
            records.append(Prompt(at, time, agent, text, source, name, parent))
        elif kind == "reply":
            records.append(Reply(at, time, agent, fields.text(line, "text"), fields.text(line, "id")))
        elif kind == "usage":
            records.append(_usage(line, at, time, agent))
        elif kind == "call":
            tool = fields.text(line, "tool")
            done = action(tool, line.get("args"), fields.text(line, "cwd"))
            records.append(Call(at, time, agent, fields.text(line, "id"), tool, done))
        elif kind == "result":
            records.append(_result(line, at, time, agent))
        elif kind == "compaction":
            before = line.get("before")
            records.append(Compaction(at, time, agent, "auto", before if isinstance(before, int) else 0, 0))
            records.append(Summary(at, time, agent, fields.text(line, "text")))
        elif kind == "interruption":
            records.append(Interruption(at, time, agent))
        elif kind == "broken":
            length = line.get("length")
            records.append(
                Unreadable(at, time, agent, length if isinstance(length, int) else 0, fields.text(line, "why"))
            )

    def file_versions(self, line: bytes) -> Iterable[FileVersion]:
        file = object_of(line).get("file")
        path, content = file if isinstance(file, list) and len(file) == 2 else (None, None)
        if not isinstance(path, str) or not isinstance(content, str):
            return ()
        return (FileVersion(path, content.encode("utf-8", "replace")),)

    def injected(self, line: bytes) -> Iterable[str]:
        hooks = object_of(line).get("hooks")
        return [text for text in hooks if isinstance(text, str)] if isinstance(hooks, list) else ()

    def context_parts(self, line: bytes, at: int) -> Iterable[ContextPart]:
        fields_of = object_of(line)
        agent = fields.text(fields_of, "agent")
        if fields_of.get("type") == "call":
            sent = json.dumps(fields_of.get("args"), ensure_ascii=False)
            name = fields.text(fields_of, "tool")
            return (ContextPart(at, agent, "input", fields.text(fields_of, "id"), f"{name} {sent}"),)
        return [ContextPart(at, agent, "hook", "hook", text) for text in self.injected(line)]


def _usage(line: dict[str, Any], at: int, time: str, agent: str) -> Usage:
    """The client counts what came from the cache as input too, and thoughts beside the output."""
    found = line.get("tokens")
    tokens: dict[str, Any] = found if isinstance(found, dict) else {}
    counts = [tokens.get(name) for name in ("input", "output", "cached", "thoughts", "tool")]
    given, output, cached, thoughts, tool = (value if isinstance(value, int) else 0 for value in counts)
    fresh = max(0, given - cached) + tool
    name, model = fields.text(line, "id"), fields.text(line, "model")
    return Usage(at, time, agent, name, "", model, fresh, 0, min(cached, given), output + thoughts)


def _result(line: dict[str, Any], at: int, time: str, agent: str) -> Result:
    code, found = line.get("exit_code"), line.get("answers")
    pairs = [pair for pair in found if isinstance(pair, list) and len(pair) == 2] if isinstance(found, list) else []
    answers = tuple((str(question), str(answer)) for question, answer in pairs)
    outcome, text, reason = (fields.text(line, field) for field in ("outcome", "text", "reason"))
    exit_code = code if isinstance(code, int) else None
    return Result(at, time, agent, fields.text(line, "id"), outcome, exit_code, text, reason, answers, "")


READER: Final = GeminiReader()

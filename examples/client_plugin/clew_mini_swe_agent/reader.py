"""Reads trajectories of mini-SWE-agent: what `-o FILE` or a benchmark run leaves (`.traj.json`).

All messages of the run: the task between the template's words, the model's thoughts with the command to run, and what
the command gave back, as text (version 1) or as tool calls (version 2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from clew.clients import fields
from clew.clients.generic.chat.reader import role_of
from clew.clients.generic.document import id_of, json_of, moment_of, name_of, text_of
from clew.clients.generic.reading import DocumentReader, Entry
from clew.clients.lines import NotALine
from clew.core.records.transcript import Call, Context, Interruption, Model, Prompt, Record, Reply, Result, Run, Usage

# What the project writes around its messages, or in older files, which are a mere list of them, in the first ones.
_ABOUT: Final = re.compile(r'"(?:mini_version|trajectory_format)"\s*:\s*"|```mswea_bash_command|MINI_SWE_AGENT_FINAL')
_ACTION: Final = re.compile(r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n```", re.DOTALL)
_RETURNED: Final = re.compile(
    r"\s*<returncode>(\d{1,9})</returncode>\s*(?:<output>)?\n?(.*?)\n?(?:</output>|\Z)", re.DOTALL
)
_TASK: Final = re.compile(r"\{\{-?\s*task\s*-?\}\}")
_TEMPLATE: Final = re.compile(r"\{[{%#].*?[}%#]\}", re.DOTALL)
_AROUND_CHARS: Final = 80
_STOPPED: Final = "Interrupted by user"
_REFUSED: Final = "Command not executed. The user rejected your command with the following message:"
_COUNT_MAX: Final = 1 << 53


class MiniSweAgentReader(DocumentReader):
    """Implements `clew.clients.port.Reader`."""

    name = "mini-swe-agent"

    def recognises(self, head: bytes) -> bool:
        text = text_of(head).lstrip()
        return text.startswith(("{", "[")) and _ABOUT.search(text) is not None

    def entries(self, data: bytes, path: Path) -> Iterator[Entry]:  # noqa: ARG002
        try:
            value = json_of(text_of(data))
        except NotALine as problem:
            raise OSError(0, f"it is cut or damaged: {problem.why}") from problem
        messages = value.get("messages") if isinstance(value, dict) else value
        if not isinstance(messages, list):
            raise OSError(0, "it holds no messages")
        yield from _Run(value if isinstance(value, dict) else {}, messages).entries()


READER: Final = MiniSweAgentReader()


class _Run:
    """One run: its messages, the calls that wait for a result, and what is said of all."""

    def __init__(self, value: Mapping[str, Any], messages: list[Any]) -> None:
        info = fields.inner(value, "info")
        config = fields.inner(info, "config")
        self._template = fields.text(fields.inner(config, "agent"), "instance_template")
        kind, cwd = fields.text(config, "agent_type"), fields.text(fields.inner(config, "environment"), "cwd")
        self._attended = not kind or "interactive" in kind.lower()
        self._cwd = cwd if cwd.startswith("/") else ""
        self._model = fields.text(fields.inner(config, "model"), "model_name")
        self._status = fields.text(info, "exit_status")
        self._messages = messages
        self._waiting: list[str] = []
        self._told = False
        named = id_of(value.get("instance_id")) or id_of(info.get("instance_id"))
        spoken = (one for one in messages if role_of(one) in ("user", "assistant"))
        self._session = named or name_of(("", fields.text(one, "content").strip()) for one in spoken)

    def entries(self) -> Iterator[Entry]:
        """What stands at each message, by its number."""
        if self._model:
            yield 1, [Model(0, "", "", self._model)]
        for number, value in enumerate(self._messages, 1):
            if isinstance(value, dict):
                yield number, list(self._records(number, value))
        if self._status == "Submitted" and not self._waiting:  # a run that was stopped at a limit has not ended
            yield len(self._messages), [Reply(0, "", "", "The run ended: Submitted.", "")]

    def _records(self, number: int, value: Mapping[str, Any]) -> Iterator[Record]:
        extra, role, text = fields.inner(value, "extra"), role_of(value), fields.text(value, "content").strip()
        time = moment_of(extra.get("timestamp"))
        if value.get("role") == "exit":
            yield from self._result("", text, extra, time)
        elif role == "assistant":
            yield from self._answer(number, text, extra, time)
        elif role == "tool":
            yield from self._result(fields.text(value, "tool_call_id"), text, extra, time)
        elif role == "user":
            yield from self._heard(text, extra, time)

    def _context(self, time: str) -> Context:
        return Context(0, time, "", self._session, self._cwd, "", "", self._attended)

    def _heard(self, text: str, extra: Mapping[str, Any], time: str) -> Iterator[Record]:
        """What the model was told: the task, a result, or what a person or the program said to it."""
        if not self._told:
            self._told = True
            yield self._context(time)
            yield Prompt(0, time, "", _task(text, self._template), "typed", "", "")
        elif text.startswith(_STOPPED):
            self._waiting.clear()
            yield self._context(time)
            yield Interruption(0, time, "")
            if said := text.partition(":")[2].strip():
                yield Prompt(0, time, "", said, "typed", "", "")
        elif text.startswith(_REFUSED) and self._waiting:
            reason = text.removeprefix(_REFUSED).strip()
            yield self._context(time)
            yield Result(0, time, "", self._waiting.pop(0), "rejected", None, text, reason, (), "")
        elif "interrupt_type" not in extra:
            yield from self._result("", text, extra, time)

    def _answer(self, number: int, text: str, extra: Mapping[str, Any], time: str) -> Iterator[Record]:
        """What the model said, what it had run, and what it used."""
        blocks = _ACTION.findall(text)
        actions = extra.get("actions")
        told = [one for one in actions if isinstance(one, dict)] if isinstance(actions, list) else []
        commands = [(fields.text(one, "tool_call_id"), said) for one in told if (said := fields.text(one, "command"))]
        if not commands and len(blocks) == 1:  # more than one are refused
            commands = [("", blocks[0].strip())]
        if words := _ACTION.sub("", text).strip() if commands else text:
            yield Reply(0, time, "", words, "")
        self._waiting = [name or f"message {number}.{index}" for index, (name, _) in enumerate(commands)]
        for call, (_, command) in zip(self._waiting, commands, strict=True):
            yield Call(0, time, "", call, "bash", Run(command))
        response = fields.inner(extra, "response")
        used = fields.inner(response, "usage")
        read = _count(fields.inner(used, "prompt_tokens_details"), "cached_tokens")
        given, output = _count(used, "prompt_tokens"), _count(used, "completion_tokens")
        if given or output:
            name, model = fields.text(response, "id") or f"message {number}", fields.text(response, "model")
            yield Usage(0, time, "", name, "", model, max(0, given - read), 0, read, output)

    def _result(self, named: str, text: str, extra: Mapping[str, Any], time: str) -> Iterator[Record]:
        if not self._waiting:
            return
        call = named if named in self._waiting else self._waiting[0]
        self._waiting.remove(call)
        told, code = _RETURNED.match(text), extra.get("returncode")
        if isinstance(code, int) and not isinstance(code, bool):
            shown = fields.text(extra, "raw_output")
        else:
            code, shown = (int(told[1]), told[2]) if told else (None, text)
        yield self._context(time)
        yield Result(0, time, "", call, "error" if code else "ok", code, shown, "", (), "")


def _task(text: str, template: str) -> str:
    """The task, without the words that the template of the run has around it."""
    place = _TASK.search(template)
    if place is None:
        return text
    before = _TEMPLATE.split(template[: place.start()])[-1][-_AROUND_CHARS:].lstrip()
    behind = _TEMPLATE.split(template[place.end() :])[0][:_AROUND_CHARS].rstrip()
    start = text.find(before)
    end = text.find(behind, start + len(before)) if behind else len(text)
    return text[start + len(before) : end].strip() if 0 <= start < end else text


def _count(value: Mapping[str, Any], name: str) -> int:
    found = value.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 < found < _COUNT_MAX else 0

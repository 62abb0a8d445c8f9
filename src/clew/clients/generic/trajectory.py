"""Trajectories of mini-SWE-agent: what `-o FILE` or a benchmark run leaves (`.traj.json`).

All messages of the run: the task between the template's words, the model's thoughts with the command to run, and what
the command gave back, as text (version 1) or as tool calls (version 2). Older files are the bare list of messages.
Format: docs/clients/generic.md, from the project's own source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from clew.clients.generic.document import beginning_of, json_of, text_of
from clew.clients.generic.messages import Message, id_of, message_of, name_of, role_of
from clew.clients.generic.moments import moment_of
from clew.clients.generic.rendering import Entry
from clew.clients.generic.results import Outcome, outcome, returned
from clew.clients.lines import NotALine
from clew.core.records import Call, Context, Interruption, Model, Prompt, Record, Reply, Result, Run, Usage

_FORMAT: Final = "mini-swe-agent"
_TOLD: Final = ("mini_version", "exit_status", "model_stats")
_ENDS: Final = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
_MARKS: Final = ("mswea_bash_command", *_ENDS)
_ACTION: Final = re.compile(r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n```", re.DOTALL)
_TASK: Final = re.compile(r"\{\{-?\s*task\s*-?\}\}")
_TEMPLATE: Final = re.compile(r"\{[{%#].*?[}%#]\}", re.DOTALL)
# What the project's own templates put before and behind the task.
_AROUND: Final = (
    ("Please solve this issue: ", "\n\nYou can execute bash commands"),
    ("Consider the following PR description:\n", "\n</pr_description>"),
    ("Your task: ", ". Please reply with a single shell command"),
)
_AROUND_CHARS: Final = 80
_STOPPED: Final = "Interrupted by user"
_REFUSED: Final = "Command not executed. The user rejected your command with the following message:"
_COUNT_MAX: Final = 1 << 53


def recognises(head: bytes) -> bool:
    """Whether a file that begins with `head` is a trajectory."""
    text = text_of(head).lstrip()
    if not text.startswith(("{", "[")):
        return False
    value, is_whole = beginning_of(text)
    if isinstance(value, dict):
        info, form = value.get("info"), value.get("trajectory_format")
        messages = value.get("messages")
        if isinstance(form, str) and form.startswith(_FORMAT):
            return True
        is_told = isinstance(info, dict) and any(name in info for name in _TOLD)
        return is_told and (isinstance(messages, list) or (not is_whole and messages is None))
    if isinstance(value, list) and value and all(role_of(one) for one in value):
        return any(mark in str(one.get("content")) for one in value[:2] for mark in _MARKS)
    return False


def entries(data: bytes, path: Path) -> Iterator[Entry]:  # noqa: ARG001
    """What stands in the document `data`. Raises `OSError` if no trajectory does."""
    try:
        value = json_of(text_of(data))
    except NotALine as problem:
        raise OSError(0, f"it is cut or damaged: {problem.why}") from problem
    messages = value if isinstance(value, list) else value.get("messages") if isinstance(value, dict) else None
    if not isinstance(messages, list):
        raise OSError(0, "it holds no messages")
    yield from _Run(value if isinstance(value, dict) else {}, messages).entries()


class _Run:
    """One run: its messages, the calls that wait for a result, and what is said of all."""

    def __init__(self, value: Mapping[str, Any], messages: list[Any]) -> None:
        info = _within(value, "info")
        config = _within(info, "config")
        self._template = _within(config, "agent").get("instance_template")
        kind, cwd = config.get("agent_type"), _within(config, "environment").get("cwd")
        self._attended = not isinstance(kind, str) or "interactive" in kind.lower()
        self._cwd = cwd if isinstance(cwd, str) and cwd.startswith("/") else ""
        self._model = _within(config, "model").get("model_name")
        self._messages = messages
        self._waiting: list[str] = []
        self._told = False
        self._ended = False
        self._status = _string(info, "exit_status")
        named = id_of(value.get("instance_id")) or id_of(info.get("instance_id"))
        self._session = named or name_of([found for one in messages if (found := message_of(one))])

    def entries(self) -> Iterator[Entry]:
        """What stands at each message, by its number."""
        if isinstance(self._model, str) and self._model:
            yield 1, [Model(0, "", "", self._model)]
        for number, value in enumerate(self._messages, 1):
            if isinstance(value, dict):
                yield number, list(self._records(number, value))
        if self._is_submitted() and not self._waiting:
            yield len(self._messages), [Reply(0, "", "", "The run ended: Submitted.", "")]

    def _is_submitted(self) -> bool:
        """Whether the agent said that it is done; a run that was stopped at a limit is not."""
        last = self._messages[-1] if self._messages else None
        status = _string(_within(last, "extra"), "exit_status") or self._status
        return status == "Submitted" if status else self._ended

    def _records(self, number: int, value: Mapping[str, Any]) -> Iterator[Record]:
        extra = _within(value, "extra")
        time = moment_of(extra.get("timestamp"))
        message = message_of(value)
        if value.get("object") == "response" or (message is not None and message.role == "assistant"):
            yield from self._answer(number, value, message, extra, time)
        elif value.get("type") == "function_call_output" or value.get("role") == "exit":
            text = value.get("output", value.get("content"))
            yield from self._result(value, extra, text if isinstance(text, str) else "", time)
        elif message is not None and message.role == "tool":
            yield from self._result(value, extra, message.gave[0].text, time)
        elif message is not None and message.role == "user":
            yield from self._heard(value, message.text, extra, time)

    def _context(self, time: str) -> Context:
        return Context(0, time, "", self._session, self._cwd, "", "", self._attended)

    def _heard(self, value: Mapping[str, Any], text: str, extra: Mapping[str, Any], time: str) -> Iterator[Record]:
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
        elif "interrupt_type" not in extra and self._waiting:
            yield from self._result(value, extra, text, time)

    def _answer(
        self, number: int, value: Mapping[str, Any], message: Message | None, extra: Mapping[str, Any], time: str
    ) -> Iterator[Record]:
        """What the model said, what it had run, and what it used."""
        text = message.text if message is not None else _output_text(value)
        blocks = _ACTION.findall(text)
        actions = extra.get("actions")
        told = [one for one in actions if isinstance(one, dict)] if isinstance(actions, list) else []
        commands = [
            (_string(one, "tool_call_id"), command) for one in told if (command := _string(one, "command", "action"))
        ]
        if not commands and message is not None:
            commands = [(used.id, command) for used in message.used if (command := _string(used.given, "command"))]
        if not commands and len(blocks) == 1:  # more than one are refused
            commands = [("", blocks[0].strip())]
        if said := _ACTION.sub("", text).strip() if blocks and commands else text:
            yield Reply(0, time, "", said, "")
        self._waiting = []
        for index, (name, command) in enumerate(commands):
            call = name or f"message {number}.{index}"
            self._waiting.append(call)
            self._ended = any(mark in command for mark in _ENDS)
            yield Call(0, time, "", call, "bash", Run(command))
        response = extra.get("response", value if value.get("object") == "response" else None)
        yield from _usage(response, number, time)

    def _result(self, value: Mapping[str, Any], extra: Mapping[str, Any], text: str, time: str) -> Iterator[Record]:
        named = _string(value, "tool_call_id", "call_id")
        if not named and not self._waiting:
            return
        call = named if named in self._waiting or not self._waiting else self._waiting[0]
        if call in self._waiting:
            self._waiting.remove(call)
        found = _outcome(extra, text)
        yield self._context(time)
        yield Result(0, time, "", call, *found)


def _outcome(extra: Mapping[str, Any], text: str) -> Outcome:
    code, raw = extra.get("returncode"), extra.get("raw_output")
    if isinstance(code, int) and not isinstance(code, bool):
        failed = extra.get("exception_info")
        shown = raw if isinstance(raw, str) else text
        shown = f"{failed}\n{shown}" if isinstance(failed, str) and failed else shown
        return Outcome("error" if code else "ok", code, shown)
    return returned(text) or outcome(text)


def _task(text: str, template: Any) -> str:
    """The task, without the words that the template has around it."""
    around = list(_AROUND)
    if isinstance(template, str) and (spot := _TASK.search(template)):
        before = _TEMPLATE.split(template[: spot.start()])[-1][-_AROUND_CHARS:]
        behind = _TEMPLATE.split(template[spot.end() :])[0][:_AROUND_CHARS]
        around.insert(0, (before.lstrip(), behind.rstrip()))
    for before, behind in around:
        start = text.find(before)
        end = text.find(behind, start + len(before)) if behind else len(text)
        if start >= 0 and end > start:
            return text[start + len(before) : end].strip()
    return text


def _usage(response: Any, number: int, time: str) -> Iterator[Record]:
    used = _within(response, "usage") if isinstance(response, dict) else {}
    given, output = (
        _count(used, *names) for names in (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"))
    )
    if not given and not output:
        return
    details = used.get("prompt_tokens_details", used.get("input_tokens_details"))
    read = _count(used, "cache_read_input_tokens") or _count(
        details if isinstance(details, dict) else {}, "cached_tokens"
    )
    written = _count(used, "cache_creation_input_tokens")
    fresh = max(0, given - read - written)
    name = _string(response, "id") or f"message {number}"
    yield Usage(0, time, "", name, "", _string(response, "model"), fresh, written, read, output)


def _output_text(value: Mapping[str, Any]) -> str:
    """The prose of a response of the Responses API."""
    output = value.get("output")
    parts = [found.text for one in output if (found := message_of(one))] if isinstance(output, list) else []
    return "\n".join(filter(None, parts))


def _within(value: Any, name: str) -> Mapping[str, Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _string(value: Mapping[str, Any], *names: str) -> str:
    return next((found for name in names if isinstance(found := value.get(name), str) and found), "")


def _count(value: Mapping[str, Any], *names: str) -> int:
    return next(
        (
            found
            for name in names
            if isinstance(found := value.get(name), int) and not isinstance(found, bool) and 0 < found < _COUNT_MAX
        ),
        0,
    )

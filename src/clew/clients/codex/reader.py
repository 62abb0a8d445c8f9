"""Bytes of a Codex rollout to neutral records. Remembers nothing between lines.

Every record is made from one line alone, which is what makes reading in pieces the same as reading at once. The client
writes most things twice, as an item of the conversation with the model and as an event for people. Of each kind one
is read: what the user typed from events (items hold the client's own blocks beside it), what the model said and called,
and what came back, from items. Only what a script of the model called has none: that is read from the events of its
end, whose ids tell them from all others. Format: docs/clients/codex.md, seen in versions 0.40.0 to 0.169.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from clew.clients.codex.calls import actions, changes, command_actions, custom_actions, detail, local, shell_actions
from clew.clients.codex.paths import NO_SESSION
from clew.clients.codex.prompts import escaped, summarised, typed
from clew.clients.codex.results import Outcome, answered, ended, outcome
from clew.clients.codex.wire import Item, Line, Payload, Piece, Tokens, decode
from clew.clients.lines import NotALine, decode_any, read_last, read_lines, time_of
from clew.core.records import (
    Action,
    Batch,
    Call,
    Compaction,
    Context,
    FileVersion,
    Interruption,
    Model,
    Other,
    Plan,
    Prompt,
    Read,
    Record,
    Reply,
    Result,
    Summary,
    Unreadable,
    Usage,
)

_COUNT_MAX: Final = 1 << 53
# A command that ran this long may have outlived its call's answer: the event of its end tells how it ended.
_LONG_S: Final = 1
# So begins the id of a call that a script made.
_SCRIPTED: Final = "exec-"
_COMMAND: Final = "CommandExecution"
_CHANGE: Final = "FileChange"
_LIKE: Final = ("session_meta", "response_item", "event_msg", "turn_context", "compacted", "token_usage_record")
# As the client begins such a line; what begins otherwise is decoded like any other.
_REASONING: Final = b'"payload":{"type":"reasoning"'
_MARK_BYTES: Final = 160
_LINES_LOOKED_AT: Final = 50
_TEXTS: Final = frozenset(("text", "Text", "input_text", "output_text"))
_IMAGES: Final = frozenset(("image", "local_image", "input_image"))
_HOOKS: Final = "hooks.additional_context"


class CodexReader:
    """Implements `clew.clients.port.Reader`."""

    name = "codex"
    grows = True

    def open(self, path: Path) -> BinaryIO:
        return path.open("rb")

    def recognises(self, head: bytes) -> bool:
        lines = head.split(b"\n")
        for data in lines[:_LINES_LOOKED_AT]:
            try:
                line = decode_any(data)
            except NotALine:
                continue
            if line.get("type") in _LIKE:
                return isinstance(line.get("payload"), dict)
        # No whole line told: perhaps one that is longer than the head, of which only the names of fields can be seen.
        return all(mark in lines[-1][:1000] for mark in (b'"timestamp"', b'"session_meta"', b'"payload"', b'"id"'))

    def read(self, chunk: bytes, *, offset: int) -> Batch:
        return read_lines(chunk, offset, _read_line)

    def final(self, line: bytes, *, offset: int) -> Batch:
        return read_last(line, offset, _read_line)

    def file_versions(self, line: bytes) -> Iterable[FileVersion]:  # noqa: ARG002
        return ()  # what commands print may be cut, and the answer to a patch does not hold the file

    def attended(self, head: bytes) -> bool:
        for data in head.split(b"\n")[:_LINES_LOOKED_AT]:
            try:
                line = decode(data)
            except NotALine:
                continue
            if line.type == "session_meta" and line.payload is not None:
                return _is_attended(line.payload)
        return True

    def injected(self, line: bytes) -> Iterable[str]:
        try:
            payload = decode_any(line).get("payload")
        except NotALine:
            return ()
        if not isinstance(payload, dict) or payload.get("role") != "developer":
            return ()
        return list(_of_hooks(payload))


def _of_hooks(payload: dict[str, Any]) -> Iterator[str]:
    """Texts of a developer message that came from hooks; of versions that do not say whose they are, all."""
    content, told = payload.get("content"), payload.get("internal_chat_message_metadata_passthrough")
    kinds = told.get("content_item_kinds") if isinstance(told, dict) else None
    for number, piece in enumerate(content if isinstance(content, list) else ()):
        text = piece.get("text") if isinstance(piece, dict) else None
        kind = kinds[number] if isinstance(kinds, list) and number < len(kinds) else _HOOKS
        if isinstance(text, str) and kind == _HOOKS:
            yield text


def _read_line(data: bytes, at: int, records: list[Record]) -> None:
    if data.find(_REASONING, 0, _MARK_BYTES) >= 0:
        return  # a fifth of all bytes is encrypted reasoning
    try:
        line = decode(data)
    except NotALine as problem:
        if data.strip():
            records.append(Unreadable(at, "", "", len(data), problem.why))
        return
    payload = line.payload
    if payload is None:
        return
    known = _KINDS.get(line.type)
    handle = known.get(payload.type) if known is not None else _LINES.get(line.type)
    if handle is not None:
        time = line.timestamp or ""
        handle(line, payload, at, time_of(time), records)


def _meta(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    if at:  # one further on was copied from the session that this one is a fork of
        return
    branch = payload.git.branch if payload.git is not None else None
    session, cwd, version = payload.id or "", payload.cwd or "", payload.cli_version or ""
    records.append(Context(at, time, "", session, cwd, branch or "", version, _is_attended(payload)))


def _turn(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    if payload.model:
        records.append(Model(at, time, "", payload.model))


def _compacted(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    records.append(Compaction(at, time, "", "auto", 0, 0))
    if summary := summarised(payload.message or ""):
        records.append(Summary(at, time, "", summary))


def _is_attended(meta: Payload) -> bool:
    """Whether a person gives the prompts of a session with this `session_meta`."""
    source = meta.source
    if meta.parent_thread_id or (isinstance(source, dict) and not source.keys().isdisjoint(NO_SESSION)):
        return False
    return source not in ("exec", "mcp") and meta.originator != "codex_exec"


def _function(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    _calls(payload, actions(payload.name or "", payload.arguments or ""), at, time, records)


def _custom(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    _calls(payload, custom_actions(payload.name or "", payload.input or ""), at, time, records)


def _shell(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    _calls(payload, shell_actions(payload.action), at, time, records)


def _web_search(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    _calls(payload, (Other(detail(payload.action)),), at, time, records)


def _output(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    _result(payload.call_id, outcome(payload.output), at, time, records)


def _message(line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    if payload.role == "user":
        if (pieces := payload.content) and (command := escaped(pieces[0].text or "")):
            records.append(Prompt(at, time, "", command, "command", payload.id or "", ""))
        return
    if payload.role != "assistant" or (line.metadata is not None and line.metadata.compaction_output):
        return
    text = _joined(payload.content).strip()
    if text:
        records.append(Reply(at, time, "", text, payload.id or ""))


def _joined(content: list[Piece] | None) -> str:
    return "\n".join(piece.text for piece in content or () if piece.text and piece.type in _TEXTS)


def _calls(payload: Payload, meant: tuple[Action, ...], at: int, time: str, records: list[Record]) -> None:
    name = payload.name or payload.type.removesuffix("_call")
    tool = f"{payload.namespace}__{name}" if payload.namespace else name
    call = payload.call_id or payload.id or ""
    for action in meant:
        records.append(Call(at, time, "", call, tool, action))


def _result(call: str | None, said: Outcome, at: int, time: str, records: list[Record]) -> None:
    if call and said.outcome != "running":
        records.append(Result(at, time, "", call, said.outcome, said.exit_code, said.text, "", said.answers, ""))


def _scripted(kind: str, call: str, told: Item | Payload, at: int, time: str, records: list[Record]) -> None:
    """A call that a script made, with its result: both from the event of its end.

    A command with an exit code below 0 is left out: the client stopped it when it left, after the last words.
    """
    if told.exit_code is not None and told.exit_code < 0:
        return
    meant: tuple[Action, ...] = ()
    tool, said = "", ended(told.exit_code, told.aggregated_output, told.status)
    if kind == _COMMAND:
        tool, meant = "exec_command", command_actions(told.command, told.cwd or "")
    elif kind == _CHANGE:
        tool, meant, said = "apply_patch", changes(told.changes), said._replace(text=told.stdout or told.stderr or "")
    elif isinstance(told, Item) and kind == "McpToolCall":
        tool, meant = f"mcp__{told.server}__{told.tool}", (Other(detail(told.arguments)),)
        said = said._replace(text=answered(told.result, told.error))
    elif isinstance(told, Item) and kind == "ImageView":
        tool, meant = "view_image", (Read(local(told.path or ""), 0, 0),)
    for action in meant:
        records.append(Call(at, time, "", call, tool, action))
    if meant:
        _result(call, said, at, time, records)


def _task_started(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    """Who gives the prompt of this turn: a session can be gone on with in another way than it began."""
    begun = payload.turn_attribution
    if begun is not None and begun.turn_trigger in ("exec", "user"):
        records.append(Context(at, time, "", "", "", "", "", begun.turn_trigger != "exec"))


def _user_message(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    if payload.kind in (None, "plain"):
        images = len(payload.images or ()) + len(payload.local_images or ())
        _prompt(typed(payload.message or "", images), "", at, time, records)


def _command_end(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    _ended(_COMMAND, payload.call_id or "", payload, at, time, records)


def _patch_end(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    _ended(_CHANGE, payload.call_id or "", payload, at, time, records)


def _ended(kind: str, call: str, told: Item | Payload, at: int, time: str, records: list[Record]) -> None:
    if call.startswith(_SCRIPTED):
        _scripted(kind, call, told, at, time, records)
    elif kind == _COMMAND and _is_long(told.duration):
        _result(call, ended(told.exit_code, told.aggregated_output), at, time, records)


def _turn_aborted(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    if payload.reason in (None, "interrupted"):
        records.append(Interruption(at, time, ""))


def _completed(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    item = payload.item
    if item is None:
        return
    if item.type == "UserMessage":
        images = sum(piece.type in _IMAGES for piece in item.content or ())
        _prompt(typed(_joined(item.content), images), item.id or "", at, time, records)
    elif item.type == "Plan" and item.text:
        records.append(Call(at, time, "", item.id or "", "plan", Plan(item.text)))
    else:
        _ended(item.type, item.id or "", item, at, time, records)


def _prompt(text: str, uid: str, at: int, time: str, records: list[Record]) -> None:
    if text:
        records.append(Prompt(at, time, "", text, "typed", uid, ""))


def _is_long(duration: Any) -> bool:
    seconds = duration.get("secs") if isinstance(duration, dict) else 0
    return isinstance(seconds, int) and seconds >= _LONG_S


def _token_count(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    if payload.info is not None:
        _usage(payload.info.total_token_usage, payload.info.last_token_usage, at, time, records)


def _token_usage(_line: Line, payload: Payload, at: int, time: str, records: list[Record]) -> None:
    _usage(payload.thread_token_usage, payload.usage, at, time, records)


def _usage(total: Tokens | None, last: Tokens | None, at: int, time: str, records: list[Record]) -> None:
    """What the last response used. A response is told of again and again, so its name is what all of them used up to
    it, which grows with every response. After a compaction `last` is an estimate of the context, of no response.
    """
    if total is None or last is None:
        return
    given, cached, output = _count(last.input_tokens), _count(last.cached_input_tokens), _count(last.output_tokens)
    if not given + output:
        return
    written = _count(last.cache_write_input_tokens)
    name = f"{total.input_tokens}/{total.cached_input_tokens}/{total.output_tokens}/{total.reasoning_output_tokens}"
    records.append(Usage(at, time, "", name, "", "", max(0, given - cached - written), written, cached, output))


def _count(value: int | None) -> int:
    return value if value and 0 < value < _COUNT_MAX else 0


_Handler: TypeAlias = Callable[[Line, Payload, int, str, list[Record]], None]
_LINES: Final[dict[str, _Handler]] = {
    "session_meta": _meta,
    "turn_context": _turn,
    "compacted": _compacted,
    "token_usage_record": _token_usage,
}
_KINDS: Final[dict[str, dict[str, _Handler]]] = {
    "response_item": {
        "message": _message,
        "function_call": _function,
        "function_call_output": _output,
        "custom_tool_call": _custom,
        "custom_tool_call_output": _output,
        "local_shell_call": _shell,
        "web_search_call": _web_search,
    },
    "event_msg": {
        "token_count": _token_count,
        "task_started": _task_started,
        "user_message": _user_message,
        "item_completed": _completed,
        "exec_command_end": _command_end,
        "patch_apply_end": _patch_end,
        "turn_aborted": _turn_aborted,
    },
}

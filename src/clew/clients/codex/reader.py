"""Bytes of a Codex rollout to neutral records. Remembers nothing between lines.

Every record is made from one line alone, which is what makes reading in pieces the same as reading at once. The client
writes most things twice, as an item of the conversation with the model and as an event for people. Of each kind one
is read: what the user typed from events (items hold the client's own blocks beside it), what the model said and called,
and what came back, from items. Only what a script of the model called has none: that is read from the events of its
end, whose ids tell them from all others. Format: docs/clients/codex.md, seen in versions 0.40.0 to 0.169.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from clew.clients.codex.calls import (
    actions,
    changes,
    command_actions,
    custom_actions,
    local,
    script_of,
    scripted_actions,
    scripted_id,
    shell_actions,
)
from clew.clients.codex.context import context_parts
from clew.clients.codex.paths import NO_SESSION
from clew.clients.codex.results import SPAWNED, UNFIT, answered, ended, outcome, printed
from clew.clients.codex.usage import read_usage, usage_of
from clew.clients.codex.wire import (
    CommandEnd,
    CompactedItem,
    CompletedItem,
    ContentPiece,
    CustomToolCall,
    CustomToolCallOutput,
    FunctionCall,
    FunctionCallOutput,
    Info,
    ItemCompleted,
    Line,
    LocalShellCall,
    PatchEnd,
    ResponseItem,
    ResponseMessage,
    RolloutSession,
    SessionMeta,
    TaskStarted,
    ThreadRolledBack,
    TokenCount,
    Turn,
    TurnAborted,
    UsageRecord,
    UserMessage,
    WebSearchCall,
    decode,
)
from clew.clients.fields import detail
from clew.clients.lines import LineReader, NotALine, decode_any, object_of, time_of
from clew.clients.tools import CallOutcome
from clew.core.records.context_parts import ContextPart
from clew.core.records.transcript import (
    Action,
    Batch,
    Call,
    Compaction,
    Context,
    Interruption,
    Lineage,
    Model,
    Other,
    Plan,
    Prompt,
    Read,
    Record,
    Reply,
    Rollback,
    Running,
    Spawned,
    Summary,
)

# The editor's extension writes the open files before the prompt, and this line between.
_EDITOR: Final = "# Context from my IDE setup:"
_REQUEST: Final = "## My request for Codex:"
_SHELL: Final = "<user_shell_command>"
_SUMMARY_LEAD: Final = "Another language model started to solve this problem and produced a summary"
_SUMMARY_BEGINS: Final = "to assist with your own analysis:"
_SUMMARY_LEAD_CHARS_MAX: Final = 1000


def typed(text: str, images: int = 0) -> str:
    """What was typed, with a mark for each image beside it; "" if nothing was."""
    if text.startswith(_EDITOR):
        text = text.partition(_REQUEST)[2]
    return "\n".join(["[image]"] * images + [text.strip()]).strip()


def escaped(text: str) -> str:
    """The command that the user ran with "!" as `! command`; "" if `text` records none."""
    if not text.startswith(_SHELL):
        return ""
    command = text.partition("<command>")[2].partition("</command>")[0].strip()
    return f"! {command}" if command else ""


def summarised(text: str) -> str:
    """The summary without the client's words before it, which are for the next model."""
    if text.startswith(_SUMMARY_LEAD):
        before, found, after = text.partition(_SUMMARY_BEGINS)
        if found and len(before) < _SUMMARY_LEAD_CHARS_MAX:
            return after.strip()
    return text.strip()


# A command that ran this long may have outlived its call's answer: the event of its end tells how it ended.
_LONG_S: Final = 1
# So begins the id of a call that a script made.
_SCRIPTED: Final = "exec-"
_TURNS_MAX: Final = 1_000_000
_LIKE: Final = ("session_meta", "response_item", "event_msg", "turn_context", "compacted", "token_usage_record")
_LINES_LOOKED_AT: Final = 50
_TEXTS: Final = frozenset(("text", "Text", "input_text", "output_text"))
_IMAGES: Final = frozenset(("image", "local_image", "input_image"))
_HOOKS: Final = "hooks.additional_context"


class CodexReader(LineReader):
    """Implements `clew.clients.port.Reader`. It knows no file versions: what commands print may be cut, and the answer
    to a patch does not hold the file.
    """

    name = "codex"

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

    def take(self, data: bytes, at: int, records: list[Record]) -> None:
        line = decode(data)
        if line is not None and (handle := _HANDLERS.get(type(line.payload))) is not None:
            handle(line, line.payload, at, time_of(line.timestamp), records)

    def read_usage(self, chunk: bytes, *, offset: int) -> Batch:
        return read_usage(chunk, offset, self.read)

    def attended(self, head: bytes) -> bool:
        for data in head.split(b"\n")[:_LINES_LOOKED_AT]:
            try:
                line = decode(data)
            except NotALine:
                continue
            if isinstance(line, SessionMeta) and line.payload is not None:
                return _is_attended(line.payload)
        return True

    def injected(self, line: bytes) -> Iterable[str]:
        payload = object_of(line).get("payload")
        if not isinstance(payload, dict) or payload.get("role") != "developer":
            return ()
        return list(_of_hooks(payload))

    def context_parts(self, line: bytes, at: int) -> Iterable[ContextPart]:
        return context_parts(line, at)


def _of_hooks(payload: dict[str, Any]) -> Iterator[str]:
    """Texts of a developer message that came from hooks; of versions that do not say whose they are, all."""
    content, told = payload.get("content"), payload.get("internal_chat_message_metadata_passthrough")
    kinds = told.get("content_item_kinds") if isinstance(told, dict) else None
    for number, piece in enumerate(content if isinstance(content, list) else ()):
        text = piece.get("text") if isinstance(piece, dict) else None
        kind = kinds[number] if isinstance(kinds, list) and number < len(kinds) else _HOOKS
        if isinstance(text, str) and kind == _HOOKS:
            yield text


def _meta(_line: Line, payload: RolloutSession, at: int, time: str, records: list[Record]) -> None:
    if at:  # one further on was copied from the session that this one is a fork of, and so was what follows
        records.append(Lineage(at, time, "", payload.id or ""))
        return
    branch = payload.git.branch if payload.git is not None else None
    session, cwd, version = payload.id or "", payload.cwd or "", payload.cli_version or ""
    records.append(Context(at, time, "", session, cwd, branch or "", version, _is_attended(payload)))
    records.append(Lineage(at, time, "", payload.forked_from_id or session))


def _is_attended(meta: RolloutSession) -> bool:
    """Whether a person gives the prompts of a session with this `session_meta`."""
    source = meta.source
    if meta.parent_thread_id or (isinstance(source, dict) and not source.keys().isdisjoint(NO_SESSION)):
        return False
    return source not in ("exec", "mcp") and meta.originator != "codex_exec"


def _turn(_line: Line, payload: Turn, at: int, time: str, records: list[Record]) -> None:
    if payload.model:
        records.append(Model(at, time, "", payload.model))


def _compacted(_line: Line, payload: CompactedItem, at: int, time: str, records: list[Record]) -> None:
    records.append(Compaction(at, time, "", "auto", 0, 0))
    if summary := summarised(payload.message or ""):
        records.append(Summary(at, time, "", summary))


def _message(line: ResponseItem, payload: ResponseMessage, at: int, time: str, records: list[Record]) -> None:
    if payload.role == "user":
        if (pieces := payload.content) and (command := escaped(pieces[0].text or "")):
            records.append(Prompt(at, time, "", command, "command", payload.id or "", ""))
        return
    if payload.role != "assistant" or (line.metadata is not None and line.metadata.compaction_output):
        return
    text = _joined(payload.content).strip()
    if text:
        records.append(Reply(at, time, "", text, payload.id or ""))


def _joined(content: list[ContentPiece] | None) -> str:
    return "\n".join([piece.text for piece in content or () if piece.text and piece.type in _TEXTS])


def _function(line: ResponseItem, payload: FunctionCall, at: int, time: str, records: list[Record]) -> None:
    name, call = payload.name or "", payload.call_id or payload.id or ""
    _script(line, call, script_of(name, payload.arguments or ""), at, time, records)
    for action in actions(name, payload.arguments or ""):
        records.append(Call(at, time, "", call, _tool(payload.namespace, name or "function"), action))


def _custom(line: ResponseItem, payload: CustomToolCall, at: int, time: str, records: list[Record]) -> None:
    name, call = payload.name or "", payload.call_id or payload.id or ""
    _script(line, call, script_of(name, payload.input or ""), at, time, records)
    for action in custom_actions(name, payload.input or ""):
        records.append(Call(at, time, "", call, _tool(payload.namespace, name or "custom_tool"), action))


def _script(line: ResponseItem, call: str, script: str, at: int, time: str, records: list[Record]) -> None:
    """What a script calls that no event tells of."""
    if script:
        for name, tool, action in scripted_actions(call, script, is_told=line.ordinal is not None):
            records.append(Call(at, time, "", name, tool, action))


def _tool(namespace: str | None, name: str) -> str:
    return f"{namespace}__{name}" if namespace else name


def _shell(_line: Line, payload: LocalShellCall, at: int, time: str, records: list[Record]) -> None:
    call = payload.call_id or payload.id or ""
    for action in shell_actions(payload.action):
        records.append(Call(at, time, "", call, "local_shell", action))


def _web_search(_line: Line, payload: WebSearchCall, at: int, time: str, records: list[Record]) -> None:
    call = payload.call_id or payload.id or ""
    records.append(Call(at, time, "", call, "web_search", Other(detail(payload.action))))


def _output(
    line: ResponseItem, payload: FunctionCallOutput | CustomToolCallOutput, at: int, time: str, records: list[Record]
) -> None:
    """With the results of a script's commands, if it printed them: one that is told without its exit code has none."""
    said = outcome(payload.output)
    told = printed(payload.output) if line.ordinal is None else None
    if told is not None and UNFIT in said.text:
        said = said._replace(outcome="error")
    call = payload.call_id or ""
    _result(call, said, at, time, records)
    for number, one in enumerate(told or ()):
        _result(call and scripted_id(call, number, len(told or ())), one, at, time, records)
    if isinstance(payload.output, str) and payload.output.startswith(SPAWNED):
        records.append(Spawned(at, time, "", call))


def _result(call: str | None, said: CallOutcome, at: int, time: str, records: list[Record]) -> None:
    if call and said.process:
        records.append(Running(at, time, "", call, said.process, said.text))
    elif call and said.outcome != "running":
        records.append(said.record(at, time, "", call))


def _completed(_line: Line, payload: ItemCompleted, at: int, time: str, records: list[Record]) -> None:
    item = payload.item
    if item is None:
        return
    uid = item.id or ""
    if item.type == "UserMessage":
        images = sum(piece.type in _IMAGES for piece in item.content or ())
        _prompt(typed(_joined(item.content), images), uid, at, time, records)
    elif item.type == "Plan" and item.text:
        records.append(Call(at, time, "", uid, "plan", Plan(item.text)))
    elif (handle := _ITEMS.get(item.type)) is not None:
        handle(uid, item, at, time, records)


def _command(call: str, told: CompletedItem | CommandEnd, at: int, time: str, records: list[Record]) -> None:
    """One with an exit code below 0 is left out: the client stopped it when it left, after the last words."""
    code, text = told.exit_code, told.aggregated_output
    if not call.startswith(_SCRIPTED):
        if _is_long(told.duration):
            _result(call, ended(code, text), at, time, records)
    elif code is None or code >= 0:
        meant = command_actions(told.command, told.cwd or "")
        _scripted(call, "exec_command", meant, ended(code, text, told.status), at, time, records)


def _change(call: str, told: CompletedItem | PatchEnd, at: int, time: str, records: list[Record]) -> None:
    if call.startswith(_SCRIPTED):
        said = ended(None, told.stdout or told.stderr, told.status)
        _scripted(call, "apply_patch", changes(told.changes), said, at, time, records)


def _served(call: str, told: CompletedItem, at: int, time: str, records: list[Record]) -> None:
    if call.startswith(_SCRIPTED):
        said = ended(None, answered(told.result, told.error), told.status)
        meant = (Other(detail(told.arguments)),)
        _scripted(call, f"mcp__{told.server}__{told.tool}", meant, said, at, time, records)


def _viewed(call: str, told: CompletedItem, at: int, time: str, records: list[Record]) -> None:
    if call.startswith(_SCRIPTED):
        meant = (Read(local(told.path or ""), 0, 0),)
        _scripted(call, "view_image", meant, ended(None, "", told.status), at, time, records)


def _scripted(
    call: str, tool: str, meant: tuple[Action, ...], said: CallOutcome, at: int, time: str, records: list[Record]
) -> None:
    """A call that a script made, with its result: both from the event of its end."""
    for action in meant:
        records.append(Call(at, time, "", call, tool, action))
    if meant:
        _result(call, said, at, time, records)


def _task_started(_line: Line, payload: TaskStarted, at: int, time: str, records: list[Record]) -> None:
    """Who gives the prompt of this turn: a session can be gone on with in another way than it began."""
    begun = payload.turn_attribution
    if begun is not None and begun.turn_trigger in ("exec", "user"):
        records.append(Context(at, time, "", "", "", "", "", begun.turn_trigger != "exec"))


def _user_message(_line: Line, payload: UserMessage, at: int, time: str, records: list[Record]) -> None:
    if payload.kind in (None, "plain"):
        images = len(payload.images or ()) + len(payload.local_images or ())
        _prompt(typed(payload.message or "", images), "", at, time, records)


def _turn_aborted(_line: Line, payload: TurnAborted, at: int, time: str, records: list[Record]) -> None:
    if payload.reason in (None, "interrupted"):
        records.append(Interruption(at, time, ""))


def _rolled_back(_line: Line, payload: ThreadRolledBack, at: int, time: str, records: list[Record]) -> None:
    if payload.num_turns is not None and 0 < payload.num_turns < _TURNS_MAX:
        records.append(Rollback(at, time, "", payload.num_turns))


def _prompt(text: str, uid: str, at: int, time: str, records: list[Record]) -> None:
    if text:
        records.append(Prompt(at, time, "", text, "typed", uid, ""))


def _is_long(duration: Any) -> bool:
    seconds = duration.get("secs") if isinstance(duration, dict) else 0
    return isinstance(seconds, int) and seconds >= _LONG_S


def _token_count(_line: Line, payload: TokenCount, at: int, time: str, records: list[Record]) -> None:
    if payload.info is not None and (used := usage_of(payload.info, at, time)) is not None:
        records.append(used)


def _token_usage(_line: Line, payload: UsageRecord, at: int, time: str, records: list[Record]) -> None:
    if (used := usage_of(Info(payload.thread_token_usage, payload.usage), at, time)) is not None:
        records.append(used)


_HANDLERS: Final[dict[type, Callable[[Any, Any, int, str, list[Record]], None]]] = {
    RolloutSession: _meta,
    Turn: _turn,
    CompactedItem: _compacted,
    UsageRecord: _token_usage,
    ResponseMessage: _message,
    FunctionCall: _function,
    FunctionCallOutput: _output,
    CustomToolCall: _custom,
    CustomToolCallOutput: _output,
    LocalShellCall: _shell,
    WebSearchCall: _web_search,
    TokenCount: _token_count,
    TaskStarted: _task_started,
    UserMessage: _user_message,
    ItemCompleted: _completed,
    CommandEnd: lambda _, told, *more: _command(told.call_id or "", told, *more),
    PatchEnd: lambda _, told, *more: _change(told.call_id or "", told, *more),
    TurnAborted: _turn_aborted,
    ThreadRolledBack: _rolled_back,
}
_ITEMS: Final[dict[str, Callable[[str, CompletedItem, int, str, list[Record]], None]]] = {
    "CommandExecution": _command,
    "FileChange": _change,
    "McpToolCall": _served,
    "ImageView": _viewed,
}


READER: Final = CodexReader()

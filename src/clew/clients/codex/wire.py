"""What Codex writes: the parts of a rollout line that clew reads, and a decoder that never refuses a line.

Format: docs/clients/codex.md, seen in versions 0.40.0 to 0.169.0. Field names are the client's own. Each kind of line
is a struct with the fields that are read of it, so that the decoder passes over the rest without making anything of
it: encrypted reasoning, replaced histories and second copies of outputs are most of some files' bytes.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from clew.clients.lines import decode_any, lenient, struct_of

# Of tokens. Greater ones are not exact in every language that such a file is read with, and no session has them.
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]


class ContentPiece(msgspec.Struct, gc=False):
    """One piece of a message's content. Texts are `input_text`, `output_text`, `text` or `Text`."""

    type: str = ""
    text: str | None = None


class ResponseMessage(msgspec.Struct, gc=False, tag="message"):
    """What somebody said in the conversation with the model."""

    id: str | None = None
    role: str | None = None
    content: list[ContentPiece] | None = None


class _Call(msgspec.Struct, gc=False):
    """A call of a tool that has a name."""

    id: str | None = None
    call_id: str | None = None
    name: str | None = None
    namespace: str | None = None


class FunctionCall(_Call, tag="function_call"):
    """`arguments` are JSON in a text."""

    arguments: str | None = None


class CustomToolCall(_Call, tag="custom_tool_call"):
    """`input` is any text."""

    input: str | None = None


class _Action(msgspec.Struct, gc=False):
    """A call of a tool of the client's own."""

    id: str | None = None
    call_id: str | None = None
    action: Any = None


class LocalShellCall(_Action, tag="local_shell_call"):
    """`action` is `{command, working_directory}`."""


class WebSearchCall(_Action, tag="web_search_call"):
    """`action` differs by what was searched."""


class _Output(msgspec.Struct, gc=False):
    """`output` is a text, an object or a list of pieces."""

    call_id: str | None = None
    output: Any = None


class FunctionCallOutput(_Output, tag="function_call_output"):
    """What came of a function call."""


class CustomToolCallOutput(_Output, tag="custom_tool_call_output"):
    """What came of a custom tool's call."""


class Reasoning(msgspec.Struct, gc=False, tag="reasoning"):
    """Encrypted. Nothing of it is read."""


class TokenUsage(msgspec.Struct, gc=False):
    """Tokens of one response or of many. `input_tokens` hold the cached and written ones, `output_tokens` reasoning."""

    input_tokens: Count | None = None
    cached_input_tokens: Count | None = None
    cache_write_input_tokens: Count | None = None
    output_tokens: Count | None = None
    reasoning_output_tokens: Count | None = None


class Info(msgspec.Struct, gc=False):
    """`info` of a `token_count` event."""

    total_token_usage: TokenUsage | None = None
    last_token_usage: TokenUsage | None = None
    model_context_window: Count | None = None


class TokenCount(msgspec.Struct, gc=False, tag="token_count"):
    """Written after each response, and when rate limits change."""

    info: Info | None = None


class Trigger(msgspec.Struct, gc=False):
    """Who set off a turn: `exec` or `user` (0.16x)."""

    turn_trigger: str | None = None


class TaskStarted(msgspec.Struct, gc=False, tag="task_started"):
    """A turn begins."""

    turn_attribution: Trigger | None = None


class UserMessage(msgspec.Struct, gc=False, tag="user_message"):
    """What the user typed."""

    message: str | None = None
    kind: str | None = None
    images: list[Any] | None = None
    local_images: list[Any] | None = None


class _End(msgspec.Struct, gc=False):
    """How a command or a patch ended. `duration` is `{secs, nanos}`, `cwd` a path or a file URI."""

    status: str | None = None
    command: Any = None
    cwd: str | None = None
    exit_code: int | None = None
    duration: Any = None
    aggregated_output: str | None = None
    changes: Any = None
    stdout: str | None = None
    stderr: str | None = None


class CommandEnd(_End, gc=False, tag="exec_command_end"):
    """A command ended."""

    call_id: str | None = None


class PatchEnd(_End, gc=False, tag="patch_apply_end"):
    """A patch was applied, or not."""

    call_id: str | None = None


class CompletedItem(_End, gc=False):
    """What an `item_completed` event is about. `path` is a file URI."""

    type: str = ""
    id: str | None = None
    text: str | None = None
    content: list[ContentPiece] | None = None
    server: str | None = None
    tool: str | None = None
    arguments: Any = None
    result: Any = None
    error: Any = None
    path: str | None = None


class ItemCompleted(msgspec.Struct, gc=False, tag="item_completed"):
    """Something that people are shown is whole (0.16x)."""

    item: CompletedItem | None = None


class TurnAborted(msgspec.Struct, gc=False, tag="turn_aborted"):
    """The turn was broken off."""

    reason: str | None = None


class ThreadRolledBack(msgspec.Struct, gc=False, tag="thread_rolled_back"):
    """The user went back by so many of their turns."""

    num_turns: int | None = None


class AgentMessage(msgspec.Struct, gc=False, tag="agent_message"):
    """Stands as an item as well. Nothing of it is read."""


class AgentReasoning(msgspec.Struct, gc=False, tag="agent_reasoning"):
    """Nothing of it is read."""


class TaskComplete(msgspec.Struct, gc=False, tag="task_complete"):
    """The turn's end, with its last message again. Nothing of it is read."""


class GitInfo(msgspec.Struct, gc=False):
    """The repository as it was when the session began."""

    branch: str | None = None


class RolloutSession(msgspec.Struct, gc=False):
    """How the session began."""

    id: str | None = None
    cwd: str | None = None
    originator: str | None = None
    cli_version: str | None = None
    source: Any = None
    parent_thread_id: str | None = None
    forked_from_id: str | None = None
    git: GitInfo | None = None


class Turn(msgspec.Struct, gc=False):
    """The settings from here on."""

    model: str | None = None


class CompactedItem(msgspec.Struct, gc=False):
    """The context was dropped."""

    message: str | None = None


class UsageRecord(msgspec.Struct, gc=False):
    """Like `token_count` (0.16x)."""

    usage: TokenUsage | None = None
    thread_token_usage: TokenUsage | None = None


class Metadata(msgspec.Struct, gc=False):
    """What the client keeps about a response item. `compaction_output`: the model wrote a summary for a compaction."""

    compaction_output: bool | None = None


class ResponseItem(msgspec.Struct, gc=False, tag="response_item"):
    """A line of the conversation with the model. It has an `ordinal` where what scripts call has events (0.16x)."""

    timestamp: str | None = None
    ordinal: Any = None
    payload: (
        ResponseMessage
        | FunctionCall
        | FunctionCallOutput
        | CustomToolCall
        | CustomToolCallOutput
        | LocalShellCall
        | WebSearchCall
        | Reasoning
        | None
    ) = None
    metadata: Metadata | None = None


class EventMessage(msgspec.Struct, gc=False, tag="event_msg"):
    """A line that was written for people."""

    timestamp: str | None = None
    payload: (
        TokenCount
        | TaskStarted
        | UserMessage
        | ItemCompleted
        | CommandEnd
        | PatchEnd
        | TurnAborted
        | ThreadRolledBack
        | AgentMessage
        | AgentReasoning
        | TaskComplete
        | None
    ) = None


class SessionMeta(msgspec.Struct, gc=False, tag="session_meta"):
    """The first line, and in a fork that of the session it came from."""

    timestamp: str | None = None
    payload: RolloutSession | None = None


class TurnContext(msgspec.Struct, gc=False, tag="turn_context"):
    """A line before each turn."""

    timestamp: str | None = None
    payload: Turn | None = None


class CompactedLine(msgspec.Struct, gc=False, tag="compacted"):
    """A compaction."""

    timestamp: str | None = None
    payload: CompactedItem | None = None


class UsageLine(msgspec.Struct, gc=False, tag="token_usage_record"):
    """What a response used."""

    timestamp: str | None = None
    payload: UsageRecord | None = None


Line: TypeAlias = ResponseItem | EventMessage | SessionMeta | TurnContext | CompactedLine | UsageLine


class _Kind(msgspec.Struct, gc=False):
    type: str = ""


class _LineKind(msgspec.Struct, gc=False):
    """Of any line that is a JSON object: which kind it is."""

    type: str = ""
    payload: _Kind | None = None


_strict: Final[Callable[[bytes], Line]] = msgspec.json.Decoder(Line).decode
_head: Final = msgspec.json.Decoder(_LineKind).decode
_REFUSED: Final = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)


def decode(data: bytes) -> Line | None:
    """One line (without its newline) as typed fields, None for one of a kind that is not read.

    Raises `NotALine`. A field of a wrong type is read as absent; what else the line tells is kept.
    """
    try:
        return _strict(data)
    except _REFUSED:
        return _unfit(data)


def _unfit(data: bytes) -> Line | None:
    """A line that the typed decoder refuses: mostly one of another kind, which is told without making all of it."""
    try:
        head = _head(data)
        if not _is_read(head.type, head.payload.type if head.payload is not None else ""):
            return None
    except _REFUSED:
        pass
    value = decode_any(data)
    kind = struct_of(Line, value.get("type"))
    return None if kind is None else lenient(value, kind)


@lru_cache(256)
def _is_read(line: str, payload: str) -> bool:
    """Whether lines of this type with a payload of that type are read."""
    kind = struct_of(Line, line)
    fields = msgspec.structs.fields(kind) if kind is not None else ()
    return any(struct_of(field.type, payload) is not None for field in fields if field.name == "payload")

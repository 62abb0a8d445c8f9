"""What Claude Code writes: the parts of a session line that clew reads, and a decoder that never refuses a line.

Format: docs/clients/claude-code.md, seen in versions 2.0.14 to 2.1.330. Field names are the client's own. Unknown
types and fields are skipped; `toolUseResult` and the signatures of thoughts, which are most of a file's bytes, are left
undecoded.
"""

from typing import Any

import msgspec

from clew.clients.lines import decode_any, lenient

# msgspec never resolves keys by order, so a client that writes its fields in another order changes nothing here.


class ContentBlock(msgspec.Struct, gc=False):
    """One content block of a message. `input` and `content` keep the client's own shape: they differ by tool."""

    type: str = ""
    text: str = ""
    thinking: str = ""
    id: str = ""
    name: str = ""
    input: Any = None
    tool_use_id: str = ""
    content: Any = None
    is_error: bool | None = None


class CacheCreation(msgspec.Struct, gc=False):
    """`usage.cache_creation`: for how long what was written stays in the cache."""

    ephemeral_1h_input_tokens: int | None = None


class _Tokens(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation: CacheCreation | None = None
    speed: str | None = None
    inference_geo: str | None = None


class Iteration(_Tokens, gc=False):
    """One request of several that gave a response. Those of the type `advisor_message` are another model's, and are not
    in the numbers of the response.
    """

    type: str = ""
    model: str | None = None


class MessageUsage(_Tokens, gc=False):
    """`message.usage`: what one model response has used so far."""

    iterations: list[Iteration] | None = None


class ApiMessage(msgspec.Struct, gc=False):
    """The API message inside a `user` or `assistant` line."""

    id: str = ""
    model: str | None = None
    content: str | list[ContentBlock] | None = None
    usage: MessageUsage | None = None


class CompactMetadata(msgspec.Struct, gc=False):
    """Of `compact_boundary`; `tokensSaved` instead of `postTokens` in `microcompact_boundary`."""

    trigger: str = ""
    preTokens: int | None = None
    postTokens: int | None = None
    tokensSaved: int | None = None


class Attachment(msgspec.Struct, gc=False):
    """Something that the client put beside a message. Only `queued_command` is read here."""

    type: str = ""
    prompt: Any = None
    commandMode: str | None = None
    origin: Any = None


class SessionLine(msgspec.Struct, gc=False):
    """One line of a session file."""

    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None
    timestamp: str | None = None
    sessionId: str | None = None
    agentId: str | None = None
    cwd: str | None = None
    gitBranch: str | None = None
    version: str | None = None
    requestId: str | None = None
    isSidechain: bool | None = None
    isMeta: bool | None = None
    isCompactSummary: bool | None = None
    isApiErrorMessage: bool | None = None
    entrypoint: str | None = None
    promptSource: str | None = None
    origin: Any = None
    planContent: str | None = None
    message: ApiMessage | None = None
    attachment: Attachment | None = None
    compactMetadata: CompactMetadata | None = None
    microcompactMetadata: CompactMetadata | None = None
    prNumber: int | None = None
    prUrl: str | None = None
    prRepository: str | None = None


_strict = msgspec.json.Decoder(SessionLine).decode


def decode(data: bytes) -> SessionLine:
    """One line (without its newline) as typed fields.

    Raises `NotALine`. A field of a wrong type is read as absent; what else the line tells is kept.
    """
    try:
        return _strict(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return lenient(decode_any(data), SessionLine)

"""What Claude Code writes: the parts of a session line that clew reads, and a decoder that never refuses a line.

Format: docs/clients/claude-code.md, seen in versions 2.0.14 to 2.1.330. Field names are the client's own. Unknown
types and fields are skipped; `toolUseResult` and the signatures of thoughts, which are most of a file's bytes, are left
undecoded.
"""

from typing import Any

import msgspec

from clew.clients.lines import decode_any

# msgspec never resolves keys by order, so a client that writes its fields in another order changes nothing here.


class Block(msgspec.Struct, gc=False):
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


class Kept(msgspec.Struct, gc=False):
    """`usage.cache_creation`: for how long what was written stays in the cache."""

    ephemeral_1h_input_tokens: int | None = None


class _Tokens(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation: Kept | None = None
    speed: str | None = None
    inference_geo: str | None = None


class Iteration(_Tokens, gc=False):
    """One request of several that gave a response. Those of the type `advisor_message` are another model's, and are not
    in the numbers of the response.
    """

    type: str = ""
    model: str | None = None


class Tokens(_Tokens, gc=False):
    """`message.usage`: what one model response has used so far."""

    iterations: list[Iteration] | None = None


class Message(msgspec.Struct, gc=False):
    """The API message inside a `user` or `assistant` line."""

    id: str = ""
    model: str | None = None
    content: str | list[Block] | None = None
    usage: Tokens | None = None


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


class Line(msgspec.Struct, gc=False):
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
    message: Message | None = None
    attachment: Attachment | None = None
    compactMetadata: CompactMetadata | None = None
    microcompactMetadata: CompactMetadata | None = None
    prNumber: int | None = None
    prUrl: str | None = None
    prRepository: str | None = None


_strict = msgspec.json.Decoder(Line).decode


def decode(data: bytes) -> Line:
    """One line (without its newline) as typed fields.

    Raises `NotALine`. A field of a wrong type is read as absent; what else the line tells is kept.
    """
    try:
        return _strict(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return _lenient(data)


def _lenient(data: bytes) -> Line:
    value = decode_any(data)
    line = Line()
    _fill(line, value, _LINE_STRINGS, str)
    _fill(line, value, ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage"), bool)
    _fill(line, value, ("prNumber",), int)
    line.origin = value.get("origin")
    line.message = _message(value.get("message"))
    line.attachment = _attachment(value.get("attachment"))
    line.compactMetadata = _metadata(value.get("compactMetadata"))
    line.microcompactMetadata = _metadata(value.get("microcompactMetadata"))
    return line


_LINE_STRINGS = (
    *("type", "subtype", "uuid", "parentUuid", "timestamp", "sessionId", "agentId", "cwd", "gitBranch", "version"),
    *("requestId", "entrypoint", "promptSource", "planContent", "prUrl", "prRepository"),
)


def _fill(target: msgspec.Struct, value: dict[str, Any], names: tuple[str, ...], kind: type) -> None:
    for name in names:
        found = value.get(name)
        if isinstance(found, kind) and (kind is bool or not isinstance(found, bool)):
            setattr(target, name, found)


_TOKENS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def _message(value: Any) -> Message | None:
    if not isinstance(value, dict):
        return None
    message = Message()
    _fill(message, value, ("id", "model"), str)
    content = value.get("content")
    if isinstance(content, str):
        message.content = content
    elif isinstance(content, list):
        message.content = [_block(item) for item in content if isinstance(item, dict)]
    usage = value.get("usage")
    if isinstance(usage, dict):
        message.usage = Tokens()
        _count(message.usage, usage)
        several = usage.get("iterations")
        found = [one for one in several if isinstance(one, dict)] if isinstance(several, list) else []
        message.usage.iterations = [Iteration() for _ in found]
        for iteration, one in zip(message.usage.iterations, found, strict=True):
            _count(iteration, one)
            _fill(iteration, one, ("type", "model"), str)
    return message


def _count(tokens: _Tokens, usage: dict[str, Any]) -> None:
    _fill(tokens, usage, _TOKENS, int)
    _fill(tokens, usage, ("speed", "inference_geo"), str)
    kept = usage.get("cache_creation")
    if isinstance(kept, dict):
        tokens.cache_creation = Kept()
        _fill(tokens.cache_creation, kept, Kept.__struct_fields__, int)


def _block(value: dict[str, Any]) -> Block:
    block = Block(input=value.get("input"), content=value.get("content"))
    _fill(block, value, ("type", "text", "thinking", "id", "name", "tool_use_id"), str)
    _fill(block, value, ("is_error",), bool)
    return block


def _attachment(value: Any) -> Attachment | None:
    if not isinstance(value, dict):
        return None
    attachment = Attachment(prompt=value.get("prompt"), origin=value.get("origin"))
    _fill(attachment, value, ("type", "commandMode"), str)
    return attachment


def _metadata(value: Any) -> CompactMetadata | None:
    if not isinstance(value, dict):
        return None
    metadata = CompactMetadata()
    _fill(metadata, value, ("trigger",), str)
    _fill(metadata, value, ("preTokens", "postTokens", "tokensSaved"), int)
    return metadata

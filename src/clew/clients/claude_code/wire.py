"""What Claude Code writes: the parts of a session line that clew reads, and a decoder that never refuses a line.

Format: docs/clients/claude-code.md, seen in versions 2.0.14 to 2.1.330. Field names are the client's own. Unknown
types and fields are skipped; `toolUseResult` and `thinking`, which are most of a file's bytes, are left undecoded.
"""

from __future__ import annotations

from typing import Any

import msgspec

# msgspec never resolves keys by order, so a client that writes its fields in another order changes nothing here.


class Block(msgspec.Struct, gc=False):
    """One content block of a message. `input` and `content` keep the client's own shape: they differ by tool."""

    type: str = ""
    text: str = ""
    id: str = ""
    name: str = ""
    input: Any = None
    tool_use_id: str = ""
    content: Any = None
    is_error: bool | None = None


class Tokens(msgspec.Struct, gc=False):
    """`message.usage`: what one model response has used so far."""

    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int | None = None


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


class NotALine(Exception):
    """The bytes are no JSON object. `why` is for people."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


_strict = msgspec.json.Decoder(Line).decode
# White space and the byte order mark that editors put in front.
_BEFORE_OBJECT = b" \t\r\xef\xbb\xbf"


def decode(data: bytes) -> Line:
    """One line (without its newline) as typed fields.

    Raises `NotALine`. A field of a wrong type is read as absent; what else the line tells is kept.
    """
    try:
        return _strict(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return _lenient(data)


def decode_any(data: bytes) -> dict[str, Any]:
    """One line as plain JSON values, lone surrogates replaced. Raises `NotALine`."""
    try:
        value = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        value = _repaired(data)
    if not isinstance(value, dict):
        raise NotALine("not a JSON object")
    return value


def _repaired(data: bytes) -> Any:
    """JSON that msgspec refuses but that can be read: bytes outside UTF-8, halves of surrogate pairs, huge numbers.

    The client cuts strings by UTF-16 units, so half an emoji is a thing that it really writes.
    """
    if b"\0" in data:
        raise NotALine("holds NUL bytes")
    if not data.lstrip(_BEFORE_OBJECT).startswith(b"{"):  # not worth another parser: a file may hold nothing else
        raise NotALine("not a JSON object")
    import json

    try:
        return _whole(json.loads(data.decode("utf-8", "replace").removeprefix("\ufeff")))
    except RecursionError:
        raise NotALine("nested too deeply") from None
    except ValueError:
        raise NotALine("not JSON") from None


def _whole(value: Any) -> Any:
    """`value` with every lone surrogate replaced, so that it can be written as UTF-8 again."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value


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
        _fill(message.usage, usage, Tokens.__struct_fields__, int)
    return message


def _block(value: dict[str, Any]) -> Block:
    block = Block(input=value.get("input"), content=value.get("content"))
    _fill(block, value, ("type", "text", "id", "name", "tool_use_id"), str)
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

"""What Codex writes: the parts of a rollout line that clew reads, and a decoder that never refuses a line.

Format: docs/clients/codex.md, seen in versions 0.40.0 to 0.169.0. Field names are the client's own. All line types
share one struct for their payload: their fields hardly clash, and one decoder that skips the rest is the fastest.
Unknown types and fields are skipped; encrypted reasoning, world states and replaced histories, which are most of some
files' bytes, are left undecoded.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

import msgspec

from clew.clients.lines import decode_any


class Piece(msgspec.Struct, gc=False):
    """One piece of a message's content. Texts are `input_text`, `output_text`, `text` or `Text`."""

    type: str = ""
    text: str | None = None


class Tokens(msgspec.Struct, gc=False):
    """Tokens of one response or of many. `input_tokens` hold the cached and written ones, `output_tokens` reasoning."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_output_tokens: int | None = None
    total_tokens: int | None = None


class Info(msgspec.Struct, gc=False):
    """`info` of a `token_count` event."""

    total_token_usage: Tokens | None = None
    last_token_usage: Tokens | None = None


class Git(msgspec.Struct, gc=False):
    """The repository as it was when the session began."""

    branch: str | None = None


class Trigger(msgspec.Struct, gc=False):
    """Who set off a turn: `exec` or `user` (`task_started`, 0.16x)."""

    turn_trigger: str | None = None


class Item(msgspec.Struct, gc=False):
    """What an `item_completed` event is about. `duration` is `{secs, nanos}`, `cwd` and `path` are file URIs."""

    type: str = ""
    id: str | None = None
    text: str | None = None
    content: list[Piece] | None = None
    status: str | None = None
    command: Any = None
    cwd: str | None = None
    exit_code: int | None = None
    duration: Any = None
    aggregated_output: str | None = None
    changes: Any = None
    stdout: str | None = None
    stderr: str | None = None
    server: str | None = None
    tool: str | None = None
    arguments: Any = None
    result: Any = None
    error: Any = None
    path: str | None = None


class Payload(msgspec.Struct, gc=False):
    """What a line says. Fields of type `Any` keep the client's own shape: they differ."""

    type: str = ""
    id: str | None = None
    role: str | None = None
    kind: str | None = None
    message: str | None = None
    content: list[Piece] | None = None
    images: list[Any] | None = None
    local_images: list[Any] | None = None
    name: str | None = None
    namespace: str | None = None
    arguments: str | None = None
    input: str | None = None
    call_id: str | None = None
    output: Any = None
    action: Any = None
    reason: str | None = None
    info: Info | None = None
    usage: Tokens | None = None
    thread_token_usage: Tokens | None = None
    item: Item | None = None
    status: str | None = None
    command: Any = None
    changes: Any = None
    stdout: str | None = None
    stderr: str | None = None
    exit_code: int | None = None
    duration: Any = None
    aggregated_output: str | None = None
    cwd: str | None = None
    model: str | None = None
    originator: str | None = None
    cli_version: str | None = None
    source: Any = None
    parent_thread_id: str | None = None
    git: Git | None = None
    turn_attribution: Trigger | None = None


class Metadata(msgspec.Struct, gc=False):
    """What the client keeps about a response item. `compaction_output`: the model wrote a summary for a compaction."""

    compaction_output: bool | None = None


class Line(msgspec.Struct, gc=False):
    """One line of a rollout."""

    type: str = ""
    timestamp: str | None = None
    payload: Payload | None = None
    metadata: Metadata | None = None


S = TypeVar("S", bound=msgspec.Struct)
_strict: Final = msgspec.json.Decoder(Line).decode


def decode(data: bytes) -> Line:
    """One line (without its newline) as typed fields.

    Raises `NotALine`. A field of a wrong type is read as absent; what else the line tells is kept.
    """
    try:
        return _strict(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return _lenient(decode_any(data), Line)


def _lenient(value: dict[str, Any], kind: type[S]) -> S:
    made = kind()
    for field in msgspec.structs.fields(kind):
        if field.encode_name not in value:
            continue
        given = value[field.encode_name]
        try:
            setattr(made, field.name, msgspec.convert(given, field.type))
        except (msgspec.ValidationError, RecursionError):
            inner = _INNER.get(field.name)
            if inner is not None and isinstance(given, dict):
                setattr(made, field.name, _lenient(given, inner))
            elif isinstance(given, list) and field.name == "content":
                pieces = [piece for piece in given if isinstance(piece, dict)]
                setattr(made, field.name, [_lenient(piece, Piece) for piece in pieces])
    return made


_INNER: Final[dict[str, type[msgspec.Struct]]] = {
    "payload": Payload,
    "metadata": Metadata,
    "info": Info,
    "total_token_usage": Tokens,
    "last_token_usage": Tokens,
    "thread_token_usage": Tokens,
    "usage": Tokens,
    "item": Item,
    "git": Git,
    "turn_attribution": Trigger,
}

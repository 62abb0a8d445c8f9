"""A stored session as lines: one a part of a message, in the client's order, with what the line needs of its message.

The lines are clew's own, so that the same session gives the same bytes whichever way it was stored, and a part that is
done gives the same line for ever. Left out is what the client changes afterwards (summaries of changes, snapshots,
which results it no longer sends) and what it keeps twice. Pure.

    {"session": {…}}                              first: where the session runs
    {"of": {…}, "part": {…}}                      a part of the message `of`, as the client wrote what is not left out
    {"of": {…}, "ended": "MessageAbortedError"}   an answer that failed, and how
    {"of": {…}, "compacted": {…}}                 the context was dropped, and a summary took its place
    {"of": {…}, "undone": true}                   the user took back what follows; only its usage is told
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from clew.clients.fields import inner, number, rows, text
from clew.clients.lines import NotALine, decode_any
from clew.clients.opencode.contents import KnownFiles
from clew.clients.opencode.store import Stored

_encode: Final = msgspec.json.Encoder(order="sorted").encode
_OF_MESSAGE: Final = ("role", "agent", "mode", "modelID", "providerID")
# Of what a tool tells beside its output. The rest is that output, a patch of the file, or for the screen.
_OF_METADATA: Final = ("exit", "interrupted", "answers", "display", "sessionId", "truncated")
_OF_FILE: Final = ("filePath", "movePath", "type", "after")
_SKIPPED: Final = frozenset(("step-start", "snapshot", "patch", "reasoning", "retry"))


class StoredMessage(NamedTuple):
    """A message, decoded, with its parts. `broken` are rows of its that hold no JSON object, as they are."""

    id: str
    info: Mapping[str, Any]
    parts: Sequence[Mapping[str, Any]]
    broken: Sequence[bytes] = ()


def of_rows(stored: Stored) -> bytes:
    """The lines of a session from the database."""
    parts: dict[str, list[dict[str, Any]]] = {}
    broken: dict[str, list[bytes]] = {}
    for name, message, data in stored.parts:
        try:
            parts.setdefault(message, []).append({**decode_any(data), "id": name})
        except NotALine:
            broken.setdefault(message, []).append(data)
    messages = []
    for name, data in stored.messages:
        bad = broken.get(name, [])
        try:
            info = decode_any(data)
        except NotALine:
            info, bad = {}, [data, *bad]
        messages.append(StoredMessage(name, info, parts.get(name, ()), bad))
    session = {**stored.session, "permission": _value(stored.session.get("permission"))}
    return rendered({**session, "revert": _value(stored.session.get("revert"))}, messages)


def of_export(document: Mapping[str, Any]) -> bytes:
    """The lines of what `opencode export` printed."""
    messages = []
    for one in rows(document, "messages"):
        info = inner(one, "info")
        messages.append(StoredMessage(text(info, "id"), info, rows(one, "parts")))
    return rendered(inner(document, "info"), messages)


def rendered(session: Mapping[str, Any], messages: Iterable[StoredMessage]) -> bytes:
    """The lines of a session: its head and its messages in their order."""
    messages = list(messages)
    place = {
        "session": text(session, "id"),
        "parent": text(session, "parentID"),
        "cwd": text(session, "directory"),
        "version": text(session, "version"),
        "attended": not _asks_nobody(session),
    }
    lines = [_line({"session": place})]
    summarised = _summarised(messages)
    undone = text(inner(session, "revert"), "messageID")
    is_undone, context, known = False, 0, KnownFiles(text(session, "directory"))
    for message in messages:
        of = {
            **place,
            **{name: message.info[name] for name in _OF_MESSAGE if name in message.info},
            "message": message.id,
        }
        if message.info.get("summary") is True:  # of the user's messages it is a list of changed files
            of["summary"] = True
        of["time"] = inner(message.info, "time").get("created")
        if undone and message.id == undone:
            is_undone = True
            lines.append(_line({"of": of, "undone": True}))
        lines += [b" ".join(data.split(b"\n")) for data in message.broken]
        for part in _counted(message):
            kind = text(part, "type")
            if kind in _SKIPPED or (is_undone and kind != "step-finish"):
                continue
            if kind == "step-finish":
                context = _context(part) or context
            if kind == "compaction":
                if message.id in summarised:
                    told = {"auto": part.get("auto") is not False, "before": context}
                    lines.append(_line({"of": of, "compacted": told}))
                continue
            kept = _kept(part)
            if (after := known.take(kept)) is not None:
                kept["state"]["metadata"]["after"] = after
            lines.append(_line({"of": of, "part": kept}))
        ended = text(inner(message.info, "error"), "name")
        if ended and not is_undone:
            lines.append(_line({"of": of, "ended": ended}))
    return b"".join(line + b"\n" for line in lines)


def _asks_nobody(session: Mapping[str, Any]) -> bool:
    """Whether nobody sits there: `opencode run` forbids its sessions to ask."""
    return any(
        rule.get("permission") == "question" and rule.get("action") == "deny" and rule.get("pattern") == "*"
        for rule in rows(session, "permission")
    )


def _summarised(messages: Iterable[StoredMessage]) -> set[str]:
    """Messages that asked for a compaction which came about: their answer is a summary that is done."""
    return {
        text(message.info, "parentID")
        for message in messages
        if message.info.get("summary") is True and message.info.get("finish") and not message.info.get("error")
    }


def _counted(message: StoredMessage) -> Iterable[Mapping[str, Any]]:
    """The parts; of an answer without one that tells its tokens, as other versions have them, its own count behind."""
    tokens = message.info.get("tokens")
    if message.info.get("role") != "assistant" or not isinstance(tokens, dict):
        return message.parts
    if any(part.get("type") == "step-finish" for part in message.parts) or not _context({"tokens": tokens}):
        return message.parts
    return [*message.parts, {"type": "step-finish", "id": "", "tokens": tokens}]


def _context(part: Mapping[str, Any]) -> int:
    tokens = inner(part, "tokens")
    cache = inner(tokens, "cache")
    return number(tokens, "input") + number(cache, "read") + number(cache, "write")


def _kept(part: Mapping[str, Any]) -> dict[str, Any]:
    """A part without what changes and what is told twice."""
    kept = {name: value for name, value in part.items() if name not in ("snapshot", "sessionID", "messageID", "url")}
    state = part.get("state")
    if isinstance(state, dict):
        metadata = inner(state, "metadata")
        told: dict[str, Any] = {name: metadata[name] for name in _OF_METADATA if name in metadata}
        after = inner(metadata, "filediff").get("after")
        if isinstance(after, str):
            told["after"] = after
        files = [
            {name: one[name] for name in _OF_FILE if isinstance(one.get(name), str)} for one in rows(metadata, "files")
        ]
        if any("after" in one for one in files):
            told["files"] = files
        times = inner(state, "time")
        kept["state"] = {
            **{name: state[name] for name in ("status", "input", "output", "error") if name in state},
            "metadata": told,
            "time": {name: times[name] for name in ("start", "end") if name in times},
        }
    return kept


def _line(value: object) -> bytes:
    try:
        return _encode(value)
    except RecursionError:
        return b"nested too deeply"


def _value(data: object) -> Any:
    """What a column with JSON holds; None for nothing and for what is none."""
    try:
        return msgspec.json.decode(data) if isinstance(data, str | bytes) else None
    except (ValueError, RecursionError):
        return None

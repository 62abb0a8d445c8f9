"""How Codex speaks with hooks, as far as that differs from the canonical form, and what its record's end tells.

Codex sends Claude Code's events and reads its answers; for an unknown key it drops an answer. Imports nothing: it runs
at every tool call. Sources: docs/clients/codex.md.
"""

TYPE_CHECKING = False  # `typing` would cost a hook more than all it does here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# What a line must hold to say how full the context is.
USAGE = (b'"token_count"',)
# It does not say how long a command took.
UNTIMED = True

# So much of a record's end holds what the newest turn began with, and the newest compaction.
_TAIL = 4 << 20
# Commands that need nobody.
_NOBODY = ("exec", "e", "review")
_BEFORE_SUMMARY = "Another language model started"


def heard(
    name: str, event: "dict[str, Any]", tail: "Callable[[str, int], bytes]", parse: "Callable[[bytes], dict[str, Any]]"
) -> str:
    """The canonical name of the event `name`; `event` is made canonical. `tail(path, n)` gives the last n bytes of a
    file, `parse` the JSON object that a line holds.

    When a session goes on after a compaction, its record holds the summary already.
    """
    if name == "SessionStart" and event.get("source") == "compact":
        text = _last("compacted", _end(event, tail), parse).get("message")
        if isinstance(text, str):
            head, cut, rest = text.partition("\n")
            event["summary"] = rest if cut and head.startswith(_BEFORE_SUMMARY) else text
    return name


def usage(line: "dict[str, Any]") -> "tuple[int, str, int] | None":
    """Tokens of context, model and window as a line of a record tells them ("" and 0 for what it does not); None for a
    line that is about something else. After a compaction the client counts again what is left. The event has the model.
    """
    payload = line.get("payload")
    told = payload.get("info") if isinstance(payload, dict) and payload.get("type") == "token_count" else None
    if not isinstance(told, dict):
        return None
    last, window = told.get("last_token_usage"), told.get("model_context_window")
    tokens = last.get("total_tokens") if isinstance(last, dict) else None
    return (tokens, "", window if isinstance(window, int) else 0) if isinstance(tokens, int) and tokens > 0 else None


# What a line must hold to tell of tokens.
SPENT = b'"token_count"'
# A sub-agent's record begins with a copy of what its parent said; its own part with the last line that holds this.
OWN = b'"task_started"'


def spent(line: "dict[str, Any]") -> "list[tuple[str, str, str, list[int]]]":
    """As of Claude Code's dialect; the event has the model. What all responses used up to one is the name of that."""
    payload = line.get("payload")
    told = payload.get("info") if isinstance(payload, dict) and payload.get("type") == "token_count" else None
    if not isinstance(told, dict):
        return []
    last, total = told.get("last_token_usage"), told.get("total_token_usage")
    if not isinstance(last, dict) or not isinstance(total, dict):
        return []
    names = ("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens")
    given, read, written, output = [value if isinstance(value := last.get(name), int) else 0 for name in names]
    key = "/".join(str(total.get(name)) for name in names)
    return [(key, str(line.get("timestamp", "")), "", [max(0, given - read - written), written, 0, read, output])]


def attended(event: "dict[str, Any]", near: "Any") -> bool:
    """Whether a person sits at the session: neither its command line nor the newest turn in its record is that of
    `codex exec`. `near` has `tail` and `parse` as for `heard`, and the client's command line (`argv`).

    Which options take the word behind them as a value only the client knows: so each word may be the command.
    """
    words = near.argv[1 : near.argv.index("--")] if "--" in near.argv else near.argv[1:]
    if any(word in _NOBODY for word in words):
        return False
    data = _end(event, near.tail)
    begun = _last("task_started", data, near.parse).get("turn_attribution")
    trigger = begun.get("turn_trigger") if isinstance(begun, dict) else None
    if isinstance(trigger, str):
        return trigger != "exec"
    who = _last("session_meta", data, near.parse).get("originator")
    return isinstance(who, str) and who != "codex_exec"


def _end(event: "dict[str, Any]", tail: "Callable[[str, int], bytes]") -> bytes:
    path = event.get("transcript_path")
    return tail(path, _TAIL) if isinstance(path, str) and path.startswith("/") else b""


def _last(kind: str, data: bytes, parse: "Callable[[bytes], dict[str, Any]]") -> "dict[str, Any]":
    """The payload of the last line of this kind; {} if there is none."""
    mark, end = f'"{kind}"'.encode(), len(data)
    while (at := data.rfind(mark, 0, end)) >= 0:
        start, stop = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        line = parse(data[start:stop] if stop >= 0 else data[start:])
        payload = line.get("payload")
        if isinstance(payload, dict) and kind in (line.get("type"), payload.get("type")):
            return payload
        end = start
    return {}

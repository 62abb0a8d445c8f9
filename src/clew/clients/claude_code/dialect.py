"""What the end of Claude Code's record tells. Its hooks are the canonical form, so there is nothing else to know.

Claude Code writes one line a content block, each with the usage of its whole response: input and cache together are
the context that the response was made from. Lines of sub-agents say nothing of the session's own context.
Imports nothing: a hook does.
"""

TYPE_CHECKING = False  # `typing` would cost a hook more than all it does here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# What a line must hold to say how full the context is.
USAGE = (b'"usage"', b'"compact_boundary"')

_PARTS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def usage(line: "dict[str, Any]") -> "tuple[int, str, int] | None":
    """Tokens of context, model and window as a line of a record tells them ("" and 0 for what it does not); None for a
    line that is about something else. A compaction tells what it left, 0 if it does not say.
    """
    if line.get("isSidechain") or line.get("agentId"):
        return None
    if line.get("type") == "system" and line.get("subtype") == "compact_boundary":
        left = line.get("compactMetadata")
        return (_count(left.get("postTokens")) if isinstance(left, dict) else 0), "", 0
    message = _response(line)
    if message is None:
        return None
    tokens, model = sum(_count(message["usage"].get(name)) for name in _PARTS), message["model"]
    return (tokens, model, 0) if tokens else None


_DIALOG = "ExitPlanMode"


def is_agreed(tail: bytes, parse: "Callable[[bytes], dict[str, Any]]", call: str, plan: str) -> bool:
    """Whether the end of a session's record holds the plan dialog `call` ("" the last one) of its main chain, with this
    plan where it has one, and either the person's yes as the last that happened or, while that is not written, no other
    call that is under way: a command that runs beside the dialog, or after it, could tell the same.
    """
    under_way: dict[str, dict[str, Any]] = {}
    answer: dict[str, Any] | None = None
    dialog: dict[str, Any] = {}
    for row in tail.split(b"\n"):
        line = parse(row) if row.startswith(b"{") and b'"message"' in row else {}
        if line.get("isSidechain") or line.get("agentId"):
            continue
        blocks = _blocks(line)
        if line.get("type") == "user" and not any(one.get("type") == "tool_result" for one in blocks):
            under_way.clear()  # a prompt: what was under way was broken off
            dialog, answer = {}, None
        for one in blocks:
            if one.get("type") == "tool_use" and line.get("type") == "assistant":
                if answer is not None:  # it is long over: whoever tells of it now tells it again
                    dialog, answer = {}, None
                under_way[str(one.get("id"))] = one
                if one.get("name") == _DIALOG and call in ("", one.get("id")):
                    dialog, answer = one, None
            elif one.get("type") == "tool_result":
                under_way.pop(str(one.get("tool_use_id")), None)
                if dialog and one.get("tool_use_id") == dialog.get("id"):
                    answer = {**one, "told": line.get("toolUseResult")}
    if not dialog or (answer is None and list(under_way) != [dialog.get("id")]):
        return False
    parts = (dialog.get("input"), (answer or {}).get("told"))
    told = [part["plan"] for part in parts if isinstance(part, dict) and part.get("plan")]
    return not (answer or {}).get("is_error") and all(text == plan for text in told) and bool(told or answer is None)


def _blocks(line: "dict[str, Any]") -> "list[dict[str, Any]]":
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []


# What a line must hold to tell of tokens; and where the files of a session's sub-agents lie beside its record.
SPENT = b'"usage"'


def agents(record: str, session: str) -> str:  # noqa: ARG001 - other clients go by it
    """The folder in which the records of a session's sub-agents lie."""
    return f"{record.rpartition('.')[0]}/subagents"


# What an advisor is called among agents, and how its requests are marked in a response that was made with one.
ADVISOR = "advisor"
ADVISOR_MESSAGE = "advisor_message"


def priced_as(model: str, speed: "str | None", geo: "str | None") -> str:
    """The model's name with the marks of what makes its answer dearer (`core.cost.pricing`)."""
    return f"{model}{'[fast]' if speed == 'fast' else ''}{'[us]' if geo == 'us' else ''}"


def spent(line: "dict[str, Any]") -> "list[tuple[str, str, str, list[int]]]":
    """The responses that a line tells of, an advisor's too: its name, when, its model, and its tokens: input, written
    to the cache, of that for an hour, read from it, output. [] for a line that is about something else.
    """
    message = _response(line)
    if message is None:
        return []
    told, model = message["usage"], message["model"]
    several, name, time = told.get("iterations"), f"{message.get('id')} {line.get('requestId')}", line.get("timestamp")
    found = [(name, model, told)]
    for one in several if isinstance(several, list) else ():
        if isinstance(one, dict) and one.get("type") == ADVISOR_MESSAGE and isinstance(one.get("model"), str):
            found.append((f"{name}/{len(found)}", one["model"], one))
    return [
        (name, str(time or ""), priced_as(model, told.get("speed"), told.get("inference_geo")), _tokens(told))
        for name, model, told in found
    ]


def _response(line: "dict[str, Any]") -> "dict[str, Any] | None":
    """The message of a line if it is a model's response that tells its `usage` and `model`."""
    message = line.get("message")
    if line.get("type") != "assistant" or line.get("isApiErrorMessage") or not isinstance(message, dict):
        return None
    told, model = message.get("usage"), message.get("model")
    return message if isinstance(told, dict) and isinstance(model, str) and model != "<synthetic>" else None


def _tokens(told: "dict[str, Any]") -> "list[int]":
    kept = told.get("cache_creation")
    long = _count(kept.get("ephemeral_1h_input_tokens")) if isinstance(kept, dict) else 0
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    given, written, read, output = [_count(told.get(name)) for name in names]
    return [given, written, min(long, written), read, output]


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 53 else 0

"""How GitHub Copilot CLI speaks with hooks, as far as that differs from the canonical form, and what its record's end
tells.

For events that are named as Claude Code's are, it sends what that would send, but with its own arguments of tools, and
reads answers without the wrapping. Imports nothing: it runs at every tool call. Sources: docs/clients/copilot.md.
"""

TYPE_CHECKING = False  # `typing` would cost a hook more than all it does here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# The %s is a JSON text.
ANSWERS = {
    "deny": '{"permissionDecision":"deny","permissionDecisionReason":%s}\n',
    "warn": '{"additionalContext":%s}\n',
}
# What a line must hold to say how full the context is.
USAGE = (b'"session.usage_record"', b'"session.compaction_complete"')
# What a line must hold to tell of tokens. Sub-agents' are in the session's own record.
SPENT = b'"inputTokens"'
# It does not say how long a command took.
UNTIMED = True

_TOOLS = {"rg": "Grep", "read_bash": "BashOutput", "list_bash": "BashOutput", "stop_bash": "KillBash"}
_TOOLS |= {"ask_user": "AskUserQuestion", "read_agent": "TaskOutput", "list_agents": "TaskList"}
_ARGUMENTS = {"path": "file_path", "old_str": "old_string", "new_str": "new_string", "file_text": "content"}
# Where a line tells of tokens, and by what name of the response.
_SPENT = {
    "session.usage_record": ("usage", "apiCallId"),
    "session.compaction_complete": ("compactionTokensUsed", "compactionAttemptId"),
}
_COMPACTED = b'"session.compaction_complete"'
_ENDED = "completed with exit code "
# Of a sub-agent, which is told as a session of its own, only its tools are looked at.
_OF_AGENTS = ("PreToolUse", "PostToolUse", "PostToolUseFailure")


def heard(
    name: str,
    event: "dict[str, Any]",
    tail: "Callable[[str, int], bytes]",  # noqa: ARG001 - what other clients' events leave out
    parse: "Callable[[bytes], dict[str, Any]]",  # noqa: ARG001
) -> str:
    """The canonical name of the event `name`, "" for one that is none of ours; `event` is made canonical."""
    if event.get("agent_id"):
        if name not in _OF_AGENTS:
            return ""
        event["session_id"] = event.get("parent_agent_id")
    if not event.get("transcript_path"):
        event["transcript_path"] = _record(event.get("session_id"))
    tool, given = event.get("tool_name"), event.get("tool_input")
    if isinstance(given, str):  # a tool for free text has no names of arguments
        given = event["tool_input"] = {"input": given}
    if isinstance(given, dict) and isinstance(tool, str):
        if tool == "Edit" and "input" in given:
            tool, given = "apply_patch", {"command": given["input"]}
        elif tool.startswith("clew-"):
            tool = f"mcp__clew__{tool[5:]}"
        event["tool_name"] = _TOOLS.get(tool, tool)
        given = event["tool_input"] = {_ARGUMENTS.get(key, key): value for key, value in given.items()}
        path, cwd = given.get("file_path"), event.get("cwd")
        if isinstance(path, str) and not path.startswith("/") and isinstance(cwd, str):
            given["file_path"] = f"{cwd}/{path}"
    return _ended(name, event)


def _record(session: object) -> str:
    """The record of a session: hooks are told in which folder of the client their file lies, and not where it is."""
    import posix

    folder = posix.environ.get(b"COPILOT_HOOK_DIR", b"").decode("utf-8", "surrogateescape").rpartition("/")[0]
    return f"{folder}/session-state/{session}/events.jsonl" if folder and isinstance(session, str) else ""


def _ended(name: str, event: "dict[str, Any]") -> str:
    """The event's name, by how a tool ended: for the client a command with an exit code is a success."""
    result = event.get("tool_result")
    text = result.get("text_result_for_llm") if isinstance(result, dict) else None
    if not isinstance(text, str):
        return name
    event["tool_response"] = text
    printed, cut, code = text.rpartition(_ENDED)
    if event.get("tool_name") != "Bash" or not cut or code in ("0>", ""):
        return name
    event["error"] = f"Exit code {code.rstrip('>')}\n{printed.rpartition('<')[0]}"
    return "PostToolUseFailure"


def told(answer: "dict[str, Any]") -> "dict[str, Any]":
    """A canonical answer as the client reads it: all on one level."""
    said = answer.pop("hookSpecificOutput", None)
    if not isinstance(said, dict):
        return answer
    return {**answer, **{key: value for key, value in said.items() if key != "hookEventName"}}


def usage(line: "dict[str, Any]") -> "tuple[int, str, int] | None":
    """Tokens of context, model and window as a line of a record tells them ("" and 0 for what it does not); None for a
    line that is about something else. A compaction tells what it left.
    """
    data = line.get("data")
    if line.get("agentId") or not isinstance(data, dict):
        return None
    if line.get("type") == "session.compaction_complete" and data.get("success") is True:
        return _count(data.get("postCompactionTokens")), "", 0
    told = data.get("usage") if line.get("type") == "session.usage_record" else None
    tokens = _count(told.get("inputTokens")) if isinstance(told, dict) else 0
    return (tokens, str(told.get("model") or ""), _count(told.get("maxPromptTokens"))) if told and tokens else None


def spent(line: "dict[str, Any]") -> "list[tuple[str, str, str, list[int]]]":
    """As of Claude Code's dialect. The client counts what a cache holds as input too."""
    data, kind = line.get("data"), line.get("type")
    where, named = _SPENT.get(kind, ("", "")) if isinstance(kind, str) else ("", "")
    told = data.get(where) if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(told, dict):
        return []
    names = ("inputTokens", "cacheWriteTokens", "cacheReadTokens", "outputTokens")
    given, written, read, output = [_count(told.get(name)) for name in names]
    used = [max(0, given - written - read), written, 0, read, output]
    return [(str({**data, **told}.get(named)), str(line.get("timestamp", "")), str(told.get("model") or ""), used)]


def compacted(data: bytes, parse: "Callable[[bytes], dict[str, Any]]") -> str:
    """The summary of the newest compaction that the end of a record shows; "" if it shows none.

    A hook tells that one is about to come, and none that it came.
    """
    end = len(data)
    while (at := data.rfind(_COMPACTED, 0, end)) >= 0:
        start, stop = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        line = parse(data[start:stop] if stop >= 0 else data[start:])
        told = line.get("data") if line.get("type") == "session.compaction_complete" else None
        if isinstance(told, dict) and told.get("success") is True and not line.get("agentId"):
            text = told.get("summaryContent")
            if isinstance(text, str) and text:
                return text
        end = start
    return ""


def attended(event: "dict[str, Any]", near: "Any") -> bool:  # noqa: ARG001 - it says nothing of this
    """Whether a person sits at the session, by the client's own rule: at a terminal and not asked by `-p`; or in an
    editor that runs the client.

    `near` has the client's command line (`argv`), and whether a terminal is its input.
    """
    options = [word for word in near.argv if word.startswith("-")]
    asked = any(word == "--prompt" or word.startswith("--prompt=") for word in options)
    asked = asked or any("p" in word for word in options if not word.startswith("--"))
    return "--acp" in options or bool(near.at_terminal and not asked)


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 53 else 0

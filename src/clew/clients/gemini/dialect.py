"""How Gemini CLI speaks with hooks, as far as that differs from the canonical form, and what its record's end tells.

Imports nothing: it runs at every tool call. Sources: docs/clients/gemini.md.
"""

TYPE_CHECKING = False  # `typing` would cost a hook more than all it does here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# What is said before a tool does not get to the model: a warning waits for the hook behind it. The %s is a JSON text.
ANSWERS = {
    "deny": '{"decision":"deny","reason":%s}\n',
    "later": '{"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":%s}}\n',
}
USAGE = (b'"tokens"', b"<state_snapshot>")
UNTIMED = True

_NAMES = {
    "BeforeAgent": "UserPromptSubmit",
    "BeforeTool": "PreToolUse",
    "AfterTool": "PostToolUse",
    "AfterAgent": "Stop",
    "SessionEnd": "SessionEnd",
}
_BACK = {"UserPromptSubmit": "BeforeAgent", "PostToolUse": "AfterTool"}
_TOOLS = {"replace": "Edit", "write_file": "Write", "read_file": "Read", "run_shell_command": "Bash"}
_SNAPSHOT = "<state_snapshot>"
# The client asks for a scratchpad before the summary, and keeps both.
_OPENINGS = (_SNAPSHOT, "<scratchpad>")


def heard(
    name: str,
    event: "dict[str, Any]",
    tail: "Callable[[str, int], bytes]",  # noqa: ARG001 - what other clients' events leave out
    parse: "Callable[[bytes], dict[str, Any]]",  # noqa: ARG001
) -> str:
    """The canonical name of the event `name`, "" for one that is none of ours; `event` is made canonical."""
    if name == "AfterTool" and (helper := _at_work(event)):
        event["agent_id"] = helper
    cwd, given = event.get("cwd"), event.get("tool_input")
    tool = event.get("tool_name")
    event["tool_name"] = _TOOLS.get(tool, tool) if isinstance(tool, str) else None
    if isinstance(given, dict) and isinstance(cwd, str):
        path, folder = given.get("file_path"), given.get("dir_path")
        if isinstance(path, str) and not path.startswith("/"):
            given["file_path"] = f"{cwd}/{path}"
        if isinstance(folder, str) and folder:
            event["cwd"] = folder if folder.startswith("/") else f"{cwd}/{folder}"
    return _NAMES.get(name, "")


def _at_work(event: "dict[str, Any]") -> str:
    """The sub-agent that is at work, "" none. No event says it: but while one is, the session's own record waits, and
    that of the sub-agent in the session's folder grows.
    """
    import posix

    record, session = event.get("transcript_path"), event.get("session_id")
    if not isinstance(record, str) or not isinstance(session, str):
        return ""
    folder = agents(record, session)
    try:
        waits_ns = posix.stat(record).st_mtime_ns
        names = posix.listdir(folder)
        return next((name for name in names if posix.stat(f"{folder}/{name}").st_mtime_ns > waits_ns), "")
    except (OSError, ValueError):
        return ""


def told(answer: "dict[str, Any]") -> "dict[str, Any]":
    """A canonical answer as the client reads it."""
    said = answer.get("hookSpecificOutput")
    if not isinstance(said, dict):
        return answer
    return {**answer, "hookSpecificOutput": {**said, "hookEventName": _BACK.get(said["hookEventName"], "")}}


def usage(line: "dict[str, Any]") -> "tuple[int, str, int] | None":
    """Tokens of context, model and window as a line of a record tells them ("" and 0 for what it does not); None for a
    line that is about something else. A compaction does not say what it left.
    """
    if _snapshot(line):
        return 0, "", 0
    tokens, model = line.get("tokens"), line.get("model")
    count = tokens.get("input") if isinstance(tokens, dict) and line.get("type") == "gemini" else None
    return (count, str(model or ""), 0) if isinstance(count, int) and count > 0 else None


# What a line must hold to tell of tokens.
SPENT = b'"tokens"'


def spent(line: "dict[str, Any]") -> "list[tuple[str, str, str, list[int]]]":
    """As of Claude Code's dialect. The client counts what came from the cache as input too, and thoughts beside the
    output. What it copies at a resume has lost its tokens.
    """
    tokens = line.get("tokens")
    if line.get("type") != "gemini" or not isinstance(tokens, dict):
        return []
    names = ("input", "output", "cached", "thoughts", "tool")
    given, output, cached, thoughts, tool = [
        value if isinstance(value := tokens.get(name), int) else 0 for name in names
    ]
    used = [max(0, given - cached) + tool, 0, 0, min(cached, given), output + thoughts]
    return [(str(line.get("id")), str(line.get("timestamp", "")), str(line.get("model") or ""), used)]


def agents(record: str, session: str) -> str:
    """The folder in which the records of a session's sub-agents lie."""
    return f"{record.rpartition('/')[0]}/{session}"


def compacted(data: bytes, parse: "Callable[[bytes], dict[str, Any]]") -> str:
    """The summary of the newest compaction that the end of a record shows; "" if it shows none.

    No hook tells of one. The client rewrites the messages that are left, at every resume again, with new ids.
    """
    end, mark = len(data), _SNAPSHOT.encode()
    while (at := data.rfind(mark, 0, end)) >= 0:
        start, stop = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        if data.startswith(b'{"$set"', start):
            found = _snapshot(parse(data[start:stop] if stop >= 0 else data[start:]))
            if found:
                return found
        end = start
    return ""


# So an editor starts it.
_EDITOR = ("--acp", "--experimental-acp")


def _snapshot(line: "dict[str, Any]") -> str:
    """The summary among the messages that a line sets; "" if there is none."""
    patch = line.get("$set")
    messages = patch.get("messages") if isinstance(patch, dict) else None
    for message in reversed(messages) if isinstance(messages, list) else ():
        parts = message.get("content") if isinstance(message, dict) and message.get("type") == "user" else None
        for part in parts if isinstance(parts, list) else ():
            text = part.get("text") if isinstance(part, dict) else None
            if isinstance(text, str) and _SNAPSHOT in text and text.lstrip().startswith(_OPENINGS):
                return text[text.rfind(_SNAPSHOT) :]
    return ""


def attended(event: "dict[str, Any]", near: "Any") -> bool:  # noqa: ARG001 - it says nothing of this
    """Whether a person sits at the session, by the client's own rule: at a terminal, not asked by `-p`, not in CI; or
    in an editor that runs the client.

    `near` has the client's command line (`argv`), whether a terminal is its input, and the environment.
    """
    options = [word for word in near.argv if word.startswith("-")]
    asked = any(word.startswith("--prompt=") or word == "--prompt" for word in options)
    asked = asked or any("p" in word for word in options if not word.startswith("--"))
    in_editor = any(word in _EDITOR for word in options)
    return bool(in_editor or (near.at_terminal and not asked and near.environment.get("CI") != "true"))

"""What the output of a call says: outcome, exit code, answers, and its text without the client's own lines before it.

The client has written outputs in several forms (docs/clients/codex.md, "Results"); each is known by how it begins.
"""

import re
from typing import Any, Final

import msgspec

from clew.clients.fields import joined, labels
from clew.clients.tools import CallOutcome

# Lines that the client puts before what a command printed, in their order; the last of them is "Output:".
_LEAD: Final = re.compile(
    r"(?:Command: [^\n]*\n)?(?:Chunk ID: [^\n]*\n)?(?:Exit code: (?P<exit>-?\d{1,9})\n)?(?:Wall time: [^\n]*\n)?"
    r"(?:Process exited with code (?P<code>-?\d{1,9})\n|Process running with session ID (?P<process>[^\n]*)\n)?"
    r"(?:Original token count: [^\n]*\n)?(?:Total output lines: [^\n]*\n)?Output:(?:\n|$)"
)
# And those before what a script gave.
_SCRIPT: Final = re.compile(
    r"Script (?P<how>completed|failed|terminated|running with cell ID [^\n]*)\nWall time [^\n]*\nOutput:(?:\n+|$)"
)
# How its calls went, they say themselves: one that failed broke off, and that tells nothing about the project.
_SCRIPTS: Final = {"completed": "ok", "failed": "interrupted", "terminated": "interrupted"}
# How a patch answers that did not fit; a script can go on behind it.
UNFIT: Final = "apply_patch verification failed"
_STATUSES: Final = {"failed": "error", "declined": "rejected"}
_LEADS: Final = ("Chunk ID: ", "Wall time: ", "Exit code: ", "Command: ")
_EXIT: Final = re.compile(r"(?:execution error: )?[^\n]*?exit code: (-?\d{1,9}), stdout: ")
_SANDBOX: Final = "failed in sandbox"
_ABORTED: Final = re.compile(r"(?:Wall time: [^\n]*\n)?aborted(?: by user(?: after [\d.]+ ?s)?| before dispatch)?\s*")
_REFUSED: Final = (
    "exec command rejected by user",
    "patch rejected by user",
    "rejected by user",
    "user rejected",
    "user cancelled MCP tool call",
    "user rejected MCP tool call",
)
_NOT_STARTED: Final = "exec_command failed"
_REFUSED_WITHIN: Final = re.compile(r'Rejected\(\\*"rejected by user\\*"\)')
# What a hook or a rule kept from running.
_DENIED: Final = ("Command blocked by PreToolUse hook:", "approval policy is", "patch rejected:")
_FAILED: Final = (
    UNFIT,
    "apply_patch handler received",
    "write_stdin failed",
    _NOT_STARTED,
    "failed to parse function arguments",
    "unsupported call",
    "collab spawn failed",
    "resources/list failed",
    "resources/read failed",
    "tool call error:",
    "execution error:",
    "err: ",
    "unable to ",
    "failed to ",
)
# The answer to the call that began a sub-agent, in the sub-agent's copy of its parent's history: there that ends.
SPAWNED: Final = "You are the newly spawned agent."
# How all these begin: what begins otherwise is what a tool said.
_KNOWN: Final = (*_LEADS, "Script ", '{"', *_REFUSED, "aborted", _SANDBOX, *_DENIED, *_FAILED)


def outcome(output: Any) -> CallOutcome:
    """Read an output: a text, an object with one (`{content, success}`), or a list of pieces."""
    if isinstance(output, str):
        return _of_text(output)
    if isinstance(output, dict):
        content = output.get("content")
        found = _of_text(content) if isinstance(content, str) else CallOutcome("ok", None, joined(content))
        return found._replace(outcome="error") if output.get("success") is False and found.outcome == "ok" else found
    return _of_text(joined(output))


def ended(exit_code: int | None, text: str | None, status: str | None = None) -> CallOutcome:
    """Of a call whose end is told by an event of its own, with its status if it has one."""
    came = "ok" if exit_code in (0, None) else "error"
    return CallOutcome(_STATUSES.get(status or "", came), exit_code, text or "")


def printed(output: Any) -> list[CallOutcome] | None:
    """The answers of commands that a script printed as they were, in their order; what it printed else as that of its
    one command, which ended nobody knows how. None of any other output.
    """
    texts = [output] if isinstance(output, str) else _texts(output)
    lead = _SCRIPT.match(texts[0]) if texts else None
    if lead is None:
        return None
    said = [texts[0][lead.end() :], *texts[1:]]
    found = [one for text in said if text.startswith(("{", "[")) for one in _printed(text)]
    is_over = lead["how"] in _SCRIPTS
    return found or ([CallOutcome("unknown", None, "\n".join(filter(None, said)))] if is_over and any(said) else [])


def _printed(text: str) -> list[CallOutcome]:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return []
    found: list[CallOutcome] = []
    for one in value if isinstance(value, list) else [value]:
        said = one.get("output") if isinstance(one, dict) else None
        if isinstance(said, str):
            code, process = one.get("exit_code"), one.get("session_id")
            if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 1 << 31:
                found.append(ended(code, said))
            elif isinstance(process, int | str) and process != "":
                found.append(CallOutcome("running", None, said, process=str(process)))
    return found


def _texts(output: Any) -> list[str]:
    pieces = output if isinstance(output, list) else ()
    return [piece["text"] for piece in pieces if isinstance(piece, dict) and isinstance(piece.get("text"), str)]


def answered(result: Any, error: Any) -> str:
    """What an MCP tool answered: the text of its `result`, or of the error that took its place."""
    message = error.get("message") if isinstance(error, dict) else error
    if isinstance(message, str):
        return message
    return joined(result.get("content")) if isinstance(result, dict) else ""


def _of_text(text: str) -> CallOutcome:
    if not text.startswith(_KNOWN):
        return CallOutcome("ok", None, text)
    if text.startswith(_LEADS) and (lead := _LEAD.match(text)):
        if lead["process"]:
            return CallOutcome("running", None, text[lead.end() :], process=lead["process"])
        return _with_code(lead["code"] or lead["exit"], text[lead.end() :])
    if text.startswith("Script ") and (script := _SCRIPT.match(text)):
        return CallOutcome(_SCRIPTS.get(script["how"], "running"), None, text[script.end() :])
    if text.startswith('{"'):
        return _of_json(text)
    if text.startswith(_REFUSED) or (text.startswith(_NOT_STARTED) and _REFUSED_WITHIN.search(text)):
        return CallOutcome("rejected", None, text)
    if text.startswith(_DENIED):
        return CallOutcome("denied", None, text)
    if text.startswith(("aborted", "Wall time: ")) and _ABORTED.fullmatch(text):
        return CallOutcome("interrupted", None, text)
    if text.startswith(_SANDBOX) and (code := _EXIT.match(text)):
        return CallOutcome("error", int(code[1]), text)
    return CallOutcome("error" if text.startswith(_FAILED) else "ok", None, text)


def _with_code(code: str | None, text: str) -> CallOutcome:
    if code is None:
        return CallOutcome("ok", None, text)
    if text.startswith("aborted by user") and _ABORTED.fullmatch(text):
        return CallOutcome("interrupted", int(code), text)
    return CallOutcome("error" if int(code) else "ok", int(code), text)


def _of_json(text: str) -> CallOutcome:
    """Older shells and patches put the output and its exit code into JSON; questions to the user their answers."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return CallOutcome("ok", None, text)
    metadata = value.get("metadata")
    if isinstance(metadata, dict) and isinstance(value.get("output"), str):
        code = metadata.get("exit_code")
        known = isinstance(code, int) and not isinstance(code, bool) and abs(code) < 1 << 31
        return _with_code(str(code) if known else None, value["output"])
    answers = value.get("answers")
    if isinstance(answers, dict):
        return CallOutcome(
            "ok", None, text, answers=tuple((str(key), _answer(given)) for key, given in answers.items())
        )
    return CallOutcome("ok", None, text)


def _answer(given: Any) -> str:
    return labels(given.get("answers") if isinstance(given, dict) else given)

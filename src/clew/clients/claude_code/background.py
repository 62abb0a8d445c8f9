"""Commands that go on in the background: how the client says that one does, what a later look at it says, and how the
client tells that a task of its own ended.

Knows texts only, no lines. Sources: docs/clients/claude-code.md, "In the background".
"""

import re
from typing import Final, NamedTuple

# The answer to the call of a command that goes on. Behind what it printed so far the client says so in a line.
_GOES_ON: Final = re.compile(
    r"^Command [^\n]{0,200}?\bbackground(?:ed by user)? (?:with ID: |\(ID: )([\w-]{1,64})", re.MULTILINE | re.ASCII
)
_SAID_CHARS: Final = 1_000
# A look at a task: tags one behind the other, each with white space around it, and what was printed in the last ones.
_LOOKED: Final = re.compile(
    r"(?:<retrieval_status>|<status>(?:running|completed|failed|killed)</status>\s*(?:\Z|<(?:exit_code|std|timestamp)))"
)
_PRINTED: Final = re.compile(r"<(?:output|stdout|stderr)>")
_EXIT: Final = re.compile(r"\bexit code (-?\d{1,9})\)?[.\s]*$", re.ASCII)
_GOING: Final = frozenset(("running", "pending"))
_OUTCOMES: Final = {"completed": "ok", "failed": "error"}  # any other end: somebody or something stopped it


class Ended(NamedTuple):
    """How a task stands or ended. `outcome`: as of a `Result`, or "running".

    `task` is the client's name of it and `call` the call that began it ("" where the text does not name them), `text`
    what it printed or, of a sub-agent, answered (`is_answer`).
    """

    task: str
    call: str
    outcome: str
    exit_code: int | None
    text: str
    is_answer: bool = False


def going_on(text: str) -> tuple[str, str] | None:
    """The name of the task that a command went on as, and what it printed before; None of any other answer."""
    start = len(text) - _SAID_CHARS if len(text) > _SAID_CHARS else 0
    if text.find("background", start) < 0:
        return None
    found = _GOES_ON.search(text, start)
    # The client says at most one sentence more behind it; a text that goes on only quotes it.
    if found is None or text.count("\n", found.end()) > 1:
        return None
    return found[1], text[: found.start()].rstrip()


def looked(text: str) -> Ended | None:
    """What the answer to a look at a task says; None of any other answer."""
    if not text.startswith("<") or _LOOKED.match(text) is None:
        return None
    begins = _PRINTED.search(text)
    head = text[: begins.start()] if begins is not None else text
    status = _inside(head, "status")
    if not status:
        return None
    printed = [_inside(text, tag, last=True) for tag in ("output", "stdout", "stderr")]
    return _ended(head, status, _inside(head, "exit_code"), "\n".join(part for part in printed if part))


def notified(text: str) -> Ended | None:
    """What a notification says of a task; None of one that tells no end."""
    status, summary = _inside(text, "status"), _inside(text, "summary")
    if not status or status in _GOING:
        return None
    answer = _inside(text, "result", last=True)
    code = _EXIT.search(summary)
    told = _ended(text, status, code[1] if code is not None else "", answer or summary)
    return told._replace(is_answer=bool(answer))


def _ended(text: str, status: str, code: str, said: str) -> Ended:
    exit_code = int(code) if code.removeprefix("-").isdecimal() and len(code) < 10 else None
    outcome = "running" if status in _GOING else _OUTCOMES.get(status, "interrupted")
    if outcome == "ok" and exit_code:
        outcome = "error"
    task = _inside(text, "task_id") or _inside(text, "task-id")
    return Ended(task, _inside(text, "tool-use-id"), outcome, exit_code, said)


def _inside(text: str, tag: str, *, last: bool = False) -> str:
    """What stands between `<tag>` and the next `</tag>`, or the `last` one: what a program printed may hold any tag."""
    start = text.find(f"<{tag}>")
    if start < 0:
        return ""
    start += len(tag) + 2
    end = text.rfind(f"</{tag}>", start) if last else text.find(f"</{tag}>", start)
    return text[start:end].strip() if end >= 0 else ""

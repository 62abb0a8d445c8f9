"""What the state of a `tool` part says of its outcome."""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from clew.clients.fields import inner, rows, text

# Errors by which the client tells the model that the person said no (seen in the text of 1.18.33).
_REFUSED: Final = ("The user rejected permission to use this", "The user dismissed this question")
_SAID: Final = " following feedback: "  # "… with the following feedback: ", "… User provided the following feedback: "
# What clew's plug-in throws for a call that a gate denies, and what the client does for one that a rule denies.
_DENIED: Final = ("clew: ", "Error: clew: ", "The user has specified a rule which prevents you from using this")
# How the client wraps what a sub-agent said.
_HELPER: Final = re.compile(r"<task [^>]*>\s*<task_result>\s*(.*?)\s*</task_result>\s*</task>", re.DOTALL)
_STOPPED: Final = ("Tool execution aborted", "Tool execution was interrupted")


class Outcome(NamedTuple):
    """The fields of a `Result` that its state tells."""

    outcome: str
    exit_code: int | None
    text: str
    reason: str
    answers: tuple[tuple[str, str], ...]


def outcome(tool: str, state: Mapping[str, Any]) -> Outcome | None:
    """How a call ended; None for one that has not."""
    status, metadata = state.get("status"), inner(state, "metadata")
    if status == "completed":
        return _completed(tool, text(state, "output"), inner(state, "input"), metadata)
    if status != "error":
        return None
    said = text(state, "error")
    if metadata.get("interrupted") is True or any(mark in said for mark in _STOPPED):
        return Outcome("interrupted", None, said, "", ())
    if any(mark in said for mark in _REFUSED):
        return Outcome("rejected", None, said, said.partition(_SAID)[2].strip(), ())
    return Outcome("denied" if said.startswith(_DENIED) else "error", None, said, "", ())


def _completed(tool: str, output: str, given: Mapping[str, Any], metadata: Mapping[str, Any]) -> Outcome:
    if tool == "invalid":  # a call that the client could not make sense of
        return Outcome("error", None, output, "", ())
    if "exit" in metadata:
        code = metadata["exit"]
        if not isinstance(code, int) or isinstance(code, bool):  # the client stopped the command: too long, or told to
            return Outcome("interrupted", None, output, "", ())
        return Outcome("error" if code else "ok", code, output, "", ())
    if tool == "task":
        output = _HELPER.sub(lambda found: found[1], output, count=1)
    return Outcome("ok", None, output, "", _answers(given, metadata))


def _answers(given: Mapping[str, Any], metadata: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """(question, answer) pairs: the client keeps the chosen labels in the order of the questions."""
    chosen = metadata.get("answers")
    if not isinstance(chosen, list):
        return ()
    asked = [text(question, "question") or text(question, "header") for question in rows(given, "questions")]
    pairs = zip(asked, chosen, strict=False)
    return tuple((question, _joined(labels)) for question, labels in pairs if _joined(labels))


def _joined(labels: object) -> str:
    return ", ".join(label for label in labels if isinstance(label, str)) if isinstance(labels, list) else ""

"""What a client is told when it works headless at a phase, and what its last words say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from clew.app.plan.look import phase_prompt
from clew.app.project.opening import ProjectHandle
from clew.app.resume.payload import resume
from clew.app.run.context import Run
from clew.core.plan.next_actions import WorkOnPhase
from clew.core.plan.plan import Phase, Plan
from clew.core.text.cleaning import clean, one_line, shorten
from clew.documents.escaping import claimed, safe
from clew.documents.plan.prompts import BLOCKED, CAUSE, OUTCOME

_OUTCOME_CHARS: Final = 300
_REASON_CHARS: Final = 1_500
# Models put such lines in bold, into code, behind a list's mark, and behind a sentence; clients join two messages
# without a blank. In the middle of a sentence it is no more than a word.
_WORD: Final = rf"(?:^[\s>*_`#-]*|(?<=[\w.!?:;)…])[*_]*|(?<=[.!?:;)…] )[*_`]*)(?:{OUTCOME}|{BLOCKED}|{CAUSE})"
_LINE: Final = re.compile(rf"({_WORD})[*_`]*[ \t]*(\S.*?)[*_`\s]*(?=$|{_WORD})", re.MULTILINE)
_GO_ON: Final = (
    "Go on where you were cut off. What you said and did before counts. The last line of your last message is "
    f"`{OUTCOME} …` or `{BLOCKED} …`, as you were told."
)
_BEFORE: Final = (
    "Another session worked at this phase before you, in this work tree, and came to no end. Look at what it changed "
    "(`git status`, `git diff`) before you do anything; keep what is good, and do not do it again."
)


class Ending(NamedTuple):
    """What a client's last words say. `blocked`: a person has to decide what `text` says. `told`: it said either."""

    text: str
    cause: str
    blocked: bool
    told: bool


def prompt_of(run: Run, plan: Plan, phase: Phase, work: WorkOnPhase) -> str:
    """The prompt of a round: the phase, what came of the round before, and where no hook brings it the payload."""
    if work.why == "resume" and work.session:
        return _GO_ON
    with run.open() as at:
        parts = [phase_prompt(at, run.task, plan, phase, unattended=True)]
    if work.why != "begin":
        parts.append(_part("Where it stands", _BEFORE))
    if work.why == "retry":
        told = (
            f"The checks failed on it. What failed first:\n\n{_quoted(work.told)}\n\nFind the cause; fix it with the "
        )
        parts.append(_part("What failed", f"{told}smallest change. It is checked once more, and not again."))
    if work.why == "changes":
        parts.append(
            _part("What the person wants", f"They looked through it, and want this changed:\n\n{_quoted(work.told)}")
        )
    if not run.worker.brings_payload(run.folder(phase)):
        parts.append(_payload(run, phase))
    return "\n".join(part for part in parts if part)


def _payload(run: Run, phase: Phase) -> str:
    return resume(ProjectHandle(run.ports, run.folder(phase)), task=run.task).document.text


def _part(heading: str, text: str) -> str:
    return f"## {heading}\n\n{text}\n"


def _quoted(text: str) -> str:
    rows: Sequence[str] = text.split(" | ") if " | " in text else text.split("\n")
    return "\n".join(f"> {claimed(safe(one_line(row)))}" for row in rows)


def ending_of(text: str) -> Ending:
    """What the last words of a client say: of each of our words the last counts, which begins a line or stands behind
    a sentence. Without one, it says that it is done: what is true of that, the checks find out.
    """
    lines = [(head.strip(" \t\n>*_`#-"), said) for head, said in _LINE.findall(clean(text))]
    found = {word: shorten(one_line(said), _OUTCOME_CHARS) for word, said in lines}
    last = next((word for word, _ in reversed(lines) if word != CAUSE), "")
    cause = found.get(CAUSE, "")
    if last:
        return Ending(found[last], cause, last == BLOCKED, True)
    first = next(filter(None, map(str.strip, clean(text).split("\n"))), "")
    return Ending(shorten(one_line(first), _OUTCOME_CHARS), cause, False, False)


def reason_of(lines: Sequence[str], otherwise: str) -> str:
    """What failed first in one line, as it is kept."""
    return shorten(" | ".join(lines) or otherwise, _REASON_CHARS)

"""What whoever handed in a draft is told of it: what was struck and why, so that it can be corrected at once."""

from __future__ import annotations

from typing import Final

from clew.app.draft.keep import Judgement
from clew.core.text.cleaning import one_line, shorten

_CLAIM_CHARS: Final = 90
_AGAIN: Final = "Send the whole draft again, corrected: it takes this one's place. Rejected entries are in no payload."


def asking(request: str) -> str:
    """How an agent is asked for a draft, after a checkpoint without one."""
    return (
        "Now write the hand-off, while you know it all, and send it as `draft` of another checkpoint (`clew checkpoint "
        f"--draft -` reads it from stdin). {request}"
    )


def answered(kept: Judgement, shown: str) -> tuple[str, ...]:
    """The lines: how many entries stand, what to do, each that was struck, then quotations that are none. `shown` is
    the draft's short id.
    """
    struck = kept.struck
    count, proved = len(kept.judged), sum(one.verdict == "proved" for one in kept.judged)
    said = "Kept before" if not kept.events else "Kept"
    lines = [f"{said} the draft {shown}: {count - len(struck)} of {count} entries stand, {proved} of them proved."]
    lines += [_AGAIN] if struck else []
    lines += [f"Struck: {_named(one.claim.line, one.claim.text)} ({one.verdict}: {one.reason})." for one in struck]
    lines += [f"Not literal, so without quotation marks: {_named(one.line, one.text)}." for one in kept.unquoted]
    return tuple(lines)


def _named(line: int, text: str) -> str:
    return f"line {line} “{shorten(one_line(text), _CLAIM_CHARS)}”"

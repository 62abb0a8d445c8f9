"""Tagged lines: what somebody says on purpose to be remembered, `[LEARNED] …`, `[DECISION] …`, in a message of the
agent or a prompt of the user. Never in what a tool printed, nor in code.
"""

from __future__ import annotations

import re
from typing import Final

from clew.core.records.transcript import Prompt, Reply
from clew.core.state.items import Kind, Provenance
from clew.core.text.cleaning import one_line, shorten
from clew.distill.fact import SessionFact
from clew.distill.session import Session

_TAG: Final = re.compile(
    r"^[ \t]{0,8}(?:[-*+>][ \t]+)?(?:\*\*|__|`)?\[(LEARNED|LEARNING|DECISION|GOTCHA|REUSE|CORRECTION)\]"
    r"(?:\*\*|__|`)?[ \t]*[:–—-]?[ \t]*(\S.*)$",
    re.MULTILINE,
)
_FENCED: Final = re.compile(r"^(?P<mark>```+|~~~+).*?^(?P=mark)[ \t]*$", re.MULTILINE | re.DOTALL)
_REASON: Final = re.compile(r"\s+(?:—|–|because)\s+", re.IGNORECASE)
_TEXT_CHARS_MAX: Final = 600
_EACH_MAX: Final = 40


# What was said on purpose comes before what rules found.
_RANKS: Final = {"decision": 3, "learning": 9}


def tagged(session: Session) -> list[SessionFact]:
    """The tagged lines of a session in order, each words once; at most so many of the newest. A label is the tag."""
    found: dict[tuple[str, str], SessionFact] = {}
    for index, event in enumerate(session.events):
        if not isinstance(event, (Reply, Prompt)) or "[" not in event.text:
            continue
        if isinstance(event, Prompt) and (event.source != "typed" or not session.is_persons(event)):
            continue
        whose: Provenance = "human" if isinstance(event, Prompt) else "agent"
        for match in _TAG.finditer(_FENCED.sub("", event.text)):
            kind: Kind = "decision" if match[1] == "DECISION" else "learning"
            label = "" if kind == "decision" else match[1].replace("LEARNING", "LEARNED")
            parts = _REASON.split(one_line(match[2]).strip("*_"), 1)
            text, why = (shorten(part, _TEXT_CHARS_MAX) for part in (*parts, "")[:2])
            if len(text) > 3:
                fact = SessionFact(kind, text, index, _RANKS[kind], why, provenance=whose, label=label)
                found.setdefault((kind, text), fact)
    return list(found.values())[-_EACH_MAX:]


def is_tagged(text: str) -> bool:
    """Whether a sentence is such a line, or begins with its tag."""
    return text.startswith("[") and _TAG.match(text) is not None

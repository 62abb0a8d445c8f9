"""Tagged lines: what somebody says on purpose to be remembered, `[LEARNED] …`, `[DECISION] …`, in a message of the
agent or a prompt of the user. Never in what a tool printed, nor in code.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from clew.core.records.transcript import Prompt, Reply
from clew.core.state.items import Kind
from clew.core.text.cleaning import one_line, shorten
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


class Tagged(NamedTuple):
    """A tagged line: `event` is where it stands, `by_user` whether a prompt holds it. `label` is its tag."""

    kind: Kind
    text: str
    why: str
    label: str
    event: int
    by_user: bool


def tagged(session: Session) -> list[Tagged]:
    """The tagged lines of a session in order, each words once; at most so many of the newest."""
    found: dict[tuple[str, str], Tagged] = {}
    for index, event in enumerate(session.events):
        if not isinstance(event, (Reply, Prompt)) or "[" not in event.text:
            continue
        is_users = isinstance(event, Prompt)
        if isinstance(event, Prompt) and (event.source != "typed" or not session.is_persons(event)):
            continue
        for match in _TAG.finditer(_FENCED.sub("", event.text)):
            tag = "LEARNED" if match[1] == "LEARNING" else match[1]
            kind: Kind = "decision" if tag == "DECISION" else "learning"
            text, why = _parted(one_line(match[2]).strip("*_"))
            if len(text) > 3:
                label = "" if kind == "decision" else tag
                found.setdefault((kind, text), Tagged(kind, text, why, label, index, is_users))
    return list(found.values())[-_EACH_MAX:]


def is_tagged(text: str) -> bool:
    """Whether a sentence is such a line, or begins with its tag."""
    return text.startswith("[") and _TAG.match(text) is not None


def _parted(text: str) -> tuple[str, str]:
    """What was decided or learned, and why, where a dash or "because" tells them apart."""
    parts = _REASON.split(text, 1)
    why = shorten(parts[1], _TEXT_CHARS_MAX) if len(parts) > 1 else ""
    return shorten(parts[0], _TEXT_CHARS_MAX), why

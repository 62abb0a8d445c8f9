"""Claims that something was merged, released, deployed, reverted: a command or the user must tell of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.facts import Needle, Part, RecordFacts
from clew.core.state.draft import Claim

_ACTS: Final = ("merged", "tagged", "released", "published", "deployed", "rebased", "reverted")
_TOLD: Final = re.compile(rf"\b({'|'.join(_ACTS)})\b", re.IGNORECASE)
_NOT_TOLD: Final = re.compile(
    rf"(?:\b(?:not|never|n.t|no|un|nothing|be|being|when|once|until|if|after|before|unless|gets?|yet|can|could|should|must|"
    rf"already|than)\b[\w ]{{0,20}}?\W*)(?:{'|'.join(_ACTS)})\b",
    re.IGNORECASE,
)
_OPENED: Final = re.compile(r"\bopened (?:a |an |the )?(?:draft )?(?:PR|MR|pull request|merge request|issue)\b", re.I)
OPENED: Final = Needle("opened")
# A lock is released and lists are merged, too: it is about the world where one of these is named, or nothing else is.
_OUTSIDE: Final = re.compile(
    rf"\b(?:PRs?|MRs?|pull|branch|main|master|trunk|prod(?:uction)?|staging|version|tag|package|npm|pypi|crates|registry|users|"
    rf"customers|live)\b|#\d|\bv\d|^\W*(?:{'|'.join(_ACTS)})\b",
    re.IGNORECASE,
)
_TELLING: Final = frozenset(("step", "goal", "finding"))


def parts(claim: Claim, text: str, record: RecordFacts) -> Iterator[Part]:
    """Whether the record tells of what a claim says was done to the world outside."""
    if claim.kind not in _TELLING or not record.known:
        return
    if _OPENED.search(text) and not record.opened and not record.whose(OPENED) & {"user", "tool", "summary"}:
        yield record.absent("nothing was opened in the record")
    if not _OUTSIDE.search(text):
        return
    for act in dict.fromkeys(word.lower() for word in _TOLD.findall(_NOT_TOLD.sub(" ", text))):
        if act in record.acts:
            yield Part("anchored", f"a command tells of something {act}")
        elif record.whose(needle_of(act)) & {"user", "tool", "summary"}:
            yield Part("anchored", f"the record tells that something was {act}")
        else:
            yield record.absent(f"nothing was {act} in the record")


def needle_of(act: str) -> Needle:
    """What is looked for where no command did it."""
    return Needle(act)


def needles_in(text: str) -> frozenset[Needle]:
    """What a claim's acts need in the record."""
    found = {needle_of(word.lower()) for word in _TOLD.findall(text)}
    return frozenset(found | {OPENED} if _OPENED.search(text) else found)

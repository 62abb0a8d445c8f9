"""Claims that something was pushed, or was not. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.anchors import anchors_in
from clew.app.proof.commit import event_of
from clew.app.proof.facts import Needle, Part, RecordFacts
from clew.core.draft import Claim

_NOT_PUSHED: Final = re.compile(
    r"\b(?:un-?pushed|(?:not|never|n.t)(?: yet)?(?: been)? (?:yet )?push(?:ed)?|nothing (?:is |was |has been )?pushed|"
    r"pushed:? (?:nothing|none|no)\b|not (?:yet )?on (?:the )?remote|local only|only local(?:ly)?)",
    re.IGNORECASE,
)
_SAYS_PUSHED: Final = re.compile(r"\bpushed\b", re.IGNORECASE)
# Words around it that make it a wish, a rule or a condition.
_NOT_TOLD: Final = re.compile(
    r"\b(?:be|when|once|until|if|after it is|before it is|gets?|force-?) pushed\b",
    re.IGNORECASE,
)
_OF_GIT: Final = re.compile(r"\b(?:commit\w*|branch|origin|remote|git|github|gitlab)\b", re.IGNORECASE)
_TELLING: Final = frozenset(("step", "goal", "finding", "decision", "validation", "note", "file"))
PUSHED: Final = Needle("pushed")


def parts(claim: Claim, text: str, record: RecordFacts) -> Iterator[Part]:
    """What the claim says of pushes, against the last push that the record has."""
    if claim.kind not in _TELLING or not record.known:
        return
    if claim.kind not in ("step", "goal") and not _OF_GIT.search(text):
        return
    denied = _NOT_PUSHED.search(text) is not None
    told = _SAYS_PUSHED.search(_NOT_TOLD.sub(" ", _NOT_PUSHED.sub(" ", text))) is not None
    if denied == told:
        return  # nothing is said of it, or of one thing this and of another that
    last = record.commits[-1].event if record.commits else -1
    made = [event_of(one.text, record) for one in anchors_in(text) if one.kind == "hash"]
    wanted = max(made) if made and max(made) >= 0 else last
    if denied:
        if record.pushed >= 0 and record.pushed >= wanted:
            yield Part("contradicted", "the record has a push after it")
        else:
            yield Part("proved", "no push in the record since")
    elif record.pushed < 0:
        said = record.whose(PUSHED) & {"user"}
        yield Part("anchored", "the user tells of it") if said else Part("unsupported", "no push in the record")
    elif record.pushed < wanted:
        yield Part("contradicted", "the last push came before the last commit")
    else:
        yield Part("proved", "pushed")

"""Claims that something was pushed, or was not. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.anchors import anchors_of
from clew.app.proof.commit import is_same
from clew.app.proof.facts import ClaimPart, Needle, RecordFacts
from clew.core.state.draft import Claim
from clew.documents.draft import NOT_PUSHED

_SAYS_PUSHED: Final = re.compile(
    r"\bpushed\b|\b(?:is|are|now|already) on (?:origin|upstream|the remote)\b", re.IGNORECASE
)
# Words around it that make it a wish, a rule or a condition.
_NOT_TOLD: Final = re.compile(
    r"\b(?:be|when|once|until|if|after it is|before it is|gets?|force-?) pushed\b", re.IGNORECASE
)
PUSHED: Final = Needle("pushed")


def parts(claim: Claim, text: str, record: RecordFacts) -> Iterator[ClaimPart]:
    """What the claim says of pushes, against the last push that the record has."""
    named = [one.text for one in anchors_of(claim) if one.kind == "hash"]
    denied = NOT_PUSHED.search(text) is not None
    told = _SAYS_PUSHED.search(_NOT_TOLD.sub(" ", NOT_PUSHED.sub(" ", text))) is not None
    # Nothing may be said of it, or of one thing this and of another that.
    if denied == told or not record.known or not (claim.kind in ("step", "goal") or named):
        return
    made = [commit for commit in record.commits if commit.id and any(is_same(commit.id, name) for name in named)]
    made = made or list(record.commits)
    wanted = max((commit.event for commit in made), default=-1)
    # The branches that it is about: those it names, else those of its commits; none where nobody knows.
    known = {branch for push in record.pushes for branch in push.branches} | set(record.branches.values())
    branches = {one for one in known if re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", text)}
    branches = branches or {record.branches[commit.id] for commit in made if commit.id in record.branches}
    branches |= {f"origin/{branch}" for branch in branches}
    pushes = [push for push in record.pushes if not branches or not push.branches or push.branches & branches]
    last = max((push.event for push in pushes), default=-1)
    last = last if branches else max(last, record.pushed)
    if denied and 0 <= last >= wanted:
        yield ClaimPart("contradicted", "the record has a push after it")
    elif denied:
        covers = " ".join(found[0] for found in NOT_PUSHED.finditer(text))
        yield ClaimPart("anchored" if record.goes_on else "proved", "no push of it in the record", covers=covers)
    elif last < 0:
        said = record.whose(PUSHED) & {"user", "summary"}
        yield ClaimPart("anchored", "it is told of") if said else record.absent("no push of it in the record")
    elif last < wanted:
        yield ClaimPart("contradicted", "the last push came before the commit")
    else:
        covers = " ".join(branch for push in pushes if push.event >= wanted for branch in sorted(push.branches))
        yield ClaimPart("proved", "pushed", covers=covers)

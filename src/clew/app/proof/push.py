"""Claims that something was pushed, or was not. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.anchors import anchors_in
from clew.app.proof.commit import is_same
from clew.app.proof.facts import Needle, Part, RecordFacts
from clew.core.state.draft import Claim, Verdict
from clew.distill.commits import CommitDone

_NOT_PUSHED: Final = re.compile(
    r"\b(?:un-?pushed|(?:not|never|n.t)(?: yet)?(?: been)? (?:yet )?push(?:ed)?|nothing (?:is |was |has been )?pushed|"
    r"pushed:? (?:nothing|none|no)\b|not (?:yet )?on (?:the )?(?:remote|origin|upstream)|local only|only local(?:ly)?)",
    re.IGNORECASE,
)
_SAYS_PUSHED: Final = re.compile(
    r"\bpushed\b|\b(?:is|are|now|already) on (?:origin|upstream|the remote)\b", re.IGNORECASE
)
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
    made = _commits(text, record)
    wanted = max((commit.event for commit in made), default=-1)
    branches = _branches(text, made, record)
    pushes = [push for push in record.pushes if not branches or not push.branches or push.branches & branches]
    last = max((push.event for push in pushes), default=-1)
    if not branches:
        last = max(last, record.pushed)
    if denied:
        if last >= 0 and last >= wanted:
            yield Part("contradicted", "the record has a push after it")
        else:
            how: Verdict = "anchored" if record.goes_on else "proved"
            yield Part(how, "no push of it in the record", covers=_words(_NOT_PUSHED, text))
    elif last < 0:
        said = record.whose(PUSHED) & {"user", "summary"}
        yield Part("anchored", "it is told of") if said else record.absent("no push of it in the record")
    elif last < wanted:
        yield Part("contradicted", "the last push came before the commit")
    else:
        known = " ".join(branch for push in pushes if push.event >= wanted for branch in sorted(push.branches))
        yield Part("proved", "pushed", covers=known)


def _words(pattern: re.Pattern[str], text: str) -> str:
    return " ".join(found[0] for found in pattern.finditer(text))


def _commits(text: str, record: RecordFacts) -> list[CommitDone]:
    """The commits that a claim names by their hashes, else all of the session."""
    named = [one.text for one in anchors_in(text) if one.kind == "hash"]
    found = [commit for commit in record.commits for name in named if commit.id and is_same(commit.id, name)]
    return found or list(record.commits)


def _branches(text: str, made: list[CommitDone], record: RecordFacts) -> frozenset[str]:
    """The branches that a claim is about: those it names, else those of its commits; none where nobody knows."""
    known = {branch for push in record.pushes for branch in push.branches} | set(record.branches.values())
    named = {branch for branch in known if re.search(rf"(?<![\w-]){re.escape(branch)}(?![\w-])", text)}
    of_commits = {record.branches[commit.id] for commit in made if commit.id in record.branches}
    found = named or of_commits
    return frozenset(found | {f"origin/{branch}" for branch in found})

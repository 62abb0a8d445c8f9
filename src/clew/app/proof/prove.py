"""Proving claims: every checkable part of each is looked at by its own module, and the worst of them decides. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from clew.app.proof import check, words, work
from clew.app.proof.anchors import told, words_of
from clew.app.proof.facts import DiskFacts, RecordFacts
from clew.core.state.draft import Claim, JudgedClaim

# How the reason of a claim begins that is anchored, but not as it is told.
IN_DOUBT: Final = "in doubt"
# Words that say nothing by themselves. A denial is none of them, nor is "only" or "all".
_LITTLE: Final = frozenset(
    "a an and are as at be been by for has have in into is it its now of on onto that the this to was were with".split()
)
# By a claim's kind, the words that say no more than that a thing is of this kind. How a check went is not among them.
_STATE: Final = frozenset(
    "branch change changes commit commits committed edits file files git hash here local locally message origin push "
    "pushed remote session state status work".split()
)
_CHECKS: Final = frozenset(
    "after all assertions before change changes check checks code command edit edits error errors exit exited exits "
    "failures final last latest most my our problems ran recent rerun result results run runs since skipped spec specs "
    "suites test tests total warning warnings".split()
)
_QUOTED: Final = frozenset("user users user's said asked goal last request verbatim".split())
_OF_KIND: Final = {"step": _STATE, "file": _STATE, "validation": _CHECKS}
_OF_KIND.update(dict.fromkeys(("constraint", "goal", "decision"), _QUOTED))


def prove(claims: Iterable[Claim], record: RecordFacts, disk: DiskFacts) -> tuple[JudgedClaim, ...]:
    """Each claim with its verdict, in order.

    Contradicted if one part is, else unsupported if one is, else proved if tools or the user's words prove all that it
    says, else anchored. The same claims and facts give the same verdicts.
    """
    return tuple(_judged(claim, record, disk) for claim in claims)


def _judged(claim: Claim, record: RecordFacts, disk: DiskFacts) -> JudgedClaim:
    text = told(claim)
    parts = [
        *work.parts(claim, text, record, disk),
        *check.parts(claim, text, record),
        *words.parts(claim, text, record, disk),
    ]
    stated = check.restated(claim, text, record)
    stated = stated._replace(
        text=words.unmarked(stated.text, record, disk), why=words.unmarked(stated.why, record, disk)
    )
    for verdict in ("contradicted", "unsupported"):
        wrong = [part.reason for part in parts if part.verdict == verdict]
        if wrong:
            return JudgedClaim(stated, verdict, "; ".join(dict.fromkeys(wrong[:3])))
    proofs = [part.reason for part in parts if part.verdict == "proved"]
    doubts = [part.reason for part in parts if part.doubtful]
    if proofs and not doubts and _is_all(claim, text, (part.covers for part in parts)):
        return JudgedClaim(stated, "proved", "; ".join(dict.fromkeys(proofs[:3])))
    anchors = [*proofs, *(part.reason for part in parts if part.verdict == "anchored")]
    if doubts:
        return JudgedClaim(stated, "anchored", f"{IN_DOUBT}: {'; '.join(dict.fromkeys(doubts[:3]))}")
    unknown = "no anchor to check" if record.known else "no record to check against"
    return JudgedClaim(stated, "anchored", "; ".join(dict.fromkeys(anchors[:3])) or unknown)


def _is_all(claim: Claim, text: str, covers: Iterable[str]) -> bool:
    """Whether each word of a claim's `text` stands in `covers`, the words that the proofs account for, or says nothing
    more: a reader takes a tick for the whole of it. False for kinds of which only their writer knows.
    """
    closed = _OF_KIND.get(claim.kind)
    if closed is None:
        return False
    known = {*_LITTLE, *closed}.union(*map(words_of, covers))
    return all(
        word in known or ("/" in word and all(part in known for part in word.split("/"))) for word in words_of(text)
    )

"""Proving claims: every checkable part of each is looked at by its own module, and the worst of them decides. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from clew.app.proof import acts, asked, beside, check, commit, files, names, proper, push, quotation, user
from clew.app.proof.facts import DiskFacts, Part, RecordFacts
from clew.app.proof.wording import told
from clew.core.state.draft import Claim, Judged

# How the reason of a claim begins that is anchored, but not as it is told.
IN_DOUBT: Final = "in doubt"
_NOTHING: Final = "no anchor to check"
_UNKNOWN: Final = "no record to check against"


def prove(claims: Iterable[Claim], record: RecordFacts, disk: DiskFacts) -> tuple[Judged, ...]:
    """Each claim with its verdict, in order.

    Contradicted if one part is, else unsupported if one is, else proved if tools or the user's words prove all that it
    says, else anchored. The same claims and facts give the same verdicts.
    """
    return tuple(_judged(claim, record, disk) for claim in claims)


def _judged(claim: Claim, record: RecordFacts, disk: DiskFacts) -> Judged:
    text = told(claim)
    parts = list(_parts(claim, text, record, disk))
    stated = check.restated(claim, text, record)
    stated = stated._replace(
        text=quotation.unmarked(stated.text, record, disk), why=quotation.unmarked(stated.why, record, disk)
    )
    for verdict in ("contradicted", "unsupported"):
        wrong = [part.reason for part in parts if part.verdict == verdict]
        if wrong:
            return Judged(stated, verdict, "; ".join(dict.fromkeys(wrong[:3])))
    proofs = [part.reason for part in parts if part.verdict == "proved"]
    doubts = [part.reason for part in parts if part.doubtful]
    if proofs and not doubts and beside.is_all(claim, text, (part.covers for part in parts)):
        return Judged(stated, "proved", "; ".join(dict.fromkeys(proofs[:3])))
    anchors = [*proofs, *(part.reason for part in parts if part.verdict == "anchored")]
    if doubts:
        return Judged(stated, "anchored", f"{IN_DOUBT}: {'; '.join(dict.fromkeys(doubts[:3]))}")
    reason = "; ".join(dict.fromkeys(anchors[:3])) or (_NOTHING if record.known else _UNKNOWN)
    return Judged(stated, "anchored", reason)


def _parts(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> Iterator[Part]:
    yield from commit.parts(claim, text, record, disk)
    yield from push.parts(claim, text, record)
    yield from files.parts(claim, text, record, disk)
    yield from check.parts(claim, text, record)
    yield from acts.parts(claim, text, record)
    yield from quotation.parts(claim, text, record, disk)
    yield from user.parts(claim, text, record)
    yield from asked.parts(claim, record)
    yield from names.parts(claim, text, record, disk)
    yield from proper.parts(claim, text, record, disk)

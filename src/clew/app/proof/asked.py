"""Decisions that are none yet: the agent asked, and nobody answered. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clew.app.proof.facts import Part, RecordFacts
from clew.app.proof.wording import content_stems, share
from clew.core.state.draft import Claim

_STEMS_MIN: Final = 3
_SAME: Final = 0.6


def parts(claim: Claim, record: RecordFacts) -> Iterator[Part]:
    """Whether what a claim tells as decided is asked at the end of the record."""
    stems = content_stems(claim.text)
    if claim.kind != "decision" or len(stems) < _STEMS_MIN:
        return
    if any(share(stems, question) >= _SAME for question in record.asked):
        yield Part("anchored", "the agent asked it, and nobody answered", doubtful=True)

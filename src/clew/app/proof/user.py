"""Claims of what the user said, wants or decided, without quotation marks: a prompt must be about it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clew.app.proof.anchors import anchors_in, normal
from clew.app.proof.facts import Part, RecordFacts
from clew.app.proof.quotation import inverted
from clew.app.proof.wording import best_share, content_stems, share
from clew.core.draft import Claim

_STEMS_MIN: Final = 2
_AGREED_MIN: Final = 0.6


def parts(claim: Claim, text: str, record: RecordFacts) -> Iterator[Part]:
    """Whether the user ever spoke of it, or said yes to it."""
    if not claim.of_user or not record.known or any(one.kind == "quotation" for one in anchors_in(text)):
        return
    stems = content_stems(claim.text)
    if len(stems) < _STEMS_MIN:
        return
    all_said = " ".join(record.user)
    if inverted(stems, normal(claim.text), record):
        yield Part("contradicted", "the user said the opposite")
    elif share(stems, all_said) == 0 and best_share(stems, record.agreed) < _AGREED_MIN:
        yield Part("unsupported", "no prompt is about it")
    else:
        yield Part("anchored", "the user spoke of it")

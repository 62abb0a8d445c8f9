"""Claims of what the user said, wants or decided, without quotation marks: a prompt must be about it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.anchors import anchors_in, normal
from clew.app.proof.facts import Part, RecordFacts
from clew.app.proof.quotation import inverted
from clew.app.proof.wording import best_share, content_stems, is_english, share
from clew.core.draft import Claim

# What a claim names only to say that it was not taken.
_TURNED_DOWN: Final = re.compile(r"\b(?:not|over|instead of|rather than|reject(?:ed|ing)?|against|without|no)\b.*")
_STEMS_MIN: Final = 2
_AGREED_MIN: Final = 0.6


def parts(claim: Claim, text: str, record: RecordFacts) -> Iterator[Part]:
    """Whether the user ever spoke of it, or said yes to it."""
    if not claim.of_user or not record.known:
        return
    yield from _chosen(claim, record)
    if any(one.kind == "quotation" for one in anchors_in(text)):
        return
    stems = content_stems(claim.text)
    if len(stems) < _STEMS_MIN:
        return
    all_said = " ".join(record.user)
    if len(stems) >= _STEMS_MIN and inverted(stems, normal(claim.text), record):
        yield Part("contradicted", "the user said the opposite")
    elif (
        share(stems, all_said) == 0
        and best_share(stems, record.agreed) < _AGREED_MIN
        and is_english(all_said) == is_english(normal(text))
    ):
        yield Part("unsupported", "no prompt is about it")
    else:
        yield Part("anchored", "the user spoke of it")


def _chosen(claim: Claim, record: RecordFacts) -> Iterator[Part]:
    """Something that was offered to the user and not taken, told as the user's choice."""
    text = _TURNED_DOWN.sub("", normal(claim.text))
    for one in record.chosen:
        other = next((label for label in one.others if len(label) > 2 and _word(label).search(text)), "")
        if other and not _word(one.answer).search(text):
            yield Part("contradicted", f"the user chose “{one.answer}”")


def _word(label: str) -> re.Pattern[str]:
    ending = r"\w{0,3}" if label.isalpha() and len(label) > 3 else ""
    return re.compile(rf"(?<!\w){re.escape(label)}{ending}(?!\w)")

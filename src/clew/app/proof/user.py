"""Claims of what the user said, wants or decided, without quotation marks: a prompt must be about it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.anchors import Anchor, anchors_in, normal
from clew.app.proof.facts import Part, RecordFacts
from clew.app.proof.quotation import inverted
from clew.app.proof.wording import best_share, content_stems, has_number, is_english, share
from clew.core.state.draft import Claim

# What a claim names only to say that it was not taken.
_TURNED_DOWN: Final = re.compile(r"\b(?:not|over|instead of|rather than|reject(?:ed|ing)?|against|without|no)\b.*")
_STEMS_MIN: Final = 2
_AGREED_MIN: Final = 0.6
# Shares of a claim's words in the nearest prompt: below, a name that is not the user's is told of nothing he said;
# and what is so long was not said like that.
_NAMED_MIN: Final = 0.5
_NEAR_MIN: Final = 0.4
_LONG: Final = 5


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
    told = (*record.user, *record.given)
    said = " ".join(told)
    near = max(best_share(stems, told), best_share(stems, record.agreed))
    alien = _alien(claim, record)
    if inverted(stems, normal(claim.text), record):
        yield Part("contradicted", "the user said the opposite")
    elif is_english(said) != is_english(normal(text)):
        yield Part("anchored", "the user speaks another language, so his words are not to be found", doubtful=True)
    elif share(stems, said) == 0 and near < _AGREED_MIN:
        yield record.absent("no prompt is about it")
    elif alien and (near < _NAMED_MIN or _is_value(alien)):
        yield Part("unsupported", f"the user never told of {alien.text}")
    elif len(stems) >= _LONG and near < _NEAR_MIN:
        yield Part("anchored", "no prompt says so much", doubtful=True)
    else:
        yield Part("anchored", "the user spoke of it")


def _alien(claim: Claim, record: RecordFacts) -> Anchor | None:
    """A value, or the only name, that the user is said to have told and that stands in none of his words."""
    own = [one for one in anchors_in(claim.text) if one.kind not in ("quotation", "hash")]
    alien = [one for one in own if not _is_users(one, record)]
    value = next((one for one in alien if _is_value(one)), None)
    return value or (alien[0] if alien and len(alien) == len(own) else None)


def _is_value(anchor: Anchor) -> bool:
    return anchor.kind in ("number", "count", "ratio")


def _is_users(anchor: Anchor, record: RecordFacts) -> bool:
    """Whether the user named it, or agreed to a text that does."""
    told = (*record.user, *record.given, *record.agreed)
    if _is_value(anchor):
        numbers = {needle.text for way in anchor.ways for needle in way}
        unit = anchor.text.lstrip("v0123456789., ")[:1].lower() if anchor.kind == "number" else ""
        return any(has_number(number, text, unit) for number in numbers for text in told)
    if any(all(record.whose(needle) & {"user", "summary"} for needle in way) for way in anchor.ways):
        return True
    return any(all(needle.text in text for needle in anchor.ways[0]) for text in record.agreed)


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

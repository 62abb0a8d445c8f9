"""Quotations, which are exact words of the record, the user's where they are told as his; and what is told as his
word or decision without marks. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.anchors import Anchor, anchors_in, by_itself, content_stems, normal, pieces, share
from clew.app.proof.commit import is_subject
from clew.app.proof.facts import ClaimPart, DiskFacts, RecordFacts
from clew.core.state.draft import Claim
from clew.documents.draft import evidence_in

# A quotation that is not to the letter is kept as a paraphrase if one text holds so much of it.
_PARAPHRASE: Final = 0.6
# So few words in marks may be a term of the writer's own.
_TERM_WORDS_MAX: Final = 3
# Of so many words that carry meaning the nearest prompt holds a share.
_LONG: Final = 5
_NEAR_MIN: Final = 0.4
_LITTLE: Final = frozenset("the a to of and is it in for that this on be with not no don't do please".split())
_LITTLE_SHARE: Final = 0.08
_DENIAL: Final = re.compile(
    r"\b(?:no|not|never|none|nothing|without|avoid|forbid|forbids|forbidden|refuse[ds]?|reject(?:ed|s)?|neither|nor|"
    r"stop|skip|leave out|instead of|rather than|cannot)\b|n't\b"
)

_REFUSAL: Final = re.compile(r"\b(?:refus|reject|declin|den(?:y|ied)|forb)\w*", re.IGNORECASE)


def parts(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> Iterator[ClaimPart]:
    """What became of each quotation of a claim, or of the user's word that it tells."""
    if not record.known:
        return
    quoted = [anchor for anchor in anchors_in(text) if anchor.kind == "quotation"]
    for anchor in quoted:
        if not claim.of_user and is_subject(anchor.text, disk):
            yield ClaimPart("anchored", f"“{anchor.text}” is the message of a commit")
        else:
            yield _part(claim, anchor, record)
    if claim.of_user and not quoted:
        yield from _spoken(evidence_in(claim.text)[1], record)


def unmarked(text: str, record: RecordFacts, disk: DiskFacts) -> str:
    """`text` without the marks of quotations that are not exact."""
    for anchor in anchors_in(evidence_in(text)[1]) if record.known else ():
        is_exact = all(record.whose(needle) for needle in anchor.ways[0])
        if anchor.kind == "quotation" and not is_exact and not is_subject(anchor.text, disk):
            text = re.sub(rf"[“\"«]({re.escape(anchor.text)})[”\"»]", lambda found: found[1], text)
    return text


def _part(claim: Claim, anchor: Anchor, record: RecordFacts) -> ClaimPart:
    shown = anchor.text if len(anchor.text) <= 60 else anchor.text[:59] + "…"
    whose = [record.whose(needle) for needle in anchor.ways[0]]
    if claim.of_user:
        if all("user" in one for one in whose):
            if _is_cut_from_denial(anchor, record):
                return ClaimPart("anchored", f"“{shown}” leaves out the user's denial", doubtful=True)
            return ClaimPart("proved", "the user's exact words", covers=anchor.text)
        if all(one & {"user", "summary"} for one in whose):
            return ClaimPart("anchored", "the user's words, as the session was given them")
        return _as_users(shown, anchor, record, is_exact_elsewhere=all(whose))
    if all(whose):
        return ClaimPart("anchored", f"“{shown}” occurs in the record")
    return _inexact(claim, shown, anchor, record)


def _is_cut_from_denial(anchor: Anchor, record: RecordFacts) -> bool:
    """Whether what stands right in front of the words, wherever the user says them, denies them."""
    words = pieces(anchor.text)[0]  # three words in front can turn it round
    before = [text[: text.find(words)] for text in record.user if words in text]
    clauses = [re.split(r"[.!?;,:(\"]", one)[-1].split() for one in before]
    turned = [_DENIAL.search(" ".join(clause[-3:])) for clause in clauses]
    return bool(turned) and all(turned)


def _as_users(shown: str, anchor: Anchor, record: RecordFacts, *, is_exact_elsewhere: bool) -> ClaimPart:
    stems, said = content_stems(anchor.text), (*record.user, *record.given)
    best = share(stems, *said)
    if is_exact_elsewhere or best < _PARAPHRASE or not stems or _alien(anchor.text.replace('"', ""), said):
        return record.absent(f"no prompt holds “{shown}”")
    # A wish without the denial that the user's has is another wish.
    nearest = [one for text in record.user for one in re.split(r"[.!?;]\s", text) if share(stems, one) >= _PARAPHRASE]
    is_denial = bool(_DENIAL.search(normal(anchor.text)))
    if nearest and all(bool(_DENIAL.search(one)) != is_denial for one in nearest):
        return ClaimPart("contradicted", f"the user said the opposite of “{shown}”")
    return ClaimPart("anchored", f"“{shown}” are not the user's exact words", doubtful=True)


def _inexact(claim: Claim, shown: str, anchor: Anchor, record: RecordFacts) -> ClaimPart:
    # A term of the writer's own may stand in marks; of an error every word counts.
    is_near = any(all(map(record.whose, way)) for way in anchor.ways[1:])
    if is_near or (claim.kind != "failed" and len(anchor.text.split()) <= _TERM_WORDS_MAX):
        return ClaimPart("anchored", f"“{shown}” is not to the letter", doubtful=True)
    return ClaimPart("unsupported", f"nobody says “{shown}” in the record")


def _spoken(text: str, record: RecordFacts) -> Iterator[ClaimPart]:
    """Whether the user ever spoke of what is told as his, or said yes to it."""
    stems = content_stems(text)
    if len(stems) < 2:
        return
    told = (*record.user, *record.given, *(record.refused if _REFUSAL.search(text) else ()))
    said = " ".join(told)
    near = share(stems, *told, *record.agreed)
    if _is_english(said) != _is_english(normal(text)):
        yield ClaimPart("anchored", "the user speaks another language, so his words are not to be found", doubtful=True)
    elif share(stems, said) == 0 and near < _PARAPHRASE:
        yield record.absent("no prompt is about it")
    elif alien := _alien(text, (*told, *record.agreed)):
        yield ClaimPart("unsupported", f"the user never told of {alien}")
    elif len(stems) >= _LONG and near < _NEAR_MIN:
        yield ClaimPart("anchored", "no prompt says so much", doubtful=True)
    else:
        yield ClaimPart("anchored", "the user spoke of it")


def _alien(text: str, told: tuple[str, ...]) -> str:
    """The first value that stands in none of the user's words, and in nothing that he said yes to; "" none."""
    for anchor in anchors_in(text):
        if anchor.kind in ("number", "count", "ratio"):
            numbers = {anchor.digits, *(way[0].text for way in anchor.ways)}
            unit = anchor.text.lstrip("v0123456789., ")[:1].lower() if anchor.kind == "number" else ""
            behind = rf"\s?{re.escape(unit)}" if unit else ""
            if not any(re.search(by_itself(number) + behind, one) for number in numbers for one in told):
                return anchor.text
    return ""


def _is_english(text: str) -> bool:
    """Whether a `normal` text has the little words that English has, so that English words can be looked for in it."""
    words = text.split()
    return sum(word in _LITTLE for word in words) >= _LITTLE_SHARE * len(words)

"""Quotations: exact words of the record, the user's where they are told as the user's. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.anchors import Anchor, anchors_in, pieces
from clew.app.proof.commit import is_subject
from clew.app.proof.facts import DiskFacts, Needle, Part, RecordFacts
from clew.app.proof.wording import best_share, content_stems, denies, has_number, keeps, sentences, share
from clew.core.state.draft import Claim

# A quotation that is not to the letter is kept as a paraphrase if one text holds so much of it.
_PARAPHRASE: Final = 0.6
# So few words in marks may be a term of the writer's own.
_TERM_WORDS_MAX: Final = 3
_SCATTERED: Final = 0.8
# How many words in front of a quotation can turn it round.
_TURNING_WORDS: Final = 3


def parts(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> Iterator[Part]:
    """What became of each quotation of a claim."""
    for anchor in anchors_in(text):
        if anchor.kind != "quotation" or not record.known:
            continue
        if not claim.of_user and is_subject(anchor.text, disk):
            yield Part("anchored", f"“{anchor.text}” is the message of a commit")
        else:
            yield _part(claim, anchor, record)


def is_exact(anchor: Anchor, record: RecordFacts) -> bool:
    """Whether all pieces of a quotation occur somewhere, to the letter but for white space, quotes and dots."""
    return all(record.whose(needle) for needle in anchor.ways[0])


def unmarked(text: str, record: RecordFacts, disk: DiskFacts) -> str:
    """`text` without the marks of quotations that are not exact."""
    if not record.known:
        return text
    for anchor in anchors_in(text):
        if anchor.kind == "quotation" and not is_exact(anchor, record) and not is_subject(anchor.text, disk):
            text = re.sub(rf"[“\"«]({re.escape(anchor.text)})[”\"»]", lambda found: found[1], text)
    return text


def _part(claim: Claim, anchor: Anchor, record: RecordFacts) -> Part:
    shown = anchor.text if len(anchor.text) <= 60 else anchor.text[:59] + "…"
    whose = [record.whose(needle) for needle in anchor.ways[0]]
    if claim.of_user:
        if all("user" in one for one in whose):
            if _is_cut_from_denial(anchor, record):
                return Part("anchored", f"“{shown}” leaves out the user's denial", doubtful=True)
            return Part("proved", "the user's exact words", covers=anchor.text)
        if all(one & {"user", "summary"} for one in whose):
            return Part("anchored", "the user's words, as the session was given them")
        return _as_users(shown, anchor, record, is_exact_elsewhere=all(whose))
    if all(whose):
        return Part("anchored", f"“{shown}” occurs in the record")
    return _inexact(claim, shown, anchor, record)


def _is_cut_from_denial(anchor: Anchor, record: RecordFacts) -> bool:
    """Whether what stands right in front of the words, wherever the user says them, denies them."""
    words = pieces(anchor.text)[0]
    before = [text[: text.find(words)] for text in record.user if words in text]
    clauses = [re.split(r"[.!?;,:(\"]", one)[-1].split() for one in before]
    turned = [denies(" ".join(clause[-_TURNING_WORDS:])) for clause in clauses]
    return bool(turned) and all(turned)


def _as_users(shown: str, anchor: Anchor, record: RecordFacts, *, is_exact_elsewhere: bool) -> Part:
    stems = content_stems(anchor.text)
    said = (*record.user, *record.given)
    best = best_share(stems, said)
    if is_exact_elsewhere and best < _PARAPHRASE:
        return record.absent(f"no prompt holds “{shown}”")
    numbers = re.findall(r"\d[\d.,]*\d|\d", anchor.text)
    alien = any(not any(has_number(one, text) for text in said) for one in numbers)
    if best >= _PARAPHRASE and stems and not alien:
        if inverted(stems, " ".join(pieces(anchor.text)), record):
            return Part("contradicted", f"the user said the opposite of “{shown}”")
        return Part("anchored", f"“{shown}” are not the user's exact words", doubtful=True)
    return record.absent(f"no prompt holds “{shown}”")


def inverted(stems: frozenset[str], told: str, record: RecordFacts) -> bool:
    """Whether the user's sentence that is nearest denies what this affirms, or the other way round."""
    if not stems or keeps(told):
        return False
    near = [one for text in record.user for one in sentences(text) if share(stems, one) >= 0.75]
    return bool(near) and all(denies(one) != denies(told) and not keeps(one) for one in near)


def in_line(quotation: str) -> Needle | None:
    """What is looked for where a quotation is not to the letter: its words in one line. None if it has none."""
    stems = sorted(content_stems(quotation))
    return Needle(max(stems, key=len), "line", tuple(stems)) if stems else None


def _inexact(claim: Claim, shown: str, anchor: Anchor, record: RecordFacts) -> Part:
    stems = content_stems(anchor.text)
    known = sum(bool(record.whose(Needle(stem))) for stem in stems)
    line = in_line(anchor.text)
    is_one = line is not None and bool(record.whose(line))
    # Of an error every word counts: those of others that stand somewhere make none.
    if is_one or (stems and claim.kind != "failed" and known >= _SCATTERED * len(stems)):
        return Part("anchored", f"“{shown}” is not to the letter", doubtful=True)
    if claim.kind != "failed" and len(anchor.text.split()) <= _TERM_WORDS_MAX:
        return Part("anchored", f"“{shown}” is nobody's words in the record, and not to be quoted", doubtful=True)
    return Part("unsupported", f"nobody says “{shown}” in the record")

"""Words of a claim that must stand in the record: quotations, the user's where they are told as his; names, paths,
code and numbers. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.anchors import Anchor, anchors_in, anchors_of, content_stems, normal, pieces, share
from clew.app.proof.facts import ClaimPart, DiskFacts, RecordFacts
from clew.app.proof.work import is_subject, name_of, same_file
from clew.core.state.draft import Claim
from clew.documents.draft import evidence_in

# A quotation that is not to the letter is kept as a paraphrase if one text holds so much of it.
_PARAPHRASE: Final = 0.6
# Of so many words that are told as the user's, one prompt holds so much.
_LONG: Final = 5
_NEAR_MIN: Final = 0.4
# So few words in marks may be a term of the writer's own.
_TERM_WORDS_MAX: Final = 3
_SHOWN_CHARS: Final = 60
_DENIAL: Final = re.compile(
    r"\b(?:no|not|never|none|nothing|without|avoid|forbid|forbids|forbidden|refuse[ds]?|reject(?:ed|s)?|neither|nor|"
    r"stop|skip|leave out|instead of|rather than|cannot)\b|n't\b"
)
# What is still to be made has no place in the record yet.
_AHEAD: Final = frozenset(("next", "question", "deferral", "reminder", "risk", "hypothesis", "blocker"))
_MAKING: Final = re.compile(
    r"\b(?:add|create|write|introduce|new|implement|extract|rename|name|call it|e\.g\.|for example|such as|like|build|"
    r"could|would|should|maybe|move|split|generate|make|set up|define|open|start)\b",
    re.IGNORECASE,
)
# What was weighed and not taken may have been thought of only.
_TURNED_DOWN: Final = re.compile(r"\b(?:rejected|instead of|rather than|alternatives?)\b", re.IGNORECASE)


def parts(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> Iterator[ClaimPart]:
    """What became of each quotation and each name of a claim; hashes are looked at elsewhere."""
    if not record.known:
        return
    if claim.of_user and not any(anchor.kind == "quotation" for anchor in anchors_in(text)):
        yield from _spoken(text, record)
    turned_down = _TURNED_DOWN.search(text)
    taken = text[: turned_down.start()] if turned_down else text
    may_be_new = claim.kind in _AHEAD and _MAKING.search(text) is not None
    for anchor in anchors_of(claim):
        if anchor.kind == "quotation":
            if anchor in anchors_in(text):
                yield _quoted(claim, anchor, record, disk)
        elif anchor.kind != "hash" and anchor.ways:
            part = _path(anchor, record, disk) if anchor.kind == "path" else _named(claim, anchor, record, disk)
            if part.verdict != "anchored" and may_be_new and anchor.kind not in ("reference", "count"):
                part = ClaimPart("anchored", f"{anchor.text} is still to be made")
            if part.verdict == "unsupported" and anchor.text not in taken and anchor.text in text:
                part = ClaimPart("anchored", f"{anchor.text} was thought of, but is not in the record", doubtful=True)
            if claim.status != "not run" or part.verdict == "anchored":  # what never ran has no place in the record
                yield part


def unmarked(text: str, record: RecordFacts, disk: DiskFacts) -> str:
    """`text` without the marks of quotations that are not exact."""
    for anchor in anchors_in(evidence_in(text)[1]) if record.known else ():
        is_exact = all(record.whose(needle) for needle in anchor.ways[0]) if anchor.ways else True
        if anchor.kind == "quotation" and not is_exact and not is_subject(anchor.text, disk):
            text = re.sub(rf"[“\"«]({re.escape(anchor.text)})[”\"»]", lambda found: found[1], text)
    return text


def _quoted(claim: Claim, anchor: Anchor, record: RecordFacts, disk: DiskFacts) -> ClaimPart:
    shown = anchor.text if len(anchor.text) <= _SHOWN_CHARS else anchor.text[: _SHOWN_CHARS - 1] + "…"
    whose = [record.whose(needle) for needle in anchor.ways[0]]
    if claim.of_user:
        if all("user" in one for one in whose):
            if _is_cut_from_denial(anchor, record):
                return ClaimPart("anchored", f"“{shown}” leaves out the user's denial", doubtful=True)
            return ClaimPart("proved", "the user's exact words", covers=anchor.text)
        if all(one & {"user", "summary"} for one in whose):
            return ClaimPart("anchored", "the user's words, as the session was given them")
        return _as_users(shown, anchor, record, is_exact_elsewhere=all(whose))
    if is_subject(anchor.text, disk):
        return ClaimPart("anchored", f"“{shown}” is the message of a commit")
    if all(whose):
        return ClaimPart("anchored", f"“{shown}” occurs in the record")
    # A term of the writer's own may stand in marks; of an error every word counts.
    is_near = any(all(map(record.whose, way)) for way in anchor.ways[1:])
    if is_near or (claim.kind != "failed" and len(anchor.text.split()) <= _TERM_WORDS_MAX):
        return ClaimPart("anchored", f"“{shown}” is not to the letter", doubtful=True)
    return ClaimPart("unsupported", f"nobody says “{shown}” in the record")


def _spoken(text: str, record: RecordFacts) -> Iterator[ClaimPart]:
    """Whether the user ever said about as much as is told as his without his words."""
    stems = content_stems(text)
    # In doubt, not struck: they may speak another language.
    if len(stems) >= _LONG and share(stems, *record.user, *record.given) < _NEAR_MIN:
        yield ClaimPart("anchored", "no prompt says so much", doubtful=True)


def _is_cut_from_denial(anchor: Anchor, record: RecordFacts) -> bool:
    """Whether what stands right in front of the words, wherever the user says them, denies them."""
    words = pieces(anchor.text)[0]  # three words in front can turn it round
    before = [text[: text.find(words)] for text in record.user if words in text]
    clauses = [re.split(r"[.!?;,:(\"]", one)[-1].split() for one in before]
    turned = [_DENIAL.search(" ".join(clause[-3:])) for clause in clauses]
    return bool(turned) and all(turned)


def _as_users(shown: str, anchor: Anchor, record: RecordFacts, *, is_exact_elsewhere: bool) -> ClaimPart:
    stems = content_stems(anchor.text)
    if is_exact_elsewhere or not stems or share(stems, *record.user, *record.given) < _PARAPHRASE:
        return record.absent(f"no prompt holds “{shown}”")
    # A wish without the denial that the user's has is another wish.
    nearest = [one for text in record.user for one in re.split(r"[.!?;]\s", text) if share(stems, one) >= _PARAPHRASE]
    is_denial = bool(_DENIAL.search(normal(anchor.text)))
    if nearest and all(bool(_DENIAL.search(one)) != is_denial for one in nearest):
        return ClaimPart("contradicted", f"the user said the opposite of “{shown}”")
    return ClaimPart("anchored", f"“{shown}” are not the user's exact words", doubtful=True)


def _named(claim: Claim, anchor: Anchor, record: RecordFacts, disk: DiskFacts) -> ClaimPart:
    if any(all(map(record.whose, way)) for way in anchor.ways):
        return ClaimPart("anchored", f"{anchor.text} occurs in the record")
    if anchor.text == disk.branch or (anchor.kind not in ("count", "number") and is_subject(anchor.text, disk)):
        return ClaimPart("anchored", f"git knows {anchor.text}")
    reason = f"{anchor.text} is not in the record"
    return record.absent(reason) if claim.kind == "validation" else ClaimPart("unsupported", reason)


def _path(anchor: Anchor, record: RecordFacts, disk: DiskFacts) -> ClaimPart:
    path = anchor.text
    exact, *others = anchor.ways
    is_known = path in disk.exists or same_file(path, record.files) or same_file(path, record.read)
    if is_known or all(map(record.whose, exact)):
        return ClaimPart("anchored", f"{path} occurs in the record")
    elsewhere = [one for one in (*record.files, *record.read) if name_of(one) == name_of(path)]
    if elsewhere and "/" in path.strip("/"):
        return ClaimPart("unsupported", f"no {path} in the record, but {elsewhere[0]}")
    if any(all(map(record.whose, way)) for way in others):
        return ClaimPart("anchored", f"the names of {path} occur in the record")
    return ClaimPart("unsupported", f"{path} is not in the record")

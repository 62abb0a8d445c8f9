"""Names, paths, flags, code and numbers: each must occur in the record or the tree, or be told as new. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.anchors import Anchor, anchors_of
from clew.app.proof.commit import is_subject
from clew.app.proof.facts import ClaimPart, DiskFacts, RecordFacts
from clew.app.proof.files import same_file
from clew.core.state.draft import Claim

# What is still to be made has no place in the record yet.
_AHEAD: Final = frozenset(("next", "question", "deferral", "reminder", "risk", "hypothesis", "blocker"))
# What was weighed and not taken may have been thought of only.
_TURNED_DOWN: Final = re.compile(r"\b(?:rejected|instead of|rather than|alternatives?)\b", re.IGNORECASE)
_MAKING: Final = re.compile(
    r"\b(?:add|create|write|introduce|new|implement|extract|rename|name|call it|e\.g\.|for example|such as|like|build|"
    r"could|would|should|maybe|move|split|generate|make|set up|define|open|start)\b",
    re.IGNORECASE,
)


def parts(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> Iterator[ClaimPart]:
    """Whether each anchor of a claim occurs; hashes and quotations are looked at elsewhere."""
    if not record.known:
        return
    turned_down = _TURNED_DOWN.search(text)
    rejected = text[turned_down.start() :] if turned_down else ""
    may_be_new = claim.kind in _AHEAD and _MAKING.search(text) is not None
    for anchor in anchors_of(claim):
        if anchor.kind in ("hash", "quotation"):
            continue
        part = _path(anchor, record, disk) if anchor.kind == "path" else _named(claim, anchor, record, disk)
        if part.verdict != "anchored" and may_be_new and anchor.kind not in ("reference", "count"):
            part = ClaimPart("anchored", f"{anchor.text} is still to be made")
        if part.verdict == "unsupported" and anchor.text in rejected and text.count(anchor.text) == 1:
            part = ClaimPart("anchored", f"{anchor.text} was thought of, but is not in the record", doubtful=True)
        if claim.status != "not run" or part.verdict == "anchored":  # what never ran has no place in the record
            yield part


def _named(claim: Claim, anchor: Anchor, record: RecordFacts, disk: DiskFacts) -> ClaimPart:
    for way in anchor.ways:
        if all(record.whose(needle) for needle in way):
            if anchor.kind == "ratio" and way != anchor.ways[0]:
                return ClaimPart("unsupported", f"“{anchor.text}”: the record has other parts of {way[0].text}")
            return ClaimPart("anchored", f"{anchor.text} occurs in the record")
    if anchor.text == disk.branch or (anchor.kind not in ("count", "number") and is_subject(anchor.text, disk)):
        return ClaimPart("anchored", f"git knows {anchor.text}")
    if anchor.kind == "ratio":
        return ClaimPart(
            "anchored", f"“{anchor.text}” is counted by nobody in the record, so not proved", doubtful=True
        )
    reason = f"{anchor.text} is not in the record"
    return record.absent(reason) if claim.kind == "validation" else ClaimPart("unsupported", reason)


def _path(anchor: Anchor, record: RecordFacts, disk: DiskFacts) -> ClaimPart:
    path = anchor.text
    exact, *others = anchor.ways
    is_known = path in disk.exists or same_file(path, record.files) or same_file(path, record.read)
    if is_known or all(record.whose(needle) for needle in exact):
        return ClaimPart("anchored", f"{path} occurs in the record")
    name = path.rstrip("/").rpartition("/")[2].casefold()
    elsewhere = [one for one in (*record.files, *record.read) if one.casefold().rpartition("/")[2] == name]
    if elsewhere and "/" in path.strip("/"):
        return ClaimPart("unsupported", f"no {path} in the record, but {elsewhere[0]}")
    if any(all(record.whose(needle) for needle in way) for way in others):
        return ClaimPart("anchored", f"the names of {path} occur in the record")
    return ClaimPart("unsupported", f"{path} is not in the record")

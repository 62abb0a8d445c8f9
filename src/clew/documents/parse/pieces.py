"""A paragraph cut where its lines begin something new: a label, a bullet that Markdown does not know, a status sign."""

import re

from clew.core.tuples import NamedTuple
from clew.documents.parse import stamps, vocabulary
from clew.documents.parse.inline import label
from clew.documents.parse.markdown import Block

_BULLET = re.compile(r"\s*(?:[•◦‣▪▸►●○]|→|\(?[a-z0-9]{1,2}\))\s+(?=\S)")
_SIGN = re.compile(
    r"\s*(?:[✓✗✘\u2600-\u27bf\u2b00-\u2bff\u23e9-\u23ff\U0001f300-\U0001faff]\ufe0f?|\[[ xX]\])\s*(?=\S)"
)
_STARTS = re.compile(r"\s*(?:\*\*|__|[A-Z][\w /-]{1,40}:|\[?\d{4}-|(?:Phase|PHASE|Milestone|Sprint|Step|Task) #?\d)|\W")
_FIELD = re.compile(r"\s*[A-Z][\w /-]{1,30}:(?:\s|$)")
# "**The cache is never cleared.** Restart …"
_BOLD_SENTENCE = re.compile(r"\s*\*\*[^*\n]{3,160}[.!]\*\*(?:\s|$)")
# "2026-08-26 — Added the parser."
_DATED = re.compile(rf"\s*(?:\*\*)?\[?(?:{stamps.DATE})\]?(?:\*\*)?\s*[:—–-]+\s*(?:\*\*\s*)?(?=\S)", re.IGNORECASE)
# "**File:** `src/login.py`": what stands below is no part of it.
_PATH = re.compile(r"\s*\*\*[^*\n]{3,20}(?::\*\*|\*\*:)\s*`[^`\s]+`\s*")
_WITHIN = re.compile(r"[a-z]+ ")
_NUMBERED = re.compile(r"\s*(?:phase|milestone|sprint|step|task) #?\d+\s*[:.—–-]", re.IGNORECASE)


class Piece(NamedTuple):
    """Lines `first` to `last` of a paragraph. `bullet`: they stand as an entry of a list, `text` without its mark."""

    text: str
    first: int
    last: int
    bullet: bool = False


def pieces(block: Block) -> list[Piece]:
    """The pieces of a paragraph, in its order. Most have one."""
    if "\n" not in block.text and not _SIGN.match(block.text) and not _BULLET.match(block.text):
        return [Piece(block.text, block.first, block.last)]
    found: list[Piece] = []
    rows = block.text.split("\n")
    # A run of labels, whatever they are, perhaps with a title: "[Session 2]", "Stopped at: …", "Completed:".
    fielded = len(rows) > 1 and all(map(_FIELD.match, rows[1:])) and bool(_FIELD.match(rows[0]) or len(rows) > 2)
    labelled = fielded or _starts(rows[0])
    for offset, line in enumerate(rows):
        at = block.first + offset
        bullet, sign = _BULLET.match(line), _SIGN.match(line)
        if bullet or sign:
            found.append(Piece(line[bullet.end() :] if bullet else line.strip(), at, at, True))
        elif (
            not found
            or fielded
            or _PATH.fullmatch(found[-1].text)
            or (_STARTS.match(line) and _starts(line, plain=labelled))
        ):
            found.append(Piece(line, at, at))
        else:
            found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{line}", last=at)
    return found


def _starts(line: str, *, plain: bool = True) -> bool:
    """Whether a line in a paragraph begins with a label that means something, or with a phase's number. `plain`: labels
    that are not bold count: in the middle of sentences they are part of these.
    """
    if _NUMBERED.match(line) or _BOLD_SENTENCE.match(line) or _DATED.match(line):
        return True
    split = label(line)
    if split is None:
        return False
    if split.bold or not plain:
        # In the midst of a sentence: "**rather than open**: …".
        return split.bold and not _WITHIN.match(split.name)
    return vocabulary.topic(split.name) is not None or vocabulary.field(split.name) is not None

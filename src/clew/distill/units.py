"""Prose cut into units: the smallest pieces that can be quoted alone (a list entry, a table row, a few sentences).

Units are cut, never reworded: taking words out can turn a meaning round.
"""

import re
from typing import NamedTuple

from clew.distill.blocks import LABEL_CHARS_MAX, Block, blocks, sentences
from clew.distill.identifiers import content_words, words_of
from clew.distill.kinds import kind_named

UNIT_CHARS_MAX = 260
# A sentence that begins so leans on the one before it: they are kept together, even if that takes more room.
_LEANING = frozenset(
    "This That It Its They Them These Those Both So Then Otherwise Instead Also But And Which However".split()
)
_LEANING_CHARS_MAX = 360
# Words of labels that only say that something follows.
_GENERIC = frozenset("summary context overview details notes note results result key files updated following".split())
_CLAUSE_END = re.compile(r": | [-–—(]|, |\. ")
_LABEL = re.compile(r"([A-Z][\w' -]{2,40}):\s+(?=\S)")


class Unit(NamedTuple):
    """`text` is one line without Markdown emphasis. `label`: the nearest lead-in or heading above, to be said with it,
    "" where that says no more. `heading`: what names its kind: the label in front of its text, else the lead-in, else
    the title above. `bullet`: a list entry or table row. `number`: of the list entry ("" none).
    """

    text: str
    label: str
    heading: str
    bullet: bool
    number: str


def cut(text: str) -> list[Unit]:
    """The units of a Markdown text, in order. Code blocks are left out, except those of one to three short lines."""
    return [_unit(block, piece) for block in blocks(text) for piece in _pieces(block.text)]


def lead_in(text: str) -> str:
    """The label in front of a text ("Next: …"), "" without one."""
    found = _LABEL.match(text)
    return found[1] if found else ""


def _unit(block: Block, piece: str) -> Unit:
    near = block.label or block.title
    near = near if len(near) <= LABEL_CHARS_MAX else _CLAUSE_END.split(near, maxsplit=1)[0]
    own = lead_in(piece)
    heading = next((one for one in (own, block.label, block.title) if kind_named(one)), own or near)
    says_more = block.listed and 0 < len(near) <= LABEL_CHARS_MAX and near.lower() not in piece.lower()
    says_more = says_more and not content_words(words_of(near)) <= _GENERIC
    return Unit(piece, near if says_more else "", heading, block.listed, block.number)


def leans(text: str) -> bool:
    """Whether a text begins with a word that points back to something that is not in it."""
    return text.split(" ", 1)[0].partition("'")[0].rstrip(",") in _LEANING


def _pieces(block: str) -> list[str]:
    """A long block as groups of whole sentences of at most `UNIT_CHARS_MAX`; a longer sentence stays whole. A sentence
    that names its own kind ("Next: …") begins a group.
    """
    pieces: list[str] = []
    for sentence in sentences(block):
        chars = len(pieces[-1]) + 1 + len(sentence) if pieces else 0
        room = _LEANING_CHARS_MAX if leans(sentence) else UNIT_CHARS_MAX
        if pieces and chars <= room and not kind_named(lead_in(sentence)):
            pieces[-1] += f" {sentence}"
        else:
            pieces.append(sentence)
    return pieces

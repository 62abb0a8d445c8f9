"""Prose cut into units: the smallest pieces that can be quoted alone (a list entry, a table row, a few sentences).

Units are cut, never reworded: taking words out can turn a meaning round.
"""

from clew.core.tuples import NamedTuple
from clew.distill.blocks import blocks, sentences
from clew.distill.cues import GIVEN_UP, spoken

UNIT_CHARS_MAX = 200
LABEL_CHARS_MAX = 60
# A sentence that begins so leans on the one before it: they are kept together, even if that takes more room.
_LEANING = frozenset(
    """This That It Its They Them These Those Both So Then Otherwise Instead Also But And Which However
    Similarly""".split()
)
_LEANING_CHARS_MAX = 320
_MENDING = ("Fixed ", "Fix:", "Resolved ", "Solved ")
# Words of headings that only say that something follows.
_GENERIC = frozenset(
    """summary changes change changed what i did done made the here's here is are a of all was were fixed
    result results behavior behaviour notes note details overview files file modified updated created to
    modify key points step steps implementation phase and works how it this does expected context approach
    plan background edge cases here both issue issues resolved fixes across main mainly these following below now my
    would be i'll i'd i've also for concise short answer answers final new current finding findings so you could we
    have state reality real looking at output added covered let me understand situation see look couple things
    noticed list breakdown overview quick recap include includes including
    one two three four five six seven eight nine ten""".split()
)


class Unit(NamedTuple):
    """`text` is one line without Markdown emphasis; `heading` the nearest heading or label above it ("" none).

    `title`: the unit is itself a heading. `bullet` tells a list entry or table row from a paragraph. `block`: the whole
    of which it is a piece. `number`: of the entry of a numbered list that it is or stands below ("" none).
    `section`: the title above, whatever label there is in between.
    """

    text: str
    heading: str
    bullet: bool
    title: bool
    block: str
    number: str
    section: str


def cut(text: str) -> list[Unit]:
    """The units of a Markdown text, in order. Code blocks are left out, except those of one to three short lines."""
    units: list[Unit] = []
    for heading, block, bullet, number, section in blocks(text, label_chars_max=LABEL_CHARS_MAX):
        pieces = [block] if len(block) <= UNIT_CHARS_MAX else _pieces(block)
        for piece in pieces:
            if piece:
                units.append(Unit(piece, heading, bullet, block == heading, block, number, section))
    return units


def leans(text: str) -> bool:
    """Whether a unit begins with a word that points back to something that is not in it."""
    return text.split(" ", 1)[0].partition("'")[0].rstrip(",") in _LEANING


def _pieces(block: str) -> list[str]:
    """A long block as groups of whole sentences of at most `UNIT_CHARS_MAX`; a longer sentence stays whole."""
    pieces: list[str] = []
    current = ""
    for sentence in sentences(block):
        chars = len(current) + 1 + len(sentence)
        if current and chars > (_LEANING_CHARS_MAX if chars > UNIT_CHARS_MAX and _clings(sentence) else UNIT_CHARS_MAX):
            pieces.append(current)
            current = sentence
        else:
            current = f"{current} {sentence}" if current else sentence
    if current:
        pieces.append(current)
    return pieces


def _clings(sentence: str) -> bool:
    """Whether a sentence belongs to the one before it: it points back, mends or gives up what that one explains."""
    return leans(sentence) or sentence.startswith(_MENDING) or GIVEN_UP.within(spoken(sentence))


def label(unit: Unit) -> str:
    """The heading to say in front of the unit, "" where it says nothing more: too long, or in the unit's own words."""
    heading = unit.heading
    if not heading or not unit.bullet or len(heading) > LABEL_CHARS_MAX or heading.lower() in unit.text.lower():
        return ""
    says = (word for word in spoken(heading).words - _GENERIC if not word.isdecimal())
    return heading if any(says) else ""

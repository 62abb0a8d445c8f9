"""Names of people and products in a claim's prose: somebody in the record or a file's name must have them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.anchors import without_marked
from clew.app.proof.facts import DiskFacts, Needle, Part, RecordFacts
from clew.app.proof.wording import is_english
from clew.core.state.draft import Claim

# A capital that no beginning of a sentence asks for; or one at a beginning, where the next word makes it a name.
_NAME: Final = re.compile(
    r"(?:(?<=[a-z0-9,] )|(?<=[a-z]\) ))([A-Z][a-z]{2,})\b(?![/.-]\w)"
    r"|(?:^|(?<=[—–(:.;] )|(?<=\())([A-Z][a-z]{2,})(?= (?:as|for|over|instead|said|says|told|asked|wants|decided|"
    r"agreed|approved)\b)"
)
_SHORT_CHARS: Final = 4
# The headings of a hand-off, which its entries speak of.
_HEADINGS: Final = frozenset("goal decisions failed constraints open next state checks user".split())
# What is still ahead may name what nobody has named yet.
_TOLD: Final = frozenset(("decision", "finding", "failed", "constraint", "goal", "step", "validation", "assumption"))


def names_in(text: str) -> tuple[str, ...]:
    """The names in a text's prose, lower case; what stands in quotation marks and code is left out."""
    found = (match[1] or match[2] for match in _NAME.finditer(without_marked(text)))
    return tuple(dict.fromkeys(name.lower() for name in found if name.lower() not in _HEADINGS))


def needle_of(name: str) -> Needle:
    """What is looked for: a short name by itself, a longer one also within a word ("postgres" in "postgresql")."""
    return Needle(name, "name" if len(name) <= _SHORT_CHARS else "part")


def parts(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> Iterator[Part]:
    """The names that nobody told of. In a language that begins all nouns so, there is no telling."""
    if not record.known or claim.kind not in _TOLD or not is_english(" ".join(record.user)):
        return
    for name in names_in(text):
        if not record.whose(needle_of(name)) and name not in disk.named:
            yield Part("anchored", f"nobody speaks of “{name.capitalize()}” in the record", doubtful=True)

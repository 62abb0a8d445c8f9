"""A session's prose as points that may be quoted: what stands alone, what it names, what its heading calls it."""

from __future__ import annotations

import re
from typing import NamedTuple

from clew.core.state.items import Kind
from clew.distill.blocks import sentences
from clew.distill.identifiers import content_words, identifiers, words_of
from clew.distill.kinds import kind_named
from clew.distill.units import cut, leans

# A point that names nothing and is shorter says nothing to a reader who was not there.
_NAMELESS_CHARS_MIN, _SAID_CHARS_MIN = 60, 20
# Names alone, however many, tell nothing: so many content words stand beside them.
_SPOKEN_MIN = 2
_CODE = re.compile(r"`[^`]*`|\([^()]*\)")


class Point(NamedTuple):
    """A point of a text: a paragraph of a few sentences, a list entry, a table row. `label` is the heading to say with
    it ("" none), `heading` what tells its `kind` (None: no heading names one). `names` are its identifiers, `words`
    its content words. `place`: how many stand before it; `is_end`: it ends its text.
    """

    text: str
    label: str
    heading: str
    kind: Kind | None
    event: int
    names: set[str]
    words: set[str]
    place: int
    is_end: bool = False


def points(text: str, event: int, root: str, *, whole: bool = False) -> list[Point]:
    """All points of a text in order. Code, quotes, lead-ins alone, fragments and talk are none; what only the last
    message may still offer, ask or announce is told of a `whole` text.
    """
    found: list[Point] = []
    for unit in cut(plainly(text, root)):
        said = " ".join(one for one in sentences(unit.text) if not _is_talk(one, whole=whole))
        names = identifiers(said)
        if not _is_whole(said) or re.fullmatch(_NOTHING, said) or (not names and len(said) < _SAID_CHARS_MIN):
            continue
        heading = re.sub(r"^\d+\.\s*", "", unit.heading)
        found.append(
            Point(
                said, unit.label, heading, kind_named(heading), event, names, content_words(words_of(said)), len(found)
            )
        )
    return [*found[:-1], *(one._replace(is_end=True) for one in found[-1:])]


def stands_alone(point: Point) -> bool:
    """Whether a point says something without what stood before it: more than names and code."""
    if not point.names:
        return not leans(point.text) and len(point.text) >= _NAMELESS_CHARS_MIN
    spoken = (word.strip(".,;:!?'\"*-–") for word in _CODE.sub(" ", point.text).split())
    return len(content_words(word.lower() for word in spoken if word.isalpha())) >= _SPOKEN_MIN


# A leaf directive of Markdown (`::name{key="value"}`), a menu: what a client is to draw, no words.
_DRAWN = r"::[a-z][\w-]*\{[^{}\n]*\}|</?options?[^<>\n]*>"
_MENU_END = "</options>"
# A document names the root once; behind one of these it is a part of another path.
_WITHIN_PATH = r"(?<![\w./~-])"
_NOTHING = r"(?:>|\[!).*|[`★─\s]*(?:Insight)?[`★─\s]*|(?:Closes|Fixes) #\d+\.?|(?:No|None)\b.{0,14}\.?"


def plainly(text: str, root: str) -> str:
    """A text without what says nothing more: the root in front of paths, what a client draws, typographic
    apostrophes.
    """
    inside = root.rstrip("/") + "/"
    if len(inside) > 1 and inside in text:
        text = re.sub(_WITHIN_PATH + re.escape(inside) + r"(?=[\w.])", "", text)
    if _MENU_END in text:
        menus, end, behind = text.rpartition(_MENU_END)
        text = re.sub(f"(?s)<options>.*?{_MENU_END}", "", menus + end) + behind
    if "::" in text or "option" in text:
        text = re.sub(_DRAWN, "", text)
    return text.replace("’", "'")


def _is_whole(text: str) -> bool:
    """Whether a text is all of a statement, as far as its form tells."""
    if len(text) < 12 or " " not in text or text.count("`") % 2 or text.startswith("…") or text.endswith((":", "…")):
        return False
    return text.count("(") == text.count(")") or len(text) >= 200


# What an agent says it is about to do, and what it offers.
_ANNOUNCES = re.compile(
    r"(?:(?:ok|okay|great|good|perfect|excellent|alright|right|now|next|first|then|so|also|and|but)\b[,.!: —-]*)*"
    r"(?:let me|let's|i'll|i will|i'm (?:going|now|about)|i am (?:going|now)|i (?:now )?(?:need|want|have) to"
    r"|i should|now[, ])\b|(?:Next,? |Now,? )?(?:I'm|I am) (?:now )?\w+ing\b",
    re.IGNORECASE,
)
OFFERS = re.compile(
    r"\b(?:want me to|shall i|should i|would you like|let me know (?:if|whether)|happy to)\b"
    r"|\bif you(?:'d)? (?:want|like|prefer)\b[^.]*\bi(?:'ll)?\b",
    re.IGNORECASE,
)
# Why something is so, or is not done: it holds longer than what was just seen.
REASON = re.compile(
    r"\b(?:because|so that|rather than|decided|against|(?:does|do|did|will)(?: not|n't) work|no use|on purpose|weil"
    r"|stattdessen|funktioniert nicht)\b"
)


# clew itself asks an agent at the start to say in one sentence what it picked up.
_AT_ONCE = re.compile(r"(?:\S+[,.!] )?(?:now,? |next,? )?let me\b|\bI (?:have )?picked up\b", re.IGNORECASE)


def _is_talk(sentence: str, *, whole: bool) -> bool:
    """Whether a sentence only announces, offers or exclaims: but for the last message, the user has answered to it."""
    if sentence.endswith((":", "…", "!")) or _AT_ONCE.match(sentence):
        return True
    if whole:
        return False
    return sentence.endswith("?") or OFFERS.search(sentence) is not None or is_announcement(sentence)


def is_announcement(sentence: str) -> bool:
    """Whether a sentence says what its speaker is about to do."""
    return bool(_ANNOUNCES.match(sentence))

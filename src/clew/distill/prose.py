"""A session's prose as points that may be quoted: what stands alone, what it names, what its heading calls it.

They are made of units, the smallest pieces that can be quoted alone (a list entry, a table row, a few sentences), which
are cut and never reworded: taking words out can turn a meaning round.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from clew.core.state import headings
from clew.core.state.items import Kind
from clew.distill.blocks import LABEL_CHARS_MAX, ProseBlock, blocks, sentences
from clew.distill.identifiers import content_words, identifiers, words_of

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
    the title above. `number`: of the list entry ("" none).
    """

    text: str
    label: str
    heading: str
    number: str


def cut(text: str) -> list[Unit]:
    """The units of a Markdown text, in order. Code blocks are left out, except those of one to three short lines."""
    return [_unit(block, piece) for block in blocks(text) for piece in _pieces(block.text)]


def lead_in(text: str) -> str:
    """The label in front of a text ("Next: …"), "" without one."""
    found = _LABEL.match(text)
    return found[1] if found else ""


def _unit(block: ProseBlock, piece: str) -> Unit:
    near = block.label or block.title
    near = near if len(near) <= LABEL_CHARS_MAX else _CLAUSE_END.split(near, maxsplit=1)[0]
    own = lead_in(piece)
    heading = next((one for one in (own, block.label, block.title) if kind_named(one)), own or near)
    says_more = block.listed and 0 < len(near) <= LABEL_CHARS_MAX and near.lower() not in piece.lower()
    says_more = says_more and not content_words(words_of(near)) <= _GENERIC
    return Unit(piece, near if says_more else "", heading, block.number)


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


_OPEN = (headings.PENDING, headings.BLOCKED)
_KINDS: frozenset[Kind] = frozenset(["next", "question", "deferral", "decision", "risk", "blocker", "failed", "step"])


def kind_named(heading: str) -> Kind | None:
    """The kind of what stands under a heading or behind a label; None if it names none of what is looked for, or what
    is over ("Open questions (none)", "Done").
    """
    named = headings.topic(heading) if heading else None
    if named is None or named.kind not in _KINDS or (named.kind == "step" and named.status not in _OPEN):
        return None
    return named.kind


# "I tried X … but it failed because …", in one sentence and in this order: no decision.
_FAILED_APPROACH = re.compile(
    r"\b(?:tried|trying|attempted|attempt(?:s|ing)?|experimented)\b.*"
    r"\b(?:fail(?:ed|s)|(?:did|does)(?: not|n't) (?:work|help|change)|gave up|given up|backed out|dead end"
    r"|made (?:no difference|it worse)|no use|reverted|had to be dropped)\b",
    re.IGNORECASE,
)


def kind_said(text: str) -> Kind | None:
    """The kind that a sentence itself tells: an approach that was tried and failed, else none."""
    return "failed" if _FAILED_APPROACH.search(text) else None


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
    names: frozenset[str]
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
                said,
                unit.label,
                heading,
                kind_named(heading) or kind_said(said),
                event,
                names,
                content_words(words_of(said)),
                len(found),
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

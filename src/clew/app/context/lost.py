"""What a summary lost: the items that somebody has to be told again because a shorter text does not hold them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from clew.core.state.items import Item
from clew.distill.identifiers import content_words

# Told again whatever the summary says: a rule, a reminder or a pin half remembered is one broken.
_ALWAYS: Final = frozenset(("constraint", "reminder"))
# What a next step would be wrong without. The rest (files, checks, requests) is on the disk or in the last messages.
COSTLY: Final = frozenset(("goal", "decision", "failed", "deferral", "question", "blocker", "next"))
_TOKEN: Final = re.compile(r"[^\W\d][\w./-]*\w|[^\W\d]")
_SUFFIX: Final = re.compile("[a-z]{1,4}")  # of a file: `refunds.py`, not `Split.largest`
_JOINTS: Final = str.maketrans("", "", "-_")
# A summary tells an item if it holds more than half of its names, and three quarters of names (which count twice) and
# words together. An item without names has only its words. Measured in benchmarks/compactions: where it is not clear an
# item is told again, since a line too many costs a few tokens and a decision too few a day.
_NAMES_SHARE: Final = 0.5
_SHARE: Final = 0.75
_WORDS_SHARE: Final = 0.6
_ENDINGS: Final = ("ing", "ion", "ed", "es", "s", "e")
_STEM_CHARS_MIN: Final = 3


def lost(items: Iterable[Item], summary: str) -> tuple[Item, ...]:
    """The items to be told again beside `summary`, in their order.

    Pins, constraints and reminders always. Goals, decisions, failed approaches, deferrals, open questions, blockers and
    the next action when the summary does not tell them. Text counts, reasons do not. What clew itself made of the
    record's end (an inferred next action) is not told again: the last messages are still there.
    """
    flat, words = summary.lower().translate(_JOINTS), {_stem(word) for word in _parts(summary)[1]}
    return tuple(
        item
        for item in items
        if item.pinned
        or item.kind in _ALWAYS
        or (item.kind in COSTLY and not item.answer and not _is_made(item) and not _tells(flat, words, item.text))
    )


def _is_made(item: Item) -> bool:
    return item.kind == "next" and item.provenance == "inferred"


def _tells(flat: str, stems: set[str], text: str) -> bool:
    """Whether a summary says what `text` says: `flat` is it without case and joints, `stems` are those of its words."""
    names, words = _parts(text)
    found = sum(name.translate(_JOINTS) in flat for name in names)
    known = sum(_stem(word) in stems for word in words)
    if not names:
        return known > _WORDS_SHARE * len(words) or not words
    return found > _NAMES_SHARE * len(names) and 2 * found + known >= _SHARE * (2 * len(names) + len(words))


def _parts(text: str) -> tuple[set[str], set[str]]:
    """The names and the telling words of a text, in lower case. Of a path and of a dotted name the last part counts."""
    names, words = set[str](), set[str]()
    for token in _TOKEN.findall(text):
        last = token.rpartition("/")[2]
        owner, _, member = last.rpartition(".")
        last = member if owner and not _SUFFIX.fullmatch(member) else last
        for part in last.split("-") if last.islower() and "." not in last and "_" not in last else [last]:
            (words if part.isalpha() and (part.islower() or part[1:].islower()) else names).add(part.lower())
    return {name for name in names if len(name) > 1}, content_words(words)


def _stem(word: str) -> str:
    """A word without its ending, so that "restores" and "restoring" are one."""
    ends = (end for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= _STEM_CHARS_MIN)
    end = next(ends, "")
    return word.removesuffix(end)

"""What a summary lost: the items that somebody has to be told again because a shorter text does not hold them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from clew.core.items import Item
from clew.distill.identifiers import content_words, identifiers

# Told again whatever the summary says: a rule, a reminder or a pin half remembered is one broken.
_ALWAYS: Final = frozenset(("constraint", "reminder"))
# What a next step would be wrong without. The rest (files, checks, requests) is on the disk or in the last messages.
_COSTLY: Final = frozenset(("decision", "failed", "deferral", "question", "blocker", "next"))
_WORD: Final = re.compile(r"[^\W\d_]+")
# A text that holds every name that an item has and this share of its words says what the item says.
_WORDS_SHARE: Final = 0.5


def lost(items: Iterable[Item], summary: str) -> tuple[Item, ...]:
    """The items to be told again beside `summary`, in their order.

    Pins, constraints and reminders always. Decisions, failed approaches, deferrals, open questions, blockers and the
    next action when the summary lacks one of their identifiers (names, paths, numbers) or half of their words. Text
    counts, reasons do not.
    """
    names, words = identifiers(summary), _words(summary)
    return tuple(
        item
        for item in items
        if item.pinned
        or item.kind in _ALWAYS
        or (item.kind in _COSTLY and not item.answer and not _tells(names, words, item.text))
    )


def _tells(names: set[str], words: set[str], text: str) -> bool:
    wanted = _words(text)
    return identifiers(text) <= names and len(wanted & words) >= _WORDS_SHARE * len(wanted)


def _words(text: str) -> set[str]:
    return content_words(word.lower() for word in _WORD.findall(text))

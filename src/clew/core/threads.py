"""Threads: tasks that nobody had to open. What of a session begins one, whether a session goes on with one, and what it
is called. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clew.core.extract import Extract
from clew.core.items import Item
from clew.core.requests import (
    UNFINISHED,
    asks_for_work,
    first_sentence,
    is_left,
    is_request,
    is_work,
    keywords,
    request_status,
    says_nothing,
)
from clew.core.text import shorten

TITLE_CHARS: Final = 80


def did_work(extract: Extract, *, after: str = "") -> bool:
    """Whether a session changed a file, committed, or was asked for work, `after` that time."""
    return any(is_work(item) for item in extract.items if item.time > after or not after)


def is_idle(extract: Extract) -> bool:
    """Whether a session holds nothing: no work, no file, no request beyond a greeting."""
    asked = (item for item in extract.items if is_request(item))
    return not any(is_work(item) or item.kind == "file" for item in extract.items) and all(
        says_nothing(item.text) for item in asked
    )


def title_of(extracts: Sequence[Extract]) -> str:
    """What a thread of these sessions (the oldest first) is about, "" if none of them tells: the last request that set
    work going and is not done; where all are done, the first.
    """
    goals = [item for one in extracts for item in one.items if item.kind == "goal" and not says_nothing(item.text)]
    asked = [item for item in goals if is_work(item)] or goals
    if not asked:
        asked = [item for one in extracts for item in one.items if is_request(item) and asks_for_work(item.text)]
    left = [item for item in asked if request_status(item) in UNFINISHED]
    chosen = left[-1:] or asked[:1]
    return shorten(first_sentence(chosen[0].text), TITLE_CHARS) if chosen else ""


def is_over(before: Sequence[Extract], after: Extract) -> bool:
    """Whether what the sessions `before` were at is done and committed, and the session `after` begins other work: the
    last of them ended in order and left nothing (no next action, no open request, no file that is not committed), and
    the new one was asked for something that shares no word and no file with it.
    """
    last = before[-1]
    if not (last.origin.ended and committed(last)) or any(map(_is_left, last.items)):
        return False
    if not did_work(after) or not any(is_request(item) and asks_for_work(item.text) for item in after.items):
        return False
    return _edited(before).isdisjoint(_edited([after])) and _asked(before).isdisjoint(_asked([after]))


def committed(extract: Extract) -> bool:
    """Whether a session committed something."""
    return any(item.kind in ("goal", "step") and request_status(item).startswith("committed") for item in extract.items)


def _is_left(item: Item) -> bool:
    """Whether work that is not over left this."""
    if item.kind == "file":
        return item.status == "edited"
    if item.kind == "question":
        return not item.answer
    if item.kind in ("goal", "step"):
        return is_left(item)
    return item.kind in ("next", "blocker")


def _edited(extracts: Sequence[Extract]) -> set[str]:
    items = (item for one in extracts for item in one.items)
    return {item.text for item in items if item.kind == "file" and item.status != "read"}


def _asked(extracts: Sequence[Extract]) -> set[str]:
    return keywords(item.text for one in extracts for item in one.items if is_request(item))

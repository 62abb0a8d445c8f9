"""Threads: tasks that nobody had to open. What of a session begins one, and what it is called. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clew.core.state.extract import Extract
from clew.core.state.requests import (
    UNFINISHED,
    asks_for_work,
    first_sentence,
    is_request,
    is_work,
    request_status,
    says_nothing,
)
from clew.core.text.cleaning import shorten

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


def committed(extract: Extract) -> bool:
    """Whether a session committed something."""
    return any(item.kind in ("goal", "step") and request_status(item).startswith("committed") for item in extract.items)

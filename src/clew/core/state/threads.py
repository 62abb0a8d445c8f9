"""Threads: tasks that nobody had to open. What of a session begins one, and what it is called. Pure."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from typing import Final

from clew.core.state.extract import Extract
from clew.core.state.items import Item
from clew.core.state.requests import (
    UNFINISHED,
    asks_for_work,
    first_sentence,
    is_request,
    is_work,
    request_status,
    says_nothing,
)
from clew.core.state.tasks import TaskPlace
from clew.core.text.cleaning import shorten

TITLE_CHARS: Final = 80


class SessionSpan:
    """When and where the sessions of a thread ran. It costs the same to ask of one session among thousands."""

    def __init__(self, extracts: Iterable[Extract]) -> None:
        self._begins: list[tuple[str, str]] = []
        self._ends: list[tuple[str, str]] = []
        self._places: dict[TaskPlace, set[str]] = {}
        for extract in extracts:
            self.add(extract)

    def add(self, extract: Extract) -> None:
        """One session more."""
        origin = extract.origin
        insort(self._begins, (origin.first_time, origin.session))
        insort(self._ends, (origin.last_time, origin.session))
        self._places.setdefault(place_of(extract), set()).add(origin.session)

    @property
    def first_begin(self) -> str:
        """When the first session began, "" without one."""
        return self._begins[0][0] if self._begins else ""

    def last_begin(self, *, but: str) -> str:
        """When the last session other than `but` began, "" without one."""
        return next((time for time, session in reversed(self._begins) if session != but), "")

    def last_end(self, *, but: str) -> str:
        """When the one of the sessions other than `but` that went on longest ended, "" without one."""
        return next((time for time, session in reversed(self._ends) if session != but), "")

    def is_at(self, place: TaskPlace, *, but: str) -> bool:
        """Whether a session other than `but` ran at a place."""
        return bool(self._places.get(place, set()) - {but})


def place_of(extract: Extract) -> TaskPlace:
    """The work tree and branch of a session."""
    return TaskPlace(extract.worktree, extract.origin.branch)


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
    goals = [item for one in extracts for item in one.items if _is_read_goal(item)]
    asked = [item for item in goals if is_work(item)] or goals
    if not asked:
        asked = [item for one in extracts for item in one.items if is_request(item) and asks_for_work(item.text)]
    left = [item for item in asked if request_status(item) in UNFINISHED]
    chosen = left[-1:] or asked[:1]
    return shorten(first_sentence(chosen[0].text), TITLE_CHARS) if chosen else ""


def committed(extract: Extract) -> bool:
    """Whether a session committed something."""
    return any(item.kind in ("goal", "step") and request_status(item).startswith("committed") for item in extract.items)


def _is_read_goal(item: Item) -> bool:
    """Whether a session's first request is one."""
    return item.kind == "goal" and not item.draft and not says_nothing(item.text)

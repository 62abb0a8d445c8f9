"""What lasts: of what the sessions of a task left, and of what was said is next, what still holds when work goes on.

It is decided by kinds and statuses, whatever the words. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from clew.core.extract import Extract
from clew.core.items import FILL_RANK, Item, Kind, Origin, Provenance, State

# Kinds of items that hold until somebody says otherwise.
ENDURING: Final = frozenset(
    "decision deferral failed hypothesis constraint reminder assumption finding question risk blocker learning".split()
)
# An older session's items come behind the newest one's best: so many ranks for each session between.
_OLDER_RANK_MIN: Final = 8
_OLDER_RANKS: Final = 6
# Requests that came to nothing yet; checks that are not over until they run again, and how such a run ends.
UNFINISHED: Final = frozenset(("open", "under way", "interrupted", "broken off"))
_UNSETTLED: Final = ("failed", "not run")
_SETTLING: Final = ("failed", "passed")
_STALE: Final = ", before the last edit"
# What of a command's words does not make it another check: where its output goes, and short options without a value.
_REDIRECTION: Final = re.compile(r"[\d&]?>{1,2}(?:&\d|\s*[^\s&|;`]+)")
_FLAG: Final = re.compile(r"-[A-Za-z]{1,2}")
# The goal of the task; and, where that is another one, what the newest session was asked first: the latest request, or
# one before it.
_GOAL_RANK: Final = 0
_LATEST: Final = "latest "
_AGREED: Final = "agreed to, "
_LATEST_RANK: Final = 1
_BEGUN_RANK: Final = 4
# Whose later next action outlives a stated one, by who stated that.
_OUTLIVED_BY: Final[Mapping[str, Sequence[Provenance]]] = {
    "human": ("human",),
    "agent": ("human", "agent"),
    "unattributed": ("human", "agent", "inferred"),
}


def request_status(item: Item) -> str:
    """What came of a request, whether it is the latest one or not, and whether it was agreed to first."""
    return item.status.removeprefix(_LATEST).removeprefix(_AGREED)


class Later:
    """What the sessions behind the one at hand did, and with that what still holds of it."""

    def __init__(self) -> None:
        self._has_changed = False  # a file
        self._checks: list[frozenset[str]] = []
        self._told: set[tuple[Kind, str, str]] = set()

    def add(self, extract: Extract) -> None:
        """One session more, the one before those that were added."""
        for item in extract.items:
            self._told.add((item.kind, item.text, item.provenance))
            self._has_changed = self._has_changed or (item.kind == "file" and item.status != "read")
            if item.kind == "validation" and item.status.startswith(_SETTLING):
                self._checks.append(_words_of(item.text))

    def leaves(self, item: Item) -> bool:
        """Whether what the session left still holds: what was found out, what the user said and was not about that
        session only, what was proved to be done, which files the work is about, what it was asked first.

        A request holds while it is unfinished and nothing was changed since; a check that failed or was refused, until
        it ran again. To-dos, other checks and what was next are about where it stood then. What a later session
        tells in the same words stands there, and what only fills room is about the last session alone.
        """
        if item.rank >= FILL_RANK:
            return False
        if item.kind in ("file", "goal"):
            return True
        if (item.kind, item.text, item.provenance) in self._told:
            return False
        if item.kind == "step":
            is_open = item.status.removeprefix(_LATEST) in UNFINISHED and not self._has_changed
            return item.provenance == "verified" or (item.provenance == "human" and is_open)
        if item.kind == "validation":
            return item.status.startswith(_UNSETTLED) and not self._ran(item.text)
        return item.kind in ENDURING or (item.provenance == "human" and item.kind != "next")

    def older(self, item: Item, ago: int) -> Item:
        """An item that holds, as it stands `ago` sessions later."""
        status = item.status.removeprefix(_LATEST)  # it was the latest then
        if item.kind == "validation":
            ago -= 1  # that something fails is dearer than what was found out
            if self._has_changed and status == "failed":
                status += _STALE
        # However long ago: it is no mere filling.
        rank = min(max(item.rank, _OLDER_RANK_MIN) + _OLDER_RANKS * ago, FILL_RANK - 1)
        return item._replace(rank=rank, status=status)

    def _ran(self, check: str) -> bool:
        """Whether a check ran again: itself, or all that it is a part of (`pytest` of `pytest tests/a.py`)."""
        words = _words_of(check)
        return any(ran and ran <= words for ran in self._checks)


def _words_of(check: str) -> frozenset[str]:
    words = _REDIRECTION.sub(" ", check.strip("`")).split()
    return frozenset(word for word in words if not _FLAG.fullmatch(word))


def with_one_goal(items: Sequence[Item], extracts: Iterable[Extract], session: str) -> list[Item]:
    """`items` with one goal that rules read off a session, none where a person stated one: what the first session that
    asked for something began with. `extracts` are in the order of time; of foreign ones the time does not count.

    What the newest `session` was asked first is else a request among its others, unless it is that goal again; what
    older ones were asked is over.
    """
    read = {item.id: item for item in items if _is_read_goal(item)}
    begun = sorted(extracts, key=lambda extract: extract.is_foreign)
    first = next((one.id for extract in begun for one in extract.items if one.id in read), "")
    goal = None if any(map(_is_persons_goal, items)) else read.get(first)
    again = next((item for item in read.values() if item.place.session == session), goal)
    is_again = goal is not None and again is not None and again.text == goal.text
    is_last = not any(item.kind == "step" and item.status.startswith(_LATEST) for item in items)
    lead, rank = (_LATEST, _LATEST_RANK) if is_last else ("", _BEGUN_RANK)
    found: list[Item] = []
    for item in items:
        if item.id not in read:
            found.append(item)
        elif item is goal:
            found.append(item._replace(rank=_GOAL_RANK, status=again.status if again and is_again else item.status))
        elif item.place.session == session and not is_again:
            found.append(item._replace(kind="step", rank=rank, status=lead + item.status))
    return found


def with_title(state: State, title: Item) -> State:
    """`state` with the title of its task, told as a goal, where nobody stated one. A person's title takes the place of
    what rules took for the goal, which is then what it began with; anybody else's stands where there is none.
    """
    goals = [item for item in state.items if item.kind == "goal"]
    if goals and (title.provenance != "human" or not all(map(_is_read_goal, goals))):
        return state
    begun = next(iter(goals), None)
    if begun is not None and begun.text.casefold() not in title.text.casefold():
        title = title._replace(why=f"it began with: {begun.text}")
    return state._replace(items=(title, *(item for item in state.items if item is not begun)))


def _is_read_goal(item: Item) -> bool:
    """Whether rules took a request for a goal, and nobody reworded or pinned it since."""
    return item.kind == "goal" and not _is_stated(item) and not item.actor and not item.pinned


def _is_persons_goal(item: Item) -> bool:
    return item.kind == "goal" and item.provenance == "human" and not _is_read_goal(item)


def with_one_next(items: Iterable[Item], extracts: Sequence[Extract]) -> list[Item]:
    """Stated `items` with the next action that was stated last: the last one of a person, and an agent's that came
    later beside it. Pinned ones stay, and what only files say.

    A next action is outlived by one that the newest of `extracts` left later: an agent's by an agent's, anybody's by
    the user's, a file's by whatever was next. That a record breaks off outlives nobody's word.
    """
    kept = [item for item in items if item.kind != "next" or item.pinned or not _is_outlived(item, extracts)]
    said = sorted((item for item in kept if _is_stated_next(item)), key=lambda item: (item.time, item.id))
    last = [*said[-1:], *[item for item in said if item.provenance == "human"][-1:]]
    return [item for item in kept if item.pinned or item in last or not _is_stated_next(item)]


def _is_outlived(item: Item, extracts: Sequence[Extract]) -> bool:
    by = _OUTLIVED_BY.get(item.provenance, ("human",))
    newest = extracts[-1].items if extracts else ()
    return any(one.kind == "next" and one.time > item.time and one.provenance in by for one in newest)


def said_next(items: Iterable[Item]) -> str:
    """When somebody last stated one of `items` as what is next, "" if nobody did."""
    return max((item.time for item in items if _is_stated_next(item)), default="")


def is_overtaken(item: Item, origin: Origin, said: str) -> bool:
    """Whether an item of the newest session (its `origin`) is what rules alone took for next, and somebody has `said`
    what is next after that; where the record breaks off in mid-turn, after it broke off.
    """
    if item.kind != "next" or item.provenance != "inferred" or not said:
        return False
    return (item.time if origin.ended else origin.last_time) <= said


def _is_stated_next(item: Item) -> bool:
    return item.kind == "next" and _is_stated(item) and item.provenance != "unattributed"


def _is_stated(item: Item) -> bool:
    return item.place.at < 0

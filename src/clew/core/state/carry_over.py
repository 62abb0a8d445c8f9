"""What lasts: of what the sessions of a task left, and of what was said is next, what still holds when work goes on.

It is decided by kinds and statuses, whatever the words. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from clew.core.state.drafted import with_drafts
from clew.core.state.extract import PART, Extract
from clew.core.state.items import Item, Kind, Origin, Provenance, State
from clew.core.state.requests import (
    LATEST,
    is_done_work,
    is_left,
    is_request,
    is_state,
    is_work,
    keywords,
    says_nothing,
)

# Kinds of items that hold until somebody says otherwise.
ENDURING: Final = frozenset(
    "decision deferral failed hypothesis constraint reminder assumption finding question risk blocker learning".split()
)
# An older session's items come behind the newest one's best: so many ranks for each session between.
_OLDER_RANK_MIN: Final = 8
_OLDER_RANKS: Final = 6
# What a person forbade, refused or answered: it binds as much however many sessions ago it was.
_BINDING: Final = frozenset(("constraint", "failed", "decision"))
# Checks that are not over until they run again, and how such a run ends.
_UNSETTLED: Final = ("failed", "not run")
_SETTLING: Final = ("failed", "passed")
_STALE: Final = ", before the last edit"
# What of a command's words does not make it another check: where its output goes, and short options without a value.
_REDIRECTION: Final = re.compile(r"[\d&]?>{1,2}(?:&\d|\s*[^\s&|;`]+)")
_FLAG: Final = re.compile(r"-[A-Za-z]{1,2}")
# The goal of the task; and, where that is another one, what the newest session was asked first: the latest request, or
# one before it.
_GOAL_RANK: Final = 0
_LATEST_RANK: Final = 1
# How a next action is told that was not done while other work was.
STILL_OPEN: Final = "still open from"
# How one is told that another person stated last.
NEXT_FOR: Final = "next, says"
_BEGUN_RANK: Final = 4
# So many of the first goals are kept of sessions long ago.
_GOALS_KEPT: Final = 8
_BEGAN: Final = "it began with: "
# Whose later next action outlives a stated one, by who stated that.
_OUTLIVED_BY: Final[Mapping[str, Sequence[Provenance]]] = {
    "human": ("human",),
    "agent": ("human", "agent"),
    "unattributed": ("human", "agent", "inferred"),
}


class Later:
    """What the sessions behind the one at hand did, and with that what still holds of it."""

    def __init__(self) -> None:
        self._has_changed = False  # a file
        self._has_committed = self._has_todos = False
        self._went_on = False  # worked, or said what is next
        self._turned = False  # one session did both
        self._took_up = False  # the session right behind only went on
        self._checks: set[frozenset[str]] = set()
        self._told: set[tuple[Kind, str, str]] = set()
        self._touched: set[str] = set()
        self._stems: set[str] = set()  # names of the touched files, without folder and extension
        # Of each word the pieces of work that have it: a bit for each piece, so that thousands are looked at at once.
        self._did: dict[str, int] = {}
        self._pieces = 0

    def add(self, extract: Extract) -> None:
        """One session more, the one before those that were added. One of which only what lasts is at hand tells no
        more: what stands before it was held against all of it (`carried`).
        """
        if extract.is_part:
            self._took_up = False
            return
        asked = [item for item in extract.items if is_request(item)]
        for item in extract.items:
            self._told.add(_words_as_said(item))
            if item.kind == "file" and item.status != "read":
                self._has_changed = True
                self._touched.add(item.text)
                self._stems.add(item.text.rpartition("/")[2].partition(".")[0].casefold())
            if item.kind == "validation" and item.status.startswith(_SETTLING):
                self._checks.add(_words_of(item.text))
            if item.kind == "step" and item.provenance == "verified" and not is_state(item):
                self._has_committed = True
            self._has_todos |= _is_listed(item)
            if is_work(item) and not is_left(item):
                for word in keywords([item.text]):
                    self._did[word] = self._did.get(word, 0) | 1 << self._pieces
                self._pieces += 1
        has_worked = any(map(is_work, extract.items))
        has_next = any(item.kind == "next" for item in extract.items)
        self._took_up = (has_worked or (has_next and bool(asked))) and all(says_nothing(one.text) for one in asked)
        has_done = any(is_done_work(item) for item in extract.items)
        self._went_on |= has_done or has_next
        self._turned |= has_done and has_next

    def leaves(self, item: Item) -> bool:
        """Whether what the session left still holds: what was found out, what the user said and was not about that
        session only, what was proved to be done, which files the work is about, what it was asked first.

        A request holds while it is unfinished and nothing settled it, be it that other work was done meanwhile; a check
        that failed or was refused, until it ran again; what was next, until it was done, be it that others worked on
        something else, and where it names no file until a session worked and said what is next by itself; to-dos, until
        others were made or something was committed, and what the agent called open, until it is settled. A check that
        passed and what the agent said it found are about where it stood then: they hold until a file was changed, of a
        finding that names files until one of those was. What a later session tells in the same words stands there.
        """
        if item.kind in ("file", "goal"):
            return True
        if _words_as_said(item) in self._told or is_state(item):
            return False
        if item.kind == "step":
            is_open = is_left(item) or (item.provenance == "agent" and not item.status)  # called so in so many words
            is_given_up = _is_listed(item) and (self._has_todos or self._has_committed)
            return item.provenance == "verified" or (is_open and not (self.settles(item) or is_given_up))
        if item.kind == "validation":
            holds = item.status.startswith(_UNSETTLED) or (item.status == "passed" and not self._has_changed)
            words = _words_of(item.text)  # it ran again itself, or all that it is a part of (`pytest`)
            return holds and not any(ran and ran <= words for ran in self._checks)
        if item.kind == "next" or _was_next(item):
            return not self.settles(item) and (bool(item.files) or not self._turned)
        if item.kind == "finding" and item.provenance in ("agent", "inferred") and not item.draft:
            has_changed = not self._touched.isdisjoint(item.files) if item.files else self._has_changed
            return not has_changed
        return item.kind in ENDURING or item.provenance == "human"

    def older(self, item: Item) -> Item:
        """An item that holds, as it stands now. What was next then, and was not done while other work was, is still
        open since that day.
        """
        status = item.status.removeprefix(LATEST)  # it was the latest then
        if item.kind == "goal" and is_left(item) and self.settles(item):
            status = ""
        if item.kind == "next" and self._went_on:
            item = item._replace(kind="reminder", label=f"{STILL_OPEN} {item.time[:10]}")
        if item.kind == "validation" and self._has_changed and status == "failed":
            status += _STALE
        return item if status == item.status else item._replace(status=status)

    def settles(self, item: Item) -> bool:
        """Whether later sessions did what an item wants: the next one only went on, a file that it names was changed,
        or what was done shares most of its words.
        """
        own = keywords([item.text])
        if self._took_up or not self._touched.isdisjoint(item.files) or not own.isdisjoint(self._stems):
            return True
        return _has_column_of(len(own) + 1 >> 1, [self._did.get(word, 0) for word in own])


def carried(extracts: Sequence[Extract], claims: Iterable[Item] = ()) -> list[Extract]:
    """`extracts` (in turn) of sessions behind which others came, each as far as a state may still tell of it: with the
    live `claims` of its draft, without what later ones settled, and with what they changed. `state_of` makes the same
    of these and newer ones as of all, and so does this; but that a claim which a newer draft says again was a claim
    until then.
    """
    sessions = {extract.origin.session for extract in extracts}
    extracts = with_drafts(extracts, [claim for claim in claims if claim.place.session in sessions])
    best, later = best_of(extracts), Later()
    taken: set[str] = set()
    files: dict[str, bool] = {}  # by path whether the item that is kept tells of a change
    found: list[Extract] = []
    for extract in reversed(extracts):
        kept: list[Item] = []
        for one in reversed(extract.items):
            item = best.get(one.id, one)
            if (item.rank, item.why) != (one.rank, one.why):
                item = item._replace(rank=one.rank, why=item.why or one.why)
            if item.id not in taken and later.leaves(item) and _is_first(item, files):
                taken.add(item.id)
                kept.append(later.older(item))
        later.add(extract)
        found.append(extract._replace(items=tuple(kept[::-1]), extent=PART))
    return _with_few_goals(found[::-1])


def _is_first(item: Item, files: dict[str, bool]) -> bool:
    """Whether no later session tells as much of the file that an item is; `files` then has it."""
    is_changed = item.status != "read"
    if item.kind != "file":
        return True
    if item.text in files and (files[item.text] or not is_changed):
        return False
    files[item.text] = is_changed
    return True


def _with_few_goals(extracts: list[Extract]) -> list[Extract]:
    """`extracts` without the goals of which `with_one_goal` tells nothing: those that are done, but for the first ones
    (of which people may have said something) and what came of them.
    """
    goals = [item for extract in extracts for item in extract.items if item.kind == "goal"]
    last = {item.text: item.id for item in goals}
    meant = [item for item in goals if not says_nothing(item.text)]
    first = {item.text: item.id for item in reversed((*goals[:_GOALS_KEPT], *meant[:_GOALS_KEPT]))}
    kept = {*first.values(), *(last[text] for text in first)}
    kept |= {item.id for item in goals if is_left(item) and last[item.text] == item.id}
    return [
        one._replace(items=tuple(item for item in one.items if item.kind != "goal" or item.id in kept))
        for one in extracts
    ]


def older_rank(item: Item, ago: int) -> int:
    """The rank of an item that holds, `ago` sessions later. What a person said that binds keeps its own."""
    if item.kind in _BINDING and item.provenance == "human":
        return item.rank
    is_check = item.kind == "validation"  # that something fails is dearer than what was found out
    return max(item.rank, _OLDER_RANK_MIN) + _OLDER_RANKS * (ago - is_check)


def best_of(extracts: Iterable[Extract]) -> dict[str, Item]:
    """The inferred items by id. Of several readings the user's words count, then what was read here, what waits to be
    read again (the rules 0), what is foreign; then the session that ended last.
    """
    best: dict[str, tuple[tuple[bool, int], Item]] = {}
    for extract in extracts:
        for item in extract.items:
            if item.draft:  # what was stated is no reading
                continue
            worth = (item.is_persons, min(extract.rules, 1))
            if item.id not in best or worth >= best[item.id][0]:
                best[item.id] = worth, item
    return {name: item for name, (_, item) in best.items()}


def _has_column_of(least: int, rows: Iterable[int]) -> bool:
    """Whether a bit is set in at least so many of `rows`, and in one at all.

    The columns are counted all at once: the first of `digits` has the ones of every column's count, the next the twos.
    """
    digits: list[int] = []
    for row in rows:
        carry = row
        for at, digit in enumerate(digits):
            digits[at], carry = digit ^ carry, digit & carry
        if carry:
            digits.append(carry)
    if not 0 < least < 1 << len(digits):
        return False
    more, same = 0, -1  # columns whose count is above `least` as far as it was compared, and those that are equal
    for at in reversed(range(len(digits))):
        if least >> at & 1:
            same &= digits[at]
        else:
            more |= same & digits[at]
            same &= ~digits[at]
    return bool(more | same)


def _is_listed(item: Item) -> bool:
    """Whether it is an entry of a to-do list that is not done."""
    return item.kind == "step" and item.provenance not in ("verified", "human") and is_left(item)


def _words_as_said(item: Item) -> tuple[Kind, str, str]:
    """By what a session tells the same as another one: a request is the same wherever it stood in them."""
    kind: Kind = "step" if is_request(item) else "next" if _was_next(item) else item.kind
    return kind, item.text, item.provenance


def _was_next(item: Item) -> bool:
    """Whether rules took it for next, and `Later.older` for still open."""
    is_read_off = item.place.at >= 0 or bool(item.draft)
    return item.kind == "reminder" and is_read_off and item.label.startswith(STILL_OPEN)


def _words_of(check: str) -> frozenset[str]:
    words = _REDIRECTION.sub(" ", check.strip("`")).split()
    return frozenset(word for word in words if not _FLAG.fullmatch(word))


def with_one_goal(items: Sequence[Item], extracts: Iterable[Extract], session: str) -> list[Item]:
    """`items` with one goal that rules read off a session, none where a person stated one: the last request that a
    session began with and that is not done, with what the first one began with; where all are done, the first.
    `extracts` are in the order of time; of foreign ones the time does not count.

    What the newest `session` was asked first is else a request among its others, unless it is that goal again; what
    older ones were asked is one while it is not done.
    """
    read = {item.id: item for item in items if _is_read_goal(item)}
    begun = sorted(extracts, key=lambda extract: extract.is_foreign)
    asked = [read[one.id] for extract in begun for one in extract.items if one.id in read]
    came = {item.text: item for item in asked}  # of it last
    meant = [item for item in asked if not says_nothing(item.text)] or asked
    left = [item for item in meant if is_left(came[item.text])]
    persons = (one for one in items if one.kind == "goal" and one.provenance == "human" and not _is_read_goal(one))
    chosen = None if any(persons) else next(iter(left[-1:] or meant), None)
    is_last = not any(item.kind == "step" and item.status.startswith(LATEST) for item in items)
    lead, rank = (LATEST, _LATEST_RANK) if is_last else ("", _BEGUN_RANK)
    found: list[Item] = []
    told: set[str] = set()
    for item in items:
        if item.id not in read:
            found.append(item)
        elif chosen is not None and item.text == chosen.text:
            if item.text not in told:
                found.append(item._replace(rank=_GOAL_RANK, status=came[item.text].status.removeprefix(LATEST)))
                told.add(item.text)
        elif item.place.session == session:
            found.append(item._replace(kind="step", rank=rank, status=lead + item.status))
        elif is_left(came[item.text]) and item.text not in told:
            found.append(item._replace(kind="step"))
            told.add(item.text)
    first = meant[0] if meant else None
    if chosen is None or first is None or first.text in told or (chosen.why and _BEGAN not in chosen.why):
        return found
    why = f"{_BEGAN}{_begun(first)}"
    return [item._replace(why=why) if item.id in read and item.kind == "goal" else item for item in found]


def with_title(state: State, title: Item) -> State:
    """`state` with the title of its task, told as a goal, where nobody stated one. A person's title takes the place of
    what rules took for the goal, which is then what it began with; anybody else's stands where there is none.
    """
    goals = [item for item in state.items if item.kind == "goal"]
    if goals and (title.provenance != "human" or not all(map(_is_read_goal, goals))):
        return state
    read = next(iter(goals), None)
    if read is not None and _begun(read).casefold() not in title.text.casefold():
        title = title._replace(why=f"{_BEGAN}{_begun(read)}")
    # What is asked now stays beside the title, unless it is what the title says it began with.
    asked = [one for one in goals[:1] if _BEGAN in one.why]
    now = [one._replace(kind="step", why="", rank=_LATEST_RANK, status=LATEST + one.status) for one in asked]
    return state._replace(items=(title, *now, *(item for item in state.items if item is not read)))


def _begun(goal: Item) -> str:
    """What the work of a goal that was read off a session began with."""
    return goal.why.partition(_BEGAN)[2] or goal.text


def _is_read_goal(item: Item) -> bool:
    """Whether rules took a request for a goal, and nobody reworded or pinned it since."""
    return item.kind == "goal" and not _is_stated(item) and not item.actor and not item.pinned


def with_one_next(items: Iterable[Item], extracts: Sequence[Extract]) -> list[Item]:
    """Stated `items` with the next action that was stated last: the last one of a person, and an agent's that came
    later beside it. What another person said last is next stands as a reminder, with their name. Pinned ones stay, and
    what only files say.

    A next action is outlived by one that the newest of `extracts` left later: an agent's by an agent's, anybody's by
    the user's, a file's by whatever was next. That a record breaks off outlives nobody's word.
    """
    kept = [item for item in items if item.kind != "next" or item.pinned or not _is_outlived(item, extracts)]
    said = sorted((item for item in kept if _is_stated_next(item)), key=lambda item: (item.time, item.id))
    persons = {item.actor: item for item in said if item.provenance == "human"}  # of each the last one
    newest = max(persons.values(), key=lambda item: (item.time, item.id), default=None)
    last = [*said[-1:], *([newest] if newest else [])]
    others = [item for item in persons.values() if item not in last and not item.pinned]
    told = [item._replace(kind="reminder", label=f"{NEXT_FOR} {item.actor}") for item in others]
    return [*(item for item in kept if item.pinned or item in last or not _is_stated_next(item)), *told]


def is_carried_out(item: Item, extracts: Sequence[Extract]) -> bool:
    """Whether sessions that began behind it did what an agent stated as next: a person's word only a person ends."""
    if not _is_stated_next(item) or item.pinned or item.provenance == "human":
        return False
    later = Later()
    for extract in reversed(extracts):
        if extract.origin.first_time <= item.time:
            break
        later.add(extract)
    return later.settles(item)


def _is_outlived(item: Item, extracts: Sequence[Extract]) -> bool:
    by = _OUTLIVED_BY.get(item.provenance, ("human",))
    newest = extracts[-1].items if extracts else ()
    later = (one for one in newest if one.kind == "next" and one.time > item.time)
    return any(("inferred" if one.unheard else one.provenance) in by for one in later)


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

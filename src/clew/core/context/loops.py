"""Loops: the same call with the same result again, while nothing gets on. Pure; docs/reference/pressure.md.

A call is known again by its family (a command, a read, a search, an edit, another tool) and by what it was given,
without what only cuts its output. A result is known again by its lines, without what differs from run to run. What
changes files is progress, and so is another result; a look at something that still runs is no loop.
"""

import re
from hashlib import blake2b
from typing import Final, NamedTuple

from clew.core.records.transcript import Call, Edit, Other, Read, Result, Run, Search
from clew.core.text.cleaning import one_line

FAILED_MIN: Final = 3
# The same failure after so many tries, whatever was edited in between.
STUCK_MIN: Final = 5
ASKED_MIN: Final = 4
RAN_MIN: Final = 5
UNDONE_MIN: Final = 2
# A loop that was left is none: what counts as one happened among so many last results.
RECENT_RESULTS: Final = 20
COMMIT: Final = "git commit"
_EDITS_MAX: Final = 50
_END_CHARS: Final = 4000
_LINES_MAX: Final = 40
_WAITING_CHARS_MAX: Final = 2000
_COMMAND_CHARS_MAX: Final = 2000
# What differs from run to run though nothing changed: times, durations, addresses, temporary names.
_CHANCE: Final = re.compile(
    r"\d+[.:]\d[\d.:]*|0x[0-9a-fA-F]+|\b[0-9a-f]{8,}\b|(?<=/)tmp[\w.-]*|\b\d+ ?(?:ms|s|sec|seconds)\b"
)
# What only says how much of the output is shown, at the end of a command; and what waits for a job.
_SENT: Final = ("2>&1", "2>/dev/null")
_SHOWN: Final = re.compile(
    r"\|\s*(?:tail|head|grep|egrep|rg|cat|less|tee|wc|sort|uniq)\b.*|(?:;|&&|\|\|)\s*(?:echo\b.*|true)"
)
_WAITS: Final = re.compile(r"\b(?:sleep|wait|watch)\b|--(?:watch|wait|follow)\b")
_STILL: Final = re.compile(
    r"\b(?:pending|queued|in[ _-]progress|still (?:running|building|waiting)|not ready|waiting for|processing)\b",
    re.IGNORECASE,
)


class Signal(NamedTuple):
    """Something that happened `times` times: a command, a path, the beginning of a reply."""

    subject: str
    times: int


class _Streak(NamedTuple):
    """A call that came again with the same result: so often since something was changed (in the `epoch`), and so often
    in all; `at` which result the last time; `said` the end of what it came to.
    """

    subject: str
    outcome: str
    said: str
    epoch: int
    since: int
    total: int
    at: int
    least: int


class Loops:
    """Goes through calls with their results."""

    def __init__(self) -> None:
        self._results = 0
        self._epoch = 0
        self._streaks: dict[tuple[str, str], _Streak] = {}
        self._edits: dict[str, list[tuple[bytes, bytes]]] = {}
        self._undone: dict[str, tuple[int, int]] = {}

    def returned(self, call: Call, result: Result) -> bool:
        """Take in what a call came to; whether it changed something."""
        self._results += 1
        action = call.action
        if result.outcome == "ok" and isinstance(action, Edit):
            return self._changed(action)
        if result.outcome == "ok" and isinstance(action, Run) and COMMIT in action.command:
            self._streaks.clear()
            self._undone.clear()
            self._edits.clear()
            self._epoch += 1
            return True
        known = _known_by(call)
        if known is not None and result.outcome in ("ok", "error"):
            self._came(known, action, result)
        return False

    @property
    def failing(self) -> Signal | None:
        """A command that fails again and again with the same words."""
        return self._most("run", "error")

    @property
    def repeated(self) -> Signal | None:
        """Another call that was made again and again with the same result."""
        found = [one for one in (self._most("run", "ok"), *map(self._most, _SUBJECTS)) if one is not None]
        return max(found, key=lambda one: one.times, default=None)

    @property
    def undone(self) -> Signal | None:
        """A file in which one edit was taken back and made again."""
        recent = {path: times for path, (times, at) in self._undone.items() if self._is_recent(at)}
        return most(recent, UNDONE_MIN)

    def _most(self, family: str, outcome: str = "") -> Signal | None:
        times: dict[str, int] = {}
        for (sort, _), one in self._streaks.items():
            if sort != family or (outcome and one.outcome != outcome) or not self._is_recent(one.at):
                continue
            if one.since >= one.least or (one.outcome == "error" and one.total >= STUCK_MIN):
                times[one.subject] = max(one.since, one.total if one.outcome == "error" else 0)
        return most(times, 1)

    def _is_recent(self, at: int) -> bool:
        return at > self._results - RECENT_RESULTS

    def _came(self, known: tuple[str, str], action: object, result: Result) -> None:
        if isinstance(action, Run) and (
            _WAITS.search(action.command[:_COMMAND_CHARS_MAX])
            or (len(result.text) <= _WAITING_CHARS_MAX and _STILL.search(result.text))
        ):  # a look at a job that still runs
            self._streaks.pop(known, None)
            return
        said = result.text[-_END_CHARS:]
        before = self._streaks.pop(known, None)
        is_failure = result.outcome == "error"
        least = FAILED_MIN if is_failure else RAN_MIN if isinstance(action, Run) else ASKED_MIN
        since = total = 1
        if (
            before is not None
            and before.outcome == result.outcome
            and self._is_recent(before.at)
            and _shows_the_same(before.said, said)
        ):
            since = before.since + 1 if before.epoch == self._epoch else 1
            total = before.total + 1
        subject = one_line(action.command) if isinstance(action, Run) else getattr(action, _SUBJECTS[known[0]])
        self._streaks[known] = _Streak(subject, result.outcome, said, self._epoch, since, total, self._results, least)
        while not self._is_recent(next(iter(self._streaks.values())).at):
            del self._streaks[next(iter(self._streaks))]

    def _changed(self, edit: Edit) -> bool:
        """Whether the edit is more than one that was made before and taken back since."""
        if edit.removed == edit.added:  # a record that does not hold the texts
            self._epoch += 1
            return True
        pair = _digest(edit.removed), _digest(edit.added)
        made = self._edits.setdefault(edit.path, [])
        again = made.count(pair)
        is_undoing = pair[::-1] in made
        if again and is_undoing:
            times, _ = self._undone.get(edit.path, (0, 0))
            self._undone[edit.path] = max(times, again), self._results
        made.append(pair)
        del made[:-_EDITS_MAX]
        self._epoch += not (again and is_undoing)
        return True


# What calls of the families beside commands are about.
_SUBJECTS: Final = {"read": "path", "search": "pattern", "edit": "path", "tool": "detail"}


def _known_by(call: Call) -> tuple[str, str] | None:
    """Family and what was given, as far as it tells one call from another; None where a repeat tells nothing."""
    action = call.action
    if isinstance(action, Run):
        return "run", f"{action.folder}\0{_plain(action.command)}"
    if isinstance(action, Read):
        return "read", f"{action.path}\0{action.first}\0{action.last}"
    if isinstance(action, Search):
        return "search", f"{action.pattern}\0{action.path}"
    if isinstance(action, Edit):
        return "edit", action.path
    if isinstance(action, Other) and action.detail:
        return "tool", f"{call.tool}\0{action.detail}"
    return None


def _plain(command: str) -> str:
    """A command without what only says how much of its output is shown."""
    text = one_line(command)
    while len(text) <= _COMMAND_CHARS_MAX:
        shorter = text.rstrip()
        for sent in _SENT:
            shorter = shorter.removesuffix(sent)
        at = max(shorter.rfind(mark) for mark in "|;&")
        at -= at > 0 and shorter[at - 1] in "|&"
        if at > 0 and _SHOWN.fullmatch(shorter, at):
            shorter = shorter[:at]
        if shorter == text:
            break
        text = shorter
    return text


def _lines(text: str) -> frozenset[bytes]:
    """What tells a result: its last lines, without what differs by chance."""
    lines = [line.strip() for line in _CHANCE.sub("#", text).splitlines() if line.strip()]
    return frozenset(_digest(line) for line in lines[-_LINES_MAX:])


def _shows_the_same(one: str, other: str) -> bool:
    """Whether two results say the same, or one shows less of it."""
    less, more = sorted((_lines(one), _lines(other)), key=len)
    return less == more or (len(less) > 1 and less <= more)


def most(counts: dict[str, int], least: int) -> Signal | None:
    """The thing that was counted most, if that is `least` times at least; of several the last one."""
    subject, times = max(counts.items(), key=lambda one: one[1], default=("", 0))
    return Signal(subject.partition("\0")[0], times) if times >= least else None


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()

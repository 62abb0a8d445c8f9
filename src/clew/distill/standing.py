"""What still stands of what was said: by what was answered, touched or said again since. Words decide nothing else."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from clew.core.records.transcript import Prompt, Reply
from clew.distill.identifiers import identifiers
from clew.distill.prose import REASON, Point, points, stands_alone
from clew.distill.session import Session, ToolStep
from clew.distill.work import SessionWork

_WORD = re.compile(r"\w{4,}")
# So much of the names of a message, and a later one tells of the same subject.
_SUBJECT_SHARE = 0.6
# What was open then was settled, or is told by what is said last.
_AHEAD = ("next", "step", "question", "blocker")


class Since:
    """What came after each event: what edits touched and took out, what was committed, what passed."""

    def __init__(self, work: SessionWork) -> None:
        self._touched: dict[str, int] = {}  # the last event that touched a word of the code, or the name of a file
        for change in work.edits:
            names = (change.path.lower(), change.path.rpartition("/")[2].lower())
            words = _WORD.findall(f"{change.removed} {change.added}".lower())
            self._touched.update(dict.fromkeys((*words, *names), change.event))
        for commit in work.commits:
            self._touched.update(dict.fromkeys(identifiers(commit.subject), commit.event))
        self.last_edit = work.edits[-1].event if work.edits else -1
        self._passed = [check for check in work.checks if check.outcome == "passed"]

    def touches(self, names: Iterable[str], event: int) -> bool:
        """Whether work after `event` touched one of these names."""
        return any(self._touched.get(part, -1) > event for name in names for part in _parts(name))

    def passes(self, event: int) -> bool:
        """Whether a check passed after `event`: what was said on the way to it was about how things stood before."""
        return any(check.event > event for check in self._passed)

    def closes(self, text: str, event: int) -> bool:
        """Whether a point that was open at `event` was seen to: its names were touched, or its check passed."""
        return self.touches(identifiers(text), event) or any(
            c.event > event and c.command in text for c in self._passed
        )


def _parts(name: str) -> tuple[str, str]:
    bare = name.removesuffix("()")
    return bare, bare.rpartition("/")[2].rpartition(".")[2] if "/" not in bare else bare.rpartition("/")[2]


def earlier(session: Session, work: SessionWork, since: Since, told: list[Point], last: int) -> list[Point]:
    """The points of messages that ended earlier turns, as far as they still tell how things are, in order.

    A message falls with its version: when what is `told`, or a later message, tells of the same subject. Of a survey,
    a message of a turn that edited nothing, there stay the points that nobody acted on. What was open or asked then
    was answered since.
    """
    asked = [index for index, event in enumerate(session.events) if isinstance(event, Prompt)]
    commits = {commit.id[:7] for commit in work.commits} | {commit.id[:8] for commit in work.commits}
    kept: list[Point] = []
    subjects = [
        set().union(*(point.names for point in told if point.event == at)) for at in {one.event for one in told}
    ]
    for index in sorted((at for at in session.finals if at < last), reverse=True):
        event = session.events[index]
        if not isinstance(event, Reply):
            continue
        said = [point for point in points(event.text, index, session.root) if stands_alone(point)]
        names = set().union(*(point.names for point in said))
        if names and any(len(names & other) >= _SUBJECT_SHARE * len(names) for other in subjects):
            continue
        start = asked[at - 1] if (at := bisect_right(asked, index)) else -1
        is_report = work.edited(start, index)
        # The state line tells commits, and what a review found well needs nobody.
        said = [one for one in said if one.names.isdisjoint(commits) and not _APPROVES.search(one.text)]
        standing = [one for one in said if _stands(one, since, is_report=is_report)]
        kept += standing[::-1]
        subjects.append(names)
    return kept[::-1]


def _stands(point: Point, since: Since, *, is_report: bool) -> bool:
    """Whether a point of an earlier message still tells how things are."""
    names = {name for name in point.names | identifiers(point.label) if not name.isdigit()}
    is_row = " · " in point.text  # without its table
    is_past = point.event < since.last_edit
    if point.kind in _AHEAD or is_row or point.text.endswith("?") or (is_past and _PASSING.search(point.text)):
        return False
    is_over = since.touches(names, point.event) or (not names and is_past)
    return is_report or not is_over or REASON.search(point.text) is not None


def reasons(session: Session, since: Since) -> list[Point]:
    """What was said between calls and gives a reason, or stands right behind a command that failed, and names
    something: it counts as much as a message that ends a turn. The newest first. What was red until a later check
    passed is over, and what spoke for a call that the user refused will not be done.
    """
    found: list[Point] = []
    refused = False
    for index in range(len(session.events) - 1, -1, -1):
        event = session.events[index]
        if isinstance(event, ToolStep):
            refused = event.result is not None and bool(event.result.reason)
        if not isinstance(event, Reply) or index in session.finals or refused:
            continue
        before = session.events[index - 1] if index else None
        has_failed = isinstance(before, ToolStep) and before.failed
        for point in points(event.text, index, session.root)[::-1]:
            if point.names and (has_failed or REASON.search(point.text)) and stands_alone(point):
                names = {name for name in point.names if not name.isdigit()}
                is_red = since.touches(names, index) or RED.search(point.text) is not None
                if not (is_red and since.passes(index)):
                    found.append(point)
    return found


# A fault, a guess, a figure of the day: work that followed left it behind.
_PASSING = re.compile(
    r"\b(?:red|fail(?:ed|ing)|broken|errors?|missing|suspicion|at the moment|today|faults?|instead of|should|\d now)\b"
)
_APPROVES = re.compile("[✅✔✓☑]")
RED = re.compile(r"\b(?:red|fail(?:ed|ing)|broken|errors?|rot)\b")

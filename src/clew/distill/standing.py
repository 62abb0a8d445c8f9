"""What still stands of what was said: by what was answered, touched or said again since. Words decide nothing else."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from clew.core.records.transcript import Prompt, Reply
from clew.distill.identifiers import content_words, identifiers, words_of
from clew.distill.prose import REASON, Point, points, stands_alone
from clew.distill.session import Session, Step
from clew.distill.tree import Change
from clew.distill.work import Work

_WORD = re.compile(r"\w{4,}")
# A shorter name may be gone from one place for many reasons.
_DISTINCT_CHARS = 6
# So much of the names of a message, and a later one tells of the same subject.
_SUBJECT_SHARE = 0.6
# What was open then was settled, or is told by what is said last.
_AHEAD = ("next", "step", "question", "blocker")


class Since:
    """What came after each event: what edits touched and took out, what was committed, what passed."""

    def __init__(self, work: Work) -> None:
        self._touched, self._gone = _traces(work.edits)
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

    def takes_out(self, names: Iterable[str], event: int) -> bool:
        """Whether edits after `event` took one of these names out of the code."""
        parts = {part for name in names for part in _parts(name) if len(part) >= _DISTINCT_CHARS}
        return any(self._gone.get(part, -1) > event for part in parts)

    def closes(self, text: str, event: int) -> bool:
        """Whether a point that was open at `event` was seen to: its names were touched, or its check passed."""
        return self.touches(identifiers(text), event) or any(
            c.event > event and c.command in text for c in self._passed
        )


def _parts(name: str) -> tuple[str, str]:
    bare = name.removesuffix("()")
    return bare, bare.rpartition("/")[2].rpartition(".")[2] if "/" not in bare else bare.rpartition("/")[2]


def _traces(edits: tuple[Change, ...]) -> tuple[dict[str, int], dict[str, int]]:
    """For each word of the edited code the last event that touched it, and for each that is gone the event it went.

    Names of edited files count as touched words.
    """
    touched: dict[str, int] = {}
    gone: dict[str, int] = {}
    for change in edits:
        removed, added = set(_WORD.findall(change.removed.lower())), set(_WORD.findall(change.added.lower()))
        names = (change.path.lower(), change.path.rpartition("/")[2].lower())
        touched.update(dict.fromkeys((*removed, *added, *names), change.event))
        for word in (*added, *names):
            gone.pop(word, None)
        is_removal = not change.removed and not change.added  # of the file itself
        gone.update(dict.fromkeys((*(removed - added), *(names if is_removal else ())), change.event))
    return touched, gone


def earlier(session: Session, work: Work, since: Since, told: list[Point], last: int) -> list[Point]:
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
        next_words = getattr(session.events[asked[at]], "text", "") if at < len(asked) else ""
        answer = content_words(words_of(next_words))
        is_report = work.edited(start, index)
        # The state line tells commits, and what a review found well needs nobody.
        said = [one for one in said if one.names.isdisjoint(commits) and not _APPROVES.search(one.text)]
        standing = [one for one in said if _stands(one, since, answer, is_report=is_report)]
        kept += standing[::-1]
        subjects.append(names)
    return kept[::-1]


def _stands(point: Point, since: Since, answer: set[str], *, is_report: bool) -> bool:
    """Whether a point of an earlier message still tells how things are. `answer`: the words of the user behind it."""
    names = {name for name in point.names | identifiers(point.label) if not name.isdigit()}
    is_row = " · " in point.text  # without its table
    if point.kind in _AHEAD or is_row or point.text.endswith("?") or since.takes_out(names, point.event):
        return False
    is_past = point.event < since.last_edit
    is_answered = len(answer) < _ANSWER_WORDS_MIN or not answer.isdisjoint(point.words)
    if is_past and (_PASSING.search(point.text) or (is_answered and _PROPOSES.search(point.text))):
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
        if isinstance(event, Step):
            refused = event.result is not None and bool(event.result.reason)
        if not isinstance(event, Reply) or index in session.finals or refused:
            continue
        before = session.events[index - 1] if index else None
        has_failed = isinstance(before, Step) and before.failed
        for point in points(event.text, index, session.root)[::-1]:
            tells = point.names and (has_failed or REASON.search(point.text)) and stands_alone(point)
            if tells and not _DOING.search(point.text):
                names = {name for name in point.names if not name.isdigit()}
                is_red = since.touches(names, index) or RED.search(point.text) is not None
                if not since.takes_out(names, index) and not (is_red and since.passes(index)):
                    found.append(point)
    return found


_PROPOSES = re.compile(r"\b(?:I'd|I would|I suggest|[Pp]roposal)\b")
_ANSWER_WORDS_MIN = 3
# A fault, a guess, a figure of the day: work that followed left it behind.
_PASSING = re.compile(
    r"\b(?:red|fail(?:ed|ing)|broken|errors?|missing|suspicion|at the moment|today|faults?|instead of|should|\d now)\b"
)
_APPROVES = re.compile("[✅✔✓☑]")
_DOING = re.compile(r"\bI'm (?:now )?\w+ing\b")
RED = re.compile(r"\b(?:red|fail(?:ed|ing)|broken|errors?|rot)\b")

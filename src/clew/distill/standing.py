"""What still stands of what was said: by what was answered, touched or said again since. Words decide nothing else."""

from __future__ import annotations

import re
from bisect import bisect_right

from clew.core.records.transcript import Prompt, Reply
from clew.distill.blocks import sentences
from clew.distill.identifiers import content_words, identifiers, words_of
from clew.distill.prose import REASON, Sentence
from clew.distill.session import Event, Session
from clew.distill.tree import Change
from clew.distill.work import Work

_WORD = re.compile(r"\w{4,}")
# A shorter name may be gone from one place for many reasons.
_DISTINCT_CHARS = 6
# So much of the words of a sentence, and half of its names, say the same again.
_SAME_SHARE = 0.6
# So many of the latest sentences that share a name are compared.
_COMPARED_MAX = 32
# A point of a list is closed by what shares this much of its words. One that only asks for a run or a commit has not
# more than so many other words.
_CLOSED_SHARE = 0.5
_OTHER_WORDS_MAX = 1
_ACTING = frozenset("run make sure commit push check verify execute full whole suite again pass passes".split())
_PURPOSES = {
    **dict.fromkeys(("test", "tests"), "test"),
    **dict.fromkeys(("lint", "linter", "fmt", "format", "typecheck"), "lint"),
    **dict.fromkeys(("build", "compile"), "build"),
}
# A message that ends a turn and is shorter reports nothing.
_REPORT_CHARS_MIN = 200
# A message of so many sentences is a survey: most of it tells whether all of it is over.
_SURVEY_MIN = 6
# What can be open then; what can be settled by later work.
_AHEAD = ("next", "step", "question", "blocker")
_STOOD = frozenset("pending current next remaining todo".split())
# What a summary retells that the record has.
_RETOLD = frozenset("request requests user".split())


class Since:
    """What came after each event: what edits touched and took out, what was committed, what passed, what was said."""

    def __init__(self, session: Session, work: Work) -> None:
        self._touched, self._gone = _traces(work.edits)
        for commit in work.commits:
            self._touched.update(dict.fromkeys(identifiers(commit.subject), commit.event))
        self.last_edit = work.edits[-1].event if work.edits else -1
        self._passed = [check for check in work.checks if check.outcome == "passed"]
        self._commits = work.commits
        self._pushed = max(work.pushed, work.even)
        finals = [(i, session.events[i]) for i in sorted(session.finals)]
        self._last, last = finals[-1] if finals else (-1, None)
        self._said = [_stems(line) for line in last.text.split("\n")] if isinstance(last, Reply) else []

    def touches(self, names: set[str], event: int) -> bool:
        """Whether work after `event` touched one of these names."""
        return any(self._touched.get(part, -1) > event for name in names for part in _parts(name))

    def passes(self, event: int) -> bool:
        """Whether a check passed after `event`: what was said on the way to it was about how things stood before."""
        return any(check.event > event for check in self._passed)

    def takes_out(self, names: set[str], event: int) -> bool:
        """Whether edits after `event` took one of these names out of the code."""
        parts = {part for name in names for part in _parts(name) if len(part) >= _DISTINCT_CHARS}
        return any(self._gone.get(part, -1) > event for part in parts)

    def closes(self, text: str, event: int) -> bool:
        """Whether a point that was open at `event` was seen to: its names were touched, its check passed, a commit or
        the last message says it in its words.
        """
        if self.touches(identifiers(text), event) or any(c.event > event and c.command in text for c in self._passed):
            return True
        words = words_of(text)
        if len(content_words(words) - _ACTING - _PURPOSES.keys()) <= _OTHER_WORDS_MAX:
            purposes = {_PURPOSES[word] for word in words if word in _PURPOSES}
            acted = [check.event for check in self._passed if check.purpose in purposes]
            acted += [commit.event for commit in self._commits if "commit" in words]
            acted += [self._pushed] if "push" in words else []
            if max(acted, default=-1) > event:
                return True
        stems = _stems(text)
        told = [_stems(commit.subject) for commit in self._commits if commit.event > event]
        told += self._said if self._last > event else []
        return any(len(stems & other) >= max(1.0, _CLOSED_SHARE * len(stems)) for other in told)


def _stems(text: str) -> set[str]:
    """The content words of a text, cut to what different forms of a word share."""
    return {word[:5] for word in content_words(words_of(text))}


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


def standing(found: list[Sentence], session: Session, work: Work) -> list[Sentence]:
    """The sentences that still stand, in the same order; those that only tell how things were as `earlier`."""
    since = Since(session, work)
    asked = [i for i, event in enumerate(session.events) if isinstance(event, Prompt)]
    reports = [i for i in sorted(session.finals) if _is_report(session.events[i])]
    overtaken = _overtaken(found, since, asked, work)
    naming: dict[str, list[Sentence]] = {}
    kept: list[Sentence] = []
    for sentence in reversed(found):
        if sentence.source in ("last", "plan-open"):
            kept.append(sentence)
        elif (sentence.event in overtaken or _is_reported(sentence, asked, reports)) and not REASON.search(
            sentence.text
        ):
            continue
        elif not _is_restated(sentence, naming) and (told := _as_it_stands(sentence, since, asked, work)):
            kept.append(told)
        if sentence.source in ("last", "final", "message"):
            for name in sentence.names:
                naming.setdefault(name, []).append(sentence)
    kept.reverse()
    return kept


def _is_report(event: Event) -> bool:
    return isinstance(event, Reply) and len(event.text) >= _REPORT_CHARS_MIN


def _is_reported(sentence: Sentence, asked: list[int], reports: list[int]) -> bool:
    """Whether it is talk on the way in a turn that ended with a report."""
    at, end = bisect_right(reports, sentence.event), bisect_right(asked, sentence.event)
    is_before = at < len(reports) and (end == len(asked) or reports[at] < asked[end])
    return sentence.source == "narration" and is_before


def _start(asked: list[int], event: int) -> int:
    """The prompt in whose turn an event is, -1 before the first."""
    at = bisect_right(asked, event)
    return asked[at - 1] if at else -1


def _overtaken(found: list[Sentence], since: Since, asked: list[int], work: Work) -> set[int]:
    """The messages that tell how things are, in turns without an edit, if later work touched most of what they name."""
    shares: dict[int, list[bool]] = {}
    for one in found:
        is_survey = one.source == "final" and not work.edited(_start(asked, one.event), one.event)
        if one.names and (one.source == "report" or is_survey):
            is_over = since.touches(one.names, one.event) or since.takes_out(one.names, one.event)
            shares.setdefault(one.event, []).append(is_over)
    return {event for event, over in shares.items() if len(over) >= _SURVEY_MIN and sum(over) * 2 >= len(over)}


def _is_restated(sentence: Sentence, naming: dict[str, list[Sentence]]) -> bool:
    """Whether a later message says the same of the same things, or speaks of all of them anew."""
    names, words = sentence.names, sentence.words
    later = {id(one): one for name in names for one in naming.get(name, ())[:_COMPARED_MAX]}
    return any(
        one.event > sentence.event
        and len(one.names & names) * 2 >= len(names)
        and (len(one.words & words) >= _SAME_SHARE * max(1, len(words)) or (len(names) > 1 and names <= one.names))
        for one in later.values()
    )


def _as_it_stands(sentence: Sentence, since: Since, asked: list[int], work: Work) -> Sentence | None:
    """The sentence, as `earlier` if it tells how things were before later work; None if that says nothing any more."""
    event, source = sentence.event, sentence.source
    names = {name for name in sentence.names if not name.isdigit()}
    if source == "message":
        return None if since.takes_out(names, event) else sentence
    if source == "narration" and since.passes(event):
        return None
    is_touched = since.touches(names, event)
    if sentence.kind in _AHEAD or (source == "summary" and not _STOOD.isdisjoint(words_of(sentence.heading))):
        is_over = not names or since.closes(sentence.text, event) or (sentence.kind == "next" and source != "summary")
        is_over = is_over or any(plan.event > event for plan in work.plans)
        return None if is_over else sentence._replace(kind="step", status="earlier")
    is_retold = source == "summary" and not _RETOLD.isdisjoint(words_of(sentence.heading))
    if is_retold or since.takes_out(names, event):
        return None
    if source == "final" and work.edited(_start(asked, event), event):
        return sentence  # it reports what was done
    if source == "plan-done":
        return sentence
    if not is_touched and (names or event >= since.last_edit):
        return sentence
    reasons = " ".join(one for one in sentences(sentence.text) if REASON.search(one))  # they outlive the change
    if not reasons or source not in ("final", "narration"):
        return None
    return sentence._replace(text=reasons, names=identifiers(reasons), words=content_words(words_of(reasons)))

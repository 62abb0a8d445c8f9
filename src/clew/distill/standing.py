"""What still stands: sentences that later words take back or later work settles weigh less, and so do old lists."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from itertools import pairwise

from clew.core.records import Prompt, Reply, Run
from clew.distill.cues import (
    ADVICE,
    CHECKS,
    FAILING,
    FOUND,
    GIVEN_UP,
    INTENT,
    LASTING,
    MISTAKE,
    NOT_COMMITTED,
    OPEN_HEADING,
    PROBLEM,
    READY,
    REASON,
    RETRACTION,
    TAKEN_BACK,
    WOULD,
    spoken,
)
from clew.distill.decided import decided
from clew.distill.identifiers import content_words, identifiers
from clew.distill.kinds import is_choice
from clew.distill.prompts import QUOTE_CHARS_MIN, is_correction, is_refusal, letters, picks
from clew.distill.sentence import ANSWERED, Sentence
from clew.distill.session import Event, Session, Step
from clew.distill.talk import is_announcement, is_order
from clew.distill.tree import Change
from clew.distill.work import Work

# A message that ends a turn and is shorter reports nothing.
_REPORT_CHARS_MIN = 200
# A shorter word may be gone from one place for many reasons.
_DISTINCT_CHARS = 8
# What each finding leaves of a sentence's weight.
_TAKEN_BACK = 0.35
_REPORTED = 0.4
_PASSED_SINCE = 0.3
_OLD_LIST = 0.25
_LAST_LIST = 1.6
# How many of the latest sentences that take an identifier back are asked about an earlier one.
_TAKEN_BACK_MAX = 64


def weigh(sentences: list[Sentence], session: Session, work: Work) -> list[Sentence]:
    """The sentences that still stand, in the same order; those that may not any more with a lower boost."""
    if not sentences:
        return []
    standing = _without_overtaken(_without_picked(decided(sentences, session, work), session, work), session, work)
    standing = _without_echoes(_without_deleted(_without_reversed(_without_replaced(standing))))
    return _weigh_lists(_without_settled(_weigh_taken_back(standing, session, work), session, work))


def _without_picked(sentences: list[Sentence], session: Session, work: Work) -> list[Sentence]:
    """Leave out the points of a message that a later request named by number or quoted, where edits followed, and what
    else that message says of the same. The points beside those that were named are only suggestions.
    """
    if not work.edits:
        return sentences
    listing = {s.event for s in sentences if s.source in ANSWERED}
    numbered = {s.event for s in sentences if s.point and s.event in listing}
    picked: dict[int, set[str]] = {event: set() for event in numbered}
    quoted: list[tuple[int, bytes]] = []
    gone = {file.path for file in work.files if file.status in ("reverted", "removed")}
    edits = [change.event for change in work.edits if change.path not in gone]
    prompts = [(index, event) for index, event in enumerate(session.events) if isinstance(event, Prompt)]
    ends = [index for index, _ in prompts[1:]] + [len(session.events)]
    for (index, prompt), end in zip(prompts, ends, strict=False):
        if bisect_left(edits, index) == bisect_left(edits, end):
            continue
        listed = max((event for event in numbered if event < index), default=-1)
        if listed >= 0:
            picked[listed] |= picks(prompt.text)
        if len(prompt.text) >= QUOTE_CHARS_MIN and not is_refusal(prompt.text) and not is_correction(prompt.text):
            quoted.append((index, letters(prompt.text)))

    def is_point(sentence: Sentence) -> bool:
        if sentence.event not in listing:
            return False
        if sentence.point and sentence.point in picked.get(sentence.event, ()):
            return True
        if len(sentence.text) < QUOTE_CHARS_MIN:
            return False
        later = [text for index, text in quoted if index > sentence.event]
        said = letters(sentence.text) if later else b""
        return any(said in text for text in later)

    points = [sentence for sentence in sentences if is_point(sentence)]

    def is_settled(sentence: Sentence) -> bool:
        if sentence.event not in listing:
            return False
        return any(one.event == sentence.event and (one is sentence or _says_same(one, sentence)) for one in points)

    return [_passed_over(s, picked) for s in sentences if not is_settled(s)] if points else sentences


def _passed_over(sentence: Sentence, picked: dict[int, set[str]]) -> Sentence:
    """A sentence, a mere suggestion if it is of a point that was not picked where others were."""
    if not sentence.point or not picked.get(sentence.event):
        return sentence
    puts_forward = sentence.source == "proposal" or (sentence.source == "final" and is_order(sentence.text))
    return sentence._replace(source="suggestion") if puts_forward else sentence


# So many words that mean something, and half of those of the shorter one.
_SAME_WORDS_MIN = 3


def _says_same(one: Sentence, other: Sentence) -> bool:
    if one.names and other.names and one.names.isdisjoint(other.names):
        return False
    shared = len(one.words & other.words)
    return shared >= _SAME_WORDS_MIN and shared * 2 >= min(len(one.words), len(other.words))


def _without_overtaken(sentences: list[Sentence], session: Session, work: Work) -> list[Sentence]:
    """Leave out what an agent would do about something that the user's next words and the edits after them were about:
    what it did is told by what came then.
    """
    asked = [index for index, event in enumerate(session.events) if isinstance(event, Prompt)]
    turns = dict(pairwise([*asked, len(session.events)]))
    touched: dict[int, set[str]] = {}

    def is_overtaken(sentence: Sentence) -> bool:
        if sentence.source not in ANSWERED or not WOULD.within(sentence.said):
            return False
        if not _DENYING.isdisjoint(sentence.said.words):
            return False  # "we could not", "I'd never", "I would have": no plan
        at = bisect_left(asked, sentence.event)
        if at == len(asked):
            return False
        start = asked[at]
        if start not in touched:
            touched[start] = _turn_words(session, work, start, turns[start])
        return len(sentence.words & touched[start]) >= _OVERTAKEN_WORDS_MIN

    return [sentence for sentence in sentences if not is_overtaken(sentence)]


_OVERTAKEN_WORDS_MIN = 2
_DENYING = frozenset(["not", "never", "no", "have", "cannot", "couldn't", "wouldn't"])
_TOUCHED_CHARS = 4000


def _turn_words(session: Session, work: Work, start: int, end: int) -> set[str]:
    """The content words of a prompt and of what the edits of its turn took out and put in; none if there were none."""
    edits = [change for change in work.edits if start < change.event < end]
    prompt = session.events[start]
    if not edits or not isinstance(prompt, Prompt):
        return set()
    texts = [prompt.text, *(text for change in edits for text in (change.removed, change.added))]
    return content_words({word for text in texts for word in spoken(text[:_TOUCHED_CHARS]).words})


# Where a sentence says what it speaks of. With one of these it says more of the same thing.
_SUBJECT_WORDS = 5
_ADDING = frozenset(["also", "too", "additionally"])
# A number that counts, and does not name: what was counted may have grown since.
_COUNTED = frozenset(
    """tests cases checks specs assertions files lines packages commits errors warnings issues failures problems
    findings""".split()
)
_COUNT = rf" \d+ (?=(?:\w+ )?(?:{'|'.join(sorted(_COUNTED))}) )"


def _without_replaced(sentences: list[Sentence]) -> list[Sentence]:
    """Leave out what a later message tells anew: what a thing does "now", and the same words with another count."""
    last_told: dict[str, Sentence] = {}
    kept: list[Sentence] = []
    for sentence in reversed(sentences):
        if sentence.source in ("last", "final", "message"):
            states = _states(sentence)
            if any(_tells_anew(last_told[state], sentence) for state in states if state in last_told):
                continue
            for state in states:
                last_told.setdefault(state, sentence)
        kept.append(sentence)
    kept.reverse()
    return kept


def _tells_anew(later: Sentence, sentence: Sentence) -> bool:
    """Whether of two sentences in the same state the later one is about the same: by more than what has that state."""
    return later.event > sentence.event and len(later.words & sentence.words) >= _TOLD_WORDS_MIN


_TOLD_WORDS_MIN = 3


def _without_reversed(sentences: list[Sentence]) -> list[Sentence]:
    """Leave out a choice that the agent made as it went, when a later one is about the same."""
    later: list[Sentence] = []
    kept: list[Sentence] = []
    for sentence in reversed(sentences):
        if sentence.source == "narration" and is_choice(sentence):
            if any(_about_the_same(sentence, other) for other in later):
                continue
            later.append(sentence)
        kept.append(sentence)
    kept.reverse()
    return kept


# What a report says is no more. Some records tell of edits without their texts.
_DELETED = (
    r"(?i)\b(?:deleted|removed|dropped)(?: the| both)?:? `([^`\s]+)`"
    r"|`([^`\s]+)`(?: \w+){0,2} (?:is|are|was|were|has been) (?:gone|deleted|removed)\b"
)
# A sentence without any of these matches nothing, and most have none.
_DELETING = ("deleted", "removed", "dropped", "gone")


def _without_deleted(sentences: list[Sentence]) -> list[Sentence]:
    """Leave out what was said of a thing before a report that it was deleted."""
    deleted: dict[str, int] = {}
    for sentence in sentences:
        if sentence.source in ("last", "final", "message"):
            names = (one or other for one, other in _deletions(sentence))
            deleted.update((name.removesuffix("()").lower(), sentence.event) for name in names)
    if not deleted:
        return sentences

    def is_of_deleted(sentence: Sentence) -> bool:
        if sentence.source in ("last", "message", "plan-open", "paste"):
            return False
        if TAKEN_BACK.within(sentence.said) or _deletions(sentence):
            return False
        return any(deleted.get(name.removesuffix("()"), -1) > sentence.event for name in sentence.names)

    return [sentence for sentence in sentences if not is_of_deleted(sentence)]


def _deletions(sentence: Sentence) -> list[tuple[str, str]]:
    """What a sentence says was deleted, each in the one place or the other."""
    is_told = "`" in sentence.text and any(word in sentence.said.line for word in _DELETING)
    return re.findall(_DELETED, sentence.text) if is_told else []


def _without_echoes(sentences: list[Sentence]) -> list[Sentence]:
    """Leave out lines of a plan that was carried out where a report says the same: that it was done."""
    reports = [s for s in sentences if s.source in ("last", "final", "message") and s.names]
    naming: dict[str, list[Sentence]] = {}
    for report in reports:
        for name in report.names:
            naming.setdefault(name, []).append(report)

    def is_echoed(sentence: Sentence) -> bool:
        if sentence.source != "plan-done" or not sentence.names or REASON.within(sentence.said):
            return False
        later = (one for name in sentence.names for one in naming.get(name, ()) if one.event > sentence.event)
        return any(_holds(one, sentence) for one in later)

    return [sentence for sentence in sentences if not is_echoed(sentence)]


def _holds(report: Sentence, sentence: Sentence) -> bool:
    """Whether a report has nearly all that a line of a plan names, and half of its words."""
    names, words = sentence.names, sentence.words
    shared = len(names & report.names) * 3 >= 2 * len(names)
    return shared and len(words & report.words) * 2 >= len(words)


def _about_the_same(one: Sentence, other: Sentence) -> bool:
    return bool(one.names & other.names) or len(one.words & other.words) >= _OVERTAKEN_WORDS_MIN


def _states(sentence: Sentence) -> list[str]:
    """What a later sentence would have to say to replace this one."""
    said = sentence.said
    states: list[str] = []
    if "now" in said.words and _ADDING.isdisjoint(said.words):
        subject = identifiers(" ".join(sentence.text.partition(" now ")[0].split()[:_SUBJECT_WORDS]))
        states += [f"now {' '.join(sorted(subject))}"] if subject else []
    if not _COUNTED.isdisjoint(said.words) and (counted := re.sub(_COUNT, " # ", said.line)) != said.line:
        states.append(counted)
    return states


def _without_settled(sentences: list[Sentence], session: Session, work: Work) -> list[Sentence]:
    """Leave out what was true until the work that followed: a lack made good, a name that is gone from the code, the
    code as it was found. Other talk between calls weighs less when the turn ends with a report, but for its reasons.

    A plan still to be carried out, the last message, commit messages and the user's words are taken as they are.
    """
    last_staged = max((i for i, event in enumerate(session.events) if _stages(event)), default=-1)
    if not work.edits and last_staged < 0:
        return sentences
    touched, gone = traces(work.edits)
    last_edit = work.edits[-1].event if work.edits else -1
    reported = _reported(session, work)

    def is_settled(sentence: Sentence) -> bool:
        if sentence.source in ("last", "plan-open", "paste", "message"):
            return False
        if sentence.source == "narration" and (GIVEN_UP.within(sentence.said) or is_choice(sentence)):
            return False
        if sentence.event < last_staged and NOT_COMMITTED.within(sentence.said):
            return True
        parts = {name.removesuffix("()").rpartition(".")[2] for name in sentence.names} | sentence.names
        is_touched = any(touched.get(part, -1) > sentence.event for part in parts)
        if sentence.event < last_edit and (is_touched or not parts) and _is_called_ready(sentence):
            return True
        is_reported = sentence.event in reported
        if is_reported and (FOUND.within(sentence.said) or _is_intent(sentence)):
            return True
        if sentence.source == "narration" and sentence.event < last_edit and is_announcement(sentence.text):
            return True
        is_problem = PROBLEM.within(sentence.said)
        if is_problem and is_reported:
            return True
        if is_touched and sentence.source == "report":
            return True
        if is_problem:
            return is_touched
        is_gone = any(gone.get(part, -1) > sentence.event for part in parts if len(part) >= _DISTINCT_CHARS)
        return is_gone and not TAKEN_BACK.within(sentence.said)

    return [
        s._replace(boost=s.boost * _REPORTED) if s.event in reported and not LASTING.within(s.said) else s
        for s in sentences
        if not is_settled(s)
    ]


# What is so whenever something else is ready.
_CONDITIONS = frozenset(["until", "when", "whenever", "once", "before", "if", "unless", "after"])


def _is_called_ready(sentence: Sentence) -> bool:
    """Whether a sentence says that something is ready, and not what holds until it is, nor why."""
    said = sentence.said
    if not READY.within(said) or REASON.within(said) or LASTING.within(said):
        return False
    return _CONDITIONS.isdisjoint(said.line.partition(" ready ")[0].split())


def _is_intent(sentence: Sentence) -> bool:
    """Whether a sentence says what its speaker is about to do, and not why."""
    if REASON.within(sentence.said):
        return False
    behind = sentence.text.partition(", then ")[2]
    return INTENT.within(sentence.said) or (bool(behind) and is_order(behind))


def _stages(event: Event) -> bool:
    """Whether a command hands changes to git."""
    if not isinstance(event, Step) or not isinstance(event.call.action, Run) or event.failed:
        return False
    return "git add" in event.call.action.command or "git commit" in event.call.action.command


def _reported(session: Session, work: Work) -> set[int]:
    """Replies between calls that an edit follows in the same turn, where the turn then ends with a report."""
    events = session.events
    edits = {change.event for change in work.edits}
    reported: set[int] = set()
    turn: list[int] = []
    edited = -1
    for index, event in enumerate(events):
        if isinstance(event, Prompt):
            turn, edited = [], -1
        elif index in edits:
            edited = index
        elif isinstance(event, Reply):
            if index in session.finals and len(event.text) >= _REPORT_CHARS_MIN:
                before = bisect_left(turn, edited)
                reported.update(turn[:before])
                del turn[:before]
            turn.append(index)
    return reported


_WORD = re.compile(r"\w{4,}")


def traces(edits: tuple[Change, ...]) -> tuple[dict[str, int], dict[str, int]]:
    """For each word of the edited code the last event that touched it, and for each that is gone the event it went.

    Names of edited files count as touched words.
    """
    touched: dict[str, int] = {}
    gone: dict[str, int] = {}
    for change in edits:
        removed, added = set(_WORD.findall(change.removed.lower())), set(_WORD.findall(change.added.lower()))
        touched.update(dict.fromkeys(removed | added, change.event))
        names = (change.path.lower(), change.path.rpartition("/")[2].lower())
        touched.update(dict.fromkeys(names, change.event))
        for word in (*added, *names):
            gone.pop(word, None)
        if not change.removed and not change.added:  # the file itself is gone
            gone.update(dict.fromkeys(names, change.event))
        gone.update(dict.fromkeys(removed - added, change.event))
    return touched, gone


def _weigh_lists(sentences: list[Sentence]) -> list[Sentence]:
    """Of several lists of open points only the last holds: earlier ones fall."""
    is_open = [s.source != "summary" and OPEN_HEADING.within(spoken(s.label)) for s in sentences]
    last = max((s.event for s, listed in zip(sentences, is_open, strict=True) if listed), default=-1)
    return [
        s._replace(boost=s.boost * (_LAST_LIST if s.event == last else _OLD_LIST)) if listed else s
        for s, listed in zip(sentences, is_open, strict=True)
    ]


def _weigh_taken_back(sentences: list[Sentence], session: Session, work: Work) -> list[Sentence]:
    """Lower what a later message takes back, and talk of failing checks that passed in the end; leave out bad advice.

    A sentence that says "actually", "reverted", "no longer" … about identifiers lowers earlier sentences about mostly
    the same ones.
    """
    retracting = _retracting_turns(session)
    passed = any(check.outcome == "passed" for check in work.checks)
    failed_now = any(check.outcome == "failed" for check in work.checks)
    back: list[int] = []  # the events of the sentences that take back, the latest first
    naming: dict[str, list[int]] = {}  # for each identifier those of them that name it
    mistaken: dict[str, tuple[int, bool]] = {}  # by name or part of one: the last event, and whether it was named whole

    def is_mistaken(sentence: Sentence) -> bool:
        if not mistaken:
            return False
        whole = (mistaken.get(name, (-1, False)) for name in sentence.names)
        parts = (mistaken.get(part, (-1, False)) for part in _parts(sentence))
        # One of the two names just that: `a.b` and `a.c` share no more than where they stand.
        return any(at > sentence.event for at, _ in whole) or any(at > sentence.event and own for at, own in parts)

    def is_taken_back(sentence: Sentence) -> bool:
        if naming.keys().isdisjoint(sentence.names):
            return False
        later = Counter(at for name in sentence.names for at in naming.get(name, ()) if back[at] > sentence.event)
        return any(shared * 2 >= len(sentence.names) for shared in later.values())

    weighed: list[Sentence] = []
    for sentence in reversed(sentences):
        names, boost = sentence.names, sentence.boost
        if sentence.source != "last":
            if sentence.event in retracting and ADVICE.within(sentence.said):
                continue
            if sentence.source in ANSWERED and is_mistaken(sentence):
                continue
            if passed and not failed_now and FAILING.within(sentence.said) and CHECKS.within(sentence.said):
                boost *= _PASSED_SINCE
            if is_taken_back(sentence):
                if sentence.source == "narration" and not GIVEN_UP.within(sentence.said):
                    continue
                boost *= _TAKEN_BACK
        if names and sentence.source in ("last", "final") and MISTAKE.within(sentence.said):
            for part in _parts(sentence):
                at, own = mistaken.get(part, (-1, False))
                mistaken[part] = max(at, sentence.event), own or part in names
        if names and sentence.source in ("last", "final") and TAKEN_BACK.within(sentence.said):
            for name in names:
                if len(naming.setdefault(name, [])) < _TAKEN_BACK_MAX:
                    naming[name].append(len(back))
            back.append(sentence.event)
        weighed.append(sentence if boost == sentence.boost else sentence._replace(boost=boost))
    weighed.reverse()
    return weighed


def _parts(sentence: Sentence) -> set[str]:
    """What a sentence names, and the parts of that: `cmd.PreRunE` names `cmd` too."""
    return {part for name in sentence.names for part in (name, *name.split(".")) if len(part) >= _PART_CHARS_MIN}


_PART_CHARS_MIN = 6


def _retracting_turns(session: Session) -> set[int]:
    """Events of final messages whose advice the next final message takes back: an experiment in between failed."""
    finals = sorted(session.finals)
    texts = {event: reply.text for event in finals if isinstance(reply := session.events[event], Reply)}
    return {earlier for earlier, later in pairwise(finals) if RETRACTION.within(spoken(texts[later]))}

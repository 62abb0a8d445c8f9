"""The session's prose as candidates: every unit with where it came from, and less weight where it was taken back."""

from __future__ import annotations

import re
from typing import TypeAlias

from clew.distill import asking, blocks, prompts, prose
from clew.distill.choose import Candidate
from clew.distill.cues import (
    BEFORE_HEADING,
    CASE,
    DEEDS,
    DIAGNOSIS,
    DIAGNOSTICS,
    LASTING,
    OPEN,
    PUTTING_FORWARD,
    REASON,
    SUGGESTION,
    WOULD,
    Spoken,
    spoken,
)
from clew.distill.identifiers import content_words, identifiers
from clew.distill.kinds import is_deed
from clew.distill.sentence import ANSWERED, SOURCE_WEIGHT, Sentence, Source
from clew.distill.session import Session, Step
from clew.distill.standing import weigh
from clew.distill.talk import PASSING, cheers, is_order, without_announcements, without_offers, without_talk
from clew.distill.units import Unit, cut, label, leans
from clew.distill.verdict import APPROVING, WEIGHTS, is_review, verdict_of
from clew.distill.work import Work

# Early in a sentence that names nothing, each stands for something said before it.
_ANTECEDENTS = frozenset(["it", "this", "that", "them", "these", "those"])
_CODE = re.compile(r"`[^`]*`")
_PLAN_STEP = 0.5
_PLAN_CASE = 1.4
# A short sentence that names nothing says nothing to a reader who was not there.
_NAMELESS_CHARS_MIN = 60

# The titles of a summary's sections stand at the beginning of a line, each with its number.
_SECTION = r"(?m)^(?:\d{1,2}\.|#{1,4})[ \t]+\*{0,2}(?P<title>[^\W\d][^:*\n]{2,60})(?:\*{0,2}:\*{0,2}|\*{0,2}[ \t]*$)"
# Where the work stood when the client summed it up; of that, what is over when a turn ended since; and what the record
# has in full.
_STOOD = ("pending", "current", "next", "remaining", "todo")
_NEXT = ("next",)
_RETOLD = ("user message", "request and intent")
# What went wrong on the way, and mostly how it was mended.
_MENDED = ("error", "fix", "problem", "fail")
_Section: TypeAlias = tuple[tuple[str, ...], float]
_NO_SECTION: _Section = ((), 1.0)
# Sections of the clients' own compaction summaries, by what they are worth; the first that fits counts.
_SUMMARY_SECTIONS: tuple[_Section, ...] = (
    (_STOOD, 1.35),
    (_MENDED, 1.15),
    (_RETOLD, 0.7),
    (("file", "code section"), 0.7),
    (("concept", "technical", "analysis"), 0.55),
)


def gather(session: Session, work: Work) -> list[Sentence]:
    """Every unit of prose that could be quoted, in the order in which it was said, with its boost for selection."""
    found: list[Sentence] = []
    passed = {check.command for check in work.checks if check.outcome == "passed"}
    last_plan = max((plan.event for plan in work.plans), default=-1)
    is_plan = asking.proposes(session, work)
    for text, source, event, recency in prose.gather(session, work):
        reviews = is_review(text)
        for section, told in _sections(text) if source == "summary" else (("", text),):
            if _is_past(section, any(final > event for final in session.finals), last_plan > event):
                continue
            for whole in cut(told):
                if source == "paste" and whole.bullet and not whole.block.startswith(whole.text):
                    continue  # the rest of a point that somebody else made: quoted alone it is of any of them
                said = without_offers(whole.text) if source in ANSWERED else whole.text
                kept = without_talk(said)
                unit = whole if kept == whole.text else whole._replace(text=kept)
                proposes = (is_plan and source == "last" and not unit.text.endswith("?")) or _puts_forward(unit, source)
                sentence = _sentence(unit, "suggestion" if proposes else source, event, recency, section)
                if sentence is not None and proposes:
                    boost = sentence.boost * SOURCE_WEIGHT[source] / SOURCE_WEIGHT["suggestion"]
                    sentence = sentence._replace(boost=boost)
                if sentence is not None and _miscounts(sentence.text, len(work.files)):
                    continue
                if sentence is not None and reviews and is_deed(sentence) and not work.edited(-1, event):
                    continue  # what is reviewed did that, and not this session
                if sentence is not None and not _only_says_passed(sentence, passed):
                    verdict = verdict_of(unit.text) if reviews else ""
                    is_wrong = (reviews and verdict != "approved") or DIAGNOSIS.within(sentence.said)
                    if verdict or is_wrong:
                        is_wrong = is_wrong or sentence.found
                        sentence = sentence._replace(boost=sentence.boost * WEIGHTS[verdict], found=is_wrong)
                    found.append(sentence)
    return weigh(found, session, work)


def _puts_forward(unit: Unit, source: Source) -> bool:
    """Whether it is an entry of a list that an answer puts forward: "So you could:", "What I'd propose:"."""
    return (
        source in ("final", "last")
        and unit.bullet
        and bool(unit.heading)
        and PUTTING_FORWARD.within(spoken(unit.heading))
    )


def _miscounts(text: str, files: int) -> bool:
    """Whether a text says that so many files were changed, and tools tell of another number."""
    told = re.search(_ACROSS, text) if " across " in text else None
    return told is not None and files > 0 and int(told[1]) != files


_ACROSS = r" across (\d{1,3}) files\b"


def rest_of_last(session: Session, work: Work, told: str) -> list[Sentence]:
    """What the agent's last message says beside all that is `told`, cheers and fragments too, but for announcements and
    names alone: for documents that have room for all that is chosen.
    """
    last = prose.last_message(session)
    if last and any(isinstance(event, Step) for event in session.events[last.event + 1 :]):
        return []  # what was done since may have made it untrue
    return (
        [
            Sentence(rest, label(unit), "last", last.event, last.recency, 1.0, set(), set(), spoken(rest))
            for unit in cut(last.text)
            if (rest := without_announcements(unit.text, told=told)) and _says_something(rest, last.text)
            if not _miscounts(rest, len(work.files))
        ]
        if last
        else []
    )


def _says_something(text: str, message: str) -> bool:
    """Whether a part of a message is more than names and numbers, and more than a cheer in front of what was done."""
    words = _CODE.sub("", text)
    return any(map(str.isalpha, words)) and (words.strip(" .!").lower() != "done" or message.strip() == text)


def thoughts(session: Session, work: Work) -> list[Sentence]:
    """What the agent thought and was sure of, in sentences that name something, for documents that have room for all
    that is chosen: often a reason, or what was wrong before the edits, stands only there.
    """
    found: list[Sentence] = []
    for text, source, event, recency in prose.thoughts(session):
        for unit in cut(_settled(text)):
            sure = " ".join(one for one in blocks.sentences(unit.text) if _is_sure(one))
            heading = unit.heading if _is_sure(unit.heading) else ""
            sentence = _sentence(unit._replace(text=without_talk(sure), heading=heading), source, event, recency, "")
            if sentence is not None and _is_statement(sentence) and not leans(sentence.text):
                found.append(sentence)
    return weigh(found, session, work)


# How somebody begins who thinks again: what stood right before may not hold.
_AGAIN = re.compile(
    r"(?m)(?:^|(?<=[.!?:] ))(?:Actually|Wait[,.!:–—]|Hmm|But wait|No, |On second thought|Let me reconsider)"
)


def _settled(thought: str) -> str:
    """A thought without what it takes back: the paragraph before a turn that begins one, and of the turn's own what
    stands in front.
    """
    kept: list[str] = []
    for paragraph in thought.split("\n\n"):
        turns = [turn.start() for turn in _AGAIN.finditer(paragraph)]
        if turns and not turns[0] and kept:
            kept.pop()
        kept.append(paragraph[turns[-1] :] if turns else paragraph)
    return "\n\n".join(kept)


_STATEMENT_WORDS_MIN = 4


def _is_statement(sentence: Sentence) -> bool:
    """Whether a sentence says something of a thing that it names: no entry of a list of places or steps."""
    return bool(sentence.names) and len(sentence.words) >= _STATEMENT_WORDS_MIN and not is_order(sentence.text)


_UNSURE = frozenset(
    """i i'll i'm i'd i've me let let's user user's wait hmm maybe perhaps might should would could probably looks seems
    now actually think need wants assume guess likely possibly if suspect suspecting hypothesis alternatively option
    options can we vs""".split()
)


def _is_sure(sentence: str) -> bool:
    return not sentence.endswith("?") and _UNSURE.isdisjoint(spoken(sentence).words)


def _sections(summary: str) -> list[tuple[str, str]]:
    """A summary as (title, text) of its sections; what stands before the first has no title."""
    marks = [mark for mark in re.finditer(_SECTION, summary) if _section_of(mark["title"]) is not _NO_SECTION]
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(summary)]
    titles = ["", *(mark["title"] for mark in marks)]
    return [(title, summary[start:end]) for title, start, end in zip(titles, starts, ends, strict=True)]


def _section_of(title: str) -> _Section:
    title = title.lower()
    return next((section for section in _SUMMARY_SECTIONS if any(name in title for name in section[0])), _NO_SECTION)


def _is_past(title: str, has_ended: bool, has_plan: bool) -> bool:
    """Whether a summary's section tells nothing any more. After it a turn ended, or a plan for what is to come was put
    forward.
    """
    if not title:
        return False
    past = (*_RETOLD, *(_NEXT if has_ended else ()), *(_STOOD if has_plan else ()))
    return any(name in title.lower() for name in past)


def candidates(sentences: list[Sentence]) -> list[Candidate]:
    """The sentences in the form in which `choose` takes them; `key` is the index into `sentences`."""
    found = []
    for index, s in enumerate(sentences):
        weight = SOURCE_WEIGHT[s.source] * (0.35 + 0.65 * s.recency) * s.boost
        if s.source in ("last", "final") and OPEN.within(s.said):
            weight *= 1.5
        found.append(Candidate(index, s.text, s.event, weight, 0.5 * LASTING.within(s.said), s.names, s.words))
    return found


def _sentence(unit: Unit, source: Source, event: int, recency: float, section: str) -> Sentence | None:
    """A unit with all that is known of it, None if it does not stand alone or says nothing. `section`: of a summary."""
    if not _is_whole(unit.text, source) or _is_detail(unit, source):
        return None
    said = spoken(unit.text)
    names = identifiers(unit.text)
    if not names and len(unit.text) < _NAMELESS_CHARS_MIN:
        return None
    if not (_names_file(unit.text) or _names_file(unit.heading)):  # lines of no file tell nobody anything
        if _tells_lines(unit.text) and DEEDS.isdisjoint(said.words):
            return None
        unit = unit._replace(heading="") if _tells_lines(unit.heading) else unit
    if not names and (leans(unit.text) or not _ANTECEDENTS.isdisjoint(unit.text.split(" ", 3)[:3])):
        return None
    if source == "narration" and (DIAGNOSTICS.within(said) or said.line.startswith(" step ")):
        return None  # an editor's remarks on code in the middle of a change; a step of a plan that begins
    is_step = (unit.title or is_order(unit.text)) and not REASON.within(said)
    if source == "proposal" and is_step:
        return None  # what was done is said by the report that follows
    section_names, boost = _section_of(section or unit.heading) if source == "summary" else _NO_SECTION
    if source == "plan-done" and (is_step or unit.text.startswith("`")):
        boost *= _PLAN_STEP  # signatures and steps are in the code by now; rules and cases are not told by it
    elif source == "plan-done" and CASE.within(said):
        boost *= _PLAN_CASE
    elif unit.title:
        boost *= 1.5  # the skeleton of a plan or a report comes before its details
    if leans(unit.text):
        boost *= 0.6
    words = content_words(said.words)
    if source in ("final", "narration") and not unit.heading and _COMMAND.fullmatch(unit.text):
        return None  # nobody says what it is for, nor what came of it
    if len(words) < 3 or (len(words) < 10 and "`" in unit.text and _is_all_code(unit.text)):
        boost *= 0.8  # names without a statement: the code says as much
    stood = section_names is _STOOD
    if stood and unit.text.startswith(APPROVING):
        return None
    if stood and not unit.heading:
        unit = unit._replace(heading=section)  # an entry of a list of what was to be done does not say that it was
    heading = label(unit)
    if source == "message":
        heading = f"committed, {heading}" if heading else "committed"
    point = _point(unit) if source in ANSWERED else ""
    was_so = section_names is _MENDED or (not is_step and _is_found(unit, source, said))
    return Sentence(
        *(unit.text, heading, source, event, recency, boost, names, words, said, stood, point, was_so),
        section=unit.section,
    )


# Words of the headings below which a message puts something forward.
_FORWARD = frozenset(
    """plan plans recommendation recommendations recommend recommended proposal proposed propose suggestion suggestions
    suggested approach option options solution solutions fix fixes step steps next implementation change changes would
    improvement improvements idea ideas design remediation mitigation mitigations""".split()
)


def _is_found(unit: Unit, source: Source, said: Spoken) -> bool:
    """Whether a part of a plan tells how things were, or one of a message that proposes something what was found."""
    heading = spoken(unit.heading)
    if source in ("plan-done", "suggestion"):
        return BEFORE_HEADING.within(heading)
    if source != "proposal" or not _FORWARD.isdisjoint(heading.words):
        return False
    return not (is_order(unit.text) or WOULD.within(said) or SUGGESTION.within(said))


def _is_detail(unit: Unit, source: Source) -> bool:
    """Whether a part of a plan or a proposal is a short entry below a long one: it says nothing without all of that."""
    is_of_plan = source in ("plan-open", "plan-done", "proposal", "suggestion")
    return is_of_plan and unit.heading.endswith("…") and len(unit.text) < _NAMELESS_CHARS_MIN


_COMMAND = re.compile(r"`[^`]+`")
_LINES = re.compile(r"\b[Ll]ines? \d")
_EXTENSION = re.compile(r"\.[a-z]\w{0,5}\b")


def _tells_lines(text: str) -> bool:
    return "ine" in text and _LINES.search(text) is not None


def _names_file(text: str) -> bool:
    """Whether a name with an extension stands in a text."""
    stems = (text[found.start() - 1 : found.start()] for found in _EXTENSION.finditer(text))
    return any(stem.isalnum() or stem == "_" for stem in stems)


# "(7) …" and "#7: …" in front; "Issue 7: …", "7. …" as a heading.
_POINT = re.compile(
    r"\(?#?(?P<bare>\d{1,2})[).:](?=\s|$)"
    r"|(?:issue|item|point|finding|problem|observation|concern|comment|suggestion|option) #?(?P<named>\d{1,2})\b",
    re.IGNORECASE,
)


def _point(unit: Unit) -> str:
    """The number that a unit, or the heading above it, has among several; "" without one."""
    found = _POINT.match(unit.block) or _POINT.match(unit.heading)
    return (found["bare"] or found["named"]) if found else unit.number


_VERIFYING = frozenset(
    "verification verified verify verifying ran running run with via successfully and also result".split()
)


def _only_says_passed(sentence: Sentence, passed: set[str]) -> bool:
    """Whether a sentence only says of checks that they passed, which the list of checks proves."""
    if PASSING.isdisjoint(sentence.said.words) or "`" not in sentence.text:
        return False
    if not cheers(spoken(_CODE.sub(" ", sentence.text)).words - _VERIFYING):
        return False
    quoted = (code.strip("`") for code in _CODE.findall(sentence.text))
    return all(any(code in command for command in passed) for code in quoted)


def _is_all_code(text: str) -> bool:
    """Whether hardly a word that means something stands outside of back-quotes, of which there are pairs."""
    return len(content_words(spoken(" ".join(text.split("`")[::2])).words)) < 3


def _is_whole(text: str, source: Source) -> bool:
    """Whether a text is all of a statement, as far as its form tells."""
    if len(text) < 12 or " " not in text or text.count("`") % 2 or text.startswith("…"):
        return False
    if text.count("(") != text.count(")") and len(text) < 200:
        return False
    return source != "paste" or prompts.is_prose(text)

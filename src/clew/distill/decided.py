"""What the user's own words and choices made of what an agent put forward: turned down, or settled in another way."""

from __future__ import annotations

import re
from bisect import bisect_right

from clew.core.records import Prompt, Reply
from clew.distill.cues import PROBLEM, SUGGESTION, WOULD, spoken
from clew.distill.identifiers import content_words
from clew.distill.prompts import is_consent, is_paste, is_refusal
from clew.distill.sentence import ANSWERED, Sentence
from clew.distill.session import Session
from clew.distill.work import Answer, Work


def decided(sentences: list[Sentence], session: Session, work: Work) -> list[Sentence]:
    """The sentences in their order: marked where the user said no or chose another option, without the points to which
    the user's next words give another figure.
    """
    declined, said = _declined(session)
    for answer in work.answers:
        said[answer.event] = f"{said.get(answer.event, '')} {answer.answer}"
    told = sorted(said)
    options: dict[int, list[tuple[list[set[str]], set[str]]]] = {}
    for answer in work.answers:
        if answer.is_pick and answer.others:
            options.setdefault(answer.event, []).append(_options(answer))
    kept: list[Sentence] = []
    for sentence in sentences:
        at = bisect_right(told, sentence.event)
        answered = told[at] if at < len(told) else -1
        if answered >= 0 and _gives_another_figure(said[answered], sentence):
            continue
        is_declined = sentence.event in declined and _is_put_forward(sentence)
        if answered in options and not is_declined:
            is_declined = _is_not_taken(sentence, options[answered]) and not work.edited(sentence.event, answered)
        kept.append(sentence._replace(declined=True) if is_declined else sentence)
    return kept


def _declined(session: Session) -> tuple[set[int], dict[int, str]]:
    """The messages that the user's next words begin with a no to; and all such next words by event, of pastes none."""
    declined: set[int] = set()
    said: dict[int, str] = {}
    before = -1
    for index, event in enumerate(session.events):
        if index in session.finals:
            before = index
        elif isinstance(event, Prompt) and before >= 0:
            final = session.events[before]
            is_question = isinstance(final, Reply) and final.text.rstrip().endswith("?")
            declined.update((before,) if is_refusal(event.text) and not is_question else ())
            said[index] = "" if is_paste(event.text) else event.text
            before = -1
    return declined, said


def _is_put_forward(sentence: Sentence) -> bool:
    """Whether a message that the user has answered proposes it, or finds it wrong."""
    if sentence.source not in ANSWERED:
        return False
    said = spoken(f"{sentence.label} {sentence.text}")
    return any(cue.within(said) for cue in (WOULD, PROBLEM, SUGGESTION))


def _words(text: str) -> set[str]:
    return content_words(spoken(text).words)


def _options(answer: Answer) -> tuple[list[set[str]], set[str]]:
    """The words of the options that were not taken, of two or more each, and of the answer."""
    labels = (_words(label.partition("(")[0]) for label in answer.others)
    return [words for words in labels if len(words) >= _OPTION_WORDS_MIN], _words(answer.answer.partition("(")[0])


_OPTION_WORDS_MIN = 2


def _is_not_taken(sentence: Sentence, options: list[tuple[list[set[str]], set[str]]]) -> bool:
    """Whether the agent's sentence stands in the section of an option beside which the user then chose another."""
    if not sentence.section or sentence.source == "paste":
        return False
    words = _words(sentence.section)
    return any(not taken <= words and any(other <= words for other in others) for others, taken in options)


# These are compiled when a session needs them. What a point is about, and what that is to be:
# "Session id: the first 8 characters".
_POINT = r"([^\W\d][^:`.]{1,28}?)(?:: | [—–-] )"
_FIGURE = r"\b\d[\w.:-]*"
_CLAUSE_END = r"[,;!?\n]|[.:](?:\s|$)|\b(?:and|but)\b"
_SAME_WORDS_MIN = 2


def _gives_another_figure(said: str, sentence: Sentence) -> bool:
    """Whether a sentence puts a point forward that has a figure, and a clause of the words `said`, which are no yes,
    has another about the same.
    """
    if sentence.source not in ("suggestion", "proposal") or (point := re.match(_POINT, sentence.text)) is None:
        return False
    figures = set(re.findall(_FIGURE, sentence.text[point.end() :]))
    if not figures or is_consent(said):
        return False
    about = _words(point[1])
    for clause in re.split(_CLAUSE_END, said):
        others, words = set(re.findall(_FIGURE, clause)), _words(clause)
        is_about_it = not words.isdisjoint(about) and len(sentence.words & words) >= _SAME_WORDS_MIN
        if others and is_about_it and figures.isdisjoint(others):
            return True
    return False

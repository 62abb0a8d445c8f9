"""Which kind of item a sentence of the agent is: by its words, and by where it stands."""

from __future__ import annotations

import re

from clew.core.items import Kind
from clew.distill.cues import (
    CHOOSING,
    DEAD_END,
    DECIDED,
    DEEDS,
    DEFERRED,
    DONE,
    GIVEN_UP,
    HANDING_OVER,
    NEXT,
    OFFER,
    REASON,
    RISK,
    RUNNING,
    WORKING,
    spoken,
)
from clew.distill.sentence import Sentence
from clew.distill.verdict import verdict_of


def kind_of(sentence: Sentence, *, latest: bool, has_step: bool) -> Kind:
    """The kind; a fact when nothing else fits. `latest`: of the agent's last message in a finished session. `has_step`:
    a sentence of that message names a next step, so that what is handed over is none.
    """
    said = sentence.said
    labelled = spoken(f"{sentence.label} {sentence.text}") if sentence.label else said
    kind: Kind = "finding"
    if sentence.source == "thought":
        pass  # it decides and promises nothing
    elif sentence.stood:
        kind = "step"
    elif latest and (OFFER.within(said) or sentence.text.endswith("?")):
        kind = "question"
    elif latest and not DONE.within(said) and (NEXT.within(labelled) or (not has_step and hands_over(sentence))):
        kind = "next"
    elif DEFERRED.within(said) and not is_deed(sentence):
        kind = "deferral"
    elif _is_dead_end(sentence):
        kind = "failed"
    elif is_choice(sentence):
        kind = "decision"
    elif RISK.within(labelled) or (latest and _is_graded(sentence)):
        kind = "risk"
    elif _is_put_forward(sentence) or _is_decided(sentence):
        kind = "decision"
    return kind


def hands_over(sentence: Sentence) -> bool:
    """Whether a sentence leaves the next act to the user, in any case."""
    said = sentence.said
    is_handed = HANDING_OVER.within(said) or (WORKING.within(said) and RUNNING.within(said))
    return is_handed and _CONDITIONS.isdisjoint(said.words)


_CONDITIONS = frozenset(["if", "when", "whenever", "unless"])


def _is_put_forward(sentence: Sentence) -> bool:
    """Whether it stands in a plan or a proposal, and is not what that was based on."""
    return sentence.source in ("plan-open", "plan-done", "proposal", "suggestion") and not sentence.found


def _is_decided(sentence: Sentence) -> bool:
    """Whether somebody decided something here: a sub-agent tells what it found, and a name in code says nothing."""
    if sentence.source == "report" or sentence.found or not DECIDED.within(sentence.said):
        return False
    if _is_judged(sentence):
        return False
    if not _GUESSING.isdisjoint(sentence.said.words):
        return False
    return "`" not in sentence.text or DECIDED.within(spoken(_CODE.sub(" ", sentence.text)))


_CODE = re.compile(r"`[^`]*`")
_GUESSING = frozenset(["likely", "probably", "perhaps", "maybe", "presumably", "apparently", "seems"])


_SPEAKER = frozenset(["i", "i've", "we", "we've"])
_PARTS = re.compile(r": | [-–—] |\) |\. ")


def is_deed(sentence: Sentence) -> bool:
    """Whether it says what the agent did: "Added X", "X: replaced Y", "I moved Z"; "main added X" tells of others."""
    words = sentence.said.words
    if DEEDS.isdisjoint(words):
        return False
    if not _SPEAKER.isdisjoint(words):
        return True
    heads = (part.split(maxsplit=1)[:1] for part in _PARTS.split(sentence.text))
    return any(head and head[0].lower().strip("`*") in DEEDS for head in heads)


def is_choice(sentence: Sentence) -> bool:
    """Whether the agent says which way it takes, and why; what a review says of a thing is what others chose."""
    return CHOOSING.within(sentence.said) and REASON.within(sentence.said) and not _is_judged(sentence)


def _is_judged(sentence: Sentence) -> bool:
    """Whether it is a point of a review: with a verdict's mark in front, or how grave it is."""
    return bool(verdict_of(sentence.text) or _is_graded(sentence))


def _is_graded(sentence: Sentence) -> bool:
    """Whether it says in front how grave a finding is: "Medium: …", "P2 - …"."""
    return _GRADE.match(sentence.text) is not None


_GRADE = re.compile(
    r"(?:\(?\d{1,2}[.)] )?\[?(?:critical|high|medium|low|minor|major|nit|p[0-3])\]?(?:: | [-–—] )", re.IGNORECASE
)


def _is_dead_end(sentence: Sentence) -> bool:
    """Whether a way was tried in vain, or is being given up."""
    if sentence.source == "narration" and GIVEN_UP.within(sentence.said):
        return True
    return sentence.source not in ("plan-open", "summary") and DEAD_END.within(sentence.said)

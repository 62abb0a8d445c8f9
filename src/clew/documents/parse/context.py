"""Where an entry stands: the headings, labels and entries above it, and what these make of it.

The rule of all rules: nothing stands without the words that could turn its sense. What is under "What you must not
do" keeps these words in its text, and is nothing to be done.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from clew.core.state.items import Kind
from clew.documents.parse import status
from clew.documents.parse.negation import conditional, doubtful, negated
from clew.documents.parse.vocabulary import Topic

# What somebody would do, hold to or count on: not taken from below words that may turn the sense.
_FACTUAL: Final[frozenset[Kind]] = frozenset(("deferral", "risk", "question", "failed", "blocker", "finding"))
_WORK: Final[frozenset[Kind]] = frozenset(("step", "next", "phase"))
_OPEN: Final = re.compile(
    r"^\W*[❌✗✘✖🚫⛔⬜☐]|\bnot yet\b|\bstill (?:need|to|fail|open|miss|broken|todo)|\bremaining\b|\bto-?do\b|\btbd\b|"
    r"\bpending\b|\bknown (?:bug|issue|limitation)|\b(?:not|n['’]t|never) (?:been )?(?:done|finish|implement|work|"
    r"test|start|merg|deploy|verif|complete|commit|push|written|fixed)|\bincomplete\b|\bpartial|\b(?!100)\d{1,2} ?%|"
    r"\bwip\b|\bin progress\b|\bblocked\b|\bdeferred\b|\bunfinished\b|\bnext step",
    re.IGNORECASE,
)
_CLOSED: Final = re.compile(
    r"\b(?:already|is|was|been|are|were|now) (?:now |already )?(?:done|shipped|merged|implemented|completed?|fixed|"
    r"finished|resolved)\b|^(?:done|completed|shipped|merged|fixed|cancelled|dropped)\b|\bno longer needed\b",
    re.IGNORECASE,
)
_PART_CHARS: Final = 160
_PARTS_MAX: Final = 4


class Head(NamedTuple):
    """A heading, a label or an entry that others stand under. `topic` is what it names, None nothing certain.

    `status` is how far all of it is. `closed`: what stands above it says nothing of what is below. `is_title`: the
    document's own name.
    """

    text: str
    topic: Topic | None = None
    status: str = ""
    closed: bool = False
    is_title: bool = False


class Place(NamedTuple):
    """What a place makes of an entry. `topic` is what it is there, None a note. `prefix` stands in front of its text,
    `label` beside it. `barred`: no mark of its own makes it work. `status`: how far all of it is.
    """

    topic: Topic | None
    prefix: str
    label: str
    barred: bool
    status: str


def place(chain: Sequence[Head], own: Topic | None = None, *, boxed: bool = False) -> Place:
    """The place below `chain`, the outermost first. `own` is what its own label names; `boxed`: it has a box."""
    topic, known = own, len(chain)
    passed: list[Head] = []
    if own is None:
        for known in range(len(chain) - 1, -1, -1):
            head = chain[known]
            if head.topic is not None or head.closed:
                topic = head.topic
                passed = [*passed, head] if head.topic is None else passed
                break
            passed.append(head)
        else:
            known = -1
    between = [head for head in passed if not head.is_title and not head.closed]
    is_far = bool(between) and own is None and not boxed and topic is not None and topic.kind in _WORK
    if is_far:
        topic = None  # "Done", and under it "Principles": what is listed there need not have been done
    turning = next((at for at, head in enumerate(chain) if head.topic and head.topic.turn), -1)
    barred = turning >= 0
    first = turning
    if barred and (turning != known) and not (topic and topic.turn):
        # "Out of scope", and under it "Tasks".
        topic = topic if topic is not None and topic == chain[turning].topic else None
    if not barred:
        doubts = [at for at, head in enumerate(chain) if head in passed and not head.is_title and doubtful(head.text)]
        first = doubts[0] if doubts else -1
        if doubts and not boxed and (topic is None or topic.kind not in _FACTUAL):
            topic, barred = None, True
        if first < 0 and own is None and known >= 0 and conditional(chain[known].text):
            first = known  # it is so on a condition, which stays with the words
    parts = [_part(head) for head in chain[first:]] if first >= 0 else []
    if len(parts) > _PARTS_MAX:
        parts = [parts[0], *parts[1 - _PARTS_MAX :]]
    outside = chain[:first] if first >= 0 else chain
    near = next((head for head in reversed(outside) if not head.is_title), None)
    label = "" if near is None or (near.topic and near.topic.bare) else _part(near)
    if is_far and label and not chain[known].is_title:
        label = f"{_part(chain[known])}: {label}"
    sectional = next((head.status for head in reversed(chain) if head.status), "")
    return Place(topic, ": ".join(parts), label, barred, sectional)


def _part(head: Head) -> str:
    text = head.text.rstrip(":： .")
    return text if len(text) <= _PART_CHARS else text[: _PART_CHARS - 1].rstrip() + "…"


def _contradicts(told: str, text: str) -> bool:
    """Whether the words say that it is not as far as the heading says: such an entry is a note, in its own words."""
    if told in (status.DONE, status.DROPPED):
        return _OPEN.search(text) is not None
    return told in (status.PENDING, status.DOING) and _CLOSED.search(text) is not None


class Standing(NamedTuple):
    """What an entry is: its kind, how far it is, and whether its mark of status says that (and so needs no words)."""

    kind: Kind
    status: str
    by_mark: bool


def standing(at: Place, text: str, mark: str, *, box: str = "", struck: bool = False) -> Standing:
    """What an entry with the words `text` is at its place. `mark` is the status that a mark of its own tells."""
    topic = at.topic
    if topic is not None and topic.turn:
        return Standing(topic.kind, "", False)
    if at.barred:
        return Standing(topic.kind if topic and topic.kind in _FACTUAL else "note", "", False)
    kind: Kind = topic.kind if topic else "note"
    if kind == "failed" and not struck:
        return Standing(kind, "", False)  # ticked: it was tried
    if box:
        if kind not in ("validation", "question", "next", "phase", "risk", "blocker", "deferral"):
            kind = "step"
        if kind == "deferral" and mark in (status.DONE, status.DROPPED):
            kind = "step"
        return Standing(kind, mark if kind in _WORK or mark in (status.DONE, status.DROPPED) else "", True)
    if mark:
        return _marked(kind, mark, struck=struck)
    if topic is None or kind not in _WORK:
        return Standing(kind, "", False)
    told = topic.status or at.status
    if negated(text) and told not in (status.DONE, status.DROPPED):
        return Standing("constraint", "", False)
    if _contradicts(told, text):
        return Standing("note", "", False)
    return Standing(kind, told, False)


def _marked(kind: Kind, mark: str, *, struck: bool) -> Standing:
    """With a mark of its own: work is as far as that says, and so is what is not called anything else."""
    ended = mark in (status.DONE, status.DROPPED)
    if kind in _WORK:
        return Standing(kind, mark, True)
    if kind == "note" or (kind == "deferral" and ended):
        return Standing("step", mark, True)
    if kind in ("risk", "question", "blocker") and ended:
        return Standing(kind, mark, True)
    # A decision or a rule with a line through it holds no longer; its words say so.
    return Standing("note" if struck else kind, "", False)

"""Where an entry stands: the headings, labels and entries above it, and what these make of it.

The rule of all rules: nothing stands without the words that could turn its sense. What is under "What you must not
do" keeps these words in its text, and is nothing to be done.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from clew.core.state.headings import DOING, DONE, DROPPED, PENDING, Topic
from clew.core.state.items import Kind
from clew.core.state.negation import conditional, doubtful, negated

# What somebody would do, hold to or count on: not taken from below words that may turn the sense.
_FACTUAL: Final[frozenset[Kind]] = frozenset(("deferral", "risk", "question", "failed", "blocker", "finding"))
_WORK: Final[frozenset[Kind]] = frozenset(("step", "next", "phase"))
# Kinds that stay what they are with a box in front.
_BOXED: Final = _FACTUAL - {"failed", "finding"} | {"validation", "next", "phase"}
_ENDED: Final = (DONE, DROPPED)
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


class Above(NamedTuple):
    """A heading, a label or an entry that others stand under. `topic` is what it names, None nothing certain.

    `status` is how far all of it is. `closed`: what stands above it says nothing of what is below. `is_title`: the
    document's own name.
    """

    text: str
    topic: Topic | None = None
    status: str = ""
    closed: bool = False
    is_title: bool = False


class Scope(NamedTuple):
    """What a place makes of an entry. `topic` is what it is there, None a note. `prefix` stands in front of its text,
    `label` beside it. `barred`: no mark of its own makes it work. `status`: how far all of it is.
    """

    topic: Topic | None
    prefix: str
    label: str
    barred: bool
    status: str


def scope_of(chain: Sequence[Above], own: Topic | None = None, *, boxed: bool = False) -> Scope:
    """The scope below `chain`, the outermost first. `own` is what its own label names; `boxed`: it has a box."""
    telling = [at for at, head in enumerate(chain) if head.topic is not None or head.closed]
    known = len(chain) if own is not None else telling[-1] if telling else -1
    topic = own or (chain[known].topic if known >= 0 else None)
    # "Done", and under it "Principles": what is listed there need not have been done.
    between = any(not head.is_title and not head.closed for head in chain[known + 1 :])
    is_far = between and not boxed and topic is not None and topic.kind in _WORK
    topic = None if is_far else topic
    first = next((at for at, head in enumerate(chain) if head.topic and head.topic.turn), -1)
    barred = first >= 0
    if barred and topic and not topic.turn and topic != chain[first].topic:
        topic = None  # "Out of scope", and under it "Tasks"
    if not barred:
        start = known if known >= 0 and own is None and chain[known].topic is None else known + 1
        doubts = (at for at in range(start, len(chain)) if not chain[at].is_title and doubtful(chain[at].text))
        first = next(doubts, -1)
        if first >= 0 and not boxed and (topic is None or topic.kind not in _FACTUAL):
            topic, barred = None, True
        elif first < 0 and own is None and known >= 0 and conditional(chain[known].text):
            first = known  # it is so on a condition, which stays with the words
    prefix, label = _words(chain, first)
    if is_far and label and not chain[known].is_title:
        label = f"{_part(chain[known])}: {label}"
    return Scope(topic, prefix, label, barred, next((head.status for head in reversed(chain) if head.status), ""))


def _words(chain: Sequence[Above], first: int) -> tuple[str, str]:
    """What stands in front of a text: all from `first` on; and the label beside it: the nearest before that."""
    parts = [_part(head) for head in chain[first:]] if first >= 0 else []
    outside = chain[:first] if first >= 0 else chain
    near = next((head for head in reversed(outside) if not head.is_title), None)
    return ": ".join(parts), "" if near is None or (near.topic and near.topic.bare) else _part(near)


def _part(head: Above) -> str:
    text = head.text.rstrip(":： .")
    return text if len(text) <= _PART_CHARS else text[: _PART_CHARS - 1].rstrip() + "…"


class Classification(NamedTuple):
    """What an entry is: its kind, how far it is, and whether its mark of status says that (and so needs no words)."""

    kind: Kind
    status: str = ""
    by_mark: bool = False


def classify(scope: Scope, text: str, mark: str, *, box: str = "", struck: bool = False) -> Classification:
    """What an entry with the words `text` is in its scope. `mark` is the status that a mark of its own tells."""
    kind: Kind = scope.topic.kind if scope.topic else "note"
    if scope.topic is not None and scope.topic.turn:
        return Classification(kind)
    if scope.barred:
        return Classification(kind if kind in _FACTUAL else "note")
    if kind == "failed" and not struck:
        return Classification(kind)  # ticked: it was tried
    if box or mark:
        return _marked(kind, mark, boxed=bool(box), struck=struck)
    if kind not in _WORK or scope.topic is None:
        return Classification(kind)
    told = scope.topic.status or scope.status
    if negated(text) and told not in _ENDED:
        return Classification("constraint")
    # Words that contradict their heading are a note, in their own words.
    if (told in _ENDED and _OPEN.search(text)) or (told in (PENDING, DOING) and _CLOSED.search(text)):
        return Classification("note")
    return Classification(kind, told)


def _marked(kind: Kind, mark: str, *, boxed: bool, struck: bool) -> Classification:
    """With a mark of its own: work is as far as that says, and so is what is not called anything else."""
    ended = mark in _ENDED
    if kind == "deferral" and ended:
        kind = "step"
    if boxed:
        kind = kind if kind in _BOXED else "step"
        return Classification(kind, mark if kind in _WORK or ended else "", True)
    if kind in _WORK or kind == "note":
        return Classification("step" if kind == "note" else kind, mark, True)
    if kind in ("risk", "question", "blocker") and ended:
        return Classification(kind, mark, True)
    # A decision or a rule with a line through it holds no longer; its words say so.
    return Classification("note" if struck else kind)

"""A sentence of the session: a unit of its prose with where it came from and how much it weighs."""

from typing import Literal

from clew.core.tuples import NamedTuple
from clew.distill.cues import Spoken

# last: the agent's last message; final: one that ended a turn; narration: one in between; message: of a commit or a
# pull request; plan-open, plan-done: a plan still to be carried out, or one that was; summary: the client's, of what
# a compaction dropped; paste: a long prompt; comment: in code that the session wrote; report: of a
# sub-agent; proposal: what the agent put forward and then did; suggestion: what it put forward, whatever the user made
# of it; thought: what it did not say.
Source = Literal[
    "last",
    "final",
    "narration",
    "message",
    "plan-open",
    "plan-done",
    "summary",
    "paste",
    "comment",
    "report",
    "proposal",
    "suggestion",
    "thought",
]

# From trials on many sessions (benchmarks/recall); the figures matter less than the kinds.
SOURCE_WEIGHT: dict[Source, float] = {
    "last": 3.5,
    "plan-open": 3.5,
    "message": 2.5,
    "paste": 2.0,
    "final": 1.7,
    "summary": 1.5,
    "plan-done": 0.8,
    "narration": 0.6,
    "comment": 0.5,
    "report": 0.4,
    "proposal": 0.8,
    "suggestion": 0.8,
    "thought": 0.15,
}

# Of messages that ended a turn: the user has answered to them, and may have picked points of several by their numbers.
ANSWERED: tuple[Source, ...] = ("final", "proposal", "suggestion")


class Sentence(NamedTuple):
    """A unit of prose and the event it stands in. `label` is the heading to say with it ("" none);
    `names` are its identifiers, `words` its content words. `stood`: a summary says so where the work stood then.
    `point`: the number that it has among several ("" none, and where nobody picks by it). `found`: it says what was
    wrong then, or how things were. `declined`: the user said no to it, or chose another option.
    `section`: the title above it."""

    text: str
    label: str
    source: Source
    event: int
    recency: float
    boost: float
    names: set[str]
    words: set[str]
    said: Spoken
    stood: bool = False
    point: str = ""
    found: bool = False
    declined: bool = False
    section: str = ""

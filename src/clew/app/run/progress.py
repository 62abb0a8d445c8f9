"""What a run tells while it goes on: values for people and programs alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

# run: it began. phase: a phase is begun. work: a client begins to work. act: what it does. worked: it ended, and how.
# checks: the checks run. judged: what they said. done, stopped, merged: so it is. waits: until when, and why.
# recovered: what a run that was killed left was ended. halted: a person is needed. over: the run ended.
Sort = Literal[
    "run", "phase", "work", "act", "worked", "checks", "judged", "done", "stopped", "merged", "waits", "recovered",
    "halted", "over",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that happened. `phase` is a number (0: the run's own), `text` one line, clean and redacted. Tokens and
    cents are those of the attempt so far. `time` is RFC 3339.
    """

    sort: Sort
    phase: int
    text: str
    tokens: int = 0
    cents: int = 0
    time: str = ""


Tell: TypeAlias = Callable[[Told], None]

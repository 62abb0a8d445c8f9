"""Score a payload against an answer key. Pure: texts in, numbers out; knows no client, file or budget."""

from __future__ import annotations

import re
from typing import NamedTuple

from benchmarks.recall.keys import NEEDED, Alternatives, Fact, Key, Trap

_MARKS = re.compile(r"`+|\*\*")
_SPACE = re.compile(r"\s+")
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})


class Score(NamedTuple):
    """What a payload recalls, each number 0 to 1.

    `all`: share of the facts, each counted once. `needed`: share by weight of the facts the next session needed, None
    when the key has none. `weighted`: all facts together by their weights.
    """

    all: float
    needed: float | None
    weighted: float
    recalled: tuple[Fact, ...]
    missed: tuple[Fact, ...]
    traps: tuple[Trap, ...]

    @property
    def control(self) -> float:
        """The number that a control is judged by: the higher of the two that count every fact."""
        return max(self.all, self.weighted)


def normalise(text: str) -> str:
    """The form in which payload and substrings are compared.

    Lower case, runs of white space as one space, Markdown's backticks and bold taken away, straight quotes: how a fact
    is set must not matter. Nothing else is forgiven, no stemming, no fuzziness.
    """
    return _SPACE.sub(" ", _MARKS.sub("", text).translate(_QUOTES)).casefold().strip()


def holds(alternatives: Alternatives, normalised: str) -> bool:
    """Whether any alternative has all its substrings in a text that `normalise` made."""
    return any(all(normalise(part) in normalised for part in alternative) for alternative in alternatives)


def score(payload: str, key: Key) -> Score:
    """Recall and traps of one payload."""
    text = normalise(payload)
    recalled = tuple(fact for fact in key.facts if holds(fact.alternatives, text))
    missed = tuple(fact for fact in key.facts if fact not in recalled)
    traps = tuple(trap for trap in key.traps if holds(trap.alternatives, text))
    needed = [fact for fact in key.facts if fact.section == NEEDED]
    return Score(
        all=len(recalled) / len(key.facts),
        needed=_share(recalled, needed) if needed else None,
        weighted=_share(recalled, list(key.facts)),
        recalled=recalled,
        missed=missed,
        traps=traps,
    )


def _share(recalled: tuple[Fact, ...], of: list[Fact]) -> float:
    return sum(fact.weight for fact in of if fact in recalled) / sum(fact.weight for fact in of)

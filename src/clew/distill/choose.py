"""Which sentences are worth their room: scored by where they stand, taken greedily for what they add.

The order in which `choose` returns units does not depend on a budget: a smaller budget takes a shorter front part.
The weights come from trials on many sessions (benchmarks/recall); kinds of lines matter more than they do.
"""

import heapq
from collections import Counter
from collections.abc import Iterable
from math import log

from clew.core.tuples import NamedTuple
from clew.distill.identifiers import identifiers

# A sentence full of names is worth no more than one with some; new plain words count a little too.
NOVELTY_MAX = 4.0
WORD_WORTH = 0.15


class Candidate(NamedTuple):
    """A unit that may be chosen. `key` finds it again; `message` groups the units of one message.

    `weight` says where it stands (source, how late); `bonus` what its words promise. `names` are its identifiers,
    `words` its content words.
    """

    key: int
    text: str
    message: int
    weight: float
    bonus: float
    names: set[str]
    words: set[str]


def choose(
    candidates: list[Candidate],
    *,
    covered: set[str],
    focus: set[str],
    named: set[str],
    chars_max: int,
    told: frozenset[str] | set[str] = frozenset(),
) -> list[Candidate]:
    """Candidates in the order of their worth, until `chars_max` characters are taken.

    `covered`: identifiers that the reader has already been told, `told`: content words. `focus`: identifiers of the
    files edited last. `named`: those the user typed. Ties fall to the later candidate, so that equal input gives equal
    output.
    """
    frequency = Counter(name for candidate in candidates for name in candidate.names)
    # In sorted order: a sum of floats depends on it, and the order of a set changes from run to run.
    novelties = [[(name, log(1.7 + frequency[name])) for name in sorted(candidate.names)] for candidate in candidates]
    bonuses = [_bonus(candidate, focus, named) for candidate in candidates]
    factors = [_factor(candidate) for candidate in candidates]
    known = set(covered)
    used = set(told)
    per_message: Counter[int] = Counter()

    def worth(index: int) -> float:
        """What a unit adds, before it counts how many of its message are taken."""
        novelty = _novelty(novelties[index], known)
        words = candidates[index].words
        new = len(words - used)
        overlap = (len(words) - new) / len(words) if words else 1.0
        adds = bonuses[index] + 0.45 * min(NOVELTY_MAX, novelty) + WORD_WORTH * min(12, new)
        return adds * (1.0 - 0.5 * overlap) * factors[index]

    def best(message: int) -> tuple[float, int, int]:
        """The top of a message's own heap as it counts among those of other messages, and the message."""
        stale, negative = own[message][0]
        return stale / (1.0 + 0.1 * per_message[message]), negative, message

    # Scores only fall as more is taken, so a stale one at the top of a heap is computed again (lazy greedy). Each
    # message has a heap of its own: that one of its units is taken does not change their order among themselves.
    own: dict[int, list[tuple[float, int]]] = {}
    for index, candidate in enumerate(candidates):
        own.setdefault(candidate.message, []).append((-worth(index), -index))
    for units in own.values():
        heapq.heapify(units)
    heap = [best(message) for message in own]
    heapq.heapify(heap)
    chosen: list[Candidate] = []
    chars = 0
    while heap and chars < chars_max:
        message = heapq.heappop(heap)[2]
        units = own[message]
        stale, negative = heapq.heappop(units)
        fresh = -worth(-negative)
        if fresh > stale + 1e-12:
            heapq.heappush(units, (fresh, negative))
            heapq.heappush(heap, best(message))
            continue
        candidate = candidates[-negative]
        taken = not _repeats(candidate.words, candidate.names, used, known)
        per_message[message] += taken
        if units:
            heapq.heappush(heap, best(message))
        if not taken:
            continue
        chosen.append(candidate)
        chars += len(candidate.text)
        known |= candidate.names
        used |= candidate.words
    return chosen


def _novelty(names: list[tuple[str, float]], known: set[str]) -> float:
    """What the identifiers of a unit add to those that are known."""
    added = 0.0
    for name, weight in names:
        added += weight * 0.12 if name in known else weight
    return added


def _bonus(candidate: Candidate, focus: set[str], named: set[str]) -> float:
    """What a unit is worth before its identifiers count: its words, the files edited last, what the user named."""
    worth = 1.0 + candidate.bonus
    return worth + 0.35 * (not focus.isdisjoint(candidate.names)) + 0.3 * (not named.isdisjoint(candidate.names))


def _factor(candidate: Candidate) -> float:
    """Where a unit stands against the room it takes."""
    return float(candidate.weight / (len(candidate.text) + 12) ** 0.6)


def _repeats(words: set[str], names: set[str], used: set[str], known: set[str]) -> bool:
    """Whether everything in a unit has been said."""
    return names <= known and len(words - used) * 5 <= len(words)


def vocabulary(texts: Iterable[str]) -> set[str]:
    """All identifiers of some texts."""
    found: set[str] = set()
    for text in texts:
        found |= identifiers(text)
    return found

"""Which sentences are worth their room: scored by where they stand, taken greedily for what they add.

The order in which `choose` returns sentences does not depend on a budget: a smaller one takes a shorter front part.
The weights come from trials on many sessions (benchmarks/recall); kinds of lines matter more than they do.
"""

import heapq
from collections import Counter
from math import log

from clew.distill.prose import Sentence, Source

_WEIGHTS: dict[Source, float] = {
    "last": 3.5,
    "plan-open": 3.5,
    "message": 2.0,
    "final": 2.0,
    "summary": 1.5,
    "plan-done": 0.6,
    "narration": 0.5,
    "report": 0.4,
}
# What only tells how the rest came about has no more room than this, in characters.
_ROOM: dict[Source, int] = {"plan-done": 600, "narration": 1200, "report": 1200, "summary": 3000}
_EARLIER = 0.3
# What a heading calls by its kind (a decision, a risk, what is open) is what a reader looks for.
_NAMED_KIND = 1.6
# A sentence full of names is worth no more than one with some; new plain words count a little too.
NOVELTY_MAX = 4.0
WORD_WORTH = 0.15
# What a name is worth that the reader has seen.
_KNOWN = 0.12
# A sentence that names nothing new says something by more new words than these.
_NEW_WORDS = 2


def choose(
    found: list[Sentence], *, covered: set[str], focus: set[str], named: set[str], chars_max: int
) -> list[Sentence]:
    """Sentences in the order of their worth, until `chars_max` characters are taken.

    `covered`: identifiers that the reader has already been told. `focus`: those of the files edited last. `named`:
    those the user typed. Ties fall to the later sentence, so that equal input gives equal output.
    """
    frequency = Counter(name for one in found for name in one.names)
    # In sorted order: a sum of floats depends on it, and the order of a set changes from run to run.
    novelties = [[(name, log(1.7 + frequency[name])) for name in sorted(one.names)] for one in found]
    bonuses = [1 + 0.35 * (not focus.isdisjoint(one.names)) + 0.3 * (not named.isdisjoint(one.names)) for one in found]
    factors = [float(_weight(one) / (len(one.text) + 12) ** 0.6) for one in found]
    known = set(covered)
    used: set[str] = set()
    per_message: Counter[int] = Counter()

    def worth(index: int) -> float:
        """What a sentence adds, before it counts how many of its message are taken."""
        novelty = sum(weight * _KNOWN if name in known else weight for name, weight in novelties[index])
        words = found[index].words
        new = len(words - used)
        overlap = (len(words) - new) / len(words) if words else 1.0
        adds = bonuses[index] + 0.45 * min(NOVELTY_MAX, novelty) + WORD_WORTH * min(12, new)
        return adds * (1.0 - 0.5 * overlap) * factors[index]

    def best(message: int) -> tuple[float, int, int]:
        """The top of a message's own heap as it counts among those of other messages, and the message."""
        stale, negative = own[message][0]
        return stale / (1.0 + 0.1 * per_message[message]), negative, message

    # Scores only fall as more is taken, so a stale one at the top of a heap is computed again (lazy greedy). Each
    # message has a heap of its own: that one of its sentences is taken does not change their order among themselves.
    own: dict[int, list[tuple[float, int]]] = {}
    for index, one in enumerate(found):
        own.setdefault(one.event, []).append((-worth(index), -index))
    for heap_of_one in own.values():
        heapq.heapify(heap_of_one)
    heap = [best(message) for message in own]
    heapq.heapify(heap)
    chosen: list[Sentence] = []
    chars = 0
    room = dict(_ROOM)
    while heap and chars < chars_max:
        message = heapq.heappop(heap)[2]
        stale, negative = heapq.heappop(own[message])
        fresh = -worth(-negative)
        one = found[-negative]
        is_stale = fresh > stale + 1e-12
        new = len(one.words - used)
        is_taken = not is_stale and not (one.names <= known and (new <= _NEW_WORDS or new * 5 <= len(one.words)))
        if is_stale:
            heapq.heappush(own[message], (fresh, negative))
        per_message[message] += is_taken
        if own[message]:
            heapq.heappush(heap, best(message))
        if is_taken and one.source in room:
            room[one.source] -= len(one.text)
        if is_taken and room.get(one.source, 0) >= 0:
            chosen.append(one)
            chars += len(one.text)
            known |= one.names
            used |= one.words
    return chosen


def _weight(one: Sentence) -> float:
    """Where a sentence stands: its source, how late, whether it still holds."""
    weight = _WEIGHTS[one.source] * (0.35 + 0.65 * one.recency)
    return weight * (_EARLIER if one.status else _NAMED_KIND if one.kind else 1.0)

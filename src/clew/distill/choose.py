"""Which points are worth their room: scored by how late they stand, taken greedily for what they add.

The order in which `choose` returns points does not depend on a budget: a smaller one takes a shorter front part.
"""

import heapq
from collections import Counter
from math import log

from clew.distill.prose import Point

# A point full of names is worth no more than one with some; new plain words count a little too.
_NOVELTY_MAX = 4.0
_WORD_WORTH = 0.15
# What a name is worth that the reader has seen, or that the user typed.
_KNOWN, _NAMED = 0.12, 0.3
# What a heading calls by its kind (a decision, a risk) is what a reader looks for.
_KIND = 1.6
# A point that names nothing new says something by more new words than these.
_NEW_WORDS = 2


def choose(found: list[Point], *, covered: set[str], named: set[str], chars_max: int) -> list[Point]:
    """Points in the order of their worth, until `chars_max` characters are taken.

    `covered`: identifiers that the reader has already been told. `named`: those the user typed. Ties fall to the later
    one, so that equal input gives equal output.
    """
    frequency = Counter(name for one in found for name in one.names)
    known, used, chosen, chars = set(covered), set[str](), list[Point](), 0
    last = max((one.event for one in found), default=1) or 1

    def worth(one: Point) -> float:
        # In sorted order: a sum of floats depends on it, and the order of a set changes from run to run.
        novelty = sum(log(1.7 + frequency[name]) * (_KNOWN if name in known else 1) for name in sorted(one.names))
        new = len(one.words - used)
        adds = 1 + _NAMED * (not named.isdisjoint(one.names)) + 0.45 * min(_NOVELTY_MAX, novelty)
        adds = (adds + _WORD_WORTH * min(12, new)) * (0.5 + 0.5 * new / max(1, len(one.words)))
        return float(adds * (0.35 + 0.65 * one.event / last) * (_KIND if one.kind else 1) / (len(one.text) + 12) ** 0.6)

    # Scores only fall as more is taken, so a stale one at the top of the heap is computed again (lazy greedy).
    heap = [(-worth(one), -index) for index, one in enumerate(found)]
    heapq.heapify(heap)
    while heap and chars < chars_max:
        stale, index = heapq.heappop(heap)
        one = found[-index]
        if -(fresh := worth(one)) > stale + 1e-12:
            heapq.heappush(heap, (-fresh, index))
            continue
        new = len(one.words - used)
        if not (one.names <= known and (new <= _NEW_WORDS or new * 5 <= len(one.words))):
            chosen.append(one)
            chars += len(one.text)
            known |= one.names
            used |= one.words
    return chosen

"""Which entry of one document is which of another: by the id that both print, else by their words. Pure."""

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, TypeVar

from clew.core.state.items import Kind
from clew.core.text.cleaning import one_line
from clew.documents.entry import Entry

# From here on difflib calls two sequences close; below it, two to-dos that share no more than their verb would pair.
ALIKE_MIN: Final = 0.6
# How many pairs are compared for likeness: all of 100 entries with all of 100. Who reworded more than that without ids
# wrote another document; there, only what stands at about the same place is compared. The bound is about a second.
COMPARED_MAX: Final = 10_000
# Short texts are compared by characters, so that a typo in one of two words is seen; others by their first words, which
# takes a tenth of the time.
_SHORT_CHARS: Final = 40
_WORDS_MAX: Final = 60
_SAME_START_MAX: Final = 8

_MARKUP: Final = re.compile(r"[*_`]+|~~")
_ENDS: Final = " .,;:!?…"


def normal(text: str) -> str:
    """`text` by which entries are told to be the same: no case, Markdown emphasis, white space or final punctuation."""
    return one_line(_MARKUP.sub("", text)).casefold().rstrip(_ENDS) or text


def matched(old: Sequence[Entry], new: Sequence[Entry]) -> "Matching":
    """Which entry of `new` is which of `old`.

    Where both print an id, the ids decide: they are equal, or one is the beginning of the other. Else the entries have
    the same kind and words (see `normal`; repeated ones in order), or the same words under another kind, or the same
    kind and words that are most alike. No entry is in two pairs.
    """
    found = Matching(old, new)
    found.by_id()
    found.by_words()
    found.moved()
    found.alike()
    return found


class Ids:
    """The printed ids of entries, to be asked for one of which perhaps more or less is printed."""

    def __init__(self, entries: Iterable[tuple[int, Entry]]) -> None:
        self._sorted = sorted((entry.id, index) for index, entry in entries if entry.id)
        self._of: dict[str, list[int]] = {}
        for printed, index in self._sorted:
            self._of.setdefault(printed, []).append(index)

    def like(self, printed: str) -> list[int]:
        """The indices of entries that print the same, less or more of it, of the last a few; in that order."""
        if not printed:
            return []
        shorter = [index for end in range(1, len(printed)) for index in self._of.get(printed[:end], ())]
        start = bisect_left(self._sorted, (printed,))
        behind = self._sorted[start : start + _SAME_START_MAX]
        longer = [index for other, index in behind if other != printed and other.startswith(printed)]
        return self._of.get(printed, []) + shorter + longer


_Key = TypeVar("_Key")


class Matching:
    """Pairs between two documents as they are found, step by step. Entries are told by index.

    `pairs`: new by old. `old_left` and `new_left`: what has none yet, in order. What is taken out of them gets none.
    """

    def __init__(self, old: Sequence[Entry], new: Sequence[Entry]) -> None:
        self.old = old
        self.new = new
        self.pairs: dict[int, int] = {}
        self.old_left = dict.fromkeys(range(len(old)))
        self.new_left = dict.fromkeys(range(len(new)))
        self._old_words = [normal(entry.text) for entry in old]
        self._new_words = [normal(entry.text) for entry in new]
        self._named = {index for index, entry in enumerate(new) if entry.id}

    def join(self, old: int, new: int) -> None:
        """Make them a pair. Raises `KeyError` if one is not left."""
        del self.old_left[old], self.new_left[new]
        self.pairs[old] = new

    def by_id(self) -> None:
        """Pair what prints the same id, if it says which one is meant: one that has the same words, or is printed the
        same, or is alone with that beginning on both sides. What is left, such as a copied line, counts as without id.
        """
        ids = Ids((index, self.old[index]) for index in self.old_left)
        new_ids = Ids((index, self.new[index]) for index in self.new_left)
        means: tuple[Callable[[int, int], bool], ...] = (
            lambda old, new: self._old_words[old] == self._new_words[new],
            lambda old, new: self.old[old].id == self.new[new].id,
            lambda old, new: (
                sum(one in self.old_left for one in ids.like(self.new[new].id)) == 1
                and sum(one in self.new_left for one in new_ids.like(self.old[old].id)) == 1
            ),
        )
        for is_meant in means:
            for new in [index for index in self.new_left if index in self._named]:
                like = (old for old in ids.like(self.new[new].id) if old in self.old_left)
                if (old := next((one for one in like if is_meant(one, new)), None)) is not None:
                    self.join(old, new)
        self._named -= {new for new in self.new_left if ids.like(self.new[new].id)}

    def by_words(self) -> None:
        """Pair what has the same kind and words, in order."""
        self._by_key(
            lambda index: (self.old[index].kind, self._old_words[index]),
            lambda index: (self.new[index].kind, self._new_words[index]),
        )

    def moved(self) -> None:
        """Pair what has the same words under another kind, in order."""
        self._by_key(self._old_words.__getitem__, self._new_words.__getitem__)

    def _by_key(self, old_key: Callable[[int], _Key], new_key: Callable[[int], _Key]) -> None:
        """Pair what has the same key. Two that both print an id are not the same: `by_id` would have found them."""
        queues: dict[tuple[_Key, bool], deque[int]] = {}
        for old in self.old_left:
            queues.setdefault((old_key(old), bool(self.old[old].id)), deque()).append(old)
        for new in list(self.new_left):
            key = new_key(new)
            queue = [queues.get((key, False)), None if new in self._named else queues.get((key, True))]
            if waiting := [one for one in queue if one]:
                self.join(min(waiting, key=lambda one: one[0]).popleft(), new)

    def alike(self, among: Collection[int] | None = None) -> None:
        """Pair reworded ones: the same kind, words alike from `ALIKE_MIN` on, the most alike first.

        `among`: only these of the old ones. Compares `COMPARED_MAX` pairs, or one for each new entry.
        """
        olds: dict[Kind, list[int]] = {}
        for old in self.old_left:
            if among is None or old in among:
                olds.setdefault(self.old[old].kind, []).append(old)
        news: dict[Kind, list[int]] = {}
        for new in self.new_left:
            news.setdefault(self.new[new].kind, []).append(new)
        reach = max(1, COMPARED_MAX // max(1, len(self.new_left)))
        found = []
        for kind, of_kind in news.items():
            for place, new in enumerate(of_kind):
                for old in _around(olds.get(kind, []), place / len(of_kind), reach):
                    if self.old[old].id and new in self._named:
                        continue
                    likeness = _likeness(self._old_words[old], self._new_words[new])
                    if likeness >= ALIKE_MIN:
                        found.append((-likeness, old, new))
        for _, old, new in sorted(found):
            if old in self.old_left and new in self.new_left:
                self.join(old, new)


def _around(indices: list[int], share: float, reach: int) -> list[int]:
    """At most `reach` of the indices, around the one at that share of their length."""
    start = max(0, min(int(len(indices) * share) - reach // 2, len(indices) - reach))
    return indices[start : start + reach]


def _likeness(one: str, other: str) -> float:
    """From 0 to 1; below `ALIKE_MIN` it may be too high."""
    from difflib import SequenceMatcher  # only where something was reworded

    compared: SequenceMatcher[str]
    if len(one) <= _SHORT_CHARS and len(other) <= _SHORT_CHARS:
        compared = SequenceMatcher(None, one, other, autojunk=False)
    else:
        compared = SequenceMatcher(None, one.split()[:_WORDS_MAX], other.split()[:_WORDS_MAX], autojunk=False)
    bound = compared.quick_ratio()
    return bound if bound < ALIKE_MIN else compared.ratio()

"""Where in a text some rule may apply.

One Aho-Corasick pass over the text. Its cost is the scan's cost, because most texts hold no secret,
and pyahocorasick looks through a node's edges one by one: each further first letter of a keyword
makes every character of every text dearer (measured with 74 keywords: 20 first letters cost 85 µs
for 5 KB, 5 cost 39 µs). So

- characters are folded into classes (`FOLD`), which also ignores letter case;
- a keyword is entered from its first character in one of the few classes of `ROOTS` on.

A folded hit is only a hint; it counts when the whole keyword stands there in the real text.
"""

from collections.abc import Iterator, Mapping

import ahocorasick

# Characters that share a class, of which the first is the name. `ROOTS` are the classes
# that may start an entry.
GROUPS = ("xqjzvw9", "kgf", "phbd", "_-:")
ROOTS = "xk_ps"


def _fold_table() -> bytes:
    table = bytearray(bytes(range(256)).lower())
    for group in GROUPS:
        for char in group + group.upper():
            table[ord(char)] = ord(group[0])
    return bytes(table)


FOLD = _fold_table()


def fold(text: str) -> str:
    """Return the text in classes, character for character, so that places stay the same."""
    return text.encode("ascii", "replace").translate(FOLD).decode("ascii")


def root(keyword: str) -> int:
    """Return where in the keyword its automaton entry starts.

    An entry of one character would be found everywhere; with three or more it is rare enough.
    """
    folded = fold(keyword)
    for length_min in (3, 2):
        for place in range(len(folded) - length_min + 1):
            if folded[place] in ROOTS:
                return place
    raise ValueError(f"keyword {keyword!r} has no character of {ROOTS!r} to start from")


class Prefilter:
    """Some keywords, each with what it stands for, ready to be looked up in texts."""

    def __init__(self, keywords: Mapping[str, tuple[int, ...]]) -> None:
        entries: dict[str, list[tuple[str, int, tuple[int, ...]]]] = {}
        for keyword, numbers in keywords.items():
            entry = fold(keyword)[root(keyword) :]
            entries.setdefault(entry, []).append((keyword, len(keyword) - 1, numbers))
        self._automaton = ahocorasick.Automaton()
        # Edges are tried in the order of entry: what is most frequent goes first.
        for entry in sorted(entries, key=lambda entry: (-ROOTS.index(entry[0]), entry)):
            self._automaton.add_word(entry, tuple(entries[entry]))
        self._automaton.make_automaton()

    def hits(self, text: str) -> Iterator[tuple[int, str, tuple[int, ...]]]:
        """Yield (where the keyword starts, keyword, its numbers), by where the keyword ends."""
        for last, entries in self._automaton.iter(fold(text)):
            for keyword, back, numbers in entries:
                start = last - back
                if start >= 0 and text[start : last + 1].lower() == keyword:
                    yield start, keyword, numbers

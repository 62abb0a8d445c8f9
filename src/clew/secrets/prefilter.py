"""Where in a text some rule may apply.

One Aho-Corasick pass over the text. Its cost is the scan's cost, because most texts hold no secret,
and pyahocorasick looks through a node's edges one by one: each further first letter of a keyword
makes every character of every text dearer (measured with 74 keywords: 20 first letters cost 85 µs
for 5 KB, 5 cost 39 µs). So

- characters are folded into classes (`FOLD`), which also ignores letter case;
- a keyword is entered from its first character in one of the few classes of `ROOTS` on.

A folded hit is only a hint; it counts when the whole keyword stands there in the real text.

Where a keyword has nothing to start from (`ATBB`, `rnd_`), its exact spelling is looked for by itself, from one of a
few characters (`PIVOTS`) or else as it stands: each is one more pass, of at most 3 to 5 µs for 5 KB.
"""

import re
from collections.abc import Iterator, Mapping

import ahocorasick

# Characters that share a class, of which the first is the name. `ROOTS` are the classes
# that may start an entry.
GROUPS = ("xqjzvw91", "kgfc", "phbd", "_-:")
ROOTS = "xk_ps"

# From where an exact text is looked for: one of them is one pass over the text, so few of them serve all.
PIVOTS = "A._2"

Hit = tuple[int, str, tuple[int, ...]]


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


def is_rooted(keyword: str) -> bool:
    """Tell whether the automaton can find the keyword by three characters or more."""
    return any(char in ROOTS for char in fold(keyword)[:-2])


class Exact:
    """Some texts that are looked for as they are, each with what it stands for."""

    def __init__(self, literals: Mapping[str, tuple[int, ...]]) -> None:
        by_pivot: dict[str, list[str]] = {}
        for literal in literals:
            by_pivot.setdefault(next((char for char in PIVOTS if char in literal), ""), []).append(literal)
        self._numbers = dict(literals)
        # One character is looked for ten times as fast as several: the one that fewest texts have.
        self._plain = [(max(literal), literal) for literal in by_pivot.pop("", [])]
        self._pivots = [(pivot, tuple(some), _around(pivot, some)) for pivot, some in by_pivot.items()]

    def hits(self, text: str) -> list[Hit]:
        """Return (where it starts, the literal, its numbers) for each."""
        found: list[Hit] = []
        for pivot, literals, pattern in self._pivots:
            for match in pattern.finditer(text):
                for literal in literals:
                    at = match.start() - literal.index(pivot)
                    if at >= 0 and text.startswith(literal, at):
                        found.append((at, literal, self._numbers[literal]))
        for rarest, literal in self._plain:
            at = text.find(literal) if rarest in text else -1
            while at >= 0:
                found.append((at, literal, self._numbers[literal]))
                at = text.find(literal, at + 1)
        return found


def _around(pivot: str, literals: list[str]) -> re.Pattern[str]:
    """Return what matches at the pivot of any of these literals. It starts with one character for speed."""
    either = []
    for literal in literals:
        before, _, after = literal.partition(pivot)
        either.append((f"(?<={re.escape(before + pivot)})" if before else "") + re.escape(after))
    # One look at what stands in front spares most of the others.
    fronts = "".join({literal.partition(pivot)[0][-1:] or " " for literal in literals})
    guard = "" if " " in fronts else f"(?<=[{re.escape(fronts)}]{re.escape(pivot)})"
    return re.compile(f"{re.escape(pivot)}{guard}(?:{'|'.join(either)})")


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

    def hits(self, text: str) -> Iterator[Hit]:
        """Yield (where the keyword starts, keyword, its numbers), by where the keyword ends."""
        for last, entries in self._automaton.iter(fold(text)):
            for keyword, back, numbers in entries:
                start = last - back
                if start >= 0 and text[start : last + 1].lower() == keyword:
                    yield start, keyword, numbers

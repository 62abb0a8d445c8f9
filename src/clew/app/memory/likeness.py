"""Which facts say the same: in the same words, or in nearly the same about the same names. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from clew.distill.identifiers import content_words, identifiers, words_of
from clew.documents.pairing import normal

# So great a part of the words of both together is shared by two that say much the same (tried on 400 pairs of made
# facts).
SHARED_MIN: Final = 0.6


class _Words(NamedTuple):
    plain: str
    words: frozenset[str]
    names: frozenset[str]


class Likeness:
    """Texts that are known, each under a name, to be asked for what says the same as another text.

    Work grows with the number of known texts that share a word with the one that is asked for.
    """

    def __init__(self, known: Iterable[tuple[str, str]] = ()) -> None:
        self._of: list[tuple[str, _Words]] = []
        self._by_word: dict[str, list[int]] = {}
        self._by_plain: dict[str, str] = {}
        for name, text in known:
            self.add(name, text)

    def add(self, name: str, text: str) -> None:
        """One text more."""
        one = _taken(text)
        for word in one.words:
            self._by_word.setdefault(word, []).append(len(self._of))
        self._of.append((name, one))
        self._by_plain.setdefault(one.plain, name)

    def same(self, text: str) -> str:
        """The name of the first text with the same words, whatever their case, emphasis and end; "" none."""
        return self._by_plain.get(normal(text), "")

    def like(self, text: str) -> list[str]:
        """The names of texts that say the same or nearly so, the most alike first. Texts that name other files, numbers
        or options are about something else, however alike their words.
        """
        asked = _taken(text)
        near = {at for word in asked.words for at in self._by_word.get(word, ())}
        found: dict[str, float] = {}
        for at in near:
            name, one = self._of[at]
            share = _share(asked, one)
            if share >= SHARED_MIN:
                found[name] = max(share, found.get(name, 0.0))
        if same := self.same(text):
            found[same] = 1.0
        return sorted(found, key=lambda name: (-found[name], name))


def duplicates(texts: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of names whose texts say the same or nearly so, each pair once, in the order of the later one."""
    known = Likeness()
    found = []
    for name, text in texts:
        found += [(other, name) for other in known.like(text) if other != name]
        known.add(name, text)
    return found


def _taken(text: str) -> _Words:
    return _Words(normal(text), frozenset(content_words(words_of(text))), frozenset(identifiers(text)))


def _share(one: _Words, other: _Words) -> float:
    if one.plain == other.plain:
        return 1.0
    # One may name more than the other; two that each name something of their own tell of different things.
    if (one.names - other.names) and (other.names - one.names):
        return 0.0
    both = len(one.words | other.words)
    return len(one.words & other.words) / both if both > 2 else 0.0

"""Tombstones: what a person redacted stays away. Intake knows it by id and by keyed hashes of its words.

A hash stands for the words of a value in their order, whatever stands between them, so that it is found again in a
client's record, where it may be quoted, emphasised or part of a line of code. Beside it stands a tag of the first word:
only where that fits are words hashed, or a long record would take minutes to read. A tag is short: it fits one word in
four thousand, and so tells next to nothing of a password's first word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from clew.core.state.fold import Entities, fold, values
from clew.core.state.items import Item
from clew.core.text.cleaning import one_line
from clew.ledger.port import Ledger
from clew.ledger.redaction import BY_HAND, REDACTION

if TYPE_CHECKING:
    import re

PLACEHOLDER: Final = BY_HAND
_HASH_BYTES: Final = 16
_TAG_DIGITS: Final = 3
# No value has more words than the largest number of so many digits.
_COUNT_DIGITS_MAX: Final = 6
_WORDS_KNOWN_MAX: Final = 100_000
# With fewer characters beside the placeholder nothing is left of an item.
_LEFT_CHARS_MIN: Final = 12


def keyed_hash(key: bytes, value: str) -> str:
    """What a tombstone keeps of `value`: the number of its words, a hash of them and the tag of the first one, both
    under `key`; "" if it has no words.
    """
    words = [word for _, _, word in _words(value)]
    return f"{len(words)}.{_hash(key, words)}.{_tag(key, words[0])}" if words else ""


def hashes_of(key: bytes, said: Iterable[str]) -> list[str]:
    """The keyed hash of each of these values, sorted."""
    return sorted({keyed_hash(key, value) for value in said} - {""})


def tombstones(ledger: Ledger) -> Entities:
    """What was redacted, of all tasks: the fold of what a person said so."""
    return fold(event for _, event in ledger.events(kinds=(REDACTION,)))


def obeyed(items: Iterable[Item], entities: Entities, key: bytes) -> tuple[Item, ...]:
    """The items that may be kept: not those that were redacted, nor those that hold the words of one.

    What `forgetting` left nothing of goes, too.
    """
    redacted, hashes = _read(entities, key)
    if not redacted:
        return tuple(items)
    return tuple(
        item
        for item in items
        if item.id not in redacted
        and not any(hashes.spans(text) for text in (item.text, item.why, item.label, item.answer))
        and not _is_empty(item.text)
    )


def forgetting(redact: Callable[[str], str], entities: Entities, key: bytes) -> Callable[[str], str]:
    """`redact` that also replaces what people redacted by hand. `redact` itself where nobody did."""
    hashes = _read(entities, key)[1]
    if not hashes.by_tag:
        return redact

    def forget(text: str) -> str:
        safe = redact(text)
        for start, end in reversed(hashes.spans(safe)):
            safe = f"{safe[:start]}{PLACEHOLDER}{safe[end:]}"
        return safe

    return forget


def _is_empty(text: str) -> bool:
    return PLACEHOLDER in text and len(one_line(text.replace(PLACEHOLDER, ""))) < _LEFT_CHARS_MIN


class _Hashes:
    """Knows redacted values again. `by_tag`: by the tag of the first word, how many words and their hash."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._known: dict[str, list[tuple[int, str]]] = {}
        self.by_tag: dict[str, list[tuple[int, str]]] = {}

    def add(self, kept: str) -> None:
        """Take in what `keyed_hash` made; anything else is not a hash."""
        count, _, rest = kept.partition(".")
        digest, _, tag = rest.partition(".")
        if digest and tag and count.isascii() and count.isdigit() and len(count) <= _COUNT_DIGITS_MAX and int(count):
            self.by_tag.setdefault(tag, []).append((int(count), digest))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where `text` holds the words of redacted values, in order. Of two that overlap both go, as one."""
        first = {word for word in set(_word().findall(text)) if self._fit(word)}
        if not first:
            return []
        words = _words(text)
        found: list[tuple[int, int]] = []
        for at, (start, _, word) in enumerate(words):
            if word not in first:
                continue
            end = 0
            for count, digest in self._fit(word):
                part = words[at : at + count]
                if len(part) == count and _hash(self._key, [each for _, _, each in part]) == digest:
                    end = max(end, part[-1][1])
            if end and found and start < found[-1][1]:
                found[-1] = found[-1][0], max(found[-1][1], end)
            elif end:
                found.append((start, end))
        return found

    def _fit(self, word: str) -> list[tuple[int, str]]:
        """The values that may begin with `word`. Of the words of a record most come again and again."""
        fitting = self._known.get(word)
        if fitting is None:
            if len(self._known) >= _WORDS_KNOWN_MAX:
                self._known.clear()
            fitting = self._known[word] = self.by_tag.get(_tag(self._key, word), [])
        return fitting


def _read(entities: Entities, key: bytes) -> tuple[frozenset[str], _Hashes]:
    """Ids that are redacted, and the hashes of what was."""
    redacted: set[str] = set()
    hashes = _Hashes(key)
    for name, entity in entities.items():
        fields = values(entity)
        if not fields.get("redacted"):
            continue
        redacted.add(name)
        kept = fields.get("hashes")
        for one in kept if isinstance(kept, list) else ():
            hashes.add(one)
    return frozenset(redacted), hashes


def _tag(key: bytes, word: str) -> str:
    return _hash(key, [word])[:_TAG_DIGITS]


def _hash(key: bytes, words: Sequence[str]) -> str:
    data = " ".join(words).encode("utf-8", "surrogatepass")
    return blake2b(data, key=key, digest_size=_HASH_BYTES).hexdigest()


def _words(text: str) -> list[tuple[int, int, str]]:
    """(start, end, word) of each word of `text`."""
    return [(match.start(), match.end(), match[0]) for match in _word().finditer(text)]


@cache
def _word() -> re.Pattern[str]:
    """Runs without white space, signs that stand between name and value, quotes and brackets; inner dots stay."""
    import re

    edge = r"\s\"'`=:,;()<>\[\]{}|.!?*_~…“”‘’#"
    return re.compile(rf"[^{edge}](?:[^\s\"'`=:,;()<>\[\]{{}}|…“”‘’]*[^{edge}])?")

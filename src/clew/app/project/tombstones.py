"""Tombstones: what a person redacted stays away. Intake knows it by id and by keyed hashes of its words.

A hash stands for the words of a value in their order, whatever stands between them, so that it is found again in a
client's record, where it may be quoted, emphasised or part of a line of code. Beside it stands a tag of the first word:
only where that fits are words hashed, or a long record would take minutes to read. A tag is short: it fits one word in
four thousand, and so tells next to nothing of a password's first word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

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


class Tombstones(NamedTuple):
    """What people redacted: the ids of items, the hashes of values, and the keys under which those may stand."""

    items: frozenset[str]
    hashes: tuple[str, ...]
    keys: tuple[bytes, ...]

    def stamp(self, key: bytes, version: int) -> str:
        """What texts depend on that were redacted under the ledger's `key`, by rules of a version, and obey these."""
        said = f"{version} {sorted(self.items)} {sorted(self.hashes)} {self.keys}"
        return blake2b(said.encode(), key=key, digest_size=16).hexdigest()


def tombstones(ledger: Ledger, peer_keys: Callable[[], tuple[bytes, ...]] = tuple) -> Tombstones:
    """What was redacted, of all tasks, as far as a person said so. `peer_keys` gives what other devices hash under."""
    said = [event for _, event in ledger.events(kinds=(REDACTION,)) if event.provenance == "human"]
    kept = (event.data.get("hashes") for event in said)
    hashes = dict.fromkeys(one for each in kept if isinstance(each, list) for one in each)
    items = frozenset(str(event.data["item"]) for event in said)
    return Tombstones(items, tuple(hashes), (ledger.key, *(peer_keys() if hashes else ())))


def exchange_key(key: bytes) -> bytes:
    """What a ledger of the key `key` hashes redacted values under for other devices: they learn this one alone."""
    return blake2b(b"redaction", key=key, digest_size=32, person=b"clew exchange").digest()


def find_redacted(texts: Iterable[str], stones: Tombstones) -> set[str]:
    """The redacted values that stand in `texts`, as they stand there."""
    known = _known(stones)
    return {text[start:end] for text in texts for each in known for start, end in each.spans(text)}


def obeyed(items: Iterable[Item], stones: Tombstones) -> tuple[Item, ...]:
    """The items that may be kept: not those that were redacted, nor those that hold the words of one.

    What `forgetting` left nothing of goes, too.
    """
    if not stones.items:
        return tuple(items)
    known = _known(stones)
    return tuple(
        item
        for item in items
        if item.id not in stones.items
        and not any(each.spans(text) for each in known for text in (item.text, item.why, item.label, item.answer))
        and not (PLACEHOLDER in item.text and len(one_line(item.text.replace(PLACEHOLDER, ""))) < _LEFT_CHARS_MIN)
    )


def forgetting(redact: Callable[[str], str], stones: Tombstones) -> Callable[[str], str]:
    """`redact` that also replaces what people redacted by hand. `redact` itself where nobody did."""
    known = _known(stones)
    if not known:
        return redact

    def forget(text: str) -> str:
        safe = redact(text)
        for each in known:
            for start, end in reversed(each.spans(safe)):
                safe = f"{safe[:start]}{PLACEHOLDER}{safe[end:]}"
        return safe

    return forget


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


def _known(stones: Tombstones) -> list[_Hashes]:
    """What knows the values again, for each key."""
    known = []
    for key in stones.keys if stones.hashes else ():
        hashes = _Hashes(key)
        for one in stones.hashes:
            hashes.add(one)
        known += [hashes] if hashes.by_tag else []
    return known


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
    edge = r"\s\"'`=:,;()<>\[\]{}|.!?*_~…“”‘’#"
    return re.compile(rf"[^{edge}](?:[^\s\"'`=:,;()<>\[\]{{}}|…“”‘’]*[^{edge}])?")

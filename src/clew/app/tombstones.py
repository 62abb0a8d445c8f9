"""Tombstones: what a person redacted stays away. Intake knows it by id and by keyed hashes of its words.

A hash stands for the words of a value in their order, whatever stands between them, so that it is found again in a
client's record, where it may be quoted, emphasised or part of a line of code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from clew.core.fold import Entities, fold, values
from clew.core.items import Item
from clew.core.text import one_line
from clew.ledger.port import Ledger

if TYPE_CHECKING:
    import re

KIND: Final = "item.redacted"
PLACEHOLDER: Final = "[redacted:by-hand]"
_HASH_BYTES: Final = 16
# With fewer characters beside the placeholder nothing is left of an item.
_LEFT_CHARS_MIN: Final = 12


def keyed_hash(key: bytes, value: str) -> str:
    """What a tombstone keeps of `value`: the number of its words, and a hash of them under `key`; "" if it has none."""
    words = _words(value)
    return f"{len(words)}.{_hash(key, [word for _, _, word in words])}" if words else ""


def hashes_of(key: bytes, said: Iterable[str]) -> list[str]:
    """The keyed hash of each of these values, sorted."""
    return sorted({keyed_hash(key, value) for value in said} - {""})


def tombstones(ledger: Ledger) -> Entities:
    """What was redacted, of all tasks: the fold of what a person said so."""
    return fold(event for _, event in ledger.events(kinds=(KIND,)))


def obeyed(items: Iterable[Item], entities: Entities, key: bytes) -> tuple[Item, ...]:
    """The items that may be kept: not those that were redacted, nor those that hold the words of one.

    What `forgetting` left nothing of goes, too.
    """
    redacted, hashes = _read(entities)
    if not redacted:
        return tuple(items)
    return tuple(
        item
        for item in items
        if item.id not in redacted
        and not any(_spans(text, hashes, key) for text in (item.text, item.why, item.label, item.answer))
        and not _is_empty(item.text)
    )


def forgetting(redact: Callable[[str], str], entities: Entities, key: bytes) -> Callable[[str], str]:
    """`redact` that also replaces what people redacted by hand. `redact` itself where nobody did."""
    hashes = _read(entities)[1]
    if not hashes:
        return redact

    def forget(text: str) -> str:
        safe = redact(text)
        for start, end in sorted(_spans(safe, hashes, key), reverse=True):
            safe = f"{safe[:start]}{PLACEHOLDER}{safe[end:]}"
        return safe

    return forget


def _is_empty(text: str) -> bool:
    return PLACEHOLDER in text and len(one_line(text.replace(PLACEHOLDER, ""))) < _LEFT_CHARS_MIN


def _read(entities: Entities) -> tuple[frozenset[str], dict[int, set[str]]]:
    """Ids that are redacted, and hashes by the number of words they stand for, most words first."""
    redacted: set[str] = set()
    hashes: dict[int, set[str]] = {}
    for name, entity in entities.items():
        fields = values(entity)
        if not fields.get("redacted"):
            continue
        redacted.add(name)
        kept = fields.get("hashes")
        for one in kept if isinstance(kept, list) else ():
            count, _, rest = one.partition(".")
            if count.isascii() and count.isdigit() and int(count) and rest:
                hashes.setdefault(int(count), set()).add(rest)
    return frozenset(redacted), dict(sorted(hashes.items(), reverse=True))


def _spans(text: str, hashes: dict[int, set[str]], key: bytes) -> list[tuple[int, int]]:
    """Where `text` holds the words of one of `hashes`, the longest first; no two overlap."""
    if not hashes:
        return []
    words = _words(text)
    taken = [False] * len(words)
    found = []
    for count, known in hashes.items():
        for at in range(len(words) - count + 1):
            if any(taken[at : at + count]):
                continue
            if _hash(key, [word for _, _, word in words[at : at + count]]) in known:
                taken[at : at + count] = [True] * count
                found.append((words[at][0], words[at + count - 1][1]))
    return found


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

"""The one boundary of a ledger: texts are redacted by rules and by what people redacted by hand (tombstones)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from clew.core.state.events import Event
from clew.core.state.extract import Extract
from clew.core.state.fold import Entities, fold, values
from clew.core.state.items import Item
from clew.core.text.cleaning import clean, one_line
from clew.ledger.port import Ledger
from clew.ledger.redaction import BY_HAND, REDACTION, purge_event, safe_event

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
        """Take in what `keyed_hash` made; anything else is no hash."""
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


# What is kept of an event, by what redacts a text.
Safe: TypeAlias = Callable[[Event, Callable[[str], str]], Event]

# Of texts that were made safe, so many are remembered, and none that is longer.
_REMEMBERED_MAX: Final = 1_000
_REMEMBERED_CHARS_MAX: Final = 10_000


class LedgerRedaction:
    """Redacts what is recorded, and keeps nothing that was made before a later redaction.

    Called with a text it gives back what may be kept of it; what it gave back once stays as it is, until somebody
    redacts. `stones` is what was redacted up to the position `upto`.
    """

    def __init__(self, ledger: Ledger, redact: Callable[[str], str]) -> None:
        """`redact` is what the rules replace."""
        self._ledger = ledger
        self._rules = redact
        self._safe: set[str] = set()
        self.upto = 0
        self._look()

    def __call__(self, text: str) -> str:
        if text in self._safe:
            return text
        safe = self._forget(text)
        if len(safe) <= _REMEMBERED_CHARS_MAX and len(self._safe) < _REMEMBERED_MAX:
            self._safe.add(safe)
        return safe

    def look_again(self) -> bool:
        """Whether something was redacted after `upto`; it is obeyed from now on."""
        if not any(self._ledger.events(kinds=(REDACTION,), after=self.upto)):
            return False
        self._look()
        return True

    def append(self, events: Sequence[Event], safe: Safe = safe_event) -> tuple[int, ...]:
        """Append `events`, all or none, which are safe as of `upto`; their positions. If something was redacted since,
        what `safe` makes of each is appended in its place. Of one about a redacted item no words are kept.
        """
        positions = self._ledger.append(self._wordless(events), unless_redacted_after=self.upto)
        while events and not positions:
            self.look_again()
            events = [safe(event, self) for event in events]
            positions = self._ledger.append(self._wordless(events), unless_redacted_after=self.upto)
        self.upto = max(self.upto, *positions, 0)
        if any(event.kind == REDACTION for event in events):
            self._look()
        return positions

    def guard(self, ledger: Ledger) -> Ledger:
        """`ledger`, whose `append` and `take_in` redact every text first: for what was not written here."""
        return cast(Ledger, _Guarded(ledger, self))

    def _wordless(self, events: Sequence[Event]) -> Sequence[Event]:
        """`events`, those about redacted items without words: a word alone is in no hash."""
        if not self._redacted:
            return events
        about = ((event, str(event.data.get("item", ""))) for event in events)
        return [purge_event(event, item, ()) if item in self._redacted else event for event, item in about]

    def _look(self) -> None:
        self._safe.clear()
        self.upto = self._ledger.position()
        self.stones = tombstones(self._ledger)
        self._redacted = frozenset(name for name, entity in self.stones.items() if values(entity).get("redacted"))
        self._forget = forgetting(self._rules, self.stones, self._ledger.key)


class _Guarded:
    def __init__(self, ledger: Ledger, redact: LedgerRedaction) -> None:
        self._ledger = ledger
        self._redact = redact

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def append(self, events: Sequence[Event]) -> tuple[int, ...]:
        return self._redact.append([safe_event(event, self._redact) for event in events])

    def take_in(self, extract: Extract) -> bool:
        while True:
            safe = cast(Extract, self._safe(extract))
            safe = safe._replace(items=obeyed(safe.items, self._redact.stones, self._ledger.key))
            if self._ledger.take_in(safe, unless_redacted_after=self._redact.upto):
                return True
            if not self._redact.look_again():
                return False

    def _safe(self, value: Any) -> Any:
        """`value` with every text in it redacted."""
        if isinstance(value, str):
            return self._redact(clean(value)) if value else ""
        if isinstance(value, tuple) and hasattr(value, "_make"):
            return value._make(self._safe(part) for part in value)
        return type(value)(self._safe(part) for part in value) if isinstance(value, (list, tuple)) else value

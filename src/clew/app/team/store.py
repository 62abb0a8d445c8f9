"""One side of an exchange: a ledger, with what is obeyed and redacted on the way in and scanned on the way out."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final

from clew.app.keeping.bundle import texts
from clew.app.project.redaction import LedgerRedaction
from clew.app.project.tombstones import Tombstones, exchange_key, find_redacted
from clew.core.state.events import Event
from clew.ledger.exchange import Holdings
from clew.ledger.port import Ledger
from clew.ledger.redaction import REDACTION, purge_event, safe_event, search_forms

_BATCH_EVENTS: Final = 1000


class LedgerStore:
    """A `clew.ledger.exchange.Store`. `inspect` raises for events that must not leave; `obey` takes an item and values
    out of what is kept beside the ledger; `peer_keys` are what other devices hash redacted values under.
    """

    def __init__(
        self,
        ledger: Ledger,
        redact: LedgerRedaction,
        *,
        peer_keys: Callable[[], tuple[bytes, ...]],
        holdings: Holdings | None = None,
        inspect: Callable[[Sequence[Event]], object] = len,
        obey: Callable[[str, Sequence[str]], None] = lambda _item, _values: None,
    ) -> None:
        self.holdings = holdings or Holdings(ledger)
        self.stamps: dict[str, str] = {}
        self.allowed: set[str] = set()
        self._ledger = ledger
        self._redact = redact
        self._peer_keys = peer_keys
        self._inspect = inspect
        self._obey = obey

    def take(self, events: Sequence[Event]) -> tuple[str, ...]:
        """See `Store.take`. What is redacted here comes in without its words."""
        self.holdings.look()
        new = {event.id: event for event in events if event.id not in self.holdings.ids}
        for event in new.values():
            if event.kind == REDACTION:
                self._take_redaction(event)
        keyed = self._keyed([self.without_redacted(event) for event in new.values() if event.kind != REDACTION])
        guarded = self._redact.guard(self._ledger)
        for start in range(0, len(keyed), _BATCH_EVENTS):
            guarded.append(keyed[start : start + _BATCH_EVENTS])
        self.holdings.look()
        return tuple(name for name in new if name in self.holdings.ids)

    def give(self, ids: Collection[str]) -> list[Event]:
        """See `Store.give`."""
        events = self.holdings.events(ids)
        if events:
            self._inspect(events)
        return events

    def without_redacted(self, event: Event) -> Event:
        """`event` without what people redacted, as a purge would leave it."""
        stones = self._redact.stones
        if not stones.items or event.kind == REDACTION:
            return event
        item = str(event.data.get("item", ""))
        values = search_forms(find_redacted(texts(dict(event.data)), stones))
        return purge_event(event, item if item in stones.items else "", values)

    def holds_redacted(self, text: str) -> bool:
        """Whether a text holds what people redacted."""
        return bool(find_redacted((text,), self._redact.stones))

    def _take_redaction(self, event: Event) -> None:
        """Words go before it is said that they are gone: who is killed in between does it again."""
        item = str(event.data["item"])
        values: list[str] = []
        if event.provenance == "human":
            hashes = event.data.get("hashes")
            keys = (self._ledger.key, exchange_key(self._ledger.key), *self._peer_keys())
            stones = Tombstones(frozenset((item,)), tuple(hashes) if isinstance(hashes, list) else (), keys)
            values = sorted(find_redacted(self._texts(), stones))
            self._ledger.purge(item, values)
        self._redact.append(self._keyed([safe_event(event, self._redact)]))
        if event.provenance == "human":
            self._obey(item, values)

    def _texts(self) -> Iterator[str]:
        """Every text in which redacted values are looked for."""
        from clew.app.keeping.purge import ledger_texts  # here: most exchanges redact nothing

        return ledger_texts(self._ledger)

    def _keyed(self, events: Iterable[Event]) -> list[Event]:
        """`events` under keys that the ledger has for no other event: two devices may have said the same thing first,
        and both said it.
        """
        keys = self.holdings.keys
        return [
            event if keys.setdefault(event.key, event.id) == event.id else event._replace(key=event.id)
            for event in events
        ]

"""A guarded ledger: keeps nothing unredacted and nothing that people took out, for what was not written here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from clew.app.tombstones import Forgetting, obeyed
from clew.core.events import Event
from clew.core.extract import Extract
from clew.core.text import clean
from clew.ledger.port import Ledger
from clew.ledger.redaction import safe_event


def guarded(ledger: Ledger, forget: Forgetting) -> Ledger:
    """`ledger`, whose `append` and `take_in` redact every text first, also what is redacted while it is in use."""
    return cast(Ledger, _Guarded(ledger, forget))


class _Guarded:
    def __init__(self, ledger: Ledger, forget: Forgetting) -> None:
        self._ledger = ledger
        self._forget = forget

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def append(self, events: Sequence[Event]) -> tuple[int, ...]:
        return self._forget.append([safe_event(event, self._forget) for event in events])

    def take_in(self, extract: Extract) -> bool:
        while True:
            safe = cast(Extract, self._safe(extract))
            safe = safe._replace(items=obeyed(safe.items, self._forget.stones, self._ledger.key))
            if self._ledger.take_in(safe, unless_redacted_after=self._forget.upto):
                return True
            if not self._forget.look_again():
                return False

    def _safe(self, value: Any) -> Any:
        """`value` with every text in it redacted."""
        if isinstance(value, str):
            return self._forget(clean(value)) if value else ""
        if isinstance(value, tuple) and hasattr(value, "_make"):
            return value._make(self._safe(part) for part in value)
        return type(value)(self._safe(part) for part in value) if isinstance(value, (list, tuple)) else value

"""Newest first: events of a ledger from its end backwards, as far as somebody wants them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from clew.core.state.events import Recorded
from clew.ledger.port import Ledger

# How many positions to look back at first; then four times as many, and so on.
_LOOK_BACK: Final = 256


def newest_first(
    ledger: Ledger, kinds: Collection[str] | None = None, *, task: str | None = None, step: int = _LOOK_BACK
) -> Iterator[Recorded]:
    """Events of these kinds (None: of all), the newest first. Reads only as far back as they are taken from the
    iterator: `step` positions at first, then four times as many, and so on.
    """
    upto = ledger.position()
    while upto > 0:
        after = max(0, upto - step)
        yield from reversed(list(ledger.events(task=task, kinds=kinds, after=after, upto=upto)))
        upto, step = after, step * 4

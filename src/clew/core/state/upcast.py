"""Old events in their newest form. The ledger keeps what was written; whoever reads sees today's shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from clew.core.state.events import Data, Event

# From the data of version v of a kind to that of v + 1. Pure, and never edited once released.
Step: TypeAlias = Callable[[Data], Data]

# By kind and the version that it starts from. Empty so far: every kind is at its first version.
STEPS: Final[Mapping[tuple[str, int], Step]] = {}


def upcast(event: Event, steps: Mapping[tuple[str, int], Step] = STEPS) -> Event:
    """`event` in the newest form that `steps` lead to; the same event if there is none."""
    while (step := steps.get((event.kind, event.v))) is not None:
        event = event._replace(v=event.v + 1, data=step(event.data))
    return event

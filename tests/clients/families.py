"""All clients' families, for the suites that hold each against the others."""

from __future__ import annotations

import os

from clew import wiring
from clew.clients.port import Reader

READERS: tuple[Reader, ...] = tuple(wiring.ports({"HOME": os.devnull}).readers)


def others(client: str) -> tuple[Reader, ...]:
    """The readers of every other client."""
    return tuple(one for one in READERS if one.name != client)

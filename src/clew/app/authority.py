"""What only a person may do, and how it is refused to everybody else (docs/authority.md)."""

from __future__ import annotations

from typing import Final

from clew.core.errors import NotAllowed
from clew.core.items import Provenance

_ASK: Final = (
    "Ask the person you work for to decide it and to type the command in a terminal. "
    "If you are that person, docs/authority.md says which terminals clew knows."
)


def require_person(said: tuple[Provenance, str], deed: str, instead: str = _ASK) -> None:
    """Nothing, if what comes by this channel is a person's (`said`: its class, and why).

    `deed` completes "only a person may …", the hint tells what can be done `instead`. Raises `NotAllowed` otherwise;
    the message says why the channel is not taken for a person's.
    """
    provenance, reason = said
    if provenance == "human":
        return
    raise NotAllowed(
        f"only a person may {deed}, and this does not come from one: {reason}",
        code="E-not-a-person",
        hint=instead,
    )

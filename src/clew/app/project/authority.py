"""What only a person may do, and how it is refused to everybody else (docs/reference/authority.md)."""

from __future__ import annotations

from typing import Final

from clew.core.errors import NotAllowed
from clew.core.state.items import Authority

_ASK: Final = (
    "Ask the person you work for to decide it and to type the command in a terminal. "
    "If you are that person, docs/reference/authority.md says which terminals clew knows."
)
_CODE: Final = (
    "Type the command again in a terminal, and then the code that it shows there; nothing else stands for it."
)


def require_person(said: Authority, deed: str, instead: str = _ASK) -> None:
    """Nothing, if what comes by this channel is a person's (`said`), who shows it now.

    `deed` completes "only a person may …", the hint tells what can be done `instead`. Raises `NotAllowed` otherwise;
    the message says why the channel is not taken for a person's.
    """
    is_persons = said.provenance == "human"
    reason = said.prove(deed) if is_persons else said.reason
    if is_persons and not reason:
        return
    raise NotAllowed(
        f"only a person may {deed}, and this does not come from one: {reason}",
        code="E-not-a-person",
        hint=_CODE if is_persons else instead,
    )

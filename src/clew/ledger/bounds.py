"""Bounds: how long the texts of what is recorded may be, whatever way it comes: a command, the spool, a bundle."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from clew.core.state.events import Event
from clew.core.state.items import Item
from clew.core.text.cleaning import shorten
from clew.ledger.redaction import BY_HAND, REDACTED

# What documents show in a line, and what explains it.
TEXT_CHARS_MAX: Final = 2_000
WHY_CHARS_MAX: Final = 16_000

# A plan is kept whole: more than people approve.
PLAN_CHARS_MAX: Final = 200_000

# Of this many characters at least is a value that a placeholder stands for: a text does not grow by a redaction.
_VALUE: Final = "······"

_TEXTS: Final = ("text", "why", "status", "label", "owner", "answer", "actor", "source")
_EXPLAINING: Final = frozenset(("why", "was", "reason", "outcome", "answer"))


def find_overlong(event: Event, *, but: Collection[str] = ()) -> str:
    """Which text of an event has more characters than clew keeps, as a clause without a subject ("text has …"), ""
    for none. Fields in `but` are not looked at, nor is the state of a program (`agent.saved`).
    """
    if event.kind == "agent.saved":
        return ""
    said = event.kind.startswith(("item.", "task."))
    for name, value in event.data.items():
        longest = TEXT_CHARS_MAX if said and isinstance(value, str) and name not in _EXPLAINING else WHY_CHARS_MAX
        longest = PLAN_CHARS_MAX if (event.kind, name) == ("plan.written", "text") else longest
        chars = max(map(_chars, value), default=0) if isinstance(value, list) else _chars(str(value))
        if chars > longest and name not in but:
            return f"{name} has {chars} characters, of at most {longest}"
    return ""


def _chars(text: str) -> int:
    if "[redacted" not in text:
        return len(text)
    return len(text.replace(REDACTED, _VALUE).replace(BY_HAND, _VALUE))


def shorten_texts(item: Item) -> Item:
    """An item that was read off a session, with no text longer than an explanation: its record has the rest."""
    if max(len(text) for text in (*item, *item.files, item.place.quote) if isinstance(text, str)) <= WHY_CHARS_MAX:
        return item
    texts: dict[str, Any] = {name: shorten(getattr(item, name), WHY_CHARS_MAX) for name in _TEXTS}
    place = item.place._replace(quote=shorten(item.place.quote, WHY_CHARS_MAX))
    return item._replace(**texts, files=tuple(shorten(file, WHY_CHARS_MAX) for file in item.files), place=place)

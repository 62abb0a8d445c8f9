"""What is kept of an event's texts, and what is left of events and extracts when an item's words and some values must
go. Pure; every member purges by it.

What identifies stays, so that ledgers that merge still know each other's events: envelopes, keys, and the fields of the
data that name an item, a task, a checkpoint or a kind.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from json import dumps
from typing import Any, Final

from clew.core.state.events import KINDS, Event, Value
from clew.core.state.items import Item, Origin
from clew.core.text.cleaning import clean, shorten

REDACTED: Final = "[redacted]"
# What stands for a redacted value in what came later.
BY_HAND: Final = "[redacted:by-hand]"
# The kind of event that says what must go and not come back.
REDACTION: Final = "item.redacted"
_IDENTIFYING: Final = frozenset(
    "item task checkpoint draft handoff base by other kind hashes phase phases step tree".split()
)
_ENVELOPE: Final = ("id", "key", "project", "task", "session", "worktree", "actor", "kind")


def safe_event(event: Event, redact: Callable[[str], str]) -> Event:
    """`event` with every text in it clean and redacted: envelope, data, and names of data that its kind has not.

    Ids and times of clew's stay as they are. What goes in by whatever way goes through here.
    """

    def safe(text: str) -> str:
        return redact(clean(text)) if text else ""

    def safe_value(value: Value) -> Value:
        if isinstance(value, str):
            return safe(value)
        return [safe(part) for part in value] if isinstance(value, list) else value

    schema = KINDS.get(event.kind)
    ours = (*schema.required, *schema.optional) if schema is not None else ()
    envelope: dict[str, Any] = {name: safe(getattr(event, name)) for name in _ENVELOPE}
    return event._replace(
        **envelope, data={name if name in ours else safe(name): safe_value(value) for name, value in event.data.items()}
    )


def purge_event(event: Event, item: str, values: Collection[str]) -> Event:
    """`event` without the words of the item `item`, if it speaks of it, and without any of `values`."""
    about = event.data.get("item") == item and event.kind != REDACTION  # which tells why the words are gone
    schema = KINDS.get(event.kind)
    required = schema.required if schema is not None else ()
    data: dict[str, Value] = {}
    for name, value in event.data.items():
        if name in _IDENTIFYING or not isinstance(value, (str, list)):
            data[name] = value
        elif not about:
            data[name] = _text(value, values) if isinstance(value, str) else [_text(part, values) for part in value]
        elif name in required:
            data[name] = REDACTED
    return event if data == event.data else event._replace(data=data)


def purge_origin(origin: Origin, values: Collection[str]) -> Origin:
    """`origin` without any of `values` in its free texts."""
    return origin._replace(branch=_text(origin.branch, values), last_act=_text(origin.last_act, values))


def is_purged(one: Item, item: str, values: Collection[str]) -> bool:
    """Whether an inferred item is the item `item` or holds any of `values`. It goes as a whole: rules read it again."""
    texts = [text for text in one if isinstance(text, str)] + [*one.files, one.place.quote]
    return one.id == item or any(value in text for value in values for text in texts)


def search_forms(values: Collection[str]) -> tuple[str, ...]:
    """The texts to look for, the longest first, since one may hold another: the values, also as JSON writes them."""
    forms = {form for value in values for form in (value, dumps(value)[1:-1], dumps(value, ensure_ascii=False)[1:-1])}
    return tuple(sorted((form for form in forms if form), key=lambda form: (-len(form), form)))


def _text(text: str, values: Collection[str]) -> str:
    for value in values:
        text = text.replace(value, REDACTED)
    return text


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

"""Ids that events speak of: what every member of the family knows of them. Pure."""

from typing import Final

from clew.core.state.events import Event

IDS_MAX: Final = 100
# The fields of an event's data that hold an id.
_NAMING: Final = ("item", "task", "checkpoint", "draft", "handoff")


def about(event: Event) -> str:
    """The id of the item, task, checkpoint or draft that an event of whatever kind speaks of; "" if there is none."""
    for field in _NAMING:
        name = event.data.get(field)
        if name and isinstance(name, str):
            return name
    return ""


def canonical(prefix: str) -> str:
    """A beginning of an id in the case that ids have: `d-7K2Q` is `D-7k2q`."""
    return prefix[:1].upper() + prefix[1:].lower()

"""Fields: what an item of each kind holds beside its text, reason and files, as far as people and agents note it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clew.core.errors import InputError
from clew.core.state.events import Value
from clew.core.state.items import Kind
from clew.core.state.orders import OFF_LIMITS
from clew.ledger.bounds import TEXT_CHARS_MAX, WHY_CHARS_MAX

# What each kind that is noted holds. Of every kind: text, why, files. Phases, steps, validations and reads are not
# noted: sessions tell them.
NOTED: Final[Mapping[Kind, tuple[str, ...]]] = {
    "goal": (),
    "decision": ("locked",),
    "deferral": ("until",),
    "failed": ("guard",),
    "hypothesis": ("status",),
    "constraint": ("locked", "status"),
    "reminder": ("until",),
    "assumption": (),
    "finding": (),
    "question": ("owner", "blocking"),
    "risk": ("owner",),
    "blocker": ("owner", "until"),
    "file": ("status",),
    "next": (),
    "learning": ("tags",),
}

# The words that a status may be; the first one is meant where none is given.
STATUSES: Final[Mapping[Kind, tuple[str, ...]]] = {
    "hypothesis": ("active", "eliminated"),
    "file": ("in progress", "done", "untouched", OFF_LIMITS),
    "constraint": ("", OFF_LIMITS),
}
TAGS: Final = ("DECISION", "GOTCHA", "REUSE", "CORRECTION")

_OF_ALL: Final = frozenset(("text", "why", "files", "cites"))
_OPTIONS: Final[Mapping[str, str]] = {"locked": "--lock", "tags": "--tag"}


def check_fields(kind: Kind, fields: Mapping[str, Value]) -> None:
    """Raise `InputError` if an item of `kind` does not hold one of `fields`, or not with that value."""
    held = NOTED.get(kind, ())
    for name, value in fields.items():
        if name not in _OF_ALL and name not in held:
            option = _OPTIONS.get(name, f"--{name}")
            whose = ", ".join(one for one, names in NOTED.items() if name in names)
            raise _refused(f"{option} means nothing for a {kind}", f"It is for: {whose}.")
        if name == "status" and value not in STATUSES[kind]:
            raise _refused(
                f"{value!r} is not a status of a {kind}", f"Choose one of: {', '.join(filter(None, STATUSES[kind]))}."
            )
        if name == "tags" and isinstance(value, list) and not set(value) <= set(TAGS):
            raise _refused(f"{', '.join(value)}: no such tag", f"Choose one of: {', '.join(TAGS)}.")
        if name == "guard" and isinstance(value, list) and not all(map(str.strip, value)):
            raise _refused(
                "--guard is given nothing to look for",
                "Give the command, file or word that would mean trying it again.",
            )
        longest = WHY_CHARS_MAX if name == "why" else TEXT_CHARS_MAX
        if isinstance(value, str) and len(value) > longest:
            raise _refused(
                f"the {name} has {len(value)} characters; an item holds {longest}",
                "Shorten it, and put the rest into a file that the item names (--file).",
            )


def _refused(what: str, hint: str) -> InputError:
    return InputError(what, code="E-item-field", hint=hint)

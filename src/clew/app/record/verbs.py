"""What an item of each kind holds, what can be said about it, and what speaks against that. Decides; writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple

from clew.app.project.lookup import FoundItem
from clew.core.errors import InputError
from clew.core.state.events import Value
from clew.core.state.fold import values
from clew.core.state.items import Kind
from clew.core.state.orders import OFF_LIMITS
from clew.core.state.projection import Known, Standing, binds
from clew.ledger.redaction import TEXT_CHARS_MAX, WHY_CHARS_MAX

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
    "file": ("in progress", "done", "stubbed", "untouched", OFF_LIMITS),
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


Change = Literal["edit", "answer", "resolve", "supersede", "retract", "restore", "pin", "unpin"]


class Verb(NamedTuple):
    """A change of an item: the `event` that tells it, and how it is told in the `past`.

    `field` is where its words go ("" it has none). `leaves` is how the item stands afterwards, None: as before.
    `already` says of an item that there is nothing to change. `of_ended`: what is retracted or superseded can be
    changed so. `undo` is the verb that takes it back, None where none is told.
    """

    event: str
    past: str
    already: str
    field: str = ""
    leaves: Standing | None = None
    of_ended: bool = False
    undo: Change | None = None


VERBS: Final[Mapping[Change, Verb]] = {
    "edit": Verb("item.edited", "Edited", "says so already"),
    "answer": Verb("item.answered", "Answered", "is answered so already", "answer"),
    "resolve": Verb("item.resolved", "Resolved", "is resolved already", "outcome", "resolved"),
    "supersede": Verb("item.superseded", "Superseded", "is superseded by {} already", "reason", "superseded"),
    "retract": Verb("item.retracted", "Retracted", "is retracted already", "reason", "retracted", True, "restore"),
    "restore": Verb("item.restored", "Restored", "is live", leaves="live", of_ended=True),
    "pin": Verb("item.pinned", "Pinned", "is pinned already", undo="unpin"),
    "unpin": Verb("item.unpinned", "Unpinned", "is not pinned", of_ended=True),
}


def is_settled(found: FoundItem, change: Change, said: str = "") -> bool:
    """Whether the item is (un)pinned, or stands, as the verb would have it: for the reason `said`, or for any."""
    entry, leaves = found.entry, VERBS[change].leaves
    if leaves is None:
        return entry.item.pinned == (change == "pin")
    return entry.standing == leaves and said in ("", entry.because)


def takes_effect(change: Change, now: Known, data: Mapping[str, Value]) -> bool:
    """Whether an item that stands as `now` is as a change with these `data` would have it."""
    leaves = VERBS[change].leaves
    if leaves is not None:
        return now.standing == leaves and now.because == data.get("by", now.because)
    if change in ("pin", "unpin"):
        return now.item.pinned == (change == "pin")
    fields = values(now.heard)
    return all(fields.get(name) == value for name, value in data.items())


def unfit(found: FoundItem, change: Change) -> tuple[str, str]:
    """Why the item cannot be changed so, whoever speaks, and what to do about it; ("", "") if it can be."""
    standing, because, shown = found.entry.standing, found.entry.because, found.shown
    restore = f"First: `clew restore {shown}`."
    if standing == "redacted":
        return f"{shown} is redacted: its words are gone", "Note what still holds again: `clew note`."
    if standing == "retracted" and not VERBS[change].of_ended:
        return f"{shown} is retracted, so you cannot {change} it", restore
    if standing == "superseded" and not VERBS[change].of_ended:
        what = f"{shown} is superseded by {because}, so you cannot {change} it"
        return what, f"Take that one, or bring this one back: `clew restore {shown}`."
    if standing == "resolved" and change == "pin" and not found.entry.item.answer:
        return f"{shown} is resolved: no document shows it", restore
    return "", ""


def is_persons(found: FoundItem, field: str) -> bool:
    """Whether this field is as a person set it."""
    return any(one.provenance == "human" and field in one.fields for one in found.entity)


def reserved(found: FoundItem, change: Change) -> str:
    """Why only a person may make this change, as a clause; "" if nothing but a person's own word can speak against it
    (docs/reference/authority.md).
    """
    reasons = (row.reason for row in _RESERVED if change in row.changes and row.holds(found))
    return next(reasons, "").format(owner=found.entry.item.owner)


def adopts(found: FoundItem, change: Change, data: Mapping[str, Value]) -> bool:
    """Whether a person who makes this change makes words his own that somebody else chose."""
    fields = {"answer": ("answer",), "pin": ("pinned",)}.get(change, tuple(name for name in _OWNED if data.get(name)))
    return not found.entry.item.is_persons and bool(fields) and "text" not in data


# By these a person takes an item's words as his own (`core/state/projection.py`).
_OWNED: Final = ("locked", "owner", "blocking")


class _Reserved(NamedTuple):
    changes: tuple[Change, ...]
    holds: Callable[[FoundItem], bool]
    reason: str


def _is_unanswered(found: FoundItem) -> bool:
    item = found.entry.item
    return item.kind == "question" and not item.answer


def _is_binding(found: FoundItem) -> bool:
    return found.entry.item.is_persons and binds(found.entry.item.kind, found.entity, found.entry.item)


_FOR_SOMEBODY: Final = "it is for {owner} to answer"
_BLOCKS: Final = "it is blocking: it waits for a person's answer"

# The first row that holds is told.
_RESERVED: Final = (
    _Reserved(("unpin",), lambda _: True, "a pin is a person's to take off"),
    _Reserved(("answer",), lambda found: bool(found.entry.item.owner), _FOR_SOMEBODY),
    _Reserved(("answer",), lambda found: found.entry.item.blocking, _BLOCKS),
    _Reserved(("resolve",), lambda found: _is_unanswered(found) and bool(found.entry.item.owner), _FOR_SOMEBODY),
    _Reserved(("resolve",), lambda found: _is_unanswered(found) and found.entry.item.blocking, _BLOCKS),
    _Reserved(("edit", "resolve", "supersede", "retract"), lambda found: found.entry.item.locked, "it is locked"),
    _Reserved(("resolve", "supersede", "retract"), lambda found: found.entry.item.pinned, "it is pinned"),
    _Reserved(
        ("resolve", "restore"),
        lambda found: found.entry.standing == "resolved" and is_persons(found, "resolved"),
        "a person has resolved it",
    ),
    _Reserved(("resolve",), _is_binding, "it binds"),
    _Reserved(  # or a rule read it off a person's prompt
        ("edit", "supersede", "retract"), lambda found: found.entry.item.is_persons, "a person said it"
    ),
    _Reserved(
        ("edit",),
        lambda found: any(one.provenance == "human" and one.fields.get("pinned") for one in found.entity),
        "a person pinned it",
    ),
)

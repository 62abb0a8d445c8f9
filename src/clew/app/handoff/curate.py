"""What a review says, recorded: edits come back as events of whoever reviewed, under the same rules as all else that is
said of an item (docs/reference/authority.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clew.app.handoff.made import Changed
from clew.app.handoff.review import Choice
from clew.app.project import ProjectSession
from clew.app.project.lookup import Found, find_item
from clew.app.record.fields import NOTED
from clew.app.record.item import weighed, words_of
from clew.app.record.verbs import Change, reserved, unfit
from clew.core.state.events import Event, Value
from clew.core.state.ids import identity
from clew.core.state.items import LETTERS

_CUT: Final = "cut in the review of a hand-off"
_VERBS: Final[dict[str, Change]] = {"cut": "retract", "edit": "edit", "pin": "pin"}
_ASK: Final = "Leave it as it is, or ask the person you work for to review the hand-off: `clew handoff`."


def curated(at: ProjectSession, choices: Sequence[Choice], task: str) -> tuple[list[Event], list[Changed]]:
    """The events of a review, and what it changed in words. Nothing is kept yet.

    What is locked, pinned or a person's own only a person changes, and shows it once for all of it. Raises
    `NotAllowed`; what cannot be changed as it stands is noted and left.
    """
    found = [(one, find_item(at, one.item.id)) for one in choices if one.item is not None]
    why = [f"{there.shown}: {reason}" for one, there in found if (reason := reserved(there, _VERBS[one.deed]))]
    if why:
        about = words_of(at, [there for _, there in found])
        at.require_person("review", f"change what the review changes ({'; '.join(why)})", _ASK, about=about)
    events: list[Event] = []
    told: list[Changed] = []
    for one, there in found:
        against, _ = unfit(there, _VERBS[one.deed])
        if against:
            at.note(f"{against}: it was left as it is.")
            continue
        if one.deed != "edit" and one.item is not None and one.item.text != there.entry.item.text:
            at.note(f"{there.shown} was reworded while it was reviewed: it was left as it is.")
            continue
        events += weighed(at, there, _VERBS[one.deed], _data(at, one, there))[0]
        told.append(_told(one, there))
    for one in choices:
        if one.item is None and one.text:
            events.append(_stated(at, one, task))
            told.append(Changed("added", str(events[-1].data["item"]), "", one.text))
    return events, told


def _data(at: ProjectSession, one: Choice, there: Found) -> dict[str, Value]:
    if one.deed == "cut":
        return {"reason": _CUT}
    if one.deed == "pin":
        return {}
    item = there.entry.item
    words: dict[str, Value] = {"text": at.safe(one.text)} if one.text != item.text else {}
    if one.why != item.why:
        words["why"] = at.safe_lines(one.why)
    return {**words, **{name: at.safe(value) if isinstance(value, str) else value for name, value in one.fields}}


def _told(one: Choice, there: Found) -> Changed:
    before = there.entry.item.text
    if one.deed == "cut":
        return Changed("cut", there.id, before, "")
    return (
        Changed("pinned", there.id, before, before)
        if one.deed == "pin"
        else Changed("edited", there.id, before, one.text)
    )


def _stated(at: ProjectSession, one: Choice, task: str) -> Event:
    """What a review adds: an item of the kind that its heading says."""
    speaker = at.speaker
    kind = one.kind
    name = f"{LETTERS[kind]}-{identity('review', at.ledger.key.hex(), task, speaker.provenance, kind, one.text)}"
    held = NOTED.get(kind, ("status",))
    data: dict[str, Value] = {"item": name, "kind": kind, "text": at.safe(one.text), "why": at.safe_lines(one.why)}
    data |= {field: value for field, value in one.fields if field in held}
    given = {field: value for field, value in data.items() if value}
    return at.event("item.stated", given, task=task, key=f"review:{name}")

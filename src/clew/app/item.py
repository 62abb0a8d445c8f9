"""What is said about an item afterwards: answered, resolved, replaced, taken back, pinned, reworded.

Whether a change is refused is decided before anything is written: what the fold would ignore is not taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, Literal

from clew.app.fields import check_fields
from clew.app.lookup import Found, find_item
from clew.app.ports import Ports
from clew.app.project import Outcome, ProjectSession, open_project
from clew.core.errors import InputError
from clew.core.events import Event, Value
from clew.core.fold import fold, values
from clew.core.ids import identity
from clew.core.items import LETTERS, Kind
from clew.core.text import clean, one_line, shorten
from clew.core.view import AGENT_PIN_CHARS_MAX, AGENT_PINS_MAX, Known, known

Change = Literal["edit", "answer", "resolve", "supersede", "retract", "restore", "pin", "unpin"]

_KINDS: Final[Mapping[Change, str]] = {
    "edit": "item.edited",
    "answer": "item.answered",
    "resolve": "item.resolved",
    "supersede": "item.superseded",
    "retract": "item.retracted",
    "restore": "item.restored",
    "pin": "item.pinned",
    "unpin": "item.unpinned",
}
_SAID_CHARS: Final = 80


def answer(ports: Ports, wanted: str, text: str, *, folder: Path, dry_run: bool = False) -> Outcome:
    """Answer a question. An agent's answer is kept as its claim, where the question waits for no person."""
    with open_project(ports, folder, write=True, dry_run=dry_run) as at:
        found = find_item(at, wanted)
        said = _words(at, text, "the answer")
        if found.entry.item.kind != "question":
            raise _state_error(
                f"{found.shown} is no question but {_a(found.entry.item.kind)}",
                f"To say that it is done: `clew resolve {found.shown}`.",
            )
        _allow(at, found, "answer")
        if values(found.entity).get("answer") == said and at.is_person == _is_persons(found, "answer"):
            return _unchanged(at, found, "is answered so already")
        if not at.is_person:
            at.note("The answer counts as a claim until a person gives one.")
        return _change(at, found, "answer", {"answer": said}, f"Answered {found.shown}: {said}")


def resolve(ports: Ports, wanted: str, outcome: str = "", *, folder: Path, dry_run: bool = False) -> Outcome:
    """Say that an item is over: done, happened, no longer open. `outcome` is what came of it."""
    with open_project(ports, folder, write=True, dry_run=dry_run) as at:
        found = find_item(at, wanted)
        said = at.safe(outcome)
        if found.entry.standing == "resolved" and said in ("", found.entry.because):
            return _unchanged(at, found, "is resolved already")
        _allow(at, found, "resolve")
        if found.entry.item.kind == "question" and not found.entry.item.answer:
            at.note(f'It has no answer: `clew answer {found.shown} "…"` gives one, and documents go on telling it.')
        return _change(at, found, "resolve", {"outcome": said}, f"Resolved {_told(found)}")


def supersede(
    ports: Ports, wanted: str, *, by: str = "", text: str = "", why: str = "", folder: Path, dry_run: bool = False
) -> Outcome:
    """Let another item stand in place of this one: the item `by`, whose words are a person's then if a person says so,
    or a new one of the same kind with `text`, recorded in the same batch. `why` is the reason of the new one, or of
    the change.
    """
    if bool(by) == bool(text):
        raise InputError(
            "what supersedes it is either an item or a text",
            code="E-item-words",
            hint="Give one of the two: `--by ID`, or the text of the new item.",
        )
    with open_project(ports, folder, write=True, dry_run=dry_run) as at:
        found = find_item(at, wanted)
        reason = at.safe(why)
        other = find_item(at, by) if by else None
        if other:
            new_id, stated = other.id, _made_own(at, other)
        else:
            new_id, stated = _successor(at, found, _words(at, text, "the new text"), reason)
        new_shown = other.shown if other else at.short(new_id)
        if found.entry.standing == "superseded" and found.entry.because == new_id:
            return _unchanged(at, found, f"is superseded by {new_shown} already")
        _allow(at, found, "supersede")
        if other:
            _check_chain(found, other)
        data: dict[str, Value] = {"by": new_id, "reason": reason}
        said = f"{_told(found)}: superseded by {new_shown}"
        return _change(at, found, "supersede", data, said, stated, then=f"clew show {new_shown}")


def retract(ports: Ports, wanted: str, *, why: str = "", folder: Path, dry_run: bool = False) -> Outcome:
    """Take an item back: it was wrong, or should not have been recorded."""
    with open_project(ports, folder, write=True, dry_run=dry_run) as at:
        found = find_item(at, wanted)
        reason = at.safe(why)
        if found.entry.standing == "retracted" and reason in ("", found.entry.because):
            return _unchanged(at, found, "is retracted already")
        _allow(at, found, "retract")
        then = f"clew restore {found.shown}"
        return _change(at, found, "retract", {"reason": reason}, f"Retracted {_told(found)}", then=then)


def restore(ports: Ports, wanted: str, *, folder: Path, dry_run: bool = False) -> Outcome:
    """Bring back an item that was retracted, superseded or resolved."""
    with open_project(ports, folder, write=True, dry_run=dry_run) as at:
        found = find_item(at, wanted)
        if found.entry.standing == "live":
            return _unchanged(at, found, "is live")
        _allow(at, found, "restore")
        return _change(at, found, "restore", {}, f"Restored {_told(found)}")


def pin(ports: Ports, wanted: str, *, folder: Path, dry_run: bool = False) -> Outcome:
    """Pin an item: documents neither shorten it nor leave it out. An agent may pin a few short ones."""
    with open_project(ports, folder, write=True, dry_run=dry_run) as at:
        found = find_item(at, wanted)
        _allow(at, found, "pin")
        if found.entry.item.pinned:
            return _unchanged(at, found, "is pinned already")
        then = f"clew unpin {found.shown}" if at.is_person else ""
        return _change(at, found, "pin", {}, f"Pinned {_told(found)}", then=then)


def unpin(ports: Ports, wanted: str, *, folder: Path, dry_run: bool = False) -> Outcome:
    """Take a pin off. Only a person may."""
    with open_project(ports, folder, write=True, dry_run=dry_run) as at:
        found = find_item(at, wanted)
        _allow(at, found, "unpin")
        if not found.entry.item.pinned:
            return _unchanged(at, found, "is not pinned")
        return _change(at, found, "unpin", {}, f"Unpinned {_told(found)}")


def edit(ports: Ports, wanted: str, fields: Mapping[str, Value], *, folder: Path, dry_run: bool = False) -> Outcome:
    """Reword an item, or change what it holds beside its text: `fields` are those of an event `item.edited`."""
    with open_project(ports, folder, write=True, dry_run=dry_run) as at:
        said = {name: at.safe(value) if isinstance(value, str) else value for name, value in fields.items()}
        if not said or said.get("text") == "":
            hint = "Give a text or one of the options of `clew edit`."
            raise InputError("nothing to change was given", code="E-item-words", hint=hint)
        found = find_item(at, wanted)
        check_fields(found.entry.item.kind, said)
        now = {**found.entry.item._asdict(), **values(found.entry.heard)}
        if all(now.get(name) == value for name, value in said.items()):
            return _unchanged(at, found, "says so already")
        _allow(at, found, "edit")
        told = shorten(str(said.get("text", found.entry.item.text)), _SAID_CHARS)
        return _change(at, found, "edit", said, f"Edited {found.shown} ({found.entry.item.kind}): {told}")


def _made_own(at: ProjectSession, other: Found) -> list[Event]:
    """A person who puts an agent's item in the place of another says its words: nobody else changes them then."""
    item = other.entry.item
    if not at.is_person or item.provenance == "human":
        return []
    return [at.event("item.edited", {"item": item.id, "text": item.text, "was": item.text}, task=other.task)]


def _successor(at: ProjectSession, found: Found, text: str, why: str) -> tuple[str, list[Event]]:
    """The item that stands in place of another, and the events that state it: it takes over what that one was about
    and how firmly it stood, as far as that counted. The same words make the same item, so that a command that is run
    again does nothing more; where that item has ended since, they make another one.
    """
    item, speaker = found.entry.item, at.speaker
    said = (at.ledger.key.hex(), "successor", item.id, speaker.provenance, speaker.actor, text, why)
    for turn in range(len(found.others) + 1):
        new_id = f"{LETTERS[item.kind]}-{identity(*said, str(turn))}"
        there = found.others.get(new_id)
        if there is None:
            break
        if there.standing == "live" or found.entry.because == new_id:
            return new_id, []
    now = values(found.entry.heard)
    kept: dict[str, Value] = {
        "files": list(item.files),
        "owner": item.owner,
        "blocking": item.blocking,
        "locked": item.locked,
    }
    kept |= {field: now.get(field) for field in ("until", "tags", "guard", "cites")}
    data: dict[str, Value] = {"item": new_id, "kind": item.kind, "text": text, "why": why, **kept}
    given = {field: value for field, value in data.items() if value}
    events = [at.event("item.stated", given, task=found.task)]
    if item.pinned:
        events.append(at.event("item.pinned", {"item": new_id}, task=found.task))
    return new_id, events


def _change(
    at: ProjectSession,
    found: Found,
    change: Change,
    data: Mapping[str, Value],
    said: str,
    before: Iterable[Event] = (),
    *,
    then: str = "",
) -> Outcome:
    """Record what is said about an item, with what goes before it in the same batch."""
    events, now = weighed(at, found, change, data, before)
    at.keep(events)
    then = then or f"clew show {found.shown}"
    return at.outcome(said, then, events=events, shown=found.shown, item=now)


def weighed(
    at: ProjectSession, found: Found, change: Change, data: Mapping[str, Value], before: Iterable[Event] = ()
) -> tuple[list[Event], Known]:
    """The events by which a change is recorded, `before` in front, and the item as it stands then. Nothing is kept.

    Raises `NotAllowed` where the fold would ignore it, because a person's word stands against it.
    """
    full: dict[str, Value] = {"item": found.id, **data}
    # What is said stays when a better rule no longer reads the item off, and what is held when somebody rewords it.
    full["was"] = found.entry.item.text
    events = [*before, at.event(_KINDS[change], full, task=found.task)]
    folded = fold(events, found.entities)
    now = known(folded, found.extracts)[found.id]
    _check_pinned(at, found, change, now)
    if not _takes_effect(change, now, data):
        is_persons = found.entry.item.provenance == "human"
        _require_person(at, found, change, "a person said it" if is_persons else "a person has decided that before")
        at.note("Something said before carries a later time and stands: see whether the clock is right.")
    return events, now


def _check_pinned(at: ProjectSession, found: Found, change: Change, now: Known) -> None:
    """Raise `NotAllowed` if an agent's pin, or its words, would have documents hold more than agents may make them."""
    if at.is_person or not (change == "pin" or found.entry.item.pinned):
        return
    if change == "pin" and _agents_pins(found) >= AGENT_PINS_MAX:
        why = f"agents have {AGENT_PINS_MAX} pins in this task already"
        at.require_person(f"pin {found.shown} ({why})", "Ask the person you work for what is to be pinned.")
    chars, before = _chars(now), _chars(found.entry)
    if chars > AGENT_PIN_CHARS_MAX and (change == "pin" or chars > before):
        why = f"{chars} characters pinned; an agent's pin may have {AGENT_PIN_CHARS_MAX}"
        instead = "Say it in a sentence or two, or ask the person you work for."
        at.require_person(f"{change} {found.shown} ({why})", instead)


def _chars(entry: Known) -> int:
    """How much of an item stands in every document while it is pinned."""
    return len(entry.item.text) + len(entry.item.why) + len(entry.item.answer)


def _takes_effect(change: Change, now: Known, data: Mapping[str, Value]) -> bool:
    if change in ("edit", "answer"):
        fields = values(now.heard)
        return all(fields.get(name) == value for name, value in data.items())
    if change in ("pin", "unpin"):
        return now.item.pinned == (change == "pin")
    if change == "supersede":
        return (now.standing, now.because) == ("superseded", data["by"])
    return now.standing == {"resolve": "resolved", "retract": "retracted", "restore": "live"}[change]


def _unchanged(at: ProjectSession, found: Found, how: str) -> Outcome:
    said = f"{found.shown} {how}: nothing to change"
    return at.outcome(said, f"clew show {found.shown}", shown=found.shown, item=found.entry)


def _allow(at: ProjectSession, found: Found, change: Change) -> None:
    """Raise what speaks against the change: the item's own state first, then that the speaker is no person."""
    unfit, hint = _unfit(found, change)
    if unfit:
        raise _state_error(unfit, hint)
    persons = reserved(found, change)
    if persons:
        _require_person(at, found, change, persons)


def _require_person(at: ProjectSession, found: Found, change: Change, why: str) -> None:
    instead = f'Say what you think as a question (`clew ask "…"`); a person can {change} it then.'
    at.require_person(f"{change} {found.shown} ({why})", instead)


def _unfit(found: Found, change: Change) -> tuple[str, str]:
    """Why the item cannot be changed so, whoever speaks, and what to do about it; ("", "") if it can be."""
    standing, because = found.entry.standing, found.entry.because
    if standing == "redacted":
        return f"{found.shown} is redacted: its words are gone", "Note what still holds anew: `clew note`."
    if standing == "retracted" and change not in ("retract", "restore", "unpin"):
        return f"{found.shown} is retracted, so you cannot {change} it", f"First: `clew restore {found.shown}`."
    if standing == "superseded" and change not in ("retract", "restore", "unpin"):
        return (
            f"{found.shown} is superseded by {because}, so you cannot {change} it",
            f"Take that one, or bring this one back: `clew restore {found.shown}`.",
        )
    if standing == "resolved" and change == "pin" and not found.entry.item.answer:
        return f"{found.shown} is resolved: no document shows it", f"First: `clew restore {found.shown}`."
    return "", ""


def reserved(found: Found, change: Change) -> str:
    """Why only a person may make this change, as a clause; "" if nothing but a person's own word can speak against it
    (docs/authority.md).
    """
    item = found.entry.item
    if change == "unpin":
        return "a pin is a person's to take off"
    if change == "answer" or (change == "resolve" and item.kind == "question" and not item.answer):
        if item.owner:
            return f"it is for {item.owner} to answer"
        if item.blocking:
            return "it is blocking: it waits for a person's answer"
    if change in ("edit", "resolve", "supersede", "retract") and item.locked:
        return "it is locked"
    if change in ("resolve", "supersede", "retract") and item.pinned:
        return "it is pinned"
    if change in ("resolve", "restore") and found.entry.standing == "resolved" and _is_persons(found, "resolved"):
        return "a person has resolved it"
    if change in ("edit", "supersede", "retract") and item.provenance == "human":
        return "a person said it"  # or a rule read it off a person's prompt
    if change == "edit" and any(one.provenance == "human" and one.fields.get("pinned") for one in found.entity):
        return "a person pinned it"
    return ""


def _agents_pins(found: Found) -> int:
    """How many of the task's items are pinned, and by no person, and still shown."""
    return sum(
        entry.item.pinned
        and (entry.standing == "live" or (entry.standing == "resolved" and bool(entry.item.answer)))
        and not any(one.provenance == "human" and "pinned" in one.fields for one in found.entities.get(name, ()))
        for name, entry in found.others.items()
    )


def _is_persons(found: Found, field: str) -> bool:
    """Whether this field is as a person set it."""
    return any(one.provenance == "human" and field in one.fields for one in found.entity)


def _check_chain(found: Found, other: Found) -> None:
    """Raise `InputError` if `other` cannot stand in place of `found`."""
    if found.id == other.id:
        raise _state_error(f"{found.shown} cannot supersede itself", "Name another item, or give a new text.")
    if found.task != other.task:
        raise _state_error(
            f"{other.shown} belongs to another task than {found.shown}",
            "Where this one is shown, that one would not be: give a new text instead.",
        )
    if other.entry.standing in ("retracted", "redacted"):
        raise _state_error(f"{other.shown} is {other.entry.standing}", f"First: `clew restore {other.shown}`.")
    seen = {found.id}
    entry: Known | None = other.entry
    while entry is not None and entry.standing == "superseded":
        if entry.item.id in seen:
            break
        seen.add(entry.item.id)
        if entry.because == found.id:
            raise _state_error(
                f"{other.shown} is itself superseded by {found.shown}: they would go round in a circle",
                f"First: `clew restore {other.shown}`.",
            )
        entry = found.others.get(entry.because)


def _words(at: ProjectSession, text: str, what: str) -> str:
    said = at.safe(text)
    if not said:
        raise InputError(f"{what} is empty", code="E-item-words", hint="Say it in a sentence.")
    return said


def _words_of(found: Found) -> str:
    return shorten(one_line(clean(found.entry.item.text)), _SAID_CHARS)


def _told(found: Found) -> str:
    return f"{found.shown} ({found.entry.item.kind}: {_words_of(found)})"


def _a(kind: Kind) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _state_error(what: str, hint: str) -> InputError:
    return InputError(what, code="E-item-state", hint=hint)

"""What is said about an item afterwards: answered, resolved, replaced, taken back, pinned, reworded.

Whether a change is refused is decided before anything is written: what the fold would ignore is not taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import Final

from msgspec import structs

from clew.app.project.lookup import FoundItem, find_item
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import Outcome, ProjectSession
from clew.app.record.verbs import (
    VERBS,
    Change,
    adopts,
    check_fields,
    is_persons,
    is_settled,
    reserved,
    takes_effect,
    unfit,
)
from clew.core.errors import InputError, NotAllowed
from clew.core.state.events import Event, Value
from clew.core.state.fold import fold, values
from clew.core.state.ids import identity
from clew.core.state.items import LETTERS
from clew.core.state.orders import OFF_LIMITS
from clew.core.state.projection import AGENT_PIN_CHARS_MAX, AGENT_PINS_MAX, Known, known
from clew.core.text.cleaning import clean, one_line, shorten

_SAID_CHARS: Final = 80


def answer(project: ProjectHandle, wanted: str, text: str, *, seen: str = "") -> Outcome:
    """Answer a question. An agent's answer is kept as its claim, where the question waits for no person.

    `seen` is what it asked when it was put to the person who answers, "" if nobody put it.
    """
    with project.open(write=True) as at:
        found = find_item(at, wanted)
        said = _words(at, text, "the answer")
        if (kind := found.entry.item.kind) != "question":
            raise _state_error(
                f"{found.shown} is not a question but {'an' if kind[0] in 'aeiou' else 'a'} {kind}",
                f"To say that it is done: `clew resolve {found.shown}`.",
            )
        _allow(at, found, "answer", {"answer": said}, seen=seen)
        if values(found.entity).get("answer") == said and at.is_person == is_persons(found, "answer"):
            return _unchanged(at, found, VERBS["answer"].already)
        if not at.is_person:
            at.note("The answer counts as a claim until a person gives one.")
        return _change(at, found, "answer", {"answer": said}, told=f"{found.shown}: {said}")


def resolve(project: ProjectHandle, wanted: str, outcome: str = "") -> Outcome:
    """Mark an item as over: done, happened, no longer open. `outcome` is what came of it."""
    return _say(project, "resolve", wanted, outcome)


def retract(project: ProjectHandle, wanted: str, *, why: str = "") -> Outcome:
    """Take an item back: it was wrong, or should not have been recorded."""
    return _say(project, "retract", wanted, why)


def restore(project: ProjectHandle, wanted: str) -> Outcome:
    """Bring back an item that was retracted, superseded or resolved."""
    return _say(project, "restore", wanted, "")


def pin(project: ProjectHandle, wanted: str) -> Outcome:
    """Pin an item: documents neither shorten it nor leave it out. An agent may pin a few short ones."""
    return _say(project, "pin", wanted, "")


def unpin(project: ProjectHandle, wanted: str) -> Outcome:
    """Take a pin off. Only a person may."""
    return _say(project, "unpin", wanted, "")


def supersede(project: ProjectHandle, wanted: str, *, by: str = "", text: str = "", why: str = "") -> Outcome:
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
    with project.open(write=True) as at:
        other = find_item(at, by) if by else None
        found = find_item(at, wanted, beside=[other.id] if other else ())
        reason = at.safe(why)
        if other:
            new_id, stated = other.id, _made_own(at, other)
        else:
            new_id, stated = _successor(at, found, _words(at, text, "the new text"), reason)
        new_shown = other.shown if other else at.short(new_id)
        if is_settled(found, "supersede", new_id):
            return _unchanged(at, found, VERBS["supersede"].already.format(new_shown))
        if other:
            _check_chain(found, other)
        _allow(at, found, "supersede", other=other)
        data: dict[str, Value] = {"by": new_id, "reason": reason}
        done = _change(at, found, "supersede", data, stated, then=f"clew show {new_shown}")
        return structs.replace(done, said=f"{_told(found)}: superseded by {new_shown}")


def edit(project: ProjectHandle, wanted: str, fields: Mapping[str, Value]) -> Outcome:
    """Reword an item, or change what it holds beside its text: `fields` are those of an event `item.edited`."""
    with project.open(write=True) as at:
        said = {name: at.safe(value) if isinstance(value, str) else value for name, value in fields.items()}
        if not said or said.get("text") == "":
            hint = "Give a text or one of the options of `clew edit`."
            raise InputError("nothing to change was given", code="E-item-words", hint=hint)
        found = find_item(at, wanted)
        check_fields(found.entry.item.kind, said)
        now = {**found.entry.item._asdict(), **values(found.entry.heard)}
        if all(now.get(name) == value for name, value in said.items()):
            return _unchanged(at, found, VERBS["edit"].already)
        _allow(at, found, "edit", said)
        text = shorten(str(said.get("text", found.entry.item.text)), _SAID_CHARS)
        return _change(at, found, "edit", said, told=f"{found.shown} ({found.entry.item.kind}): {text}")


def make_gate(project: ProjectHandle, wanted: str, *, lift: bool = False) -> Outcome:
    """Let gates deny what a prohibition names, files and commands, of which they else only warn; or, with `lift`, only
    warn again. Raises `NotAllowed` for an agent, `InputError` for an item that names nothing.
    """
    from clew.core.gate.prohibition import Forbidden, forbidden  # here: few commands ask

    with project.open(write=True) as at:
        found = find_item(at, wanted)
        item, fields = found.entry.item, values(found.entry.heard)
        named = forbidden(item.text) if item.kind == "constraint" else Forbidden()
        if not any(named):
            raise _state_error(
                f"{found.shown} forbids no file and no command that it names",
                'Name it: `clew note file PATH --status "off limits"`, `clew reject … --guard COMMAND`.',
            )
        says, instead = f"{'lift' if lift else 'make'} a gate ({found.shown})", "Tell the person what you think."
        at.require_person("gate", says, instead, about=words_of(at, [found]))
        status = "" if lift else OFF_LIMITS
        if fields.get("status", "") == status:
            return _unchanged(at, found, VERBS["edit"].already)
        said: dict[str, Value] = {"status": status}
        if not item.is_persons and not lift:
            said["locked"] = True  # else its agent could take it back
        names = ", ".join((*named.paths, *named.commands))
        told = f"{found.shown}: {names} {'only warned of' if lift else 'denied'} from now on"
        return _change(at, found, "edit", said, told=told)


def _say(project: ProjectHandle, change: Change, wanted: str, words: str) -> Outcome:
    """A verb of one item and a few words."""
    verb = VERBS[change]
    with project.open(write=True) as at:
        found = find_item(at, wanted)
        said = at.safe(words)
        settled = is_settled(found, change, said)
        if not settled or verb.leaves is None:
            _allow(at, found, change)
        if settled:
            return _unchanged(at, found, verb.already)
        if change == "resolve" and found.entry.item.kind == "question" and not found.entry.item.answer:
            at.note(f'It has no answer: `clew answer {found.shown} "…"` gives one, and documents go on telling it.')
        may_undo = verb.undo and not (reserved(found, verb.undo) and not at.is_person)
        then = f"clew {verb.undo} {found.shown}" if may_undo else ""
        return _change(at, found, change, {verb.field: said} if verb.field else {}, then=then)


def _made_own(at: ProjectSession, other: FoundItem) -> list[Event]:
    """A person who puts an agent's item in the place of another says its words: nobody else changes them then."""
    item = other.entry.item
    if not at.is_person or item.is_persons:
        return []
    return [at.event("item.edited", {"item": item.id, "text": item.text, "was": item.text}, task=other.task)]


def _successor(at: ProjectSession, found: FoundItem, text: str, why: str) -> tuple[str, list[Event]]:
    """The item that stands in place of another, and the events that state it: it takes over what that one was about
    and how firmly it stood, as far as that counted. The same words make the same item, so that a command that is run
    again does nothing more; where that item has ended since, they make another one.
    """
    item, speaker = found.entry.item, at.speaker
    said = (at.ledger.key.hex(), "successor", item.id, speaker.provenance, speaker.actor, text, why)
    for turn in count():
        new_id = f"{LETTERS[item.kind]}-{identity(*said, str(turn))}"
        there = at.some(found.task, [new_id], found.extracts)[1].get(new_id)
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
    found: FoundItem,
    change: Change,
    data: Mapping[str, Value],
    before: Iterable[Event] = (),
    *,
    told: str = "",
    then: str = "",
) -> Outcome:
    """Record what is said about an item, with what goes before it in the same batch."""
    events, now = weighed(at, found, change, data, before)
    at.keep(events)
    said = f"{VERBS[change].past} {told or _told(found)}"
    return at.outcome(said, then or f"clew show {found.shown}", events=events, shown=found.shown, item=now)


def weighed(
    at: ProjectSession, found: FoundItem, change: Change, data: Mapping[str, Value], before: Iterable[Event] = ()
) -> tuple[list[Event], Known]:
    """The events by which a change is recorded, `before` in front, and the item as it stands then. Nothing is kept.

    Raises `NotAllowed` where the fold would ignore it, because a person's word stands against it.
    """
    full: dict[str, Value] = {"item": found.id, **data}
    # What is said stays when a better rule no longer reads the item off, and what is held when somebody rewords it.
    full["was"] = found.entry.item.text
    events = [*before, at.event(VERBS[change].event, full, task=found.task)]
    folded = fold(events, found.entities)
    now = known(folded, found.extracts)[found.id]
    _check_pinned(at, found, change, now)
    item = now.item
    if at.is_person and (item.locked or item.pinned) and item.text != data.get("text", item.text):
        raise _state_error(
            f"{found.shown} is {'locked' if item.locked else 'pinned'} in the words of {item.actor}",
            f"Lift that first: `clew edit {found.shown} --unlock`, `clew unpin {found.shown}`.",
        )
    if not takes_effect(change, now, data):
        is_persons = found.entry.item.is_persons
        _require_person(at, [found], change, "a person said it" if is_persons else "a person has decided that before")
        at.note("An earlier statement has a later time, and prevails: check the clock.")
    return events, now


def _check_pinned(at: ProjectSession, found: FoundItem, change: Change, now: Known) -> None:
    """Raise `NotAllowed` if an agent's pin, or its words, would have documents hold more than agents may make them."""
    if at.is_person or not (change == "pin" or found.entry.item.pinned):
        return
    if change == "pin" and _agents_pins(found) >= AGENT_PINS_MAX:
        why = f"agents have {AGENT_PINS_MAX} pins in this task already"
        at.require_person("item", f"pin {found.shown} ({why})", "Ask the person you work for what is to be pinned.")
    chars, before = _chars(now), _chars(found.entry)
    if chars > AGENT_PIN_CHARS_MAX and (change == "pin" or chars > before):
        why = f"{chars} characters pinned; an agent's pin may have {AGENT_PIN_CHARS_MAX}"
        instead = "Give it in a sentence or two, or ask the person you work for."
        at.require_person("item", f"{change} {found.shown} ({why})", instead)


def _chars(entry: Known) -> int:
    """How much of an item stands in every document while it is pinned."""
    return len(entry.item.text) + len(entry.item.why) + len(entry.item.answer)


def _unchanged(at: ProjectSession, found: FoundItem, already: str) -> Outcome:
    said = f"{found.shown} {already}: nothing to change"
    return at.outcome(said, f"clew show {found.shown}", shown=found.shown, item=found.entry)


def _allow(
    at: ProjectSession,
    found: FoundItem,
    change: Change,
    data: Mapping[str, Value] = MappingProxyType({}),
    *,
    other: FoundItem | None = None,
    seen: str = "",
) -> None:
    """Raise what speaks against the change: the item's own state first, then that the speaker is no person. A person
    shows it for the words of the item, and of the `other` that comes in its place, where they are a person's or become
    so by it; not for those that the person has `seen` and answered.
    """
    against, hint = unfit(found, change)
    if against:
        raise _state_error(against, hint)
    both = [found, other] if other else [found]
    persons = reserved(found, change)
    is_others = adopts(found, change, data) or (other is not None and not other.entry.item.is_persons)
    if seen and seen != found.entry.item.text:
        raise NotAllowed(
            f"{found.shown} was reworded since it was put",
            code="E-deed-changed",
            hint=f"`clew show {found.shown}` shows its current state.",
        )
    if persons or (is_others and at.is_person):
        deed, why = ("item", persons) if persons else ("words", "somebody else worded it")
        _require_person(at, both, change, why, deed=deed, code=not seen)
        if persons and seen:  # once a command, however many are put: each was read where it was answered
            at.require_person(deed, f"{change} {found.shown} ({why})")


def _require_person(
    at: ProjectSession, both: Sequence[FoundItem], change: Change, why: str, *, deed: str = "item", code: bool = True
) -> None:
    instead = f'Say what you think as a question (`clew ask "…"`); a person can {change} it then.'
    at.require_person(deed, f"{change} {both[0].shown} ({why})", instead, about=words_of(at, both), code=code)


def words_of(at: ProjectSession, found: Sequence[FoundItem]) -> Callable[[], str]:
    """What items say: as they were found at the first call, and as the ledger has them now from then on."""
    first = iter(["\n".join(map(_whole, found))])
    return lambda: next(first, None) or "\n".join(_whole(find_item(at, one.id)) for one in found)


def _whole(found: FoundItem) -> str:
    item, standing = found.entry.item, found.entry.standing
    told = [f"{found.shown} ({item.kind}, {standing}): {item.text}"]
    for name, said in (("why", item.why), ("answer", item.answer), ("files", ", ".join(item.files))):
        told += [f"  {name}: {line}" for line in said.split("\n") if said]
    return "\n".join(told)


def _agents_pins(found: FoundItem) -> int:
    """How many of the task's items are pinned, and by no person, and still shown."""
    return sum(
        entry.item.pinned
        and (entry.standing == "live" or (entry.standing == "resolved" and bool(entry.item.answer)))
        and not any(one.provenance == "human" and "pinned" in one.fields for one in found.entities.get(name, ()))
        for name, entry in found.others.items()
    )


def _check_chain(found: FoundItem, other: FoundItem) -> None:
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


def _told(found: FoundItem) -> str:
    item = found.entry.item
    return f"{found.shown} ({item.kind}: {shorten(one_line(clean(item.text)), _SAID_CHARS)})"


def _state_error(what: str, hint: str) -> InputError:
    return InputError(what, code="E-item-state", hint=hint)

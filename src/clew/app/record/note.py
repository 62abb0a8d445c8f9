"""Notes: items that somebody states on purpose. The same note twice is one item."""

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.project.lasting import extracts_of
from clew.app.project.opening import ProjectHandle
from clew.app.project.reading import find_task, newest_first
from clew.app.project.session import Outcome, ProjectSession
from clew.app.record.cited import cited_place, files_missing, lines_missing
from clew.app.record.verbs import NOTED, STATUSES, check_fields
from clew.core.errors import InputError
from clew.core.gate.guards import guard_of, told
from clew.core.state.events import Value
from clew.core.state.extract import Extract
from clew.core.state.fold import Entities, fold, values
from clew.core.state.ids import identity
from clew.core.state.items import LETTERS, Kind
from clew.core.state.projection import NOWHERE, Known, kind_of_id, known
from clew.core.text.cleaning import clean, one_line, shorten
from clew.ledger.redaction import REDACTED

# There is one of them at a time: a new one takes the place of the one before.
_SINGLE: Final = frozenset(("goal", "next"))
_SAID_CHARS: Final = 80
# What is sent again was mostly noted a moment ago.
_LOOK_BACK: Final = 4


class NewNote(NamedTuple):
    """What is to be noted. `text` may have more than one line: the first is the item's, the others join its reason.

    `files` are PATH or PATH:LINE or PATH:FIRST-LAST, relative to the folder that one stands in; of a `file` the text is
    one, too. `task` is a task's id or title (None: the one that is bound here; "" none). `key`: with the same key the
    same note is kept once, whatever became of it since. Other fields: `app.fields`.
    """

    kind: Kind
    text: str
    why: str = ""
    files: tuple[str, ...] = ()
    owner: str = ""
    blocking: bool = False
    locked: bool = False
    until: str = ""
    tags: tuple[str, ...] = ()
    guard: tuple[str, ...] = ()
    status: str = ""
    task: str | None = None
    key: str = ""


def note(project: ProjectHandle, wanted: NewNote) -> Outcome:
    """Keep a note, and let it take the place of the goal or next action before it.

    Raises `InputError` for a field that the kind does not hold, a path outside the work tree, a key that another
    note has; `NotFound` for an unknown task or where no ledger is kept.
    """
    if wanted.kind not in NOTED:
        raise InputError(
            f"a {wanted.kind} is not noted: sessions tell it",
            code="E-item-field",
            hint=f"What is noted: {', '.join(NOTED)}.",
        )
    with project.open(write=True) as at:
        task = _task(at, wanted)
        data = _data(at, wanted, project.folder, project.ports.environment)
        extracts = [] if _is_new(at, wanted, task, data) else extracts_of(at, task)
        item, is_there = _identity(at, wanted, task, data, extracts)
        beside = _of_kind(at, wanted.kind, task, extracts) if wanted.kind in _SINGLE else ()
        entities, before = at.some(task, {item, *beside}, extracts)
        shown = at.short(item)
        if is_there:
            return _confirmed(at, task, before[item], shown, data, entities)
        events = [at.event("item.stated", {"item": item, **data}, task=task, key=f"note:{item}")]
        replaced = _replaced(at, wanted.kind, before) if wanted.kind in _SINGLE else []
        for entry in replaced:
            told = {"item": entry.item.id, "by": item, "reason": ""}
            events.append(at.event("item.superseded", told, task=task, key=f"note:{item}:{entry.item.id}"))
        at.keep(events)
        if wanted.key:
            _check_key(at, wanted, task, item, data)  # another process may have been first
        _warn(at, wanted, data)
        if wanted.kind == "question":
            _tell_same(at, task, item, str(data["text"]))
        now = known(fold(events, entities), extracts)[item]
        short = at.ledger.shortest([item, *(entry.item.id for entry in replaced)])
        about = f"{wanted.kind} for {data['owner']}" if data.get("owner") else wanted.kind
        text, why = now.item.text, now.item.why
        if wanted.kind == "file" and why.startswith("lines "):
            text += f", {why.partition(';')[0]}"
        said = f"Noted {short[item]} ({about}): {shorten(text, _SAID_CHARS)}"
        if replaced:
            said += f"; it takes the place of {', '.join(short[entry.item.id] for entry in replaced)}"
        return at.outcome(said, f"clew show {short[item]}", events=events, shown=short[item], item=now)


def _confirmed(
    at: ProjectSession, task: str, entry: Known, shown: str, data: Mapping[str, Value], entities: Entities
) -> Outcome:
    """The same was noted before: nothing is new but perhaps the contents of the files that it speaks of."""
    item = entry.item.id
    events = []
    if "cites" in data and values(entities[item]).get("cites") != data["cites"] and entry.standing == "live":
        events = [at.event("item.edited", {"item": item, "cites": data["cites"]}, task=task)]
        at.keep(events)
    said = f"{shown} says so already: " + ("it holds for its files as they are now" if events else "nothing to change")
    return at.outcome(said, f"clew show {shown}", events=events, shown=shown, item=entry)


def _task(at: ProjectSession, wanted: NewNote) -> str:
    if wanted.task is not None:
        return find_task(at, wanted.task).id if wanted.task else ""
    bound = at.task()
    if not bound and at.chosen is None and any(task.status == "open" for task in at.tasks()):
        at.note("It belongs to no task: none is bound to this work tree and branch (`clew task bind`, or --task).")
    return bound


def _data(at: ProjectSession, wanted: NewNote, folder: Path, environment: Mapping[str, str]) -> dict[str, Value]:
    """What the item holds, redacted: the data of its event but for its id."""
    first, _, rest = clean(wanted.text).strip().partition("\n")
    why = "\n".join(part for part in (clean(wanted.why).strip(), rest.strip()) if part)
    text = first
    location = at.location
    places = [cited_place(location, folder, name) for name in wanted.files]
    if wanted.kind == "file" and first:
        about = cited_place(location, folder, first)
        places.insert(0, about)
        text = about.path
        why = "; ".join(part for part in (f"lines {about.lines}" if about.lines else "", why) if part)
    missing = files_missing(location, places, environment)
    for one in places:
        if said := missing.get(one) or lines_missing(location, one):
            at.note(at.redact(said))
    # A range of lines is told in the words: the files of an item are those that are compared.
    told = [one.told for one in places if one.lines and wanted.kind != "file" and one.told not in text]
    text = at.safe(f"{text} ({', '.join(told)})" if told else text)
    if not text:
        raise InputError(
            "the note has no text", code="E-item-words", hint='Give it in a sentence: `clew note KIND "…"`.'
        )
    status = wanted.status or (STATUSES[wanted.kind][0] if wanted.kind in STATUSES else "")
    fields: dict[str, Value] = {
        "why": at.safe_lines(why),
        "files": list(dict.fromkeys(one.path for one in places)),
        "cites": list(dict.fromkeys(one.cite for one in places)),
        "owner": at.safe(wanted.owner),
        "blocking": wanted.blocking,
        "locked": wanted.locked,
        "until": at.safe(wanted.until),
        "tags": [tag.upper() for tag in wanted.tags],
        "guard": [at.safe(pattern) for pattern in wanted.guard],
        "status": status,
    }
    given = {name: value for name, value in fields.items() if value}
    check_fields(wanted.kind, {"text": text, **given})
    return {"kind": wanted.kind, "text": text, **given}


def _identity(
    at: ProjectSession, wanted: NewNote, task: str, data: Mapping[str, Value], extracts: Sequence[Extract]
) -> tuple[str, bool]:
    """The id that this note has, and whether it exists already.

    The id follows from what is said by whom, under the ledger's key, so that two processes that note the same at once
    make one item. What was said, ended, and is said again is another item.
    """
    if wanted.key:
        name = identity("key", *_who(at, task), wanted.key)
        entities, before = at.some(task, [f"{letter}-{name}" for letter in LETTERS.values()], extracts)
        same = next((one for one in entities if one.partition("-")[2] == name), "")
        if same:
            _check_key(at, wanted, task, same, data)
        return same or f"{LETTERS[wanted.kind]}-{name}", bool(same and same in before)
    item, entry = "", None
    for time in count():
        item = _said_id(at, wanted.kind, task, data, time)
        entry = at.some(task, [item], extracts)[1].get(item)
        if entry is None or entry.standing == "live":
            break
    return item, entry is not None


def _is_new(at: ProjectSession, wanted: NewNote, task: str, data: Mapping[str, Value]) -> bool:
    """Whether nobody said this before, and it takes the place of nothing: then no session has to do with it."""
    if wanted.key or wanted.kind in _SINGLE:
        return False
    first = _said_id(at, wanted.kind, task, data, 0)
    return not any(at.ledger.fold_of(one, [first]) for one in ("", task))


def _said_id(at: ProjectSession, kind: Kind, task: str, data: Mapping[str, Value], time: int) -> str:
    """The id of what is said so for the first `time` (0), or again after it ended."""
    said = [f"{field}={value!r}" for field, value in sorted(data.items()) if field != "cites"]
    return f"{LETTERS[kind]}-{identity('note', *_who(at, task), str(time), *said)}"


def _who(at: ProjectSession, task: str) -> tuple[str, ...]:
    return at.ledger.key.hex(), task, at.speaker.provenance, at.speaker.actor


def _of_kind(at: ProjectSession, kind: Kind, task: str, extracts: Sequence[Extract]) -> list[str]:
    """The stated items of a kind."""
    found = at.part(task, extracts, lambda sort: None if sort.kind == kind else 0)
    return [name for name in found.entities if kind_of_id(name) == kind]


def _check_key(at: ProjectSession, wanted: NewNote, task: str, item: str, data: Mapping[str, Value]) -> None:
    """Raise `InputError` if the item that has this note's key was stated in other words; whatever was said of it since.
    Words that were redacted cannot be compared.
    """
    stated = (one.event.data for one in newest_first(at.ledger, ("item.stated",), task=task, step=_LOOK_BACK))
    first = next((one for one in stated if one.get("item") == item), data)
    if any(first.get(field) != data[field] and REDACTED not in str(first.get(field)) for field in ("kind", "text")):
        raise InputError(
            f"the key {one_line(clean(wanted.key))} belongs to another note: {at.short(item)}",
            code="E-note-key",
            hint="Give each note a key of its own, or none.",
        )


def _tell_same(at: ProjectSession, task: str, item: str, text: str) -> None:
    """Tell of an open question in the same words: another owner, or another reason, made this one a second."""
    extracts = at.ledger.extracts(task=task)
    for name, one in at.some(task, _of_kind(at, "question", task, extracts), extracts)[1].items():
        is_open = one.item.kind == "question" and one.standing == "live" and not one.item.answer
        if is_open and name != item and one.item.text.casefold() == text.casefold():
            at.note(f"{at.short(name)} asks the same and is open: `clew retract` takes one of the two back.")


def _replaced(at: ProjectSession, kind: Kind, before: Mapping[str, Known]) -> list[Known]:
    """Stated items of a kind of which there is one at a time. What is a person's an agent leaves where it is."""
    found = []
    for entry in before.values():
        item = entry.item
        if item.kind != kind or item.place.at != NOWHERE or entry.standing != "live":
            continue
        if not at.is_person and (item.is_persons or item.pinned):
            shown = at.short(item.id)
            why = "a person said it" if item.is_persons else "it is pinned"
            at.note(f"{shown} stays beside it: {why}.")
        else:
            found.append(entry)
    return found


def _warn(at: ProjectSession, wanted: NewNote, data: Mapping[str, Value]) -> None:
    patterns = data.get("guard")
    for pattern in patterns if isinstance(patterns, list) else ():
        at.note(f"The guard covers {told(guard_of(pattern))}.")
    if wanted.kind == "failed" and not data.get("why"):
        at.note("Without a reason (--why) nobody can tell later whether it would still fail.")

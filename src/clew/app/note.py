"""Notes: items that somebody states on purpose. The same note twice is one item."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.desk import Desk, Spot
from clew.app.fields import NOTED, STATUSES, check_fields
from clew.app.ports import Ports
from clew.app.recording import Outcome, Recorder, recorder
from clew.app.task import find_task
from clew.core.errors import InputError
from clew.core.events import Value
from clew.core.fold import Entities, fold, values
from clew.core.ids import identity
from clew.core.items import LETTERS, Kind
from clew.core.text import clean, one_line, shorten
from clew.core.view import NOWHERE, Known, known

# There is one of them at a time: a new one takes the place of the one before.
_SINGLE: Final = frozenset(("goal", "next"))
_SAID_CHARS: Final = 80
# A file of this size is cited by name only.
_FINGERPRINT_BYTES_MAX: Final = 64 << 20


class Note(NamedTuple):
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


def note(ports: Ports, wanted: Note, *, folder: Path, dry_run: bool = False) -> Outcome:
    """Keep a note, and let it take the place of the goal or next action before it.

    Raises `InputError` for a field that the kind does not hold, a path outside of the work tree, a key that another
    note has; `NotFound` for an unknown task or where no ledger is kept.
    """
    if wanted.kind not in NOTED:
        raise InputError(
            f"a {wanted.kind} is not noted: sessions tell it",
            code="E-item-field",
            hint=f"What is noted: {', '.join(NOTED)}.",
        )
    with recorder(ports, folder, dry_run=dry_run) as at:
        task = _task(at, wanted)
        data = _data(at, wanted, folder)
        entities = at.desk.ledger.fold(task).entities
        extracts = at.desk.ledger.extracts(task=task)
        before = known(entities, extracts)
        item, is_there = _identity(at.desk, wanted, task, data, entities, before)
        shown = at.desk.ledger.shortest([item])[item]
        if is_there:
            return _confirmed(at, task, before[item], shown, data, entities)
        events = [at.event("item.stated", {"item": item, **data}, task=task, key=f"note:{item}")]
        replaced = _replaced(at, wanted.kind, before) if wanted.kind in _SINGLE else []
        for entry in replaced:
            told = {"item": entry.item.id, "by": item, "reason": ""}
            events.append(at.event("item.superseded", told, task=task, key=f"note:{item}:{entry.item.id}"))
        at.keep(events)
        _warn(at, wanted, data)
        now = known(fold(events, entities), extracts)[item]
        short = at.desk.ledger.shortest([item, *(entry.item.id for entry in replaced)])
        said = f"Noted {short[item]} ({wanted.kind}): {shorten(now.item.text, _SAID_CHARS)}"
        if replaced:
            said += f"; it takes the place of {', '.join(short[entry.item.id] for entry in replaced)}"
        return at.outcome(said, f"clew show {short[item]}", events=events, shown=short[item], item=now)


def _confirmed(
    at: Recorder, task: str, entry: Known, shown: str, data: Mapping[str, Value], entities: Entities
) -> Outcome:
    """The same was noted before: nothing is new but perhaps the contents of the files that it speaks of."""
    item = entry.item.id
    events = []
    if "cites" in data and values(entities[item]).get("cites") != data["cites"] and entry.standing == "live":
        events = [at.event("item.edited", {"item": item, "cites": data["cites"]}, task=task)]
        at.keep(events)
    said = f"{shown} says so already: " + ("it holds for its files as they are now" if events else "nothing to change")
    return at.outcome(said, f"clew show {shown}", events=events, shown=shown, item=entry)


def _task(at: Recorder, wanted: Note) -> str:
    if wanted.task is not None:
        return find_task(at.desk, wanted.task).id if wanted.task else ""
    bound = at.desk.task()
    if not bound and at.desk.chosen is None and any(task.status == "open" for task in at.desk.tasks()):
        at.note("It belongs to no task: none is bound to this work tree and branch (`clew task bind`, or --task).")
    return bound


def _data(at: Recorder, wanted: Note, folder: Path) -> dict[str, Value]:
    """What the item holds, redacted: the data of its event but for its id."""
    first, _, rest = clean(wanted.text).strip().partition("\n")
    why = "\n".join(part for part in (clean(wanted.why).strip(), rest.strip()) if part)
    text = first
    spot = at.desk.spot
    places = [place_of(spot, folder, name) for name in wanted.files]
    if wanted.kind == "file" and first:
        about = place_of(spot, folder, first)
        places.insert(0, about)
        text = about.path
        why = "; ".join(part for part in (f"lines {about.lines}" if about.lines else "", why) if part)
    # A range of lines is told in the words: the files of an item are those that are compared.
    told = [one.told for one in places if one.lines and wanted.kind != "file" and one.told not in text]
    text = at.safe(f"{text} ({', '.join(told)})" if told else text)
    if not text:
        raise InputError(
            "the note has no text", code="E-item-words", hint='Say it in a sentence: `clew note KIND "…"`.'
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
    at: Desk, wanted: Note, task: str, data: Mapping[str, Value], entities: Entities, before: Mapping[str, Known]
) -> tuple[str, bool]:
    """The id that this note has, and whether it is there already.

    The id follows from what is said by whom, under the ledger's key, so that two processes that note the same at once
    make one item. What was said, ended, and is said again is another item.
    """
    speaker = at.writer.speaker
    who = (at.ledger.key.hex(), task, speaker.provenance, speaker.actor)
    if wanted.key:
        name = identity("key", *who, wanted.key)
        same = next((one for one in entities if one.partition("-")[2] == name), "")
        if same and any(values(entities[same]).get(field) != data[field] for field in ("kind", "text")):
            raise InputError(
                f"the key {one_line(clean(wanted.key))} belongs to another note: {at.ledger.shortest([same])[same]}",
                code="E-note-key",
                hint="Give each note a key of its own, or none.",
            )
        return same or f"{LETTERS[wanted.kind]}-{name}", bool(same and same in before)
    said = [f"{field}={value!r}" for field, value in sorted(data.items()) if field != "cites"]
    for time in range(len(before) + 1):
        item = f"{LETTERS[wanted.kind]}-{identity('note', *who, str(time), *said)}"
        if item not in before or before[item].standing == "live":
            return item, item in before
    raise AssertionError("more items than there are")


def _replaced(at: Recorder, kind: Kind, before: Mapping[str, Known]) -> list[Known]:
    """Stated items of a kind of which there is one at a time. What is a person's an agent leaves where it is."""
    found = []
    for entry in before.values():
        item = entry.item
        if item.kind != kind or item.place.at != NOWHERE or entry.standing != "live":
            continue
        if not at.is_person and (item.provenance == "human" or item.pinned):
            shown = at.desk.ledger.shortest([item.id])[item.id]
            why = "a person said it" if item.provenance == "human" else "it is pinned"
            at.note(f"{shown} stays beside it: {why}.")
        else:
            found.append(entry)
    return found


def _warn(at: Recorder, wanted: Note, data: Mapping[str, Value]) -> None:
    if wanted.kind == "failed" and not data.get("why"):
        at.note("Without a reason (--why) nobody can tell later whether it would still fail.")


class Place(NamedTuple):
    """A file as an item cites it: its path relative to the root, lines ("" all), and its blob id ("" not there)."""

    path: str
    lines: str
    blob: str

    @property
    def told(self) -> str:
        """As people write it: `src/a.py:10-20`."""
        return f"{self.path}:{self.lines}" if self.lines else self.path

    @property
    def cite(self) -> str:
        """As an event keeps it: `BLOB PATH`."""
        return f"{self.blob} {self.path}"


def place_of(spot: Spot, folder: Path, name: str) -> Place:
    """The file that `name` (PATH, PATH:LINE or PATH:FIRST-LAST, relative to `folder`) is. It need not exist.

    Raises `InputError` where it is outside of the work tree, or is no path that can be kept.
    """
    root = spot.root
    path, lines = _parted(folder, name) if name == clean(name) else ("", "")
    place = Path(os.path.normpath(folder / path)) if path else root
    if not place.is_relative_to(root):  # one of the two may lead through a link
        place = Path(os.path.realpath(place.parent)) / place.name
    if not place.is_relative_to(root) or place == root or place.parts[len(root.parts)] == ".git":
        raise InputError(
            f"{clean(name) or 'an empty name'} is no file of {root}",
            code="E-path-outside",
            hint="Files are kept relative to the top of the work tree: name one in it, or leave --file out.",
        )
    from clew.workspace.fingerprint import fingerprint

    commit = spot.head.commit if spot.head else ""
    algorithm = "sha256" if len(commit) == 64 else "sha1"
    found = fingerprint(str(place), algorithm=algorithm, limit_bytes=_FINGERPRINT_BYTES_MAX)  # type: ignore[arg-type]
    return Place(place.relative_to(root).as_posix(), lines, found.blob if found else "")


def _parted(folder: Path, name: str) -> tuple[str, str]:
    """A name as path and lines. A file may be called so: then that is its name."""
    path, colon, lines = name.rpartition(":")
    first, dash, last = lines.partition("-")
    is_range = first.isdigit() and (last.isdigit() if dash else not last)
    if not (path and colon and is_range and lines.isascii()) or os.path.lexists(folder / name):
        return name, ""
    if int(first) < 1 or (dash and int(last) < int(first)):
        raise InputError(
            f"{clean(lines)} are no lines", code="E-item-field", hint="Lines count from 1: PATH:12 or PATH:12-20."
        )
    return path, lines

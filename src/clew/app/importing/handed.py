"""A session's record that somebody hands in: taken into the ledger like one that a client left here.

It counts for less. Anybody can have written the file, so nothing in it is anybody's word, and whoever has the session's
own record here replaces it by reading that.
"""

from __future__ import annotations

from collections.abc import Collection
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from clew.app.importing.documents import Did, ImportedDocument, ImportedEntry, ImportedFiles, task_meant
from clew.app.intake.find import reader_for, unreadable
from clew.app.intake.sessions import kept
from clew.app.intake.source import found_from, is_special
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.project.redaction import redacted_name
from clew.app.project.session import ProjectSession
from clew.app.project.tombstones import forgetting, obeyed, tombstones
from clew.app.tasks.words import words_along
from clew.clients.places import file_of
from clew.clients.port import Reader
from clew.core.errors import InputError
from clew.core.state.events import timestamp
from clew.core.state.extract import Extract
from clew.core.state.items import Item, Provenance
from clew.distill.version import RULES_VERSION
from clew.ledger.portable import lower_extract
from clew.sessions.capture import captured, gather
from clew.workspace.repository import top_of

_NOBODYS: Final[Provenance] = "unattributed"
_TRIES: Final = 3


def is_session(ports: Ports, file: Path) -> bool:
    """Whether the file (or the address in one) is a session's record, by its content; False where it cannot be read."""
    try:
        return not is_special(file_of(file)) and ports.readers.of(file) is not None
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return False


def take_session_in(project: ProjectHandle, file: Path, *, name: str = "", task: str | None = None) -> ImportedFiles:
    """Take what the session in `file`, called `name` or as it is found from the project's root, holds into the ledger:
    for the task with this id or title (None: the one bound here, "" none). Twice is once; a record that went on
    replaces what was imported of it.

    Raises `NotFound` for an unknown task or where no ledger is kept, `InputError` for what cannot be read or holds
    nothing, `LedgerError`.
    """
    reader = reader_for(file, project.ports.readers)
    with project.open(write=True) as at:
        named = task_meant(at, task)
        name = name or found_from(at.location.root, file)
        for _ in range(_TRIES):  # somebody may redact meanwhile
            upto = at.ledger.position()
            extract, lines = _read(project.ports, at, file, reader, name, named)
            before = at.ledger.extracts(session=extract.origin.session)
            known = {item.id for one in before for item in one.items}
            own = any(not one.is_foreign for one in before)
            along = [event for one in before if one.task != named for event in words_along(at, one, named)]
            is_new = not own and at.take_in(extract, unless_redacted_after=upto, along=along)
            if is_new or at.ledger.position() == upto:
                break
        if own:
            at.note(f"Session {extract.origin.session} was read here from its client's own record, which stays.")
        new = {item.id for item in extract.items} - known if is_new else set()
        shown = at.ledger.shortest([item.id for item in extract.items])
        entries = (_entry(item, line, new, shown) for item, line in zip(extract.items, lines, strict=True))
        origin = extract.origin
        document = ImportedDocument(
            name,
            encoding="UTF-8",
            format=reader.name,
            session=origin.session,
            date=origin.last_time[:10],
            entries=tuple(sorted(entries, key=lambda one: one.line)),
        )
        return ImportedFiles(project.dry_run, at.task_row(named), False, (document,), at.outcome("").notes)


def _read(
    ports: Ports, at: ProjectSession, file: Path, reader: Reader, name: str, task: str
) -> tuple[Extract, list[int]]:
    """What the session holds, as the word of nobody, and the line that each item stands in: it is its source, since
    nobody finds the file by the session's id.
    """
    ledger = at.ledger
    stones = tombstones(ledger, at.location.peer_keys)
    redact = forgetting(ports.redactor(ledger.key), stones)
    try:
        gathered = gather(file, reader, redact=redact)
        found = captured(gathered, client=reader.name, root_of=top_of)
        items = obeyed(map(kept, found.state.items), stones)
        lines = _lines(file, reader, items)
    except OSError as error:
        raise unreadable(file, error) from error
    if not items:
        raise InputError(
            f"nothing in {file} is worth keeping",
            code="E-session-empty",
            hint=f"{found.facts.records} records were read: no request, no work, no result. Name another session file.",
        )
    name = redacted_name(name, redact)
    items = tuple(item._replace(source=f"{name}:{line}") for item, line in zip(items, lines, strict=True))
    origin = found.state.origin
    origin = origin._replace(cwd=redacted_name(origin.cwd, redact))
    digest = blake2b(msgspec.json.encode(items), digest_size=16).hexdigest()
    extract = Extract(origin, task, origin.cwd, RULES_VERSION, gathered.size, digest, items)
    return lower_extract(extract, _NOBODYS, timestamp(ports.now_ms())), lines


def _lines(file: Path, reader: Reader, items: tuple[Item, ...]) -> list[int]:
    """The line of each item's place, from 1."""
    places = sorted({item.place.at for item in items})
    numbers: dict[int, int] = {}
    count, at = 1, 0
    with reader.open(file) as record:
        for place in places:
            count += record.read(place - at).count(b"\n")
            numbers[place], at = count, place
    return [numbers[item.place.at] for item in items]


def _entry(item: Item, line: int, new: Collection[str], shown: dict[str, str]) -> ImportedEntry:
    did: Did = "new" if item.id in new else "known"
    return ImportedEntry(line, line, item.kind, item.status, item.text, did, "", item.id, shown.get(item.id, ""))

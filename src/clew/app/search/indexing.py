"""Gathering: what is new since the index was last brought up to date is put into it. Work grows with what was appended.

Of a session file that grew only the new lines are read; one that is another file now is read anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

from clew.app.intake.find import reader_at
from clew.app.intake.intake_redaction import RecordRedactor
from clew.app.ports import Ports
from clew.app.project import ProjectSession
from clew.app.search.index import Passage, SearchIndex, Source
from clew.app.search.turns import turns
from clew.clients.files import read_file
from clew.clients.places import opened, size_of
from clew.clients.port import Transcript
from clew.core.errors import ClewError
from clew.core.records.transcript import Batch, Call, Context, Prompt, Record, Reply, Summary
from clew.core.state.draft import LETTER
from clew.core.state.projection import Known
from clew.core.text.charset import decode
from clew.workspace.repository import find, resolved

_PRINT_BYTES: Final = 1024
_DOCUMENT_BYTES_MAX: Final = 1 << 20
_SECTION_CHARS: Final = 6_000


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was done: `sessions` were read (in part), `passages` were added; `unread` are files that cannot be."""

    sessions: int = 0
    passages: int = 0
    unread: tuple[Path, ...] = ()


def gather_sessions(
    ports: Ports,
    index: SearchIndex,
    found: Iterable[Transcript],
    *,
    redactor: Callable[[str], Callable[[str], str]],
    tell: Callable[[int], None] = lambda _: None,
) -> Gathered:
    """Put what the session files `found` hold beyond what the index knows into it.

    `redactor` gives what redacts the texts of a session that ran in a folder. `tell` hears after each file how many
    were looked at. Session files that are gone stay in the index: what was said is still found.
    """
    known = index.sources("session")
    sessions = passages = 0
    unread: list[Path] = []
    for number, item in enumerate(found, start=1):
        before = known.get(str(item.path))
        if before is None or not before.print.startswith(f"{item.size} "):
            try:
                added = _gather(ports, index, item, before, redactor)
            except (OSError, ClewError):  # its ledger too: what a person redacted there must stay away
                unread.append(item.path)
            else:
                sessions += 1
                passages += added
        tell(number)
    return Gathered(sessions, passages, tuple(unread))


def _gather(
    ports: Ports,
    index: SearchIndex,
    item: Transcript,
    before: Source | None,
    redactor: Callable[[str], Callable[[str], str]],
) -> int:
    reader = reader_at(item.path, ports.readers, client=item.client)
    if reader is None:
        return 0
    goes_on = before is not None and reader.grows and _goes_on(before, item.path)
    start = before.read if before is not None and goes_on else 0
    reading = _Reading(redactor, start)
    found = list(turns(reading.records(read_file(item.path, reader, start))))
    source = Source(
        address=str(item.path),
        sort="session",
        project=top_of(reading.cwd) if reading.cwd else before.project if before is not None else "",
        client=item.client,
        session=ports.redact(item.session),
        branch=reading.branch or (before.branch if before is not None else ""),
        read=reading.offset,
        print=f"{item.size} {_print(item.path)}",
    )
    return index.put(source, found, anew=not goes_on)


@cache
def top_of(folder: str) -> str:
    """The top of the work tree that a folder is in; the folder itself outside of git, or where it is gone."""
    repository = find(Path(folder)) if Path(folder).is_dir() else None
    return str(repository.top if repository is not None else resolved(Path(folder)))


class _Reading:
    """Records made safe on their way. `offset` is where the last whole line ends, `cwd` and `branch` are the latest."""

    def __init__(self, redactor: Callable[[str], Callable[[str], str]], start: int) -> None:
        self._redactor = redactor
        self._safe: RecordRedactor | None = None
        self.offset = start
        self.cwd = self.branch = ""

    def records(self, batches: Iterable[Batch]) -> Iterator[Record]:
        for batch in batches:
            self.offset = batch.offset
            for record in batch.records:
                if isinstance(record, Context):
                    self.cwd = record.cwd or self.cwd
                    self.branch = self._redacted.name(record.branch) or self.branch
                elif isinstance(record, (Prompt, Reply, Summary, Call)):
                    yield self._redacted.record(record)

    @property
    def _redacted(self) -> RecordRedactor:
        """Which words a person redacted, the ledger of the folder knows: so it is asked when that is known."""
        if self._safe is None:
            self._safe = RecordRedactor(self._redactor(self.cwd))
        return self._safe


def _print(path: Path) -> str:
    """What tells that a file is still the same one: a digest of its beginning, and how long that was."""
    with opened(path) as file:
        head = file.read(_PRINT_BYTES)
    return f"{len(head)} {blake2b(head, digest_size=12).hexdigest()}"


def _goes_on(before: Source, path: Path) -> bool:
    """Whether a file is still the one that was read, and no shorter."""
    _, length, digest = before.print.split(" ")
    with opened(path) as file:
        head = file.read(int(length))
    return size_of(path) >= before.read and blake2b(head, digest_size=12).hexdigest() == digest


def gather_ledger(at: ProjectSession, index: SearchIndex) -> int:
    """Put the project's items into the index, where the ledger changed since: how many passages were added."""
    address, mark = str(at.location.ledger), f"{at.ledger.position()}"
    before = index.sources("item").get(address)
    if before is not None and before.print == mark:
        return 0
    tasks = ["", *(one.id for one in at.tasks())]
    passages: dict[str, Passage] = {}
    for task in tasks:
        for name, entry in at.known(task).items():
            if entry.standing != "superseded" or not entry.because.startswith(f"{LETTER}-"):  # by a corrected draft
                passages.setdefault(name, _item(entry, task))
    source = Source(address, "item", str(at.location.root), branch="", print=mark)
    return index.put(source, passages.values(), anew=True)


def _item(entry: Known, task: str) -> Passage:
    item = entry.item
    return Passage(
        title=item.text,
        body="\n".join(filter(None, (item.why, item.answer))),
        names="\n".join(item.files),
        time=item.time,
        kind=item.kind,
        item=item.id,
        task=task,
        standing="" if entry.standing == "live" else entry.standing,
    )


def gather_documents(index: SearchIndex, root: Path, files: Iterable[Path], redact: Callable[[str], str]) -> int:
    """Put Markdown files into the index, a passage a section, where they changed: how many passages were added."""
    known = {name: one for name, one in index.sources("document").items() if one.project == str(root)}
    added, met = 0, set()
    for path in files:
        try:
            with path.open("rb") as file:
                data = file.read(_DOCUMENT_BYTES_MAX)
        except OSError:
            continue
        met.add(str(path))
        mark = blake2b(data, digest_size=12).hexdigest()
        before = known.get(str(path))
        if before is not None and before.print == mark:
            continue
        text = redact(decode(data).text)
        source = Source(str(path), "document", str(root), read=len(data), print=mark)
        added += index.put(source, _sections(text), anew=True)
    index.forget(set(known) - met)
    return added


def _sections(text: str) -> Iterator[Passage]:
    """The sections of a Markdown text: a heading and what is below it; `at` is the line, from 1, where it begins."""
    title, first, size = "", 1, 0
    body: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        is_heading = line.startswith("#") and line.lstrip("#").startswith(" ")
        if is_heading or size > _SECTION_CHARS:
            if title or any(map(str.strip, body)):
                yield Passage(title, "\n".join(body), at=first, kind="document")
            title, first, body, size = (line.lstrip("# ") if is_heading else title), number, [], 0
        if not is_heading:
            body.append(line)
            size += len(line)
    if title or any(map(str.strip, body)):
        yield Passage(title, "\n".join(body), at=first, kind="document")

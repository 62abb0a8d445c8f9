"""Gathering: what is new since the index was last brought up to date is put into it. Work grows with what was appended.

Of a session file that grew only the new lines are read; one that is another file now is read anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

from clew.app.intake.find import project_of, reader_at
from clew.app.ports import Ports
from clew.app.project import ProjectSession
from clew.app.search.index import Passage, SearchIndex, SearchSource
from clew.clients.port import Transcript
from clew.core.errors import ClewError
from clew.core.records.transcript import Call, Context, Edit, Plan, Prompt, Read, Record, Reply, Run, Summary
from clew.core.state.draft import LETTER
from clew.core.state.projection import Known
from clew.core.text.charset import decode
from clew.sessions.log import Cursor, SessionLog
from clew.sessions.redaction import RecordRedactor

# Of a turn so much is one passage; what is longer goes on in the next one.
TITLE_CHARS: Final = 4_000
BODY_CHARS: Final = 8_000
_NAMES_CHARS: Final = 8_000
_COMMAND_CHARS: Final = 400
_DOCUMENT_BYTES_MAX: Final = 1 << 20
_SECTION_CHARS: Final = 6_000


@dataclass(frozen=True, slots=True)
class SearchUpdate:
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
) -> SearchUpdate:
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
    return SearchUpdate(sessions, passages, tuple(unread))


def _gather(
    ports: Ports,
    index: SearchIndex,
    item: Transcript,
    before: SearchSource | None,
    redactor: Callable[[str], Callable[[str], str]],
) -> int:
    reader = reader_at(item.path, ports.readers, client=item.client)
    if reader is None:
        return 0
    at = before if before is not None else SearchSource("", "", "")
    log = SessionLog(item.path, reader, Cursor(at.read, at.print.partition(" ")[2]))
    is_anew = not log.start
    reading = _Reading(redactor)
    found = list(turns(reading.records(log)))
    cursor = log.cursor
    source = SearchSource(
        address=str(item.path),
        sort="session",
        project=project_of(reading.cwd) if reading.cwd else at.project,
        client=item.client,
        session=ports.redact(item.session),
        branch=reading.branch or at.branch,
        read=cursor.offset,
        print=f"{item.size} {cursor.mark}",
    )
    return index.put(source, found, anew=is_anew)


class _Reading:
    """Records made safe on their way. `cwd` and `branch` are the latest."""

    def __init__(self, redactor: Callable[[str], Callable[[str], str]]) -> None:
        self._redactor = redactor
        self._safe: RecordRedactor | None = None
        self.cwd = self.branch = ""

    def records(self, log: Iterable[Record]) -> Iterator[Record]:
        for record in log:
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
    source = SearchSource(address, "item", str(at.location.root), branch="", print=mark)
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
        source = SearchSource(str(path), "document", str(root), read=len(data), print=mark)
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


def turns(records: Iterable[Record]) -> Iterator[Passage]:
    """The passages of clean and redacted records, in file order: one for each thing that was asked and what came of it.
    What sub-agents said is not the session's; results of tools hold files, which are searched better where they are.

    A turn that is longer than a passage goes on in the next one, which has no title.
    """
    turn = _Turn(-1, "")
    for record in records:
        if record.agent or isinstance(record, Context):
            continue
        if isinstance(record, Prompt) and record.source != "command":
            yield from turn.passages()
            turn = _Turn(record.at, record.time)
            turn.title = record.text[:TITLE_CHARS]
            continue
        if turn.at < 0:
            turn = _Turn(record.at, record.time)
        if not turn.take(record):
            yield from turn.passages()
            turn = _Turn(record.at, record.time)
            turn.take(record)
    yield from turn.passages()


class _Turn:
    def __init__(self, at: int, time: str) -> None:
        self.at = at
        self.title = ""
        self._time = time
        self._body: list[str] = []
        self._names: dict[str, None] = {}
        self._chars = self._names_chars = 0

    def take(self, record: Record) -> bool:
        """Add what a record holds; False: there is no room, the next passage takes it."""
        if isinstance(record, (Reply, Summary)):
            text = record.text[:BODY_CHARS]
            if self._body and self._chars + len(text) > BODY_CHARS:
                return False
            self._body.append(text)
            self._chars += len(text)
        elif isinstance(record, Call):
            text = _named(record)
            if self._names_chars + len(text) > _NAMES_CHARS and text not in self._names:
                return False
            if text and text not in self._names:
                self._names[text] = None
                self._names_chars += len(text)
        return True

    def passages(self) -> Iterator[Passage]:
        if self.title or self._body or self._names:
            yield Passage(self.title, "\n".join(self._body), "\n".join(self._names), self.at, self._time)


def _named(call: Call) -> str:
    match call.action:
        case Run(command=command):
            return command[:_COMMAND_CHARS]
        case Read(path=path) | Edit(path=path):
            return path
        case Plan(text=text):
            return text[:BODY_CHARS]
    return ""

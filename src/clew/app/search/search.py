"""Searching: the index is brought up to date for what is asked about, then asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

from msgspec import structs

from clew.app.intake.find import found_in, project_at, project_of, reader_at
from clew.app.ports import Ports
from clew.app.project.cache_database import drop, with_cache
from clew.app.project.location import PROJECT_FOLDER, locate
from clew.app.project.opening import ProjectHandle, open_project, redactor_at
from clew.app.project.redaction import safe_errors
from clew.app.project.session import ProjectSession
from clew.app.results import JsonResult
from clew.app.search.index import Filters, FoundPlace, Passage, SearchIndex, SearchSource
from clew.clients.port import Transcript
from clew.core.errors import ClewError, InputError
from clew.core.records.transcript import Action, Call, Context, Edit, Plan, Prompt, Read, Record, Reply, Run, Summary
from clew.core.state.draft import LETTER
from clew.core.state.projection import Known
from clew.core.text.charset import decode
from clew.core.text.cleaning import clean, one_line
from clew.sessions.log import Cursor, SessionLog
from clew.sessions.redaction import RecordRedactor

# Gathering: what is new since the index was last brought up to date is put into it. Work grows with what was appended.
#
# Of a session file that grew only the new lines are read; one that is another file now is read again.

# Of a turn so much is one passage; what is longer goes on in the next one.
TITLE_CHARS: Final = 4_000
BODY_CHARS: Final = 8_000
_NAMES_CHARS: Final = 8_000
_COMMAND_CHARS: Final = 400
_DOCUMENT_BYTES_MAX: Final = 1 << 20
_SECTION_CHARS: Final = 6_000


def gather_sessions(
    ports: Ports,
    index: SearchIndex,
    found: Iterable[Transcript],
    *,
    redactor: Callable[[str], Callable[[str], str]],
    tell: Callable[[int], None] = lambda _: None,
) -> list[Path]:
    """Put what the session files `found` hold beyond what the index knows into it; those that cannot be read.

    `redactor` gives what redacts the texts of a session that ran in a folder. `tell` hears after each file how many
    were looked at. Session files that are gone stay in the index: what was said is still found.
    """
    known = index.sources("session")
    unread: list[Path] = []
    for number, item in enumerate(found, start=1):
        before = known.get(str(item.path))
        if before is None or not before.print.startswith(f"{item.size} "):
            try:
                _gather(ports, index, item, before, redactor)
            except (OSError, ClewError):  # its ledger too: what a person redacted there must stay away
                unread.append(item.path)
        tell(number)
    return unread


def _gather(
    ports: Ports,
    index: SearchIndex,
    item: Transcript,
    before: SearchSource | None,
    redactor: Callable[[str], Callable[[str], str]],
) -> None:
    reader = ports.readers.named(item.client) or reader_at(item.path, ports.readers)
    if reader is None:
        return
    at = before if before is not None else SearchSource("", "", "")
    log = SessionLog(item.path, reader, Cursor(at.read, at.print.partition(" ")[2]))
    is_anew = not log.start
    reading = _SafeRecords(redactor)
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
    index.put(source, found, again=is_anew)


class _SafeRecords:
    """What is indexed of records, made safe on its way. What sub-agents said is not the session's; results of tools
    hold files, which are searched better where they are. `cwd` and `branch` are the latest.
    """

    def __init__(self, redactor: Callable[[str], Callable[[str], str]]) -> None:
        self._redactor = redactor
        self._safe: RecordRedactor | None = None
        self.cwd = self.branch = ""

    def records(self, log: Iterable[Record]) -> Iterator[Record]:
        for record in log:
            if isinstance(record, Context):
                self.cwd = record.cwd or self.cwd
                self.branch = self._redacted.name(record.branch) or self.branch
            elif record.agent:
                continue
            elif isinstance(record, (Prompt, Reply, Summary)):
                yield self._redacted.record(record)
            elif isinstance(record, Call):
                yield record._replace(action=self._named(record.action))

    def _named(self, action: Action) -> Action:
        """The part of a call's action that is indexed: what else it holds is not looked through."""
        match action:
            case Run(command=command):
                return Run(self._redacted.text(command))
            case Read(path=path) | Edit(path=path):
                return Read(self._redacted.name(path), 0, 0)
            case Plan(text=text):
                return Plan(self._redacted.text(text))
        return Read("", 0, 0)

    @property
    def _redacted(self) -> RecordRedactor:
        """Which words a person redacted, the ledger of the folder knows: so it is asked when that is known."""
        if self._safe is None:
            self._safe = RecordRedactor(self._redactor(self.cwd))
        return self._safe


def gather_ledger(at: ProjectSession, index: SearchIndex) -> None:
    """Put the project's items into the index, where the ledger changed since."""
    address, mark = str(at.location.ledger), f"{at.ledger.position()}"
    before = index.sources("item").get(address)
    if before is not None and before.print == mark:
        return
    tasks = ["", *(one.id for one in at.tasks())]
    passages: dict[str, Passage] = {}
    for task in tasks:
        for name, entry in at.known(task).items():
            if entry.standing != "superseded" or not entry.because.startswith(f"{LETTER}-"):  # by a corrected draft
                passages.setdefault(name, _item(entry, task))
    source = SearchSource(address, "item", str(at.location.root), branch="", print=mark)
    index.put(source, passages.values(), again=True)


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


def gather_documents(index: SearchIndex, root: Path, files: Iterable[Path], redact: Callable[[str], str]) -> None:
    """Put Markdown files into the index, a passage a section, where they changed."""
    known = {name: one for name, one in index.sources("document").items() if one.project == str(root)}
    met = set()
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
        index.put(source, _sections(text), again=True)
    index.forget(set(known) - met)


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

    A turn that is longer than a passage goes on in the next one, which has no title.
    """
    turn = _Turn(-1, "")
    for record in records:
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
        case Read(path=path):
            return path
        case Plan(text=text):
            return text[:BODY_CHARS]
    return ""


INDEX_NAME: Final = "search.db"
LIMIT: Final = 10
# Documents that people and agents keep beside the work; those of `.clew` are found anyhow.
_DOCUMENTS: Final = ("HANDOFF.md", "PLAN.md", "NOTES.md", "DECISIONS.md")


class FoundPlaces(JsonResult, frozen=True):
    """What a search found, the best first. `scope` is the project's top folder, "" all projects. `notes` are sentences
    for the person.
    """

    question: str
    scope: str
    hits: tuple[FoundPlace, ...]
    notes: tuple[str, ...]

    def unmarked(self) -> FoundPlaces:
        """The same, and nothing stands around what matched."""
        bare = (structs.replace(hit, snippet=hit.snippet.translate({2: None, 3: None})) for hit in self.hits)
        return structs.replace(self, hits=tuple(bare))


def search(
    project: ProjectHandle,
    question: str,
    *,
    filters: Filters,
    everywhere: bool = False,
    limit: int = LIMIT,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
) -> FoundPlaces:
    """What holds the words of `question`: sessions, items and documents of the project that `folder` (absolute) is in,
    or of all projects.

    What clients, the ledger and documents have beyond the index is put into it first; `tell` hears how many session
    files of how many were looked at. Raises `InputError` for a question without a word and for a client that is not
    known, `Unavailable` where the index cannot be kept.
    """
    if not any(map(str.isalnum, question)):
        raise InputError(
            "there is no word to search for", code="E-search-empty", hint="Name at least one: `clew search WORDS`."
        )
    project.ports.readers.require(filters.client)
    with safe_errors(project.ports.redact):

        def asked(index: SearchIndex) -> tuple[list[Path], tuple[str, ...], list[FoundPlace]]:
            unread, scope = _gathered(project, index, everywhere, tell)
            return unread, scope, index.search(question, replace(filters, projects=scope), limit=limit)

        path = project.ports.cache_folder / INDEX_NAME
        (unread, scope, hits), said = with_cache(path, SearchIndex, asked, code="E-search-index")
        notes = [
            *said,
            *(f"{one_line(clean(str(path)))} cannot be read, so it was not searched." for path in unread[:3]),
        ]
        return FoundPlaces(question, scope[0] if scope else "", tuple(hits), tuple(notes))


def forget(ports: Ports) -> bool:
    """Remove the index, whether there was one: after something was redacted it is rebuilt, without that."""
    return drop(ports.cache_folder / INDEX_NAME)


def _gathered(
    project: ProjectHandle, index: SearchIndex, everywhere: bool, tell: Callable[[int, int], None]
) -> tuple[list[Path], tuple[str, ...]]:
    """Bring the index up to date; files that cannot be read, and the folders that are searched (() all)."""
    folder = project.folder
    ports = project.ports
    location = locate(folder)
    found_project = project_at(folder)
    files: list[Transcript]
    if everywhere:
        files = list({item.path: item for one in ports.locators for item in one.sessions_of(Path("/"))}.values())
    else:
        files = list(found_in(ports.locators, found_project))

    @cache
    def of_project(top: str) -> Callable[[str], str]:
        return redactor_at(ports, Path(top))

    def redactor(folder: str) -> Callable[[str], str]:
        return of_project(project_of(folder)) if folder else ports.redact

    unread = gather_sessions(
        ports, index, sorted(files, key=lambda item: item.path), redactor=redactor, tell=lambda n: tell(n, len(files))
    )
    if location.has_ledger:
        with open_project(ports, folder, write=False) as at:
            gather_ledger(at, index)
    gather_documents(index, location.root, _documents(location.root), redactor(str(location.root)))
    return unread, () if everywhere else tuple(map(str, found_project.names))


def _documents(root: Path) -> Iterator[Path]:
    """The documents of a project. A link came with the repository, and may lead to anything of the user's."""
    kept = root / PROJECT_FOLDER
    found = [root / name for name in _DOCUMENTS]
    found += sorted(kept.rglob("*.md")) if kept.is_dir() and not kept.is_symlink() else []
    yield from (path for path in found if path.is_file() and not path.is_symlink())

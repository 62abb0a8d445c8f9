"""Who wrote a line: which session, on what request, with what decisions; only where that session's own edit is proven
to have put the text there (`distill/spans.py`), between the commit before and the one that brought the line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.intake.find import ProjectFolders, found_in, project_at, reader_at
from clew.app.intake.worked import path_in_project
from clew.app.ports import Ports
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle, redactor_at
from clew.app.results import JsonResult
from clew.clients.port import Transcript, UsageLocator
from clew.core.errors import InputError, NotFound, Unavailable
from clew.core.records.transcript import Call, Context, Edit, Prompt, Read, Result, Run
from clew.core.text.charset import decode
from clew.core.text.cleaning import clean, one_line, shorten
from clew.distill.shell_lines import files_written
from clew.distill.spans import NormalText, WrittenText, normal_reads
from clew.sessions.log import SessionLog
from clew.workspace.blame import LineOrigin, line_origins
from clew.workspace.git import Git
from clew.workspace.times import nanoseconds

_FILE_BYTES_MAX: Final = 1 << 20
_REQUEST_CHARS: Final = 300
_DECISIONS_MAX: Final = 5
_ALWAYS: Final = 1 << 62
_SECOND_NS: Final = 1_000_000_000


class WhyDecision(JsonResult, frozen=True):
    """A decision on record of the request in which a line was written."""

    id: str
    text: str


class LineAuthor(JsonResult, frozen=True):
    """The lines `first` to `last` (from 1) were written by an edit of `session` of `client` at `time` (RFC 3339 UTC),
    on the `request` that stands at `place` (SESSION@BYTE, for `clew show`). `commit` brought them, "" if they are not
    committed. `agent`: a sub-agent of the session made the edit.
    """

    first: int
    last: int
    session: str
    client: str
    time: str
    request: str
    place: str
    agent: bool
    commit: str
    decisions: tuple[WhyDecision, ...] = ()


class LineHistory(JsonResult, frozen=True):
    """What is known of the lines of `path` (from the top of the work tree): of `line`, 0 all. `asked` lines that are
    not empty were looked at; of `unknown` of them no session's edit is proven to have written the text.
    """

    path: str
    line: int
    asked: int
    unknown: int
    authors: tuple[LineAuthor, ...]


class _Made(NamedTuple):
    """An edit in a session's record: what it left of the file `path` at `ns` (nanoseconds since 1970), in the turn that
    `request` began and that ends at the byte `until_at` (0: with the record), and what its session had `read` before.
    """

    ns: int
    time: str
    transcript: Transcript
    path: str
    text: WrittenText
    request: Prompt | None
    until_at: list[int]
    agent: bool
    read: tuple[str, ...]


def why(project: ProjectHandle, place: str, *, tell: Callable[[str], None] = lambda _: None) -> LineHistory:
    """Who wrote the line, or the lines, of `place`: PATH or PATH:LINE, from the handle's folder. `tell` hears what is
    read. Raises `NotFound`, `InputError`.
    """
    name, line = _parsed(project.folder, place)
    root = locate(project.folder).root
    data = _content(project.folder / name, root)
    path = (project.folder / name).resolve().relative_to(root.resolve()).as_posix()
    lines = decode(data).text.removesuffix("\n").split("\n")
    if line > len(lines):
        raise InputError(
            f"{path} has {len(lines)} lines, and no line {line}", code="E-why-line", hint="Name a line that it has."
        )
    file = NormalText.of("\n".join(lines))
    numbers = [line] if line else range(1, len(lines) + 1)
    wanted = [number for number in numbers if file.lines[number - 1][1] > file.lines[number - 1][0]]  # no empty ones
    origins = _origins(project.ports, root, path, len(lines))
    found = project_at(project.folder)
    names = {path, *(one.path for one in origins)}
    made = sorted(_edits(project.ports, found, names, tell), key=lambda one: one.ns)
    written = [(number, _author(made, file, number, origins[number - 1])) for number in wanted]
    authors, telling = [], _Telling(project)
    for _, group in groupby(written, key=lambda row: (id(row[1]), origins[row[0] - 1].commit)):
        rows = list(group)
        if (one := rows[0][1]) is not None:
            authors.append(telling.author(one, rows[0][0], rows[-1][0], origins[rows[0][0] - 1].commit))
    return LineHistory(path, line, len(wanted), sum(one is None for _, one in written), tuple(authors))


def _parsed(folder: Path, place: str) -> tuple[str, int]:
    """The path and the line (0 none) of `place`; a file whose name ends in a number is that file."""
    name, colon, number = place.rpartition(":")
    if colon and name and number.isascii() and number.isdigit() and not (folder / place).exists():
        return name, int(number) or 1
    return place, 0


def _content(file: Path, root: Path) -> bytes:
    shown = one_line(clean(str(file)))
    if not file.resolve().is_relative_to(root.resolve()):
        raise InputError(f"{shown} is outside of {root}", code="E-why-path", hint="Name a file of this work tree.")
    try:
        if not file.is_file():
            raise NotFound(f"there is no file {shown}", code="E-why-path", hint="Name a file as PATH or PATH:LINE.")
        with file.open("rb") as stream:
            data = stream.read(_FILE_BYTES_MAX + 1)
        why = (
            f"is no text of at most {_FILE_BYTES_MAX >> 20} MB" if len(data) > _FILE_BYTES_MAX or b"\0" in data else ""
        )
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
    if why:
        raise InputError(f"{shown} {why}", code="E-why-path", hint="Name a source file that you may read.")
    return data


def _origins(ports: Ports, root: Path, path: str, count: int) -> list[LineOrigin]:
    """Where git says that each line comes from. Of a file that no commit has anything may be new."""
    git = Git.at(root, environment=ports.environment)
    new = [LineOrigin("", path, 0, _ALWAYS)] * count
    if git is None:
        return new
    try:
        if path in git.tracked([path]):
            found = line_origins(git, path)
            return found if len(found) == count else [one._replace(after_s=_ALWAYS) for one in new]
        olds = {now: old for old, now in git.status().renamed.items()}
        return [LineOrigin("", olds.get(path, path), 0, _ALWAYS)] * count
    except Unavailable:
        if not git.repository.git_dir.joinpath("logs", "HEAD").exists():
            return new  # before the first commit
        raise


def _author(made: list[_Made], file: NormalText, number: int, origin: LineOrigin) -> _Made | None:
    """The first edit in the time of the line's commit that is proven to have written it."""
    span = file.lines[number - 1]
    for one in made:
        second = one.ns // _SECOND_NS
        if origin.after_s <= second <= origin.until_s and one.text.wrote(span, file, one.read):
            return one
    return None


def _edits(ports: Ports, project: ProjectFolders, names: set[str], tell: Callable[[str], None]) -> Iterator[_Made]:
    """The edits of files of these names, by every session of the project and its sub-agents."""
    marks = [Path(name).name for name in names]
    looked = [mark.encode() for mark in marks if mark.isascii() and mark.isprintable() and '"' not in mark]
    files = {item.path: item for item in found_in(ports.locators, project)}
    sessions = {item.session for item in files.values()}
    for locator in ports.locators:
        if isinstance(locator, UsageLocator):
            files.update({one.path: one for one in locator.usage_files() if one.session in sessions})
    for item in sorted(files.values(), key=lambda one: (one.modified_ns, str(one.path))):
        if len(looked) == len(marks) and not _names(item.path, looked):
            continue
        tell(item.path.name)
        yield from _of_session(ports, project, item, names)


def _names(path: Path, marks: Iterable[bytes]) -> bool:
    """Whether a session's file holds one of these words; where it lies in a file of many, it may."""
    try:
        data = path.read_bytes()
    except OSError:
        return True
    return any(mark in data for mark in marks)


def _of_session(ports: Ports, project: ProjectFolders, item: Transcript, names: set[str]) -> Iterator[_Made]:
    reader = reader_at(item.path, ports.readers, client=item.client)
    if reader is None:
        return
    folder, request, turn = "", None, [0]
    waiting: dict[str, Call] = {}
    read: list[str] = []
    try:
        for record in SessionLog(item.path, reader):
            if isinstance(record, Context):
                folder = record.cwd or folder
            elif isinstance(record, Prompt) and (not record.agent or request is None) and record.source != "command":
                turn[0] = record.at
                request, turn = record, [0]
            elif isinstance(record, Call):
                waiting[record.id] = record
            elif isinstance(record, Result) and (call := waiting.pop(record.call, None)) is not None:
                for edit in _written(call, folder) if record.outcome == "ok" else ():
                    path = path_in_project(edit.path, folder, project)
                    if path in names:
                        ns = nanoseconds(record.time or call.time) or 0
                        text = WrittenText.of(edit.removed, edit.added)
                        yield _Made(ns, record.time, item, path, text, request, turn, bool(call.agent), tuple(read))
                action = call.action
                shown = action.path if isinstance(action, Read) else action.command if isinstance(action, Run) else ""
                if any(Path(name).name in shown for name in names):  # what it answers may show the file
                    read += normal_reads([record.text])
    except OSError:
        return


def _written(call: Call, folder: str) -> list[Edit]:
    match call.action:
        case Edit() as edit:
            return [edit]
        case Run(command=command, folder=place):
            return files_written(command, place or folder)
    return []


class _Telling:
    """Tells of edits what people may see of them; asks the ledger once a session."""

    def __init__(self, project: ProjectHandle) -> None:
        self._project = project
        self._redact = redactor_at(project.ports, project.folder)
        self._decisions: dict[str, list[tuple[int, WhyDecision]]] = {}

    def author(self, made: _Made, first: int, last: int, commit: str) -> LineAuthor:
        """The author of these lines."""
        request, session = made.request, made.transcript.session
        text = shorten(one_line(self._redact(clean(request.text))), _REQUEST_CHARS) if request else ""
        place = f"{session}@{request.at}" if request else ""
        client, decided = made.transcript.client, self._decided(made, session)
        return LineAuthor(first, last, session, client, made.time, text, place, made.agent, commit, decided)

    def _decided(self, made: _Made, session: str) -> tuple[WhyDecision, ...]:
        """The decisions that were read off the turn in which the edit was made."""
        if session not in self._decisions:
            self._decisions[session] = self._of_session(session)
        begin, end = made.request.at if made.request else _ALWAYS, made.until_at[0] or _ALWAYS
        return tuple(one for at, one in self._decisions[session] if begin <= at < end)[:_DECISIONS_MAX]

    def _of_session(self, session: str) -> list[tuple[int, WhyDecision]]:
        if not locate(self._project.folder).has_ledger:
            return []
        with self._project.open(write=False) as at:
            items = [item for one in at.ledger.extracts(session=session) for item in one.items]
            made = [item for item in items if item.kind == "decision" and item.place.session == session]
            shown = at.ledger.shortest([item.id for item in made])
            return [(item.place.at, WhyDecision(shown[item.id], item.text)) for item in made]

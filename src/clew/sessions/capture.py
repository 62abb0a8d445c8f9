"""From a session file to a state: read, clean, redact, distil. Nothing unredacted goes further than this module."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path, PurePath
from typing import NamedTuple

from clew.clients.places import size_of
from clew.clients.port import Reader
from clew.core.cost.uses import UsageFold
from clew.core.records.transcript import (
    Batch,
    Call,
    Context,
    Edit,
    Lineage,
    Model,
    Prompt,
    Read,
    Record,
    Result,
    Run,
    Running,
    Unreadable,
    Usage,
)
from clew.core.state.items import State
from clew.sessions.cache import RecordsCache, RecordsPiece, SessionFacts
from clew.sessions.log import Cursor, SessionLog
from clew.sessions.redaction import RecordRedactor
from clew.workspace.repository import same_project


class Witness(NamedTuple):
    """What the record of an earlier session of the same task proves of files: see `Captured.evidence`. `root` is the
    folder that its paths are relative to, `time` when it last wrote.
    """

    path: Path
    reader: Reader
    evidence: dict[str, int]
    root: str
    time: str


class Captured(NamedTuple):
    """What one session file gave: the `state` that was read off it, and its `facts`. `trees`: other folders that hold
    the same files as the session's own. `earlier`: what tells of files that the session did not see, the newest first.
    """

    state: State
    facts: SessionFacts
    trees: tuple[str, ...] = ()
    earlier: tuple[Witness, ...] = ()


class Gathered:
    """What the lines of a session read so far give: the same whether they are read at once or piece by piece.

    `size` is where the last whole line ends, `extent` how large the file was.
    """

    def __init__(self, redact: Callable[[str], str]) -> None:
        self.kept: list[Record] = []
        self.usage = UsageFold()
        self.evidence: dict[str, int] = {}
        self.unreadable = 0
        self.first_unreadable: Unreadable | None = None
        self.total = 0
        self.size = 0
        self.extent = 0
        self.is_torn = False
        self.safe = RecordRedactor(redact)
        self._calls: dict[str, list[Call]] = {}  # those that prove what files hold; one can be about several

    def read(self, batch: Batch) -> list[Record]:
        """Take in what a reader made of lines; what of it is worth keeping."""
        records = [safe for record in batch.records if (safe := self._read(record)) is not None]
        self.size = batch.offset
        self.total += len(batch.records)
        return records

    def recall(self, piece: RecordsPiece) -> None:
        """Take in what was kept of lines."""
        for record in piece.records:
            if isinstance(record, (Call, Running)) and not record.agent:
                self.safe.remember(record)
            self._take(record)
        self.size = piece.end
        self.total += piece.total
        self.unreadable += piece.unreadable
        self.first_unreadable = self.first_unreadable or piece.first_unreadable

    def _read(self, record: Record) -> Record | None:
        if isinstance(record, Unreadable):
            self.unreadable += 1
            self.first_unreadable = self.first_unreadable or record
        safe = self._safe(record)
        if safe is not None:
            self._take(safe)
        return safe

    def _safe(self, record: Record) -> Record | None:
        """`record` with texts that can be kept; None for what is not looked at."""
        if isinstance(record, Usage):
            return self.safe.usage(record)
        if isinstance(record, (Unreadable, Lineage)):
            return None
        if not record.agent:
            return self.safe.record(record)
        if isinstance(record, Call) and (path := _proving(record)):
            return record._replace(tool="", action=Read(self.safe.name(path), 0, 0))
        if isinstance(record, Result) and record.call in self._calls:
            return record._replace(text="", reason="", answers=(), todo="")
        return None

    def _take(self, record: Record) -> None:
        """Take in a record that can be kept. Which line proves what a file held: the result of the last edit or whole
        read of it. A look at some lines proves nothing, so what was known before it stays.
        """
        if isinstance(record, (Usage, Model)):
            self.usage.add((record,))
        if isinstance(record, Usage):
            return
        if isinstance(record, Call) and _proving(record):
            same = [call for call in self._calls.get(record.id, ()) if call.at == record.at]
            self._calls[record.id] = [*same, record]
        elif isinstance(record, Result) and record.outcome == "ok":
            self.evidence.update((_proving(call), record.at) for call in self._calls.get(record.call, ()))
        if not record.agent:
            self.kept.append(record)

    @property
    def cwd(self) -> str:
        """The folder where the session began, "" unknown."""
        return next((record.cwd for record in self.kept if isinstance(record, Context) and record.cwd), "")

    def facts(self) -> SessionFacts:
        """What of it is asked for again and again."""
        times = [record.time for record in self.kept]
        edits = (one.time for one in self.kept if isinstance(one, Call) and isinstance(one.action, Edit))
        contexts = [one for one in self.kept if isinstance(one, Context) and one.cwd]
        return SessionFacts(
            self.size,
            self.extent,
            self.is_torn,
            self.total,
            self.unreadable,
            self.first_unreadable,
            self.usage.totals(),
            self.evidence,
            tuple(dict.fromkeys(one.cwd for one in contexts)),
            contexts[0].branch if contexts else "",
            min(filter(None, times), default=""),
            max(times, default=""),
            times[-1] if times else "",
            max(edits, default=""),
            sum(isinstance(one, Prompt) for one in self.kept),
        )

    @property
    def holds_secret_folder(self) -> bool:
        """Whether a folder's name, which is kept as it is because it has to be found, holds a secret."""
        folders = {record.cwd for record in self.kept if isinstance(record, Context)}
        return any(self.safe.name(folder) != folder for folder in folders)


def _proving(call: Call) -> str:
    """The path of the file whose content the call's result proves, "" if it proves none."""
    action = call.action
    if isinstance(action, Edit) or (isinstance(action, Read) and action.first <= 1 and action.last == 0):
        return action.path
    return ""


def gather(
    path: Path, reader: Reader, *, redact: Callable[[str], str], memory: RecordsCache | None = None, extent: int = 0
) -> Gathered:
    """What the session at `path` holds, clean and redacted. With a `memory` only what it does not know is read, if the
    file is one that grows; `extent` is the size of one that does not.

    Raises `OSError` if the session cannot be read.
    """
    gathered, new = Gathered(redact), list[Record]()
    memory = memory if reader.grows else None
    for piece in memory.recall(path, reader.name) if memory is not None else ():
        gathered.recall(piece)
    start, total, unreadable = gathered.size, gathered.total, gathered.unreadable
    # Asked before it is read: what is written to it meanwhile is no torn line.
    extent = size_of(path) if reader.grows else extent
    for batch in SessionLog(path, reader, Cursor(start)).batches():
        read = gathered.read(batch)
        new += read if memory is not None else ()
    gathered.is_torn = reader.grows and gathered.size < extent
    gathered.extent = max(gathered.size, extent) if reader.grows else extent
    if memory is not None and gathered.size and not gathered.holds_secret_folder:
        if gathered.size > start:
            counts = gathered.total - total, gathered.unreadable - unreadable, gathered.first_unreadable
            memory.keep(path, reader.name, RecordsPiece(start, gathered.size, new, *counts))
        memory.keep_facts(path, reader.name, gathered.facts())
    return gathered


def captured(gathered: Gathered, *, client: str, root_of: Callable[[str], str], session: str = "") -> Captured:
    """The state that a gathered session leaves.

    `root_of` tells for the folder where the session ran the one that paths are shown relative to (the top of its
    repository). `session` is its id where the record's own does not count.
    """
    from clew.distill import session as sessions  # here: most hooks of a client find nothing to read
    from clew.distill.distil import distil

    cwd = gathered.cwd
    root = root_of(cwd) if cwd else ""
    records = by_root(gathered.kept, root)
    facts = gathered.facts()
    story = sessions.build(records, client=client, root=root, is_torn=gathered.is_torn, trees=trees(facts))
    if session:
        story = story._replace(id=session)
    return Captured(gathered.safe.state(distil(story)), facts, trees(facts))


def trees(facts: SessionFacts) -> tuple[str, ...]:
    """Other names of the folder that the session began in, and other work trees of its repository."""
    return same_project(facts.folders)


def by_root(records: Iterable[Record], root: str) -> list[Record]:
    """`records` with the paths of calls that lead into the folder `root` through a link, as they are from `root`.

    What lies elsewhere, and what is not there any more, stays as the client wrote it.
    """
    names = _Names(root)
    return [names.record(record) if isinstance(record, Call) else record for record in records]


class _Names:
    """Files of a project by another name of it: a session can go through a link (`/home` for `/var/home`)."""

    def __init__(self, root: str) -> None:
        self._root = root.rstrip("/")
        self._real = os.path.realpath(root) if PurePath(root).is_absolute() else ""
        self._folders: dict[str, str] = {}  # as they are from the root, by their names

    def record(self, call: Call) -> Call:
        action = call.action
        if isinstance(action, (Edit, Read)) and (path := self._path(action.path)) != action.path:
            return call._replace(action=action._replace(path=path))
        if isinstance(action, Run) and action.folder and (folder := self._folder(action.folder)) != action.folder:
            return call._replace(action=action._replace(folder=folder))
        return call

    def _path(self, path: str) -> str:
        folder, cut, name = path.rpartition("/")
        return f"{self._folder(folder)}{cut}{name}" if folder else path

    def _folder(self, folder: str) -> str:
        if not self._real or not folder.startswith("/") or f"{folder}/".startswith(f"{self._root}/"):
            return folder
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = self._looked_up(folder)
        return known

    def _looked_up(self, folder: str) -> str:
        try:
            real = os.path.realpath(folder)
        except (OSError, ValueError):  # a name that no system takes for a path
            return folder
        is_inside = f"{real}/".startswith(f"{self._real}/")
        return self._root + real[len(self._real) :] if is_inside else folder

"""What looks like a secret in all that clew keeps: the ledger, the archive, stacks, its files.

All was redacted when it was kept, by the rules of that day. States, caches and the index of searches are made of the
rest and can be made again; clients' own records are theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from clew.app.archive.archiving import archive_of, lines_of
from clew.app.egress.guard import OWN_RULES, findings, line_of, opened
from clew.app.keeping.bundle import texts
from clew.app.keeping.purge import files_below, trees_of
from clew.app.memory.store import user_folder
from clew.app.ports import Ports, runtime_dir
from clew.app.project.location import PROJECT_FOLDER
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import ProjectSession
from clew.app.results import JsonResult
from clew.app.stack.lock import store_of
from clew.core.errors import ClewError
from clew.ledger.bundle import export_bundle
from clew.secrets import Redactor
from clew.workspace.objects import DamagedObject

Role = Literal["ledger", "archive", "stack", "document", "spool", "live"]

_FILE_BYTES_MAX: Final = 64 << 20
_BINARY_LOOK_BYTES: Final = 8_000
_REDACT: Final = "`clew redact ID --value -` takes it out of the ledger, the archive and stacks, for ever"


class Secret(NamedTuple):
    """What looks like a secret. `rule` says of what kind, `digits` name its value under the ledger's key, `where` is a
    file, an event or an archived session, `line` is within that (from 1; 0: it has one). `id` is the item or task that
    it belongs to, "" for none. `engine` is whose rule it is: "clew", or that of the deep engine.
    """

    rule: str
    digits: str
    role: Role
    where: str
    line: int
    id: str
    engine: str


class StoreScan(JsonResult, frozen=True):
    """What was seen. `engine` as in `Scanned`; `texts` and `characters` were looked at; `found` by where it stands, of
    equal values in one place the first. `unread` are files and sessions that could not be read, or are too large.
    """

    engine: str
    texts: int
    characters: int
    found: tuple[Secret, ...]
    unread: tuple[str, ...]
    advice: tuple[str, ...]


def _advice(found: Collection[Secret]) -> tuple[str, ...]:
    """What a person does about it, in sentences."""
    roles = {one.role for one in found}
    known = next((one.id for one in found if one.id), "")
    told = []
    if roles & {"ledger", "archive", "stack", "spool", "live"}:
        told.append(f"{_REDACT}. ID may be any item's{f', as {known}' if known else ''}.")
    if "document" in roles:
        told.append("Files in `.clew/` and memory are yours: take it out there, then run `clew rebuild`.")
    return (*told, "A secret that others have seen is to be revoked first.") if told else ()


class _Text(NamedTuple):
    role: Role
    where: str
    text: str
    id: str = ""


def scan_store(project: ProjectHandle, *, tell: Callable[[str], None] = lambda _: None) -> StoreScan:
    """Look through everything that clew keeps for the project of `folder` (absolute), and this user's archive. `tell`
    hears what is looked at. Changes nothing. Raises `NotFound`, `LedgerError`, and `NotAllowed` (E-egress-engine)
    where an engine fails.
    """
    engine = opened(project.ports.deep_scan)
    with project.open(write=False) as at:
        named, store = Redactor(at.ledger.key or None), _Store(project.ports, at, tell)
        found: dict[tuple[str, str, str], Secret] = {}
        count = characters = 0
        for one in store.texts():
            count, characters = count + 1, characters + len(one.text)
            for finding in findings(one.text, one.where, engine):
                digits = named.fingerprint(one.text[finding.start : finding.end])
                by = engine.name if finding.is_deep and engine else OWN_RULES
                line = line_of(one.text, finding.start)
                secret = Secret(finding.rule, digits, one.role, one.where, line, one.id, by)
                found.setdefault((one.where, finding.rule, digits), secret)
        name = f"{OWN_RULES} + {engine.name}" if engine else OWN_RULES
        seen = tuple(found.values())
        return StoreScan(name, count, characters, seen, tuple(store.unread), _advice(seen))


class _Store:
    """Every text that is kept, a source after the other."""

    def __init__(self, ports: Ports, at: ProjectSession, tell: Callable[[str], None]) -> None:
        self._ports = ports
        self._at = at
        self._tell = tell
        self.unread: list[str] = []

    def texts(self) -> Iterator[_Text]:
        """All of them, those of the ledger first."""
        yield from self._ledger()
        yield from self._archive()
        yield from self._stacks()
        yield from self._files()

    def _ledger(self) -> Iterator[_Text]:
        for number, line in enumerate(export_bundle(self._at.ledger), start=1):
            if number % 500 == 1:
                self._tell(f"the ledger, line {number}")
            carried = msgspec.json.decode(line)
            event, extract = carried.get("event"), carried.get("extract")
            if event:
                data = event["data"]
                about = next((str(data[name]) for name in ("item", "task", "draft") if name in data), "")
                for text in (*texts(event), *data):
                    yield _Text("ledger", f"event {event['id']} ({event['kind']})", text, about)
            elif extract:
                where = f"what was read off session {extract['origin']['session']}"
                for item in extract["items"]:
                    yield from (_Text("ledger", where, text, item["id"]) for text in texts(item))
                rest = {name: value for name, value in extract.items() if name != "items"}
                yield from (_Text("ledger", where, text) for text in texts(rest))
            else:
                yield from (_Text("ledger", "the ledger's head", text) for text in texts(carried))

    def _archive(self) -> Iterator[_Text]:
        store = archive_of(self._ports)
        for session in store.sessions():
            self._tell(f"the archived session {session.session}")
            where = f"the archived session {session.session}"
            try:
                for line, text in lines_of(store.content(session)):
                    yield _Text("archive", f"{where}, {line}", text)
            except (OSError, ClewError):
                self.unread.append(where)

    def _stacks(self) -> Iterator[_Text]:
        """The pieces that the texts of stacks were made of."""
        store = store_of(self._ports, self._at.location)
        for digest in store.digests():
            where = f"a piece of a stack ({digest[:12]})"
            self._tell(where)
            try:
                yield _Text("stack", where, b"".join(store.content(digest)).decode("utf-8", "replace"))
            except (OSError, DamagedObject):
                self.unread.append(where)

    def _files(self) -> Iterator[_Text]:
        location = self._at.location
        for tree in trees_of(self._at):
            spool = location._replace(root=tree).spool
            live = runtime_dir(self._ports, tree)
            for path in files_below(tree / PROJECT_FOLDER):
                if location.ledger.name not in path.name:
                    yield from self._file("spool" if path.is_relative_to(spool) else "document", path)
            for path in files_below(Path(live)) if live else ():
                yield from self._file("live", path)
        for path in files_below(user_folder(self._ports)):
            yield from self._file("document", path)

    def _file(self, role: Role, path: Path) -> Iterator[_Text]:
        self._tell(path.name)
        try:
            if path.is_symlink() or not path.is_file():
                return
            with path.open("rb") as file:
                data = file.read(_FILE_BYTES_MAX + 1)
            if len(data) > _FILE_BYTES_MAX:
                self.unread.append(str(path))
                return
        except OSError:
            self.unread.append(str(path))
            return
        if b"\0" not in data[:_BINARY_LOOK_BYTES]:
            yield _Text(role, str(path), data.decode("utf-8", "replace"))

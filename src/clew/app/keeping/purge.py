"""Redacting an item: its words go from everything that is kept, a tombstone keeps them from coming back, and the bytes
of the files are searched to prove it. What clew did not write is named and not touched.
"""

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from clew.app.archive.archiving import Archived, archive_of, rewrite
from clew.app.draft.newest import words_of
from clew.app.handoff.files import rebuild
from clew.app.intake.find import found_in, project_at
from clew.app.keeping.bundle import texts
from clew.app.memory.store import user_folder
from clew.app.ports import Ports
from clew.app.project.authority import require_person
from clew.app.project.location import PROJECT_FOLDER, locate
from clew.app.project.lookup import find_item
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import ProjectSession
from clew.app.project.tombstones import exchange_key, hashes_of
from clew.app.results import JsonResult
from clew.app.search.search import INDEX_NAME, forget
from clew.app.stack.lock import store_of
from clew.clients.places import file_of, opened
from clew.core.errors import ClewError, InputError, LedgerError
from clew.core.state.draft import KIND as DRAFT
from clew.core.state.items import Item
from clew.core.state.projection import NOWHERE
from clew.core.text.cleaning import clean, one_line
from clew.ledger.bundle import export_bundle
from clew.ledger.port import Ledger
from clew.ledger.redaction import REDACTED
from clew.ledger.spool import take_in
from clew.sessions.cache import FOLDER_NAME, forget_all
from clew.workspace.atomic import PART, check_way, delete
from clew.workspace.objects import DamagedObject
from clew.workspace.repository import work_trees

# A shorter value stands in too many words: taking it out would leave nothing to read.
VALUE_CHARS_MIN: Final = 6
# A reason or an outcome of fewer words is everybody's.
_WORDS_MIN: Final = 3
_BLOCK_BYTES: Final = 1 << 20
# What says something about an item, in the events that speak of it.
_WORDS: Final = ("text", "was", "why", "answer", "reason", "outcome", "label", "until")

Role = Literal["ledger", "cache", "spool", "live", "archive", "stack", "document", "record", "unread"]
# Files of clew's that can be made again, or that are told again, and what a repair kept: they are deleted.
_DROPPED: Final[frozenset[Role]] = frozenset(("spool", "live"))


class Left(NamedTuple):
    """A file that holds one of the values. `role`: `ledger`, `cache`, `spool`, `live`, `archive` or `stack` (clew's
    own; what hooks keep for a session is live), `document` (in
    `.clew/`), `record` (a client's own file of a session), `unread` (it could not be searched).
    """

    path: Path
    role: Role


class Purged(JsonResult, frozen=True):
    """What was redacted. `changed` are rows of the ledger, `dropped` files that were deleted, `before` and `left` are
    the files that held a value before and hold one now. With `dry_run` nothing was changed and `left` is `before`.
    """

    id: str
    short_id: str
    changed: int
    dropped: tuple[Path, ...]
    before: tuple[Left, ...]
    left: tuple[Left, ...]
    dry_run: bool


def purge(project: ProjectHandle, wanted: str, *, value: str = "") -> Purged:
    """Take the item that `wanted` names, its words, and `value` wherever it stands, out of everything that clew keeps.

    Raises `NotAllowed` for everybody but a person, `NotFound` or `InputError` for an id or a value that cannot be used,
    `OSError` where a folder of ours is a link that leads out (nothing is redacted then), and `LedgerError`
    (E-redact-left) if a file of clew's still holds it afterwards.
    """
    require_person(project.ports.channel(), "redact", code=False)
    with project.open(write=not project.dry_run, spool=False) as at:
        if not project.dry_run:
            _take_in_spools(project.ports, at)
        found = find_item(at, wanted)
        item = found.entry.item
        values = tuple(dict.fromkeys([*_checked_value(value), *_words(at, found.task, item)]))
        search = _Search(project.ports, at, values, item)
        before = search.holders()
        if project.dry_run:
            return Purged(item.id, found.shown, 0, (), before, before, True)
        shown = item.text.replace(value, "…") if value else item.text
        at.require_person("redact", about=lambda: shown if find_item(at, item.id).entry.item.text == item.text else "")
        for place in (at.location.ledger.parent / FOLDER_NAME, *(tree / PROJECT_FOLDER for tree in trees_of(at))):
            check_way(place)
        # First: who began to read a session before this finds it when it is done, and reads again (`Sessions`).
        event = at.event("item.redacted", {"item": item.id}, task=found.task)
        hashes = [one for key in (at.ledger.key, exchange_key(at.ledger.key)) for one in hashes_of(key, values)]
        # It holds no words, whatever was redacted just now.
        at.ledger.append([event._replace(data={**event.data, "hashes": hashes})])
        at.redact.look_again()  # archived records and documents are written anew by what is redacted now
        dropped, changed = _forget(project.ports, at, search, before, item.id)
        left = search.holders()
    # Closing writes the last of the log into the file: what counts is what stands there then.
    left = tuple(dict.fromkeys([*left, *search.own_files()]))
    ours = [one for one in left if one.role not in ("document", "record", "unread")]
    if ours:
        raise LedgerError(
            f"{found.shown} was redacted, but {ours[0].path} still holds its words",
            code="E-redact-left",
            hint="Another process holds the ledger open: end it and redact again. If it stays so, report it.",
        )
    return Purged(item.id, found.shown, changed, dropped, before, left, False)


def obey(ports: Ports, at: ProjectSession, item: str, values: Sequence[str]) -> None:
    """Take the item and `values`, which somebody redacted on another device, out of everything that clew keeps here.
    That it was redacted is in the ledger already. Raises OSError, `LedgerError`.
    """
    _take_in_spools(ports, at)
    search = _Search(ports, at, values, None)
    _forget(ports, at, search, search.own(), item)


def _forget(
    ports: Ports, at: ProjectSession, search: "_Search", before: Iterable[Left], item: str
) -> tuple[tuple[Path, ...], int]:
    """Let go of it in every store: the files that were deleted, and how many rows of the ledger changed."""
    forget_all(at.location.ledger.parent / FOLDER_NAME)
    dropped = (*_forget_searches(ports), *(_drop(left.path) for left in before if left.role in _DROPPED))
    changed = at.ledger.purge(item, search.values)
    search.empty_stores()
    for tree in trees_of(at):
        with suppress(ClewError):  # what stays in a file is told below
            rebuild(ports, at.elsewhere(locate(tree)), only_there=True)
    return dropped, changed


def _forget_searches(ports: Ports) -> tuple[Path, ...]:
    """The index of searches goes whole: its pages may part a value, so that no search of its bytes finds it."""
    return (ports.cache_folder / INDEX_NAME,) if forget(ports) else ()


def _take_in_spools(ports: Ports, at: ProjectSession) -> None:
    """What waits in the spools of all work trees comes into the ledger first: a batch that holds a value has other
    facts beside it, and what is left in a spool afterwards is not a batch.
    """
    ledger = at.redact.guard(at.ledger)
    for tree in trees_of(at):
        folder = at.location._replace(root=tree).spool
        while (taken := take_in(folder, ledger, now_ms=ports.now_ms(), redact=at.redact)).more and taken.batches:
            pass


def trees_of(at: ProjectSession) -> list[Path]:
    """The work trees of a project; outside git its folder."""
    return work_trees(at.location.repository) if at.location.repository else [at.location.root]


def _checked_value(value: str) -> list[str]:
    sought = value.strip("\r\n")
    if value and len(sought) < VALUE_CHARS_MIN:
        raise InputError(
            f"a value of fewer than {VALUE_CHARS_MIN} characters cannot be redacted: it is part of too many words",
            code="E-redact-value",
            hint="Give all of it, or redact the item alone (without --value).",
        )
    return [sought] if sought else []


def _words(at: ProjectSession, task: str, item: Item) -> list[str]:
    """What was ever said of the item and tells something: a reason such as "done" stands in many places."""
    said = [item.text, item.why, item.answer]
    texts = [item.text]
    for _, event in at.ledger.events(task=task):
        if event.data.get("item") == item.id:
            said += [text for name in _WORDS if isinstance(text := event.data.get(name), str)]
            texts += [text for name in ("text", "was") if isinstance(text := event.data.get(name), str)]
        elif event.kind == DRAFT and item.draft == event.data.get("draft"):
            texts += words_of(event, item.id)
    telling = [text for text in said if len(text.split()) >= _WORDS_MIN]
    return [text for text in dict.fromkeys([*texts, *telling]) if len(text) >= VALUE_CHARS_MIN and text != REDACTED]


class _Search:
    """Looks for values in every file that may hold them."""

    def __init__(self, ports: Ports, at: ProjectSession, values: Sequence[str], item: Item | None) -> None:
        self._ports = ports
        self._at = at
        self.values = values
        self._forms = _forms(values)
        self._item = item
        self._archive = archive_of(ports)
        self._stacks = store_of(ports, at.location)

    def holders(self) -> tuple[Left, ...]:
        """The files that hold one of the values, clew's own first."""
        return tuple(dict.fromkeys([*self.own(), *self._records()]))

    def own(self) -> tuple[Left, ...]:
        """The same without clients' own files."""
        found = list(self.own_files())
        # What is compressed in the ledger is read as it reads it.
        if any(value in text for text in ledger_texts(self._at.ledger) for value in self.values):
            found.insert(0, Left(self._at.location.ledger, "ledger"))
        return tuple(dict.fromkeys([*found, *self._documents()]))

    def own_files(self) -> Iterator[Left]:
        """Files of the ledger and beside it, and of the user's data (what hooks keep), whose bytes hold one of the
        values or cannot be read.
        """
        location = self._at.location
        for path in files_below(location.ledger.parent):
            cached = path.parent.name == FOLDER_NAME and path.parent.parent == location.ledger.parent
            old = path.name.startswith(f"{location.ledger.name}.damaged-")  # what a repair kept
            if location.repository is not None or cached or old or location.ledger.name in path.name:
                can_go = old or path.name.endswith(PART)
                yield from self._held(path, "cache" if cached else "live" if can_go else "ledger")
        yield from (Left(self._archive.path(one), "archive") for one in self._archived())
        yield from (Left(self._stacks.path(one), "stack") for one in self._pieces())
        remembered = user_folder(self._ports)
        for path in files_below(self._ports.trust_store.parent):
            # A record too small to be compressed holds its words as they are, and is not to be deleted for it.
            if not path.is_relative_to(remembered) and not path.is_relative_to(self._archive.folder):
                yield from self._held(path, "live")

    def empty_stores(self) -> None:
        """Take the values out of archived records, and let go of pieces of stacks that hold one: those are built again.
        What cannot be read is told when they are looked for again.
        """
        for one in self._archived():
            with suppress(OSError, ClewError):
                rewrite(self._archive, one, self._at.redact)
        for piece in self._pieces():
            with suppress(OSError):
                self._stacks.drop(piece)

    def _pieces(self) -> list[str]:
        """The pieces of stacks that hold one of the values, or cannot be read."""
        return [one for one in self._stacks.digests() if self._is_in(partial(self._stacks.content, one))]

    def _archived(self) -> list[Archived]:
        """The archived sessions that hold one of the values, or cannot be read."""
        return [one for one in self._archive.sessions() if self._is_in(partial(self._archive.content, one))]

    def _is_in(self, content: Callable[[], Iterable[bytes]]) -> bool:
        try:
            return _in_blocks(content(), self._forms)
        except (OSError, ClewError, DamagedObject):
            return True

    def _held(self, path: Path, role: Role) -> Iterator[Left]:
        try:
            if _holds(path, self._forms):
                yield Left(path, role)
        except OSError:
            yield Left(path, "unread")

    def _documents(self) -> Iterator[Left]:
        own = {left.path for left in self.own_files()}
        for tree in trees_of(self._at):
            spool = self._at.location._replace(root=tree).spool
            for path in files_below(tree / PROJECT_FOLDER):
                if path not in own:
                    yield from self._held(path, "spool" if path.is_relative_to(spool) else "document")
        for path in files_below(user_folder(self._ports)):  # another ledger than this project's
            yield from self._held(path, "document")

    def _records(self) -> Iterator[Left]:
        """Clients' own files: the one that the item was read off, and all that hold a value as it is."""
        session = self._item.place.session if self._item and self._item.place.at != NOWHERE else ""
        for one in found_in(self._ports.locators, project_at(self._at.location.root)):
            file = file_of(one.path)
            if session and one.session == session:
                yield Left(file, "record")
            else:
                yield from self._held(file, "record")


def ledger_texts(ledger: Ledger) -> Iterator[str]:
    """Every text in the ledger, decompressed."""
    for line in export_bundle(ledger):
        yield from texts(msgspec.json.decode(line))


def _forms(values: Iterable[str]) -> tuple[bytes, ...]:
    """How values stand in a file: as they are, and as one, two or three writers of JSON would put them."""
    forms: dict[bytes, None] = {}
    for value in values:
        plain = [value]
        for _ in range(3):
            plain += [json.dumps(text, ensure_ascii=ascii_only)[1:-1] for text in plain for ascii_only in (True, False)]
            plain = list(dict.fromkeys(plain))
        forms |= dict.fromkeys(text.encode("utf-8", "surrogatepass") for text in plain)
    return tuple(forms)


def _holds(path: Path, forms: Collection[bytes]) -> bool:
    """Whether the bytes of a file hold one of `forms`. Raises `OSError` for one that cannot be read; a link, a pipe and
    a file that is gone hold nothing.
    """
    if not forms:
        return False
    if path.is_symlink() or not path.is_file():
        return False
    with opened(path) as file:
        return _in_blocks(iter(lambda: file.read(_BLOCK_BYTES), b""), forms)


def _in_blocks(blocks: Iterable[bytes], forms: Collection[bytes]) -> bool:
    """Whether what comes in pieces holds one of `forms`."""
    overlap = max(map(len, forms), default=1) - 1
    tail = b""
    for block in blocks:
        window = tail + block
        if any(form in window for form in forms):
            return True
        tail = window[-overlap:] if overlap else b""
    return False


def files_below(folder: Path) -> Iterator[Path]:
    """The files in a folder and below it, none where it is not there."""
    for parent, _, names in os.walk(folder):
        for name in sorted(names):
            yield Path(parent, name)


def _drop(path: Path) -> Path:
    delete(path)
    return path


def in_words(left: Left) -> str:
    """Why a file still holds it, and what a person can do."""
    path = one_line(clean(str(left.path)))
    if left.role == "record":
        return f"{path} is the client's own record: clew reads it and does not touch it; delete it or edit it there"
    if left.role == "document":
        return f"{path} is a document: edit or delete it"
    if left.role == "unread":
        return f"{path} could not be searched: look into it yourself"
    return f"{path} is a file of clew's"

"""Archiving: what grew since it was archived is kept again, redacted line by line; then the policy is applied."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import structs

from clew.app.egress.guard import Scanned, leaving
from clew.app.egress.output_file import require_free, write_output
from clew.app.intake.find import found_in, project_at, ran_in, reader_at
from clew.app.ports import Ports
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle, redactor_at
from clew.app.results import JsonResult
from clew.clients.port import Reader, Transcript
from clew.core.errors import ClewError, InputError, NotFound
from clew.core.records.transcript import Context
from clew.core.state.events import timestamp
from clew.core.text.cleaning import in_columns
from clew.workspace.atomic import delete, replace
from clew.workspace.objects import DamagedObject, Objects
from clew.workspace.times import rfc3339

FOLDER_NAME: Final = "archive"
_CODES: Final = ("E-archive-exists", "E-archive-unwritable")
_DAY_MS: Final = 86_400_000
_HEAD_BYTES: Final = 64 << 10
_TAKE_OUT: Final = "`clew archive` keeps the record again, redacted by today's rules, while the client has it"


class Archived(JsonResult, frozen=True):
    """A session in the archive. `record` is where its record was, `folder` where it ran ("" unknown). `size` is that of
    the record when it was archived (as `Transcript.size`), `digest` names the object. `packed_bytes` are on the disk.
    Times are RFC 3339 UTC: the record's last change, and when it was archived.
    """

    client: str
    session: str
    record: str = msgspec.field(name="path")
    folder: str
    size: int
    digest: str
    bytes: int
    packed_bytes: int
    changed_at: str
    archived_at: str


class ArchiveList(JsonResult, frozen=True):
    """All that is archived, the newest first."""

    sessions: tuple[Archived, ...]


class ArchiveResult(JsonResult, frozen=True):
    """What was done. `kept` are sessions that were archived (or would be, in a dry run), `dropped` those that the
    policy took out: older than it allows, or the oldest where all are too large. `bytes` are on the disk afterwards.
    `unread` are records that cannot be read.
    """

    kept: tuple[Archived, ...]
    dropped: tuple[Archived, ...]
    bytes: int
    unread: tuple[Path, ...]
    dry_run: bool


@dataclass(frozen=True, slots=True)
class Policy:
    """How long and how much is kept."""

    days: int
    bytes_max: int


def archive_of(ports: Ports) -> Archive:
    """This user's archive."""
    return Archive(ports.trust_store.parent / FOLDER_NAME)


def archive(
    project: ProjectHandle,
    *,
    session: str = "",
    everywhere: bool = False,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
) -> ArchiveResult:
    """Keep the records of the project that `folder` (absolute) is in, of one `session` of it ("" all), or of all
    projects, as far as they grew since. `tell` hears how many of how many were looked at.

    What a person redacted by hand in the project stays away. Raises `OSError` where the archive cannot be written.
    """
    store, settings = archive_of(project.ports), project.ports.settings(locate(project.folder).root)
    policy = Policy(settings.number("archive.days"), settings.number("archive.most_mb") << 20)
    found_project = project_at(project.folder)
    if everywhere:
        found: Iterable[Transcript] = (item for one in project.ports.locators for item in one.sessions_of(Path(os.sep)))
    else:
        found = found_in(project.ports.locators, found_project)
    files = sorted({item.path: item for item in found if session in ("", item.session)}.values(), key=_age)
    kept: list[Archived] = []
    unread: list[Path] = []
    for number, item in enumerate(files, start=1):
        known = store.known(item.client, item.session)
        if item.size and (known is None or known.size != item.size):
            reader = reader_at(item.path, project.ports.readers, client=item.client)
            if reader is not None and (everywhere or ran_in(found_project, item.path, reader)):
                try:
                    kept.append(_kept(project.ports, store, item, reader, dry_run=project.dry_run))
                except (OSError, ClewError):  # its ledger too: what a person redacted there must stay away
                    unread.append(item.path)
        tell(number, len(files))
    dropped = list(_beyond(store.sessions(), policy, project.ports.now_ms()))
    if not project.dry_run:
        for one in dropped:
            store.drop(one)
    total = sum(one.packed_bytes for one in store.sessions())
    return ArchiveResult(tuple(kept), tuple(dropped), total, tuple(unread), project.dry_run)


def restore(
    project: ProjectHandle,
    wanted: str,
    target: Path,
    *,
    force: bool = False,
    allow: Collection[str] = (),
    why: str = "",
) -> tuple[Archived, Scanned]:
    """Write the archived record of a session into `target`, readable by its owner only. Every client's reader, and so
    `clew resume --from`, takes it as the client's own.

    It was redacted by the rules of its day, and is scanned by today's first; a person lets a finding pass (`allow`,
    `why`), which the ledger of `folder` keeps. Raises `NotFound`, `NotAllowed` and `InputError`: no such session, a
    damaged one, a secret, or a file that is there without `force`.
    """
    store = archive_of(project.ports)
    one = store.named(wanted)
    require_free(target, force=force, codes=_CODES)
    texts = lines_of(store.content(one))
    scanned = leaving(project, texts, exit="file", allow=allow, why=why, hint=_TAKE_OUT)
    write_output(target, store.content(one), force=force, codes=_CODES)
    return one, scanned


def rewrite(store: Archive, one: Archived, redact: Callable[[str], str]) -> None:
    """Keep an archived record again, without what `redact` takes out today. Raises `OSError`, `ClewError`."""
    digest, size, packed = store.keep(_safe_lines(_lines(store.content(one)), redact))
    store.note(structs.replace(one, digest=digest, bytes=size, packed_bytes=packed))


def lines_of(blocks: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """The lines of an archived record, each with what it is called."""
    for number, line in enumerate(_lines(blocks), start=1):
        yield f"line {number} of its record", line.rstrip(b"\r\n").decode("utf-8", "replace")


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a record, with their ends."""
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        yield from (line + b"\n" for line in lines)
    if rest:
        yield rest


def _age(item: Transcript) -> tuple[int, str]:
    return item.modified_ns, str(item.path)


def _kept(ports: Ports, store: Archive, item: Transcript, reader: Reader, *, dry_run: bool) -> Archived:
    folder = _folder_of(item.path, reader)
    now = timestamp(ports.now_ms())
    changed = rfc3339(item.modified_ns // 1_000_000_000)
    name = ports.redact(item.session)
    if dry_run:
        return Archived(item.client, name, str(item.path), folder, item.size, "", 0, 0, changed, now)
    with reader.open(item.path) as file:
        digest, size, packed = store.keep(
            _safe_lines(file, redactor_at(ports, Path(folder)) if folder else ports.redact)
        )
    one = Archived(item.client, name, str(item.path), folder, item.size, digest, size, packed, changed, now)
    store.note(one)
    return one


def _folder_of(path: Path, reader: Reader) -> str:
    """Where a session ran, by the beginning of its record; "" unknown."""
    with reader.open(path) as file:
        records = reader.read(file.read(_HEAD_BYTES), offset=0).records
    return next((record.cwd for record in records if isinstance(record, Context) and record.cwd), "")


def _safe_lines(lines: Iterable[bytes], redact: Callable[[str], str]) -> Iterator[bytes]:
    """Lines of a record, redacted: every text in the JSON of a line, then the line, where a name stands apart from its
    value. A line that is not JSON is redacted as it is.
    """
    for line in lines:
        body = line.rstrip(b"\r\n")
        try:
            value = msgspec.json.decode(body)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            yield redact(body.decode("utf-8", "replace")).encode() + line[len(body) :]
            continue
        safe = _safe_value(value, redact)
        told = body if safe == value else msgspec.json.encode(safe)
        yield redact(told.decode("utf-8", "replace")).encode() + line[len(body) :]


def _safe_value(value: Any, redact: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return redact(value) if value else value
    if isinstance(value, dict):
        return {redact(name): _safe_value(one, redact) for name, one in value.items()}
    if isinstance(value, list):
        return [_safe_value(one, redact) for one in value]
    return value


def _beyond(kept: list[Archived], policy: Policy, now_ms: int) -> Iterator[Archived]:
    """What the policy does not allow, of sessions the newest first."""
    oldest = timestamp(max(0, now_ms - policy.days * _DAY_MS))
    total = 0
    for one in kept:
        total += one.packed_bytes
        if one.changed_at < oldest or total > policy.bytes_max:
            yield one


def told(one: Archived) -> str:
    """A session of the archive in a line."""
    return in_columns(one.changed_at[:16].replace("T", " "), one.client, one.session, one.folder)


_LEVEL: Final = 9


class Archive:
    """The archive in `folder`, which is made when something is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._objects = Objects(folder / "objects", level=_LEVEL)

    def sessions(self) -> list[Archived]:
        """All that is kept, the one that changed last first. What cannot be read is passed over."""
        found = []
        for path in self.folder.glob("sessions/*/*.json"):
            with suppress(OSError, ValueError, RecursionError):
                found.append(msgspec.json.decode(path.read_bytes(), type=Archived))
        return sorted(found, key=lambda one: (one.changed_at, one.session), reverse=True)

    def named(self, wanted: str) -> Archived:
        """The session whose id begins with `wanted`. Raises `NotFound`, and `InputError` where several do."""
        found = [one for one in self.sessions() if one.session.lower().startswith(wanted.lower())]
        if not found or not wanted:
            raise NotFound(
                f"no session {wanted} is in the archive",
                code="E-archive-missing",
                hint="`clew archive list` lists everything archived.",
            )
        if len(found) > 1:
            raise InputError(
                f"{wanted} is the beginning of {len(found)} archived sessions' ids",
                code="E-session-ambiguous",
                hint=f"Choose one of: {', '.join(one.session for one in found[:8])}",
            )
        return found[0]

    def keep(self, lines: Iterable[bytes]) -> tuple[str, int, int]:
        """Put a record's lines into an object: its digest, its bytes, and those on the disk. Raises `OSError`."""
        return self._objects.keep(lines)

    def note(self, one: Archived) -> None:
        """Tell which object a session is; the one that it was before goes if nobody needs it. Raises `OSError`."""
        place = self._place(one)
        before = self._read(place)
        replace(place, msgspec.json.format(msgspec.json.encode(one)) + b"\n", mode=0o600)
        if before is not None and before.digest != one.digest:
            self._drop_object(before.digest)

    def known(self, client: str, session: str) -> Archived | None:
        """What is kept of a session, None for nothing."""
        return self._read(self.folder / "sessions" / _safe(client) / f"{_safe(session)}.json")

    def content(self, one: Archived) -> Iterator[bytes]:
        """The record, in pieces. Raises `NotFound` where its object is gone, `InputError` where it is damaged."""
        try:
            yield from self._objects.content(one.digest)
        except FileNotFoundError:
            raise NotFound(
                f"the archived record of {one.session} is gone from {self.folder}",
                code="E-archive-missing",
                hint="`clew archive` saves it again if the client still has it.",
            ) from None
        except DamagedObject as error:
            raise _damaged(one) from error

    def path(self, one: Archived) -> Path:
        """The file that holds the record, compressed."""
        return self._objects.path(one.digest)

    def drop(self, one: Archived) -> None:
        """Take a session out. Raises `OSError`."""
        delete(self._place(one))
        self._drop_object(one.digest)

    def _drop_object(self, digest: str) -> None:
        if not any(one.digest == digest for one in self.sessions()):
            self._objects.drop(digest)

    def _place(self, one: Archived) -> Path:
        return self.folder / "sessions" / _safe(one.client) / f"{_safe(one.session)}.json"

    @staticmethod
    def _read(path: Path) -> Archived | None:
        try:
            return msgspec.json.decode(path.read_bytes(), type=Archived)
        except (OSError, ValueError, RecursionError):
            return None


def _safe(name: str) -> str:
    """A name from a client as the name of a file."""
    kept = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in name).lstrip(".")[:120]
    return kept or hashlib.sha256(name.encode()).hexdigest()[:16]


def _damaged(one: Archived) -> InputError:
    return InputError(
        f"the archived record of {one.session} is damaged",
        code="E-archive-damaged",
        hint="It is not used; `clew archive` saves it again if the client still has it.",
    )

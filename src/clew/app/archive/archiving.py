"""Archiving: what grew since it was archived is kept anew, redacted line by line; then the policy is applied."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import msgspec

from clew.app.archive.store import Archive, Archived
from clew.app.egress.allowing import leaving
from clew.app.egress.guard import Scanned
from clew.app.intake.find import found_in, project_at, ran_in, reader_at
from clew.app.ports import Ports
from clew.app.project import locate, redactor_at
from clew.clients.port import Reader, Transcript
from clew.core.errors import ClewError, InputError
from clew.core.records.transcript import Context
from clew.core.state.events import timestamp
from clew.core.text.cleaning import in_columns
from clew.workspace.atomic import check_way
from clew.workspace.times import rfc3339

FOLDER_NAME: Final = "archive"
_DAY_MS: Final = 86_400_000
_HEAD_BYTES: Final = 64 << 10
_TAKE_OUT: Final = "`clew archive` keeps the record anew, redacted by today's rules, while the client has it"


@dataclass(frozen=True, slots=True)
class Kept:
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
    ports: Ports,
    folder: Path,
    *,
    session: str = "",
    everywhere: bool = False,
    dry_run: bool = False,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
) -> Kept:
    """Keep the records of the project that `folder` (absolute) is in, of one `session` of it ("" all), or of all
    projects, as far as they grew since. `tell` hears how many of how many were looked at.

    What a person redacted by hand in the project stays away. Raises `OSError` where the archive cannot be written.
    """
    store, settings = archive_of(ports), ports.settings(locate(folder).root)
    policy = Policy(settings.number("archive.days"), settings.number("archive.most_mb") << 20)
    project = project_at(folder)
    if everywhere:
        found: Iterable[Transcript] = (item for one in ports.locators for item in one.sessions_of(Path(os.sep)))
    else:
        found = found_in(ports.locators, project)
    files = sorted({item.path: item for item in found if session in ("", item.session)}.values(), key=_age)
    kept: list[Archived] = []
    unread: list[Path] = []
    for number, item in enumerate(files, start=1):
        known = store.known(item.client, item.session)
        if item.size and (known is None or known.size != item.size):
            reader = reader_at(item.path, ports.readers, client=item.client)
            if reader is not None and (everywhere or ran_in(project, item.path, reader)):
                try:
                    kept.append(_kept(ports, store, item, reader, dry_run=dry_run))
                except (OSError, ClewError):  # its ledger too: what a person redacted there must stay away
                    unread.append(item.path)
        tell(number, len(files))
    dropped = list(_beyond(store.sessions(), policy, ports.now_ms()))
    if not dry_run:
        for one in dropped:
            store.drop(one)
    total = sum(one.packed_bytes for one in store.sessions())
    return Kept(tuple(kept), tuple(dropped), total, tuple(unread), dry_run)


def restore(
    ports: Ports,
    wanted: str,
    target: Path,
    *,
    folder: Path,
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
    store = archive_of(ports)
    one = store.named(wanted)
    if not force and os.path.lexists(target):
        raise InputError(
            f"{target} is there already", code="E-archive-exists", hint="Name another file, or say `--force`."
        )
    texts = lines_of(store.content(one))
    scanned = leaving(ports, folder, texts, exit="file", allow=allow, why=why, hint=_TAKE_OUT)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        check_way(target)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            for block in store.content(one):
                file.write(block)
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InputError(
            f"{target} cannot be written: {error.strerror or error}",
            code="E-archive-unwritable",
            hint="Name a file in a folder that you may write.",
        ) from error
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return one, scanned


def rewrite(store: Archive, one: Archived, redact: Callable[[str], str]) -> None:
    """Keep an archived record anew, without what `redact` takes out today. Raises `OSError`, `ClewError`."""
    digest, size, packed = store.keep(_safe_lines(_lines(store.content(one)), redact))
    store.note(replace(one, digest=digest, bytes=size, packed_bytes=packed))


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
    value. A line that is no JSON is redacted as it is.
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

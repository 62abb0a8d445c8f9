"""Bundles leave and arrive here: what goes is scanned once more, what comes is redacted on its way in."""

import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import IO, Final

import msgspec

from clew.app.egress.guard import Leak, PersonalData, note_allowed, permitted, require_clean
from clew.app.egress.output_file import require_free, write_output
from clew.app.project.authority import require_person
from clew.app.project.opening import ProjectHandle
from clew.app.project.reading import find_task
from clew.app.project.redaction import LedgerRedaction
from clew.app.results import JsonResult
from clew.app.tasks.words import strays
from clew.core.errors import InputError
from clew.core.state.events import timestamp
from clew.core.state.items import Provenance
from clew.ledger.bundle import export_bundle, import_bundle
from clew.ledger.memory import MemoryLedger
from clew.ledger.port import Ledger
from clew.ledger.portable import is_ulid
from clew.ledger.redaction import safe_event

_HEAD_BYTES_MAX: Final = 4096
_MEMORY_BYTES_MAX: Final = 16 << 20


class BundleExport(JsonResult, frozen=True):
    """What went into a bundle. `file` is "" for stdout. What was seen before it left is as in `Scanned`."""

    dry_run: bool
    file: Path | str
    project: str
    events: int
    extracts: int
    bytes: int
    engine: str
    allowed: tuple[Leak, ...]
    personal: tuple[PersonalData, ...]
    notes: tuple[str, ...]


class ImportedBundle(JsonResult, frozen=True):
    """What an import of a bundle did, or would (`ledger.bundle.BundleImport`)."""

    dry_run: bool
    project: str
    events: int
    known: int
    extracts: int
    left_out: int


def export(
    project: ProjectHandle,
    file: Path | None,
    *,
    write: Callable[[bytes], object],
    allow: Collection[str] = (),
    why: str = "",
    task: str = "",
    force: bool = False,
) -> BundleExport:
    """Put all of the ledger, or of the task that `task` names, into one bundle: into `file`, readable by its owner
    only, or piece by piece to `write`.

    Before anything leaves, all texts are scanned for secrets, and one finding refuses the whole. A person lets one
    pass by its digits in `allow`, and says `why`. A file that is there is not replaced without `force`; it is written
    whole or not at all. Raises `NotFound`, `NotAllowed` (E-egress-secret), `InputError` (E-export-exists,
    E-export-unwritable).
    """
    permitted(project.ports, allow, why)
    with project.open(write=bool(allow)) as at, tempfile.SpooledTemporaryFile(_MEMORY_BYTES_MAX) as copy:
        require_free(file, force=force)
        lines = export_bundle(at.ledger, task=find_task(at, task).id if task else "")
        leaving = _Leaving(lines, copy)
        scanned = require_clean(
            leaving.texts(), at.ledger.key, exit="export", allow=allow, deep=project.ports.deep_scan
        )
        end = msgspec.json.decode(leaving.last)["end"]
        size = copy.tell()
        copy.seek(0)
        if not project.dry_run:
            note_allowed(at, scanned, exit="export", why=why)
            blocks = iter(lambda: copy.read(1 << 20), b"")
            if file is not None:
                write_output(file, blocks, force=force)
            for block in blocks if file is None else ():
                write(block)
        return BundleExport(
            project.dry_run, file or "", at.ledger.project, end["events"], end["extracts"], size,
            scanned.engine, scanned.allowed, scanned.warnings, scanned.notes,
        )  # fmt: skip


def import_(project: ProjectHandle, file: Path, *, join: bool = False, keep_authors: bool = False) -> ImportedBundle:
    """Take the bundle in `file` into the ledger of the project that `folder` is in. Twice is once.

    What it says counts as an agent's at most, unless a person says `keep_authors`. A bundle of another project is
    refused unless a person says `join`: the two are one project from then on. Every text is redacted on its way in,
    and what was redacted here stays away. Raises `NotFound`, `NotAllowed`, `InputError`, `LedgerError`.
    """
    if keep_authors:
        require_person(project.ports.channel(), "bundle")
    if join:
        require_person(project.ports.channel(), "bundle", "join the project of a bundle with this one")
    found_project = _project_of(file)
    ceiling: Provenance = "human" if keep_authors else "agent"
    with project.open(write=not project.dry_run, spool=False) as at:
        ledger = _rehearsal(at.ledger) if project.dry_run else at.ledger
        if join and found_project != ledger.project:
            event = at.event("project.aliased", {"other": found_project}, task="", key=f"alias:{found_project}")
            ledger.append([event])
        forget = LedgerRedaction(ledger, project.ports.redactor(ledger.key), at.location.peer_keys)
        with file.open("rb") as lines:
            done = import_bundle(
                lines,
                forget.guard(ledger),
                ceiling=ceiling,
                now=timestamp(project.ports.now_ms()),
                safe=lambda event: safe_event(event, forget),
            )
        if not project.dry_run:
            at.append(strays(at))
        return ImportedBundle.of(done, dry_run=project.dry_run)


class _Leaving:
    """A bundle on its way out: each of its texts is given to be looked at, its lines go into a copy. `last` is the last
    one.
    """

    def __init__(self, lines: Iterable[bytes], copy: IO[bytes]) -> None:
        self._lines = lines
        self._copy = copy
        self.last = b""

    def texts(self) -> Iterator[tuple[str, str]]:
        """Every text by the line of the bundle that holds it, from 1; names of data included."""
        for number, line in enumerate(self._lines, start=1):
            self._copy.write(line)
            self.last = line
            carried = msgspec.json.decode(line)
            for text in (*texts(carried), *carried.get("event", {}).get("data", {})):
                yield f"line {number} of the bundle", text


def texts(value: object) -> Iterator[str]:
    """Every text in a JSON value but the names of members."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from texts(part)


def _project_of(file: Path) -> str:
    """The project that a bundle names in its first line. Raises `InputError` if the file is none."""
    try:
        with file.open("rb") as source:
            head = source.readline(_HEAD_BYTES_MAX)
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror or type(error).__name__}",
            code="E-import-unreadable",
            hint="Name a file that `clew export` wrote.",
        ) from error
    try:
        project = msgspec.json.decode(head, type=_Head).project
    except (ValueError, RecursionError):
        project = ""
    if not is_ulid(project):
        raise InputError(
            f"{file} is not a bundle",
            code="E-import-unknown",
            hint="A bundle is what `clew export` wrote. Without --join and --keep-authors it is read as a document.",
        )
    return project


class _Head(msgspec.Struct):
    clew_bundle: int
    project: str


def _rehearsal(ledger: Ledger) -> Ledger:
    """A copy of `ledger` in memory: what is tried there is kept nowhere."""
    copy = MemoryLedger(project=ledger.project, key=ledger.key)
    import_bundle(export_bundle(ledger), copy, ceiling="human", now="")
    return copy

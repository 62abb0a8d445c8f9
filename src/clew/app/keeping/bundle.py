"""Bundles leave and arrive here: what goes is scanned once more, what comes is redacted on its way in."""

import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, NamedTuple

import msgspec

from clew.app.ports import Ports
from clew.app.project import LedgerRedaction, ProjectSession, find_task, open_project
from clew.app.project.authority import require_person
from clew.app.tasks.words import strays
from clew.core.errors import InputError, NotAllowed
from clew.core.state.events import timestamp
from clew.core.state.items import Provenance
from clew.ledger.bundle import Imported, export_bundle, import_bundle
from clew.ledger.memory import MemoryLedger
from clew.ledger.port import Ledger
from clew.ledger.portable import is_ulid
from clew.ledger.redaction import safe_event
from clew.secrets import Redactor, scan

_HEAD_BYTES_MAX: Final = 4096
_MEMORY_BYTES_MAX: Final = 16 << 20
_FINDINGS_SHOWN_MAX: Final = 5


class Secret(NamedTuple):
    """What looks like a secret in a bundle. `rule` says of what kind, `digits` name its value under the ledger's key
    (as placeholders do), `line` is the first line of the bundle that holds it, from 1.
    """

    rule: str
    digits: str
    line: int


class Exported(NamedTuple):
    """What went into a bundle. `file` is None for stdout. `allowed` are secrets that a person let pass."""

    file: Path | None
    project: str
    events: int
    extracts: int
    bytes: int
    allowed: tuple[Secret, ...]


def export(
    ports: Ports,
    folder: Path,
    file: Path | None,
    *,
    write: Callable[[bytes], object],
    allow: Collection[str] = (),
    task: str = "",
    force: bool = False,
    dry_run: bool = False,
) -> Exported:
    """Put all of the ledger, or of the task that `task` names, into one bundle: into `file`, readable by its owner
    only, or piece by piece to `write`.

    Before anything leaves, all texts are scanned for secrets, and one finding refuses the whole. A person lets one
    pass by its digits in `allow`. A file that is there is not replaced without `force`; it is written whole or not at
    all. Raises `NotFound`, `NotAllowed`, `InputError` (E-export-secret, E-export-exists, E-export-unwritable).
    """
    if allow:
        require_person(ports.channel(), "let a secret leave in an export")
    with open_project(ports, folder, write=False) as at, tempfile.SpooledTemporaryFile(_MEMORY_BYTES_MAX) as copy:
        if file is not None and not force and os.path.lexists(file):
            raise _exists(file)
        found: dict[tuple[str, str], Secret] = {}
        last = b""
        for number, last in enumerate(export_bundle(at.ledger, task=find_task(at, task).id if task else ""), start=1):
            copy.write(last)
            for secret in _secrets(at, last, number):
                found.setdefault((secret.rule, secret.digits), secret)
        refused = [secret for secret in found.values() if secret.digits not in allow]
        if refused:
            raise _leaks(refused)
        end = msgspec.json.decode(last)["end"]
        size = copy.tell()
        copy.seek(0)
        if not dry_run:
            _copy_to(file, copy, write, force=force)
        return Exported(file, at.ledger.project, end["events"], end["extracts"], size, tuple(found.values()))


def import_(
    ports: Ports, folder: Path, file: Path, *, join: bool = False, keep_authors: bool = False, dry_run: bool = False
) -> Imported:
    """Take the bundle in `file` into the ledger of the project that `folder` is in. Twice is once.

    What it says counts as an agent's at most, unless a person says `keep_authors`. A bundle of another project is
    refused unless a person says `join`: the two are one project from then on. Every text is redacted on its way in,
    and what was redacted here stays away. Raises `NotFound`, `NotAllowed`, `InputError`, `LedgerError`.
    """
    if keep_authors:
        require_person(ports.channel(), "have the words of a bundle count as those of whom it names")
    if join:
        require_person(ports.channel(), "join the project of a bundle with this one")
    project = _project_of(file)
    ceiling: Provenance = "human" if keep_authors else "agent"
    with open_project(ports, folder, write=not dry_run, spool=False) as at:
        ledger = _rehearsal(at.ledger) if dry_run else at.ledger
        if join and project != ledger.project:
            event = at.event("project.aliased", {"other": project}, task="", key=f"alias:{project}")
            ledger.append([event])
        forget = LedgerRedaction(ledger, ports.redactor(ledger.key))
        with file.open("rb") as lines:
            done = import_bundle(
                lines,
                forget.guard(ledger),
                ceiling=ceiling,
                now=timestamp(ports.now_ms()),
                safe=lambda event: safe_event(event, forget),
            )
        if not dry_run:
            at.append(strays(at))
        return done


def _secrets(at: ProjectSession, line: bytes, number: int) -> Iterator[Secret]:
    """What looks like a secret in the texts of one line, names of data included."""
    carried = msgspec.json.decode(line)
    named = Redactor(at.ledger.key)
    for text in (*texts(carried), *carried.get("event", {}).get("data", {})):
        for finding in scan(text):
            yield Secret(finding.rule, named.fingerprint(text[finding.start : finding.end]), number)


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


def _copy_to(file: Path | None, copy: IO[bytes], write: Callable[[bytes], object], *, force: bool) -> None:
    blocks = iter(lambda: copy.read(1 << 20), b"")
    if file is None:
        for block in blocks:
            write(block)
        return
    draft = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
            target.writelines(blocks)
            target.flush()
            os.fsync(target.fileno())
        if force:
            draft.replace(file)
        else:
            os.link(draft, file)
    except FileExistsError as error:
        raise _exists(file) from error
    except OSError as error:
        raise InputError(
            f"{file} cannot be written: {error.strerror or type(error).__name__}",
            code="E-export-unwritable",
            hint="Name a file where there is room and the right to write, or `-` for stdout.",
        ) from error
    finally:
        with suppress(OSError):
            draft.unlink()


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
    except (msgspec.MsgspecError, RecursionError):
        project = ""
    if not is_ulid(project):
        raise InputError(
            f"{file} is no bundle",
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


def _leaks(found: Sequence[Secret]) -> NotAllowed:
    shown = [f"{one.rule} {one.digits} (line {one.line})" for one in found[:_FINDINGS_SHOWN_MAX]]
    more = f" and {len(found) - len(shown)} more" if len(found) > len(shown) else ""
    return NotAllowed(
        f"the export would hold what looks like {_count(len(found), 'secret')}: {', '.join(shown)}{more}",
        code="E-export-secret",
        hint="Nothing was written. Take it out with `clew redact ID`, or, if it is none, a person lets it pass: "
        f"--allow {found[0].digits}",
    )


def _exists(file: Path) -> InputError:
    return InputError(
        f"{file} is there already", code="E-export-exists", hint="Name another file, or say --force to replace it."
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

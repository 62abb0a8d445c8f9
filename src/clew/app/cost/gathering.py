"""Gathering: what session files hold beyond what the index counts is counted. Work grows with what was appended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Final, cast

from clew.app.cost.index import File, Response, UsageIndex, responses_of, state_of
from clew.app.intake.find import reader_at
from clew.app.ports import Ports
from clew.clients.files import read_file
from clew.clients.places import opened, size_of
from clew.clients.port import Reader, Transcript, UsageLocator, UsageReader
from clew.core.cost.uses import Use, Uses, merged
from clew.core.records.transcript import Batch

_WINDOW_BYTES: Final = 1 << 20
_PRINT_BYTES: Final = 512
# So many responses are put into the index at once.
_HELD_MAX: Final = 20_000


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was done: of `files` that there are `changed` had something new; `unread` cannot be read."""

    files: int = 0
    changed: int = 0
    unread: tuple[Path, ...] = ()


def usage_files(ports: Ports) -> Iterator[Transcript]:
    """All files of this user that tell of tokens, each once, in no order."""
    met: set[Path] = set()
    for locator in ports.locators:
        many = locator.usage_files() if isinstance(locator, UsageLocator) else locator.sessions_of(Path("/"))
        for one in many:
            if one.size and one.path not in met:
                met.add(one.path)
                yield one


def gather(
    ports: Ports,
    index: UsageIndex,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
    *,
    changed_ns: int = 0,
) -> Gathered:
    """Bring the index up to date. `tell` hears how many of the files with something new are done, of how many. Files
    that nobody changed since `changed_ns` are left out.

    Files that were changed first are counted first: so what others copied from them is theirs. What stood in a file
    that is gone, or is written anew, stays counted: it was paid for.
    """
    known = index.files()
    count = 0
    new = []
    for item in usage_files(ports):
        count += 1
        if known.get(str(item.path)) != item.size and item.modified_ns >= changed_ns:
            new.append(item)
    new.sort(key=lambda item: (item.modified_ns, str(item.path)))
    unread: list[Path] = []
    waiting: list[tuple[File, list[Response]]] = []
    held = 0
    for number, item in enumerate(new):
        tell(number, len(new))
        found = _tried(ports, item, index.file(str(item.path)) if str(item.path) in known else None)
        if isinstance(found, Path):
            unread.append(found)
        elif found is not None:
            waiting.append(found)
            held += len(found[1])
        if held > _HELD_MAX:
            index.put(waiting)
            waiting, held = [], 0
    index.put(waiting)
    return Gathered(count, len(new), tuple(unread))


def _tried(ports: Ports, item: Transcript, before: File | None) -> tuple[File, list[Response]] | Path | None:
    """As `_counted`; the path of a file that cannot be read."""
    try:
        return _counted(ports, item, before)
    except OSError:
        return item.path


def _counted(ports: Ports, item: Transcript, before: File | None) -> tuple[File, list[Response]] | None:
    """How far a file is counted now, and what is new in it; None where it is no session's. Raises `OSError`."""
    reader = reader_at(item.path, ports.readers, client=item.client)
    if reader is None:
        return None
    if before is not None and reader.grows and _goes_on(before, item.path):
        start, uses = before.read, before.uses()
    else:
        start, uses = 0, Uses(session=item.session)
    found: dict[str, Use] = {}
    read = start
    quick = cast(Reader, _Quick(reader)) if isinstance(reader, UsageReader) else reader
    for batch in read_file(item.path, quick, start, window_bytes=_WINDOW_BYTES):
        read = batch.offset
        merged(uses.of(batch.records), found, str(item.path))
    return File(str(item.path), item.size, read, _print(item.path), state_of(uses)), responses_of(item.client, found)


class _Quick:
    """A reader that reads usage only, as `read_file` wants one."""

    def __init__(self, reader: UsageReader) -> None:
        self._reader = cast(Reader, reader)
        self._read = reader.read_usage

    def open(self, path: Path) -> BinaryIO:
        return self._reader.open(path)

    def read(self, chunk: bytes, *, offset: int) -> Batch:
        return self._read(chunk, offset=offset)

    def final(self, line: bytes, *, offset: int) -> Batch:
        return self._reader.final(line, offset=offset)


def _print(path: Path) -> str:
    """What tells that a file is still the same one: a digest of its beginning, and how long that was."""
    with opened(path) as file:
        head = file.read(_PRINT_BYTES)
    return f"{len(head)} {blake2b(head, digest_size=12).hexdigest()}"


def _goes_on(before: File, path: Path) -> bool:
    """Whether a file is still the one that was read, and no shorter."""
    length, _, digest = before.print.partition(" ")
    with opened(path) as file:
        head = file.read(int(length))
    return size_of(path) >= before.read and blake2b(head, digest_size=12).hexdigest() == digest

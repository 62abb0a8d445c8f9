"""A session's files as contexts: what came into them before each response."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO, Final

from clew.app.intake.find import reader_at, unreadable
from clew.app.ports import Ports
from clew.clients.port import ContextReader, Reader, UsageLocator
from clew.core.audit.contexts import Contexts
from clew.core.records.context_parts import ContextPart
from clew.core.records.transcript import Context
from clew.core.text.tokens import estimate

_LINE_BYTES_MAX: Final = 64 << 20


class AuditReading:
    """A session that was read: its contexts, and where it ran when it began."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.contexts = Contexts(estimate, has_inputs=isinstance(reader, ContextReader))
        self.session = ""
        self.cwd = ""
        self.first_time = ""

    def file(self, path: Path, *, agent: str = "") -> None:
        """Take a file in. Raises `OSError`."""
        with self.reader.open(path) as file:
            for line, at in _lines(file):
                batch = self.reader.read(line, offset=at)
                parts: Iterable[ContextPart] = ()
                if isinstance(self.reader, ContextReader):
                    parts = self.reader.context_parts(line.rstrip(b"\n"), at)
                for record in batch.records:
                    if isinstance(record, Context) and not record.agent:
                        self.session = self.session or record.session
                        self.cwd = self.cwd or record.cwd
                        self.first_time = self.first_time or record.time
                self.contexts.take(batch.records, parts, agent=agent)


def read_session(ports: Ports, path: Path, reader: Reader, tell: Callable[[str], None]) -> AuditReading:
    """The session in `path`, with the files of its sub-agents. Raises `InputError` if it cannot be read."""
    found = AuditReading(reader)
    try:
        tell(path.name)
        found.file(path)
        for other in _of_agents(ports, path, found.session or path.stem, reader.name):
            tell(other.name)
            if (own := reader_at(other, ports.readers, client=reader.name)) is not None and own.name == reader.name:
                found.file(other, agent=other.stem)
    except OSError as error:
        raise unreadable(path, error) from error
    return found


def _of_agents(ports: Ports, path: Path, session: str, client: str) -> Iterable[Path]:
    """The files of the session's sub-agents, where its client keeps them apart."""
    many = (one for one in ports.locators if isinstance(one, UsageLocator))
    found = (item for one in many for item in one.usage_files() if item.client == client and item.size)
    return sorted(
        {one.path for one in found if one.session == session and one.path != path and one.path.stem != session}
    )


def _lines(file: BinaryIO) -> Iterable[tuple[bytes, int]]:
    """The lines of a session with their places, each with its end. One that is too long to be held is left out."""
    at = 0
    while line := file.readline(_LINE_BYTES_MAX):
        length, is_cut = len(line), len(line) == _LINE_BYTES_MAX
        while is_cut and (rest := file.readline(_LINE_BYTES_MAX)):
            length += len(rest)
            is_cut = not rest.endswith(b"\n")
        if length < _LINE_BYTES_MAX:
            yield (line if line.endswith(b"\n") else line + b"\n"), at
        at += length

"""What readers of documents have in common: each reads a document as a whole and gives lines of our own (`rendering`).

None of these formats is written by the client that a session ran in for others to go on from: what they leave out
(exit codes, files as they were, the folder) is not made up.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from clew.clients.files import file_of
from clew.clients.generic.document import load
from clew.clients.generic.rendering import Entry, records_of, rendered
from clew.core.records import Batch, Context, FileVersion, Record, Unreadable


class DocumentReader:
    """Implements `clew.clients.port.Reader`. A member says its name, how its format is known, and what stands in it."""

    name = ""
    grows = False

    def recognises(self, head: bytes) -> bool:
        raise NotImplementedError

    def entries(self, data: bytes, path: Path) -> Iterable[Entry]:
        """What stands in the document `data` that is called `path`. Raises `OSError` if no session does."""
        raise NotImplementedError

    def open(self, path: Path) -> BinaryIO:
        # Where the file lies may tell the folder of the session, however the file was named.
        place = Path(os.path.abspath(path))  # noqa: PTH100 - a link is part of the name, ".." is not
        return io.BytesIO(rendered(self.entries(load(file_of(path)), place)))

    def read(self, chunk: bytes, *, offset: int) -> Batch:
        records: list[Record] = []
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            if end > start:
                records += records_of(chunk[start:end], offset + start)
            start = end + 1
        return Batch(records, offset + start)

    def final(self, line: bytes, *, offset: int) -> Batch:
        records = list(records_of(line, offset))
        if any(isinstance(record, Unreadable) for record in records):
            return Batch([], offset)
        return Batch(records, offset + len(line))

    def file_versions(self, line: bytes) -> Iterable[FileVersion]:  # noqa: ARG002
        """None: what such a document shows of a file may be shortened, escaped or reformatted."""
        return ()

    def attended(self, head: bytes) -> bool:
        found = (record for line in head.split(b"\n") if line for record in records_of(line, 0))
        return next((record.attended for record in found if isinstance(record, Context)), True)

    def injected(self, line: bytes) -> Iterable[str]:  # noqa: ARG002
        return ()

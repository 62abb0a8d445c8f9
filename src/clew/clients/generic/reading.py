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
from clew.clients.generic.rendering import Entry, rendered, take
from clew.clients.lines import read_last, read_lines
from clew.core.records import Batch, Context, FileVersion, Record


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
        return read_lines(chunk, offset, take)

    def final(self, line: bytes, *, offset: int) -> Batch:
        return read_last(line, offset, take)

    def file_versions(self, line: bytes) -> Iterable[FileVersion]:  # noqa: ARG002
        """None: what such a document shows of a file may be shortened, escaped or reformatted."""
        return ()

    def attended(self, head: bytes) -> bool:
        found: list[Record] = []
        for line in filter(None, head.split(b"\n")):
            take(line, 0, found)
        return next((record.attended for record in found if isinstance(record, Context)), True)

    def injected(self, line: bytes) -> Iterable[str]:  # noqa: ARG002
        return ()

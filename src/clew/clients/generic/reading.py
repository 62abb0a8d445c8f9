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

from clew.clients.generic.document import load
from clew.clients.generic.rendering import Entry, records_of, rendered
from clew.clients.lines import LineReader
from clew.clients.places import file_of
from clew.core.records.transcript import Context, Record


class DocumentReader(LineReader):
    """Implements `clew.clients.port.Reader`. A member says its name, how its format is known, and what stands in it.

    It knows no file versions: what such a document shows of a file may be shortened, escaped or reformatted.
    """

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

    def take(self, data: bytes, at: int, records: list[Record]) -> None:
        records += records_of(data, at)

    def attended(self, head: bytes) -> bool:
        found = self.read(head, offset=0).records
        return next((record.attended for record in found if isinstance(record, Context)), True)

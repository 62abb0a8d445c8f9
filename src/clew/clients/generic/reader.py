"""Sessions that are documents: each is read as a whole and rendered as lines of our own (`rendering`).

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
from clew.clients.generic import chat, specstory, trajectory
from clew.clients.generic.document import load
from clew.clients.generic.rendering import Entry, records_of, rendered
from clew.core.records import Batch, Context, FileVersion, Record, Unreadable


class _DocumentReader:
    """What the readers of documents have in common. A member says how its format is known, and what stands in it."""

    name = ""
    grows = False

    def recognises(self, head: bytes) -> bool:
        raise NotImplementedError

    def entries(self, data: bytes, path: Path) -> Iterable[Entry]:
        """What stands in the document `data` that is called `path`. Raises `OSError` if no session is."""
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
        for data in head.split(b"\n"):
            for record in records_of(data, 0) if data else ():
                if isinstance(record, Context):
                    return record.attended
        return True

    def injected(self, line: bytes) -> Iterable[str]:  # noqa: ARG002
        return ()


class SpecStoryReader(_DocumentReader):
    """Markdown that SpecStory writes of other clients' sessions. Implements `clew.clients.port.Reader`."""

    name = "specstory"

    def recognises(self, head: bytes) -> bool:
        return specstory.recognises(head)

    def entries(self, data: bytes, path: Path) -> Iterable[Entry]:
        return specstory.entries(data, path)


class MiniSweAgentReader(_DocumentReader):
    """Trajectories of mini-SWE-agent. Implements `clew.clients.port.Reader`."""

    name = "mini-swe-agent"

    def recognises(self, head: bytes) -> bool:
        return trajectory.recognises(head)

    def entries(self, data: bytes, path: Path) -> Iterable[Entry]:
        return trajectory.entries(data, path)


class ChatReader(_DocumentReader):
    """Conversations as chats export them and people save them. Implements `clew.clients.port.Reader`."""

    name = "chat"

    def recognises(self, head: bytes) -> bool:
        return chat.recognises(head)

    def entries(self, data: bytes, path: Path) -> Iterable[Entry]:
        return chat.entries(data, path)

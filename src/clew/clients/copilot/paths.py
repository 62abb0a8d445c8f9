"""Where GitHub Copilot CLI keeps its sessions: `<home>/session-state/ID/events.jsonl`.

The path does not tell the folder that a session ran in: that stands in the first line. Sub-agents have no files of
their own. Sources: docs/clients/copilot.md, "Where".
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from clew.clients.copilot.spec import RECORD, SESSIONS, SPEC
from clew.clients.places import entries, is_within
from clew.clients.port import Transcript

_HEAD_BYTES: Final = 4 << 10
# A quote inside a JSON text is escaped, so no name in quotes can be found in one.
_CWD: Final = rb'"context"\s*:\s*\{[^{}]*?"cwd"\s*:\s*("(?:[^"\\]|\\.)*")'


class CopilotLocator:
    """Implements `clew.clients.port.Locator`. `home` is the client's folder, by default `~/.copilot`."""

    name = SPEC.name
    problem = ""

    def __init__(self, home: Path) -> None:
        self._sessions = home / SESSIONS
        self._folders: dict[str, str] = {}  # a session's file -> the folder that it was started in

    def sessions_of(self, folder: Path) -> Iterator[Transcript]:
        return (found for found in self.usage_files() if is_within(self._ran_in(str(found.path)), os.fspath(folder)))

    def usage_files(self) -> Iterator[Transcript]:
        """See `UsageLocator.usage_files`."""
        for entry in entries(self._sessions):
            path = Path(entry.path, RECORD)
            try:
                stat = path.stat()
            except OSError:  # a session without a prompt has none
                continue
            yield Transcript(self.name, entry.name, path, stat.st_size, stat.st_mtime_ns)

    def _ran_in(self, path: str) -> str:
        """The folder in which a session was started; "" for what does not tell (yet)."""
        if path not in self._folders:
            try:
                with Path(path).open("rb") as file:
                    found = re.search(_CWD, file.read(_HEAD_BYTES).partition(b"\n")[0])
            except OSError:
                found = None
            if found is None:
                return ""
            import msgspec  # here: most runs find no session of this client

            try:
                self._folders[path] = msgspec.json.decode(found[1], type=str)
            except (ValueError, RecursionError):
                return ""
        return self._folders[path]


def locator(environment: Mapping[str, str], user: Path) -> CopilotLocator:
    """For a user whose home folder is `user`."""
    return CopilotLocator(SPEC.home(environment, user))

"""Where OpenCode keeps its sessions.

All sessions of a user lie in one database; `<database>/<session id>` is a session's address. Sources: docs/clients/
opencode.md, "Where".
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from clew.clients.opencode.spec import SPEC, database_of
from clew.clients.port import Transcript

_DEPTH_MAX: Final = 20


class OpenCodeLocator:
    """Implements `clew.clients.port.Locator`. `database` is the client's, by default opencode.db in its data folder."""

    name = SPEC.name

    def __init__(self, database: Path) -> None:
        self._database = database
        self.problem = ""

    def sessions_of(self, folder: Path) -> Iterator[Transcript]:
        return self._listed(os.fspath(folder))

    def usage_files(self) -> Iterator[Transcript]:
        """See `UsageLocator.usage_files`: sub-agents have sessions of their own, which name the one that began them."""
        return self._listed("")

    def _listed(self, folder: str) -> Iterator[Transcript]:
        from clew.clients.opencode import store  # here: SQLite costs as much as the interpreter

        self.problem = ""
        try:
            found, is_later = store.listed(self._database, folder)
        except FileNotFoundError:
            return
        except OSError as error:
            self.problem = f"{self._database}: {error.strerror}"
            return
        if is_later:
            self.problem = f"{self._database} is of a later OpenCode, whose sessions clew does not read yet"
        parents = {one.session: one.parent for one in found}
        for one in found:
            root = one.session
            for _ in range(_DEPTH_MAX):
                root = parents.get(root) or root
            if one.session and "/" not in one.session and "\\" not in one.session:
                address = self._database / one.session
                # Its rows shrink when the user takes something back: only the time of a change goes forward always.
                size = one.modified_ms if one.is_begun else 0
                yield Transcript(self.name, root, address, size, one.modified_ms * 1_000_000)


def locator(environment: Mapping[str, str], user: Path) -> OpenCodeLocator:
    """For a user whose home folder is `user`."""
    return OpenCodeLocator(database_of(environment, user))

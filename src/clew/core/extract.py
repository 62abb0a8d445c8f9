"""Extracts: what rules read off one session. Not events: a better reading replaces the one before it, in place."""

from __future__ import annotations

from typing import NamedTuple

from clew.core.items import Item, Origin


class Extract(NamedTuple):
    """The inferred items of one session.

    `origin` tells the session and how it ended. `task` is the task that it worked on ("" none), `worktree` the folder
    of its work tree. `rules` is the version of the rules that read it, `extent` how many bytes of its record they
    read, `digest` a hash of the items. `items` are in the order they were said.
    """

    origin: Origin
    task: str
    worktree: str
    rules: int
    extent: int
    digest: str
    items: tuple[Item, ...]

    @property
    def stamp(self) -> tuple[int, int, str]:
        """Of two extracts of one session the one with the greater stamp counts, whichever came first."""
        return self.rules, self.extent, self.digest

"""Extracts: what rules read off one session. Not events: a better reading replaces the one before it, in place."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from clew.core.state.items import Item, Origin

# The extent of an extract of which only a part is at hand.
PART: Final = -1


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

    @property
    def is_part(self) -> bool:
        """Whether only those items are at hand that may still count (`carry_over.carried`)."""
        return self.extent == PART

    @property
    def is_foreign(self) -> bool:
        """Whether somebody else's bundle told it, and nobody here has read the session or adopted it since."""
        return self.rules < 0

    def in_place_of(self, task: str, stamp: tuple[int, int, str]) -> "Extract | None":
        """This reading as it takes the place of one of the same session with that task and stamp: in the task that the
        session has already, unless only a foreign reading gave it that; None where the one before is as good.
        """
        is_foreign = stamp[0] < 0
        if self.stamp <= stamp and not (is_foreign and self.stamp == stamp and self.task != task):
            return None
        return self._replace(task=task) if task and not is_foreign else self


def owning_tasks(extracts: Iterable[Extract], *, foreign: bool = False) -> dict[str, set[str]]:
    """The tasks in which sessions have an item, by its id. Where a person's words count is decided by this alone.

    Foreign extracts are left out: anybody can write one, with whatever ids and task. With `foreign` they are in, which
    is for the words of others.
    """
    found: dict[str, set[str]] = {}
    for extract in extracts:
        if foreign or not extract.is_foreign:
            for item in extract.items:
                found.setdefault(item.id, set()).add(extract.task)
    return found

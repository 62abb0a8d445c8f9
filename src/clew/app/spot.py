"""Spots: the project that a folder is in, and where its ledger is or would be. Looks; opens and makes nothing."""

import os
import stat
from pathlib import Path

from clew.core.tuples import NamedTuple
from clew.workspace.repository import Head, Repository, find, head, resolved

LEDGER_NAME = "ledger.db"
PROJECT_FOLDER = ".clew"
SPOOL_NAME = "spool"


class Spot(NamedTuple):
    """Where a folder is. `root` is the top of its work tree, or outside of git the folder that holds `.clew`.

    `ledger` is the file where the project's ledger is or would be. `head` is None outside of git.
    """

    root: Path
    repository: Repository | None
    head: Head | None
    ledger: Path

    @property
    def branch(self) -> str:
        """The branch that is checked out, "" when none is."""
        return self.head.branch if self.head else ""


def spot_at(folder: Path) -> Spot:
    """The spot of `folder` (absolute). Looks; opens and makes nothing."""
    repository = find(folder)
    if repository is not None:
        return Spot(repository.top, repository, head(repository), repository.common_dir / "clew" / LEDGER_NAME)
    start = resolved(folder)
    root = next((place for place in (start, *start.parents) if _is_ours(place / PROJECT_FOLDER)), start)
    return Spot(root, None, None, root / PROJECT_FOLDER / LEDGER_NAME)


def _is_ours(place: Path) -> bool:
    """Whether there is a folder that belongs to this user: anybody can make a `.clew` in `/tmp`."""
    try:
        facts = place.stat()
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(facts.st_mode) and (not hasattr(os, "geteuid") or facts.st_uid == os.geteuid())


def spool_of(spot: Spot) -> Path:
    """The folder where events wait that could not be written to the ledger."""
    return spot.root / PROJECT_FOLDER / SPOOL_NAME


def has_ledger(spot: Spot) -> bool:
    """Whether the project keeps a ledger: somebody ran `clew init` there.

    Where its folder may not be entered (a `clew init` by another user, say) it does: opening it tells what is wrong.
    """
    try:
        os.lstat(spot.ledger)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True

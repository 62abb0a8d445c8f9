"""Where a project is: its folder, its repository, its ledger. Looks; opens and makes nothing."""

import os
import stat
from pathlib import Path
from typing import NamedTuple

from clew.workspace.repository import Head, Repository, find, head, resolved

PROJECT_FOLDER = ".clew"
_LEDGER_NAME = "ledger.db"
_SPOOL_NAME = "spool"


class ProjectLocation(NamedTuple):
    """Where a folder's project is. `root` is the top of its work tree, or outside git the folder that holds `.clew`.

    `ledger` is the file where the project's ledger is or would be. `head` is None outside git.
    """

    root: Path
    repository: Repository | None
    head: Head | None
    ledger: Path

    @property
    def branch(self) -> str:
        """The branch that is checked out, "" when none is."""
        return self.head.branch if self.head else ""

    @property
    def spool(self) -> Path:
        """The folder where events wait that could not be written to the ledger."""
        return self.root / PROJECT_FOLDER / _SPOOL_NAME

    @property
    def has_ledger(self) -> bool:
        """Whether the project keeps a ledger: somebody ran `clew init` there.

        Where its folder may not be entered (a `clew init` by another user, say) it does: opening it tells what is
        wrong.
        """
        try:
            os.lstat(self.ledger)
        except PermissionError:
            return True
        except (OSError, ValueError):
            return False
        return True


def locate(folder: Path) -> ProjectLocation:
    """The location of the project that `folder` (absolute) is in."""
    repository = find(folder)
    if repository is not None:
        ledger = repository.common_dir / "clew" / _LEDGER_NAME
        return ProjectLocation(repository.top, repository, head(repository), ledger)
    start = resolved(folder)
    root = next((place for place in (start, *start.parents) if _is_ours(place / PROJECT_FOLDER)), start)
    return ProjectLocation(root, None, None, root / PROJECT_FOLDER / _LEDGER_NAME)


def _is_ours(place: Path) -> bool:
    """Whether there is a folder that belongs to this user: anybody can make a `.clew` in `/tmp`."""
    try:
        facts = place.stat()
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(facts.st_mode) and (not hasattr(os, "geteuid") or facts.st_uid == os.geteuid())

"""Where a project is: its folder, its repository, its ledger. Looks; opens and makes nothing."""

import os
import stat
from pathlib import Path
from typing import NamedTuple

from clew.workspace.repository import Head, Repository, find, head, resolved

PROJECT_FOLDER = ".clew"
_LEDGER_NAME = "ledger.db"
# Stands in its place where the ledger is on a server, and says where. Only in git's own folder: what comes with a
# repository or an archive must not lead anybody's sessions to somebody's server.
SERVER_NAME = "ledger.toml"
_SPOOL_NAME = "spool"


class ProjectLocation(NamedTuple):
    """Where a folder's project is. `root` is the top of its work tree, or outside git the folder that holds `.clew`.

    `ledger` is the file where the project's ledger is or would be, or that says which server keeps it (`is_remote`).
    `head` is None outside of git.
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
    def is_remote(self) -> bool:
        """Whether a server keeps the ledger."""
        return self.ledger.name == SERVER_NAME

    @property
    def exchange_file(self) -> Path:
        """The file beside the ledger that says which device this is, and what it knows of others. It never travels."""
        return self.ledger.with_name("exchange.json")

    def peer_keys(self) -> tuple[bytes, ...]:
        """What the devices that this one exchanges with hash redacted values under."""
        from clew.app.project.device import load_device  # here: few exchange, and hooks load this module

        return load_device(self.exchange_file).keys if self.exchange_file.exists() else ()

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
        ledger = repository.common_dir / "clew" / SERVER_NAME
        if not os.path.lexists(ledger):
            ledger = ledger.with_name(_LEDGER_NAME)
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

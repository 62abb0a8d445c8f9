"""Git run to change something, as if it were typed: the user's settings, hooks and filters are in force.

What only asks goes through `workspace/git.py`, which runs nothing that a repository names.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from clew.core.errors import Unavailable
from clew.workspace.process import Finished, LimitExceeded, find_program, run

_TIMEOUT_S: Final = 600.0
_LOCKED_S: Final = 10.0
_LOCKED_PAUSE_S: Final = 0.1


class GitAct:
    """Git in one folder. What the environment says of another repository is dropped. It waits for another git that is
    at it, such as one whose run was killed: that comes to its end.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], **more: str) -> None:
        """`more` are variables that git is given besides."""
        self._folder = folder
        self._program = find_program("git", environment.get("PATH", os.defpath), outside=folder)
        self._environment = {**environment_of(environment), "LC_ALL": "C", **more}

    def run(self, *arguments: str) -> Finished:
        """Run `git ARGUMENTS` to its end. Raises `Unavailable` where it cannot be started or does not end."""
        if not self._program:
            raise Unavailable("git is not installed", code="E-no-git", hint="Install git.")
        argv = (self._program, "-C", str(self._folder), *arguments)
        limit = time.monotonic() + _LOCKED_S
        while True:
            try:
                done = run(argv, environment=self._environment, timeout_s=_TIMEOUT_S)
            except LimitExceeded as error:
                raise Unavailable(f"git {arguments[0]}: {error}", code="E-git-slow") from error
            except OSError as error:
                raise Unavailable(f"git cannot be started: {error}", code="E-no-git") from error
            if not (done.code and b".lock'" in done.err and time.monotonic() < limit):
                return done
            time.sleep(_LOCKED_PAUSE_S)

    def commit(self, paths: Sequence[str], message: str, *options: str) -> str:
        """Commit exactly `paths` (relative to the folder), as they are on the disk; the commit's id, "" where nothing
        differs. What is staged beside them stays staged. Raises as `do`.
        """
        gone = [path for path in paths if not os.path.lexists(self._folder / path)]
        if gone:  # what was never added is nothing to git
            tracked = self.run("ls-files", "-z", "--", *gone).out.decode("utf-8", "surrogateescape").split("\0")
            paths = [path for path in paths if path not in gone or path in tracked]
        if not paths:
            return ""
        self.do("add", "--all", "--", *paths)
        if not self.do("status", "--porcelain", "--untracked-files=no", "--", *paths):
            return ""
        self.do("commit", "--quiet", *options, "-m", message, "--only", "--", *paths)
        return self.do("rev-parse", "HEAD")

    def check_top(self) -> None:
        """Raise `Unavailable` where git takes another folder than this one for the top of the work tree, and would
        write there: whoever works in a repository can tell it so (`core.worktree`, `core.bare`).
        """
        done = self.run("rev-parse", "--show-toplevel")
        top = done.out.decode("utf-8", "surrogateescape").removesuffix("\n")
        if done.code or os.path.realpath(top) != os.path.realpath(self._folder):
            what = f"git would write to {top}" if top else f"git takes it for no work tree ({done.said})"
            raise Unavailable(
                f"{self._folder} is not the top of its work tree any more: {what}",
                code="E-git-top",
                hint="Somebody set `core.worktree` or `core.bare`: `git config --show-origin --get-regexp "
                "'core.(worktree|bare)'` shows where. Nothing was written.",
            )

    def do(self, *arguments: str) -> str:
        """As `run`; what it printed, without the end of the line. Raises `Unavailable` where git refuses, too."""
        done = self.run(*arguments)
        if done.code:
            raise Unavailable(f"git {arguments[0]} failed: {done.said}", code="E-git-failed")
        return done.out.decode("utf-8", "surrogateescape").removesuffix("\n")


def environment_of(environment: Mapping[str, str]) -> dict[str, str]:
    """What git is told of an environment: who the user is, where settings are, and how one signs in; not which
    repository is meant. It asks nobody anything.
    """
    kept = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_", "GIT_SSH")
    told = {name: value for name, value in environment.items() if not name.startswith("GIT_") or name.startswith(kept)}
    return {**told, "GIT_EDITOR": "true", "GIT_TERMINAL_PROMPT": "0"}

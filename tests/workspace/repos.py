"""Real repositories for the tests of `clew.workspace`: a thin hand on the git command line."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

ME = "ada@example.org"
OTHER = "bob@example.org"


class Repo:
    """A repository in a folder. `git` runs plain git there, with everything that git would normally do."""

    def __init__(self, top: Path, *arguments: str, make: bool = True) -> None:
        self.top = top
        if make:
            top.mkdir(parents=True, exist_ok=True)
            self.git("init", "-q", "-b", "main", *arguments)
            self.git("config", "user.email", ME)
            self.git("config", "user.name", "Ada")

    def git(self, *arguments: str, check: bool = True, data: bytes = b"", **environment: str) -> str:
        """Run git in the work tree; its output without the last newline."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.top,
            env={**clean_environment(), **environment},
            input=data,
            capture_output=True,
            check=False,
            timeout=20,
        )
        assert not check or done.returncode == 0, (arguments, done.stderr)
        return os.fsdecode(done.stdout).removesuffix("\n")

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file, folders and all."""
        place = self.top / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return place

    def commit(self, subject: str, *, author: str = ME, seconds: int | None = None, everything: bool = True) -> str:
        """Commit all that is in the work tree; the commit's id."""
        if everything:
            self.git("add", "-A")
        stamp = f"{int(time.time()) if seconds is None else seconds} +0000"
        who = {"GIT_AUTHOR_EMAIL": author, "GIT_COMMITTER_EMAIL": author}
        when = {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        self.git("commit", "-q", "--allow-empty", "-m", subject, **who, **when)
        return self.git("rev-parse", "HEAD")


def clean_environment() -> dict[str, str]:
    """This process's environment without anything about git, nor the configuration of whoever runs the tests."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    people = {"GIT_AUTHOR_NAME": "Ada", "GIT_COMMITTER_NAME": "Ada"}
    return {**plain, **people, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


def environment_with(**variables: str) -> Mapping[str, str]:
    """The environment that a test hands to `Git`."""
    return {**clean_environment(), **variables}


def rfc3339(seconds: float) -> str:
    """RFC 3339 in UTC with milliseconds, as the clients write it."""
    whole = int(seconds)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{int((seconds - whole) * 1000):03}Z"

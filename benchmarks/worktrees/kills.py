"""Making, merging and removing work trees, each killed at a random moment and asked for again.

    python -m benchmarks.worktrees.kills [--rounds N] [--seed S]

A round makes a work tree, commits in it and in its base, merges and removes it; each of the three is first done by a
process that gets SIGKILL after up to 0.3 s, then to its end. Every file must be there, clean, on both sides; no commit
may be missing, and nothing may be left behind. Git itself goes on when the process above it is killed, so "somebody is
at it" is an answer that is waited out. Exits with 1 where something is lost.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from clew import wiring
from clew.app import worktree
from clew.app.ports import Ports
from clew.core.errors import ClewError
from clew.workspace.git_act import GitAct
from clew.workspace.repository import Repository, find

_NAME: Final = "t"
_FILES: Final = 300
_SECONDS_MAX: Final = 0.3
_PATIENCE_S: Final = 20.0
_T = TypeVar("_T")
_DEEDS: Final[dict[str, Callable[[Ports, Repository], object]]] = {
    "create": lambda ports, repository: worktree.create(ports, repository, _NAME),
    "merge": lambda ports, repository: worktree.merge(ports, repository, _NAME, validate=lambda _: True),
    "remove": lambda ports, repository: worktree.remove(ports, repository, _NAME),
}


class Trial:
    """A repository with some hundred files in `folder`, and what is done to it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder.resolve()
        self.chance = random.Random(seed)
        self.killed = 0
        self.environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.folder),
            "GIT_CONFIG_GLOBAL": str(self.folder / "gitconfig"),
            "GIT_CONFIG_SYSTEM": os.devnull,
        }
        (self.folder / "gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n", encoding="utf-8")
        self.top = self.folder / "shop"
        self.top.mkdir()
        self.git(self.top, "init", "-q", "-b", "main")
        (self.top / ".gitignore").write_text(".env\n.clew/\n", encoding="utf-8")
        for number in range(_FILES):
            (self.top / f"f{number}.py").write_text(f"a = {number}\n" * 50, encoding="utf-8")
        self.git(self.top, "add", ".")
        self.git(self.top, "commit", "-q", "-m", "Begin")
        (self.top / ".env").write_text("PORT=1000\n", encoding="utf-8")
        self.ports = wiring.ports(self.environment, plugins=False)
        found = find(self.top)
        assert found is not None
        self.repository = found

    def git(self, folder: Path, *arguments: str) -> str:
        """Run git in a folder."""
        return GitAct(folder, self.environment).do(*arguments)

    def round(self, number: int) -> None:
        """One round. Raises `AssertionError` where something is lost."""
        self._kill("create")
        tree = _patient(self._made)
        assert self.git(tree.path, "status", "--porcelain") == "", "the new work tree is not clean"
        assert (tree.path / ".env").read_text(encoding="utf-8") == f"PORT={1000 + tree.port_offset}\n"
        for folder, name in ((tree.path, f"new{number}"), (self.top, f"base{number}")):
            (folder / name).write_text(f"{number}\n", encoding="utf-8")
            self.git(folder, "add", name)
            self.git(folder, "commit", "-q", "-m", f"{name}")
        self._kill("merge")
        _patient(self._merged)
        assert (self.top / f"new{number}").is_file() and (self.top / f"base{number}").is_file(), "a file is lost"
        assert self.git(self.top, "status", "--porcelain") == "", "the base is not clean"
        self._kill("remove")
        _patient(self._gone)
        assert sorted(path.name for path in tree.path.parent.iterdir()) == [".gitignore"], "something is left behind"
        assert self.git(self.top, "branch", "--list", "clew/*") == "", "a branch is left behind"
        told = self.git(self.top, "log", "--format=%s").split("\n")
        assert {f"{name}{one}" for one in range(number + 1) for name in ("new", "base")} <= set(told), (
            "a commit is lost"
        )

    def _made(self) -> worktree.WorkTree:
        try:
            return worktree.create(self.ports, self.repository, _NAME)
        except ClewError as error:
            if error.code != "E-worktree-exists":
                raise
            return worktree.tree_of(self.repository, _NAME)

    def _merged(self) -> bool:
        return worktree.merge(self.ports, self.repository, _NAME, validate=lambda _: True).outcome == "merged"

    def _gone(self) -> bool:
        try:
            return worktree.remove(self.ports, self.repository, _NAME).removed
        except ClewError as error:
            if error.code != "E-worktree-unknown":
                raise
            return True

    def _kill(self, deed: str) -> None:
        """Let another process do it, and kill that at some moment after it began."""
        argv = [sys.executable, "-m", "benchmarks.worktrees.kills", "--do", deed, "--at", str(self.top)]
        with subprocess.Popen(argv, env={**os.environ, **self.environment}, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(self.chance.random() * _SECONDS_MAX)
            process.kill()
            self.killed += process.wait() < 0


def _patient(ask: Callable[[], _T | None]) -> _T:
    """What `ask` answers once that is something; a git that was left running is waited for."""
    limit = time.monotonic() + _PATIENCE_S
    while True:
        try:
            if answer := ask():
                return answer
            why = "it is still in the way"
        except ClewError as error:
            why = error.message
        assert time.monotonic() < limit, why
        time.sleep(0.05)


def play(rounds: int, seed: int) -> int:
    """Play rounds; how many processes were killed before they had ended."""
    with tempfile.TemporaryDirectory(prefix="clew-") as folder:
        trial = Trial(Path(folder), seed)
        for number in range(rounds):
            trial.round(number)
        return trial.killed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--do", choices=sorted(_DEEDS), help=argparse.SUPPRESS)
    parser.add_argument("--at", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.do:
        repository = find(asked.at)
        assert repository is not None
        print("begun", flush=True)
        _DEEDS[asked.do](wiring.ports(os.environ, plugins=False), repository)
        return 0
    begun = time.monotonic()
    killed = play(asked.rounds, asked.seed)
    print(
        f"{asked.rounds} rounds (seed {asked.seed}) in {time.monotonic() - begun:.0f} s: {killed} killed, nothing lost"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Repositories for the stories."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

FILES = {
    "README.md": "# Till\n\nRefunds and rates.\n",
    "till.py": "RATE = 1\n\n\ndef price(net):\n    return net * RATE\n",
    "refunds.py": "def share(total, parts):\n    return [total // parts] * parts\n",
}


def make_project(root: Path) -> Path:
    """A repository on main with one commit of FILES."""
    root.mkdir(parents=True)
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Till")
    return root


def git(root: Path, *arguments: str) -> str:
    """Run git as somebody without settings; what it printed."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    settings = ["-c", "user.name=Dev", "-c", "user.email=dev@example.com", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *settings, *arguments],
        cwd=root,
        env={**own, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def changes(root: Path) -> list[str]:
    """What `git status` has to say, one line each."""
    return git(root, "status", "--porcelain", "--untracked-files=all").splitlines()

"""A scratch tree in which forms are really run, and what is seen of it before and behind."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

from clew.workspace import stats

_FILES = {
    "a.txt": "alpha a\nbeta b\n",
    "keep.txt": "keep this\nand this\n",
    "sub/keep.txt": "another\n",
    "n.txt": "keep.txt\n",
    "y.txt": "y\n",
    "hex.txt": "6162\n",
    "b64.txt": "YWI=\n",
    "wr.sed": "w keep.txt\n",
    "wr.awk": '{ print > "keep.txt" }\n',
    "wr.py": "open('keep.txt', 'w').write('x')\n",
    "wr.sh": "#!/bin/sh\nrm -f keep.txt\n",
    "Makefile": "wr:\n\trm keep.txt\n",
    "wr.mk": "all:\n\trm keep.txt\n",
    "bin/cat": "#!/bin/sh\nrm -f keep.txt\n",
    "bin/ls": "#!/bin/sh\nrm -f keep.txt\n",
    "keep.patch": "--- a/keep.txt\n+++ b/keep.txt\n@@ -1,2 +1,2 @@\n-keep this\n+lost this\n and this\n",
}
_RUNS = ("wr.sh", "bin/cat", "bin/ls")


class Scratch:
    """The tree at `root`, made anew from a copy for every run; a home beside it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home, self.master = folder / "shop", folder / "home", folder / "master"
        self.home.mkdir()
        self._make()
        self.renew()

    def _make(self) -> None:
        for name, text in _FILES.items():
            path = self.master / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755 if name in _RUNS else 0o644)
        for line in (
            "git init -q -b main && git add a.txt sub && echo old > keep.txt && git add keep.txt && git commit -qm old",
            "git tag old && echo 'keep this\nand this' > keep.txt && git add -A && git commit -qm now",
            "tar cf keep.tar keep.txt; zip -q keep.zip keep.txt; gzip -k keep.txt; ls keep.txt | cpio -o > keep.cpio",
            "echo dirty >> sub/keep.txt",
        ):
            subprocess.run(
                ["bash", "-c", line], cwd=self.master, env=self.environment(), capture_output=True, check=False
            )

    def environment(self, path: str = "") -> dict[str, str]:
        who = {f"GIT_{role}_{what}": "dev" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        own = path or f"{os.environ['PATH']}"
        return {"PATH": own, "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", "TERM": "dumb", **who}

    def renew(self) -> None:
        """Make the tree as it was."""
        while self.root.exists():  # what a form left running may still write
            shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.master, self.root, symlinks=True)

    def run(self, line: str, *, path: str = "", shell: str = "bash") -> None:
        """Run a line as a client's shell would, for 5 seconds at most."""
        process = subprocess.Popen(
            [shell, "-c", line],
            cwd=self.root,
            env=self.environment(path),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, 9)  # and what it left running
        process.wait()

    def content(self) -> dict[str, object]:
        """What the files hold, of git's own folder where its branches are: the truth that effects are held against."""
        found: dict[str, object] = {}
        for path in sorted(self.root.rglob("*")):
            name = str(path.relative_to(self.root))
            if path.is_symlink():
                found[name] = str(path.readlink())
            elif path.is_file() and (not name.startswith(".git/") or name.startswith((".git/refs", ".git/HEAD"))):
                found[name] = path.read_bytes(), path.stat().st_mode
        return found

    def watch(self, *, tree: bool) -> str:
        """What hooks would look at: the tree, or the off-limits file."""
        git = [
            f"+{self.root}/.git/{name}" for name in ("HEAD", "config", "hooks", "refs/heads", "refs/tags", "refs/stash")
        ]
        rest = ["tree", "-.git", "-.clew", *git] if tree else ["named", "+keep.txt"]
        return "\n".join([str(self.root), *rest])

    def look(self, *, tree: bool) -> bytes:
        return stats.looked(self.watch(tree=tree))

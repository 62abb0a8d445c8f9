"""clew as somebody installed it for themselves, and how it vanishes: package, shim, interpreter."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.live.people import Person

ROOT = Path(__file__).parents[2]


class Installed:
    """clew as somebody installed it for themselves: an environment of its own, which can be taken away."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "packages"
        shutil.copytree(ROOT / "src" / "clew", self.package / "clew", ignore=shutil.ignore_patterns("__pycache__"))
        self.python = folder / "bin" / "python"
        self.python.parent.mkdir(parents=True)
        self.python.symlink_to(Path(sys.executable))
        shutil.copy(Path(sys.executable).parents[1] / "pyvenv.cfg", folder)
        libraries = folder / "lib" / f"python3.{sys.version_info.minor}"
        libraries.mkdir(parents=True)
        needed = next((Path(sys.executable).parents[1] / "lib").glob("python3.*/site-packages"))
        libraries.joinpath("site-packages").mkdir()
        (libraries / "site-packages" / "clew.pth").write_text(f"{self.package}\n{needed}\n", encoding="utf-8")

    def clew(self, me: Person, project: Path, *arguments: str) -> None:
        subprocess.run(
            [self.python, "-m", "clew", *arguments],
            cwd=project,
            env=me.variables(),
            stdin=subprocess.DEVNULL,
            check=True,
            capture_output=True,
        )


def package_gone(me: Person, installed: Installed) -> None:
    shutil.rmtree(installed.package)


def shim_gone(me: Person, installed: Installed) -> None:
    (shim,) = me.home.rglob("clewhook.py")
    shim.unlink()


def interpreter_gone(me: Person, installed: Installed) -> None:
    installed.python.unlink()


def forget_what_broke(me: Person) -> None:
    for live in me.home.rglob("=clew"):
        (live / "broken").unlink(missing_ok=True)

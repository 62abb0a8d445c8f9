"""Planted cheats that come out green: `python -m benchmarks.validation.cheats [--suite NAME] [--show]`.

Each is planted in a small git repository whose check fails, and `clew validate` is asked with the real runner. One that
the runner itself does not take for green is no cheat, and is told. Bar: of at least 60 none comes out green; those that
no rule can judge have to be said to be not judged.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.validation.plants import PLANTS, SUITES, Plant
from clew import wiring
from clew.app.project.opening import ProjectHandle
from clew.app.validate.validation import Validation, ValidationRequest, validate


def project(folder: Path, plant: Plant) -> None:
    """The suite's repository with the cheat in its work tree."""
    files, command = SUITES[plant.suite]
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    (folder / ".gitignore").write_text(".clew/\n__pycache__/\ntarget/\nCargo.lock\n", encoding="utf-8")
    (folder / ".clew").mkdir()
    (folder / ".clew/config.toml").write_text(
        f'[[validate.commands]]\nname = "test"\nrun = "{command}"\n', encoding="utf-8"
    )
    for words in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "first"],
    ):
        subprocess.run(["git", *words], cwd=folder, check=True)
    for path, old, new in plant.edits:
        place = folder / path
        if new is None:
            place.unlink()
            continue
        text = place.read_text(encoding="utf-8") if place.exists() and old else ""
        assert not old or old in text, f"{plant.suite}/{plant.name}: {old!r} is not in {path}"
        place.write_text(text.replace(old, new, 1) if old else new, encoding="utf-8")


def tried(plant: Plant, cache: Path) -> Validation:
    """What clew says of a cheat."""
    with tempfile.TemporaryDirectory(prefix="plant-") as made:
        project(Path(made), plant)
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        environment |= {"CARGO_TARGET_DIR": str(cache / "cargo"), "CARGO_TERM_COLOR": "never"}
        return validate(ProjectHandle(wiring.ports(environment), Path(made)), ValidationRequest(unattended=True))


def main() -> int:
    """Try all of them; 1 if one comes out green."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", default="")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--limit", type=int, default=len(PLANTS))
    given = parser.parse_args()
    green, invalid, untold, caught = [], [], [], 0
    with tempfile.TemporaryDirectory(prefix="cache-") as made:
        for plant in [one for one in PLANTS if given.suite in ("", one.suite)][: given.limit]:
            found = tried(plant, Path(made))
            name = f"{plant.suite}/{plant.name}"
            if found.word in ("TEST_FAILURE", "TIMED_OUT"):
                invalid.append(name)
            elif found.word == "VALIDATION_OK" and plant.told and found.not_judged:
                untold.append(name)
            elif found.word == "VALIDATION_OK":
                green.append(name)
            else:
                caught += 1
            if given.show:
                print(
                    f"{name}: {found.word} {found.reason}", *(f"\n    {one.rule}: {one.what}" for one in found.weakened)
                )
    every = len(green) + len(untold) + caught
    print(f"cheats that come out green: {len(green)} of {every}; bar 0. Not judged, and said so: {len(untold)}")
    for name in green:
        print(f"  green: {name}")
    for name in invalid:
        print(f"  no cheat (the runner does not pass): {name}")
    return bool(green)


if __name__ == "__main__":
    raise SystemExit(main())

"""What passes the plan gate though it changes something, and what is noticed neither by form nor by effect.

    python -m benchmarks.gates.run [--forms 1600] [--tricks 1800] [--seed 26] [--check] [--show]

Every form (`mutations.py`, `tricks.py`) is read as the hook before a tool reads it, and really run in a scratch tree.
What changed nothing there is no mutation, and is told apart: its program may not be installed. *By effect* is what the
hook behind a tool compares. With `--check` it exits 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import posix
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from benchmarks.gates import tricks
from benchmarks.gates.mutations import IMPOSTORS, KEEP, PLACES, forms
from benchmarks.gates.scratch import Scratch
from benchmarks.lib.tables import markdown
from clew.core.gate import decision, readonly
from clew.core.gate.shell import effects
from clew.interfaces.hook import which


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gates.run", description=__doc__.split("\n")[0])
    parser.add_argument("--forms", type=int, default=1600)
    parser.add_argument("--tricks", type=int, default=1800)
    parser.add_argument("--seed", type=int, default=26)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--show", action="store_true", help="the forms that passed or went unnoticed")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as temporary:
        found = _Count(Scratch(Path(temporary).resolve()))
        for form in islice(forms(arguments.forms, arguments.seed), arguments.forms):
            found.take(form)
        for shell, form in tricks.forms(arguments.tricks, arguments.seed):
            found.take(form, shell=shell)
        for form, path in _impostors(found.scratch) if arguments.forms > len(IMPOSTORS) * len(PLACES) else ():
            found.take(form, path=path)
    rows = [
        ["forms", str(found.forms), ""],
        ["… that changed the tree when they were run", str(found.mutating), "≥ 2,000"],
        ["mutating, passed the plan gate by form", str(len(found.passed)), "0"],
        ["… and went unnoticed by effect", str(len(found.unseen)), "0"],
        ["changed the off-limits file", str(found.keeping), ""],
        ["… and passed by form", str(len(found.kept_passed)), ""],
        ["… and went unnoticed by effect", str(len(found.kept_unseen)), "0"],
        ["changed nothing here, passed the plan gate", str(len(found.idle)), ""],
    ]
    print(markdown(["", "", "bar"], rows))
    if arguments.show:
        for name in ("passed", "unseen", "kept_unseen", "idle"):
            for form in getattr(found, name):
                print(f"{name}: {form!r}")
    missed = bool(found.passed or found.unseen or found.kept_unseen or found.mutating < 2000)
    return int(arguments.check and missed)


class _Count:
    """Forms sorted by what became of them."""

    def __init__(self, scratch: Scratch) -> None:
        self.scratch = scratch
        self.forms = self.mutating = self.keeping = 0
        self.passed: list[str] = []
        self.unseen: list[str] = []
        self.kept_passed: list[str] = []
        self.kept_unseen: list[str] = []
        self.idle: list[str] = []

    def take(self, form: str, *, path: str = "", shell: str = "bash") -> None:
        """Read a form by the gates, then run it and look."""
        self.forms += 1
        passes = not _refused(form, self.scratch, path)
        keeps = not _off_limits(form, self.scratch)
        self.scratch.renew()
        truth = self.scratch.content()
        tree, named = self.scratch.look(tree=True), self.scratch.look(tree=False)
        self.scratch.run(form, path=path, shell=shell)
        now = self.scratch.content()
        if truth == now:
            self.idle += [form] if passes else []
            return
        self.mutating += 1
        self.passed += [form] if passes else []
        self.unseen += [form] if passes and self.scratch.look(tree=True) == tree else []
        if truth.get(KEEP) != now.get(KEEP):
            self.keeping += 1
            self.kept_passed += [form] if keeps else []
            self.kept_unseen += [form] if keeps and self.scratch.look(tree=False) == named else []


def _refused(form: str, scratch: Scratch, path: str) -> str:
    posix.environ[b"PATH"] = os.fsencode(path or os.environ["PATH"])
    return readonly.refusal(form, lambda name: which.impostor(name, str(scratch.root)))


def _off_limits(form: str, scratch: Scratch) -> bool:
    read = effects.read(form, str(scratch.root), str(scratch.home))
    return decision.writes(str(scratch.root), KEEP, decision.Deed(read.writes, form, edits=False))


def _impostors(scratch: Scratch) -> Iterator[tuple[str, str]]:
    """Lines that read, with a program of that name put before the system's, or on the PATH by a relative way."""
    unique = f"clew-bench-{os.getpid()}"
    for place in PLACES:
        folder = place.format(root=scratch.root, home=scratch.home, unique=unique)
        for name, form in IMPOSTORS.items():
            path = f"{folder}:{os.environ['PATH']}"
            _plant(scratch, folder, name)
            yield form, path
    for file in Path(f"/tmp/{unique}").glob("*"):
        file.unlink()
    Path(f"/tmp/{unique}").rmdir()


def _plant(scratch: Scratch, folder: str, name: str) -> None:
    """Put the impostor where the PATH leads: into the master for what is in the tree."""
    place = Path(folder) if folder.startswith("/") else scratch.root / folder
    if place.is_relative_to(scratch.root):
        place = scratch.master / place.relative_to(scratch.root)
    place.mkdir(parents=True, exist_ok=True)
    file = place / name
    file.write_text("#!/bin/sh\nrm -f keep.txt\n")
    file.chmod(0o755)


if __name__ == "__main__":
    sys.exit(main())

"""The doctor looks at every file that clew owns, whatever a disk did to it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.attacks.damage import HARMS, ran, scene

World = tuple[Path, dict[str, Path]]


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """A user and a project with one file of each kind: what holds them, and the files by their check."""
    with scene() as (top, kept):
        found: dict[str, Path] = {}
        for path in kept():
            for check, sign in KINDS.items():
                if sign in str(path):
                    found.setdefault(check + sign, path)
        well = ran("doctor")[1]
        assert not [check for check in KINDS if said(check.strip(), well)]
        yield top, found


KINDS = {
    "archive": "/archive/objects/",
    "archive ": "/archive/sessions/",
    "stacks": "/clew/stacks/",
    "gates": "gates.json",
    "live": "/kept/",
    "live ": "/kept/index.json",
    "caches": "search.db",
    "caches ": "usage.db",
    "caches  ": ".records",
    "ledger": "ledger.db",
}


@pytest.mark.parametrize("check", KINDS)
def test_what_is_not_what_was_written_is_found(world: World, check: str, tmp_path: Path) -> None:
    """And nothing before, nothing behind it; no command takes it for a fault of its own."""
    file = world[1][check + KINDS[check]]
    name = check.strip()
    kept = tmp_path / "kept"
    shutil.copy2(file, kept)
    try:
        HARMS["each 97th byte of"](file, random.Random(7))
        assert said(name, ran("doctor")[1])
        for line in ("show", "search tide", "cost", "archive list"):
            code, _, err = ran(line)
            assert 70 != code and "E-fault" not in err, (line, err)
    finally:
        shutil.copy2(kept, file)


def said(check: str, told: str) -> list[str]:
    """What the doctor has against the files of a check."""
    bad = ("not what was", "cannot be", "damaged")
    rows = [line.split(maxsplit=2) for line in told.splitlines()]
    return [row[2] for row in rows if row[:1] != ["ok"] and row[1:2] == [check] and any(one in row[2] for one in bad)]

"""Who stands in a folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from clew.workspace.worktree_safety import Occupant, occupants


def test_a_process_in_a_folder_below_is_in_it(tmp_path: Path) -> None:
    """And one whose folder only begins with the same letters is not."""
    inside, beside = tmp_path / "a/deep", tmp_path / "ab"
    inside.mkdir(parents=True)
    beside.mkdir()
    with subprocess.Popen(["sleep", "60"], cwd=inside) as one, subprocess.Popen(["sleep", "60"], cwd=beside) as other:
        try:
            assert (Occupant(one.pid, "sleep"),) == occupants(tmp_path / "a")
        finally:
            one.kill()
            other.kill()
    assert () == occupants(tmp_path / "a")


def test_an_open_file_counts(tmp_path: Path) -> None:
    """Who has one open can write to it after the folder was moved."""
    with (tmp_path / "log").open("w"):
        assert [os.getpid()] == [one.pid for one in occupants(tmp_path)]

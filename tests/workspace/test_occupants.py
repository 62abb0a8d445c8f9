"""Who stands in a folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from clew.workspace.occupants import Occupant, _from_fields, occupants


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc")
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


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc")
def test_an_open_file_counts(tmp_path: Path) -> None:
    """Who has one open can write to it after the folder was moved."""
    with (tmp_path / "log").open("w"):
        assert [os.getpid()] == [one.pid for one in occupants(tmp_path)]


def test_what_lsof_writes_is_read() -> None:
    """A field a line, as lsof(8) has it with -F pcn."""
    out = "p12\ncbash\nfcwd\nn/w/tree/src\np13\ncvim\nfcwd\nn/w/treehouse\npx\ncodd\nn/w/tree\n"
    assert [Occupant(12, "bash")] == _from_fields(out, "/w/tree")

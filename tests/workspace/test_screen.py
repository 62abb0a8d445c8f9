"""The stat screen: every file that it does not suspect is unchanged, and it costs no more than its system calls."""

from __future__ import annotations

import ast
import os
import time
from pathlib import Path

import pytest

from clew.workspace import screen
from clew.workspace.fingerprint import fingerprint
from clew.workspace.screen import RACY_NS, suspects

DAY_NS = 86_400_000_000_000


@pytest.fixture
def saved(tmp_path: Path) -> tuple[int, int, int]:
    """The stat of a file of yesterday, named "f"."""
    place = tmp_path / "f"
    place.write_text("x")
    yesterday = time.time_ns() - DAY_NS
    os.utime(place, ns=(yesterday, yesterday))
    found = fingerprint(str(place))
    assert found is not None
    return found.stat


def test_an_untouched_file_is_no_suspect(tmp_path: Path, saved: tuple[int, int, int]):
    """Else every look would read every file."""
    assert suspects(str(tmp_path), ["f"], [saved], [time.time_ns()]) == []


@pytest.mark.parametrize("path", ["", "missing", "../f", "a/../f", "f/f", "f\0", "x" * 5000])
def test_paths_that_are_no_files_below_the_root_are_suspects(tmp_path: Path, saved: tuple[int, int, int], path: str):
    """The closer look decides what to say of them; here they must not raise, nor pass."""
    (tmp_path / "a").mkdir()
    assert suspects(str(tmp_path), [path], [saved], [time.time_ns()]) == [0]
    assert suspects(str(tmp_path), [f"{tmp_path}/f"], [saved], [time.time_ns()]) == [0]


def test_no_stat_or_no_time_is_a_suspect(tmp_path: Path, saved: tuple[int, int, int]):
    """Without evidence there is no proof."""
    assert suspects(str(tmp_path), ["f", "f", "f"], [None, saved, saved], [DAY_NS, None, saved[1] + RACY_NS]) == [
        0,
        1,
        2,
    ]


def test_positions_are_those_of_the_series(tmp_path: Path, saved: tuple[int, int, int]):
    """A suspect must not be taken for its neighbour."""
    paths = ["f", "missing", "f", "f"]
    stats = [saved, saved, (saved[0] + 1, *saved[1:]), saved]
    assert suspects(str(tmp_path), paths, stats, [time.time_ns()] * 4) == [1, 2]


def test_it_imports_nothing_that_an_interpreter_has_not_loaded_anyway():
    """A hook before every prompt may use it only as long as that holds."""
    assert screen.__file__ is not None
    tree = ast.parse(Path(screen.__file__).read_text(encoding="utf-8"))
    imported = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imported] == ["from __future__ import annotations", "import os"]

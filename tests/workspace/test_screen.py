"""The stat screen: every file that it does not suspect is unchanged, and it costs no more than its system calls."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from clew.workspace.fingerprint import RACY_NS, fingerprint, suspects

DAY_NS = 86_400_000_000_000


@pytest.fixture
def saved(tmp_path: Path) -> tuple[int, int, int]:
    """The stat of a file of yesterday, named "f"."""
    return _file_of_yesterday(tmp_path / "f")


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


@pytest.mark.parametrize("path", ["a b/f", "naïve 🧵/f 🧵", "line\nbreak/f", "[...slug]/f", "-f", "~/f"])
def test_any_name_is_looked_at_as_it_stands(tmp_path: Path, path: str):
    """A name that were read as something else would be another file's, or none."""
    stats = [_file_of_yesterday(tmp_path / path), _file_of_yesterday(tmp_path / "other")]
    (tmp_path / "other").write_text("changed")
    expected = [0, 1] if ".." in path else [1]  # which of these climb, the closer look knows
    assert suspects(str(tmp_path), [path, "other"], stats, [time.time_ns()] * 2) == expected


@pytest.mark.parametrize("root", ["missing", "f", "f\0"])
def test_every_file_is_a_suspect_where_no_folder_is(tmp_path: Path, saved: tuple[int, int, int], root: str):
    """A project that was moved away must not make the look fail, nor pass; nor may a pipe in its place hold us up."""
    assert suspects(f"{tmp_path}/{root}", ["f", "f"], [saved, saved], [time.time_ns()] * 2) == [0, 1]


def test_a_look_leaves_nothing_open(tmp_path: Path, saved: tuple[int, int, int]):
    """A service looks at every prompt: one descriptor left a look would end it after a thousand."""
    free = os.dup(0)
    os.close(free)
    suspects(str(tmp_path), ["f", "missing"], [saved, saved], [time.time_ns()] * 2)
    again = os.dup(0)
    os.close(again)
    assert again == free


def _file_of_yesterday(place: Path) -> tuple[int, int, int]:
    """The stat of a file that is made at `place`."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("x")
    yesterday = time.time_ns() - DAY_NS
    os.utime(place, ns=(yesterday, yesterday))
    found = fingerprint(str(place))
    assert found is not None
    return found.stat

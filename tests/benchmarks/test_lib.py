"""What every benchmark stands on: honest timing of processes, readable tables."""

from __future__ import annotations

import sys

import pytest
from benchmarks.lib.tables import markdown
from benchmarks.lib.timing import CommandFailed, Sample, interleaved, measure, middle, ratio

PYTHON = [sys.executable, "-I", "-S", "-c"]


def test_a_process_is_measured_from_outside():
    """Wall time, CPU time and peak memory each follow what the process does."""
    sample = measure([*PYTHON, "import time; block = bytearray(60_000_000); time.sleep(.5)"])
    assert sample.wall_s >= 0.5
    assert sample.cpu_s <= sample.wall_s - 0.5 + 0.05, "a sleep is no work"
    assert 57 < sample.peak_mb < 100


def test_the_memory_of_the_measuring_process_does_not_count():
    """A child begins with its parent's peak: a benchmark that holds a corpus would charge it to every command."""
    ballast = bytearray(b"x" * 80_000_000)
    assert measure([*PYTHON, "0"]).peak_mb < 40
    assert ballast[0]


def test_a_failed_command_is_no_measurement():
    """A command that dies at once is very fast."""
    with pytest.raises(CommandFailed, match="exited 3"):
        measure([*PYTHON, "raise SystemExit(3)"])
    with pytest.raises(CommandFailed):
        measure(["there-is-no-such-command"])


def test_pairs_are_compared_round_by_round():
    """A machine that slows down in one round must not decide."""
    samples = interleaved({"one": [*PYTHON, "0"], "other": [*PYTHON, "0"]}, rounds=2, warm_ups=0)
    assert [len(of) for of in samples.values()] == [2, 2]
    assert ratio([3.0, 8.0, 2.0], [2.0, 2.0, 1.0]) == (2.0, 1.5, 4.0)
    assert Sample(2.0, 1.0, 9.0) == middle([Sample(1.0, 1.0, 9.0), Sample(2.0, 0.5, 8.0), Sample(3.0, 2.0, 10.0)])


def test_a_table_is_markdown_whatever_is_in_it():
    """A pipe or a newline in a cell would break the row."""
    table = markdown(("name", "n"), [("a|b", "1"), ("c\nd", "22")])
    assert table.splitlines() == ["| name |   n |", "| ---- | --: |", "| a\\|b |   1 |", "| c d  |  22 |"]

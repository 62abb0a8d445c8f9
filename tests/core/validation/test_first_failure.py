"""First failures out of real output: each record was made by running the runner (`benchmarks/validation/record.py`)."""

from __future__ import annotations

import json

import pytest
from benchmarks.validation.first import wrong
from benchmarks.validation.record import CASES, FAILURES

from clew.core.text.tokens import estimate
from clew.core.validation.failure import told
from clew.core.validation.first_failure import first_failure

ROWS = [json.loads(line) for file in sorted(FAILURES.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
PATHS = {(case.runner, case.name): tuple(case.files) for case in CASES}


def test_there_are_enough_of_them() -> None:
    """Of the runners that people have."""
    assert len(ROWS) >= 100 and len({row["runner"] for row in ROWS}) >= 8


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['runner']}-{row['name']}")
def test_the_first_failure_is_told(row: dict[str, str]) -> None:
    """The test, the place in the project's own code, the assertion and both values."""
    found = first_failure(row["output"], root="/repo", files=PATHS[row["runner"], row["name"]])
    assert [] == wrong(row, found, estimate("\n".join(told(found))))


def test_what_no_runner_printed_gives_its_first_error_and_its_end() -> None:
    """A program that nobody knows."""
    text = "\n".join(["step 1", "fatal: the sea is gone", *(f"line {n}" for n in range(40)), "giving up"])
    found = first_failure(text)
    assert "fatal: the sea is gone" == found.message and "giving up" in found.excerpt

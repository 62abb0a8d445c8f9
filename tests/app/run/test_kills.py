"""SIGKILL of the run, of the client, or of both, eight times; `tests/live/nightly_run_kills.py` has more of it."""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.app.run.kills import kills_of, play

KILLED = 8


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
@pytest.mark.parametrize("jobs", [1, 2])
def test_whoever_is_killed_when_it_ends_as_if_nobody_was(tmp_path: Path, jobs: int) -> None:
    """No phase is done twice, no commit is lost, nobody is left, and it comes to its end."""
    chance = random.Random(jobs)
    killed: Counter[str] = Counter()
    number = 0
    while killed.total() < KILLED // 2:
        number += 1
        killed += play(tmp_path / str(number), kills_of(chance, KILLED // 2 - killed.total()), jobs=jobs, phases=3)

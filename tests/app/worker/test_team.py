"""Several machines carry out one plan; whatever is done to them, each phase is done once and no commit is lost."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from tests.app.worker.teams import HARMS, Harm, play
from tests.ledger.postgres.server import server


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
def test_whoever_is_harmed_when_it_ends_as_if_nobody_was(tmp_path: Path) -> None:
    """A kill, a freeze, a cut network, a restart of the server, a kill of the run, in some order at some moments; more
    of it: `python -m tests.live.nightly_workers`.
    """
    chance = random.Random()
    harms = [Harm(sort, chance.randrange(2), chance.random()) for sort in chance.sample(HARMS, len(HARMS))]
    assert play(tmp_path, server(), harms, workers=2, phases=2)

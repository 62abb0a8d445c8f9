"""Several machines carry out one plan; whatever is done to them, each phase is done once and no commit is lost."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.app.worker.teams import team
from tests.ledger.postgres.server import server

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
# `make nightly` has more of them (`python -m tests.live.nightly_workers`).
ROUNDS = int(os.environ.get("CLEW_WORKER_ROUNDS", "4"))


def test_two_workers_carry_out_a_plan(tmp_path: Path) -> None:
    with team(tmp_path, server(), workers=2, phases=4) as made:
        for one in made.workers:
            one.work()
        made.run()
        made.ends()
        for one in made.workers:
            assert 0 == one.end()
        made.ended_as_undisturbed()
        print(made.told())

"""After any history of writing, redacting, crashes and restores, devices that exchanged hold the same."""

from __future__ import annotations

import pytest

from tests.app.team.histories import run_history


@pytest.mark.parametrize("seeds", [range(first, first + 25) for first in range(0, 100, 25)], ids=str)
def test_devices_agree_and_nothing_is_lost_or_comes_back(seeds: range) -> None:
    """`make nightly` runs 2,000."""
    for seed in seeds:
        run_history(seed)

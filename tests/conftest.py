"""What all tests share: how Hypothesis runs here."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import Phase, settings

# No deadline for one example: machines that build other things at the same time make such tests fail by chance. No
# explanations of a failure: they run the example hundreds of times more.
settings.register_profile("clew", deadline=None, phases=set(Phase) - {Phase.explain})
settings.load_profile("clew")

LIVE = Path(__file__).parent / "live"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The stories with real clients are gathered only when they are asked for by name: `make test-clients`."""
    return True if collection_path == LIVE and not any(LIVE.name in argument for argument in config.args) else None

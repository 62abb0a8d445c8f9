"""What all tests share: how Hypothesis runs here."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import Phase, settings

# No deadline for one example: machines that build other things at the same time make such tests fail by chance. No
# explanations of a failure: they run the example hundreds of times more.
settings.register_profile("clew", deadline=None, phases=set(Phase) - {Phase.explain})
settings.load_profile("clew")

# The deep engine compiles its rules, which takes seconds: once for all tests, not once for every home.
RULES = os.environ.setdefault("KF_RULE_CACHE_DIR", str(Path(tempfile.gettempdir(), f"clew-test-rules-{os.getuid()}")))

LIVE = Path(__file__).parent / "live"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The stories with real clients are gathered only when they are asked for by name: `make test-clients`."""
    return True if collection_path == LIVE and not any(LIVE.name in argument for argument in config.args) else None

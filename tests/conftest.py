"""What all tests share: how Hypothesis runs here, and where temporary files lie."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import Phase, settings

# No deadline for one example: machines that build other things at the same time make such tests fail by chance. No
# explanations of a failure: they run the example hundreds of times more. `make nightly` asks for more examples.
EXAMPLES = int(os.environ.get("CLEW_TEST_EXAMPLES", "40"))
settings.register_profile("clew", deadline=None, max_examples=EXAMPLES, phases=set(Phase) - {Phase.explain})
settings.load_profile("clew")

# The deep engine compiles its rules, which takes seconds: once for all tests, not once for every home.
RULES = os.environ.setdefault("KF_RULE_CACHE_DIR", str(Path(tempfile.gettempdir(), f"clew-test-rules-{os.getuid()}")))

LIVE = Path(__file__).parent / "live"
MEMORY = Path("/dev/shm")
_ROOM_BYTES = 2 << 30


def pytest_configure(config: pytest.Config) -> None:
    """Temporary files lie in memory where that is possible: thousands of small ledgers wait for a disk otherwise. What
    needs a file system that may be full, be read-only or lose power makes one of its own.
    """
    if _is_roomy(MEMORY) and not any(LIVE.name in argument for argument in config.args):
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


def _is_roomy(folder: Path) -> bool:
    """Whether programs may be run there, and there is room."""
    if not sys.platform.startswith("linux") or not os.access(folder, os.W_OK | os.X_OK):
        return False
    facts = os.statvfs(folder)
    return not facts.f_flag & os.ST_NOEXEC and facts.f_bavail * facts.f_frsize >= _ROOM_BYTES


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The stories with real clients are gathered only when they are asked for by name: `make test-clients`."""
    return True if collection_path == LIVE and not any(LIVE.name in argument for argument in config.args) else None

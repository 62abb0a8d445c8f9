"""`clew pressure`: what is shown."""

from __future__ import annotations

import json

from tests.interfaces.cli.conftest import Clew
from tests.workspace.repos import Repo


def test_it_tells_percent_trend_and_what_to_do(repo: Repo, clew: Clew) -> None:
    """Everything that the advice follows from is on the screen."""
    done = clew("pressure")
    assert 0 == done.code
    rows = dict(row.split(None, 1) for row in done.out.splitlines())
    assert "20,405 tokens, 12 % of 167,000 usable ones (estimated" in rows["context"]
    assert "checkpoint at 100,000 (pressure.checkpoint_tokens)" in rows["thresholds"]
    assert "never" == rows["compacted"]
    assert rows["advice"].startswith("Go on: ")
    assert "clew init" in done.err


def test_as_json(repo: Repo, clew: Clew) -> None:
    """Scripts and status lines read it."""
    told = json.loads(clew("pressure", "--json").out)
    assert (20_405, 200_000, 167_000, True, 12) == tuple(
        told[name] for name in ("context_tokens", "window_tokens", "usable_tokens", "estimated", "percent")
    )
    assert ("", [], "go on", "") == (told["crossed"], told["signals"], told["advice"], told["next"])


def test_a_session_that_does_not_exist_is_an_error(repo: Repo, clew: Clew) -> None:
    """With the same code as everywhere."""
    done = clew("pressure", "--session", "ffff")
    assert (1, True) == (done.code, "E-transcript-missing" in done.err)

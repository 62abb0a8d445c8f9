"""The labelled moments: places and labels, and no word of anybody's."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from benchmarks.pressure.plants import PLANTS
from benchmarks.pressure.run import MOMENTS, main

from tests.recordings import sessions


def test_a_moment_is_a_place_and_a_label() -> None:
    """The sessions are other people's."""
    moments = [json.loads(line) for line in MOMENTS.read_text(encoding="utf-8").splitlines()]
    assert len(moments) >= 80
    for one in moments:
        assert {"kind", "session", "at", "label", "held"} <= set(one) <= {
            "kind", "session", "at", "label", "held", "plant", "after",
        }  # fmt: skip
        assert re.fullmatch("[0-9a-f]{12}", one["session"]) and isinstance(one["at"], int)
        assert one.get("plant", "said again") in {*PLANTS, "said again"}
    held = sum(one["held"] for one in moments)
    assert 0.4 < held / len(moments) < 0.6
    assert {True, False} == {one["label"] for one in moments if one["kind"] == "loop" and one["held"]}


def test_without_the_sessions_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """And looks through those that are there."""
    assert 0 == main([str(Path(sessions.__file__).parent)])
    told = capsys.readouterr().out
    assert "moments are of sessions that are not there" in told and "calls of real sessions: " in told

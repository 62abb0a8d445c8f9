"""The context of a session: the main chain's, response by response."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.app.cost.curve import context_curve
from clew.core.errors import NotFound
from tests.app.cost.used import line, save
from tests.app.projects import World


def test_context_and_compactions(tmp_path: Path) -> None:
    """A response of several lines is one; a sub-agent's do not count; the place of a compaction is told."""
    world = World(tmp_path, ledger=False)
    bounds = {"trigger": "auto", "preTokens": 130}
    compacted = {"type": "system", "subtype": "compact_boundary", "compactMetadata": bounds, "sessionId": "s-1"}
    path = save(
        world,
        "s-1.jsonl",
        line("m1", (10, 20, 30, 1), world.top),
        line("m1", (10, 20, 70, 5), world.top),
        line("m2", (900, 0, 0, 1), world.top, isSidechain=True, agentId="a7"),
        line("m3", (30, 0, 100, 1), world.top, time="2026-11-20T10:05:00.000Z"),
        json.dumps({**compacted, "uuid": "c", "timestamp": "2026-11-20T10:06:00.000Z"}).encode() + b"\n",
        line("m4", (40, 0, 0, 1), world.top, time="2026-11-20T10:07:00.000Z"),
    )
    found = context_curve(world.by_person, str(path))
    assert ((100, 130, 40), (2,)) == (found.tokens, found.compactions)
    assert ("s-1", "10:00", "10:07") == (found.session, found.began[11:16], found.ended[11:16])


def test_where_there_is_no_session(tmp_path: Path) -> None:
    """It says so."""
    world = World(tmp_path, ledger=False)
    with pytest.raises(NotFound):
        context_curve(world.by_person)

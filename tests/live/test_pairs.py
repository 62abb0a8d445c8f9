"""Start in one client, go on in another: each client once as the first and once as the second (all pairs: nightly)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.clients import DRIVERS
from tests.live.conftest import Program
from tests.live.pairs import play
from tests.live.people import present

PAIRS = (("claude-code", "codex"), ("codex", "gemini"), ("gemini", "opencode"), ("opencode", "claude-code"))


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_one_client_knew_the_next_one_knows(
    first: str, second: str, program: Program, project: Path, tmp_path: Path
) -> None:
    """Capture, kill, another client, a compaction, and the MCP server: by what the models saw."""
    one, other = (DRIVERS[client](program(client), tmp_path / "home") for client in (first, second))
    with present(one), present(other):
        play(one, other, project, tmp_path)

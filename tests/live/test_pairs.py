"""Start in one client, go on in another: each client once as the first and once as the second (all pairs: nightly)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live import codex
from tests.live.clients import DRIVERS
from tests.live.conftest import Program
from tests.live.pairs import play
from tests.live.people import present

PAIRS = (
    ("claude-code", "codex"),
    ("codex", "gemini"),
    ("gemini", "opencode"),
    ("opencode", "copilot"),
    ("copilot", "claude-code"),
)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_one_client_knew_the_next_one_knows(
    first: str, second: str, program: Program, project: Path, tmp_path: Path
) -> None:
    """Capture, kill, another client, a compaction, and the MCP server: by what the models saw."""
    one, other = (DRIVERS[client](program(client), tmp_path / "home") for client in (first, second))
    with present(one), present(other):
        play(one, other, project, tmp_path)


def test_codex_with_a_model_that_calls_tools_one_by_one(program: Program, project: Path, tmp_path: Path) -> None:
    """To older models the client offers each tool by itself, and its record of a session looks otherwise."""
    one, other = (codex.Person(program("codex"), tmp_path / "home") for _ in range(2))
    one.model = other.model = codex.OLDER_MODEL
    with present(one), present(other):
        play(one, other, project, tmp_path)

"""The slash commands that ask for a hand-off ask for the same as everything else."""

from __future__ import annotations

import pytest

from clew.clients.texts import slash_commands
from clew.documents.draft import REQUEST


@pytest.mark.parametrize("name", ["handoff", "checkpoint"])
def test_a_slash_command_asks_with_the_one_request(name: str) -> None:
    """Two requests would give two kinds of hand-offs, and one of them is not what was measured."""
    [command] = [one for one in slash_commands() if one.name == name]
    said = " ".join(line.strip().removeprefix("> ") for line in command.text.split("\n"))
    assert REQUEST in said
    assert "`clew checkpoint" in said and "`checkpoint`" in said

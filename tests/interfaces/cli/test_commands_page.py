"""docs/reference/commands.md against what the code heeds."""

from __future__ import annotations

import re
from pathlib import Path

from clew.clients.registry import specs

REPOSITORY = Path(__file__).parents[3]
VARIABLE = re.compile(r'"((?:CLAUDE|CODEX|GEMINI|OPENCODE|CLEW)_[A-Z_]+|XDG_(?:DATA|CONFIG)_HOME)"')


def test_every_variable_is_told() -> None:
    """Who has moved a client's folder looks there for how clew finds it, and for which session asks."""
    source = REPOSITORY / "src" / "clew"
    files = (source / "wiring.py", source / "app/ports.py")
    heeded = {name for file in files for name in VARIABLE.findall(file.read_text(encoding="utf-8"))}
    heeded |= {name for spec in specs() for name in (*spec.variables, spec.asking)}
    assert {"CODEX_HOME", "GEMINI_CLI_HOME", "OPENCODE_DB", "CLEW_TASK"} <= heeded
    page = (REPOSITORY / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    assert sorted(name for name in heeded if f"`{name}`" not in page) == []

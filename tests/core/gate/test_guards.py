"""Guards: how people's words for "by what one would try it again" are understood."""

from __future__ import annotations

import pytest

from clew.core.gate.guards import Guard, guard_of, told

UNDERSTOOD = {
    "npm install moment": Guard("command", "npm install moment"),
    "  pip   install x ": Guard("command", "pip install x"),
    "src/legacy/*": Guard("path", "src/legacy/*"),
    "src/a.py": Guard("path", "src/a.py"),
    "setup.cfg": Guard("path", "setup.cfg"),
    "*.lock": Guard("path", "*.lock"),
    "src/legacy/": Guard("path", "src/legacy"),
    "./src/a.py": Guard("path", "src/a.py"),
    "path:./docs/": Guard("path", "docs"),
    "/": Guard("path", "/"),
    "moment": Guard("word", "moment"),
    "import moment": Guard("word", "import moment"),
    "from x import y": Guard("word", "from x import y"),
    "round(*)": Guard("word", "round(*)"),
    "std::mutex": Guard("word", "std::mutex"),
    "command:yarn": Guard("command", "yarn"),
    "path:Makefile": Guard("path", "Makefile"),
    "word: npm ci": Guard("word", "npm ci"),
    "import:moment": Guard("word", "moment"),
    "command:": Guard("word", "command:"),
}


@pytest.mark.parametrize("pattern", UNDERSTOOD)
def test_how_a_pattern_is_meant(pattern: str) -> None:
    """People write what they would type; a guard that stands for something else warns of nothing."""
    guard = UNDERSTOOD[pattern]
    assert guard == guard_of(pattern)
    assert f"`{guard.pattern}`" in told(guard)

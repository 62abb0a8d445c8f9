"""Guards: how people's words for "by what one would try it again" are understood."""

from __future__ import annotations

import pytest

from clew.core.gate.guards import Guard, guard_of, told

UNDERSTOOD = {
    "npm install moment": Guard("command", "npm install moment"),
    "src/legacy/*": Guard("path", "src/legacy/*"),
    "setup.cfg": Guard("path", "setup.cfg"),
    "src/legacy/": Guard("path", "src/legacy"),
    "path:./docs/": Guard("path", "docs"),
    "/": Guard("path", "/"),
    "moment": Guard("word", "moment"),
    "import moment": Guard("word", "import moment"),
    "round(*)": Guard("word", "round(*)"),
    "command:yarn": Guard("command", "yarn"),
    "import:moment": Guard("word", "moment"),
    "command:": Guard("word", "command:"),
}


@pytest.mark.parametrize("pattern", UNDERSTOOD)
def test_how_a_pattern_is_meant(pattern: str) -> None:
    """People write what they would type; a guard that stands for something else warns of nothing."""
    guard = UNDERSTOOD[pattern]
    assert guard == guard_of(pattern)
    assert f"`{guard.pattern}`" in told(guard)

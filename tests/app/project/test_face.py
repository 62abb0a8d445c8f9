"""The package `clew.app.project` is one thing with one face."""

from __future__ import annotations

import re
from pathlib import Path

import clew

SOURCE = Path(clew.__file__).parent
_INSIDE = re.compile(r"(?:from|import) clew\.app\.project\.\w+")


def test_it_is_entered_by_its_face() -> None:
    """What is inside can be moved as long as nobody outside knows it."""
    outside = [path for path in SOURCE.rglob("*.py") if path.parent.parts[-2:] != ("app", "project")]
    assert [] == [path.name for path in outside if _INSIDE.search(path.read_text(encoding="utf-8"))]

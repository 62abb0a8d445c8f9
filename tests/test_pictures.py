"""Pictures in the documents are those of today."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]


def test_the_picture_of_an_issue_is_what_clew_composes() -> None:
    """Made again by `python scripts/issue_picture.py > docs/pictures/issue.svg`."""
    drawn = _drawn_by("issue_picture")
    assert (ROOT / "docs" / "pictures" / "issue.svg").read_text(encoding="utf-8") == drawn
    assert len(list(ElementTree.fromstring(drawn).iter())) > 50


def _drawn_by(name: str) -> str:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    drawn = script.picture()
    assert isinstance(drawn, str)
    return drawn

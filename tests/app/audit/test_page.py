"""The page names every line of the bill, every measure and every rule."""

from __future__ import annotations

from pathlib import Path

from clew.app.audit.waste import ADVICE
from clew.core.audit.contexts import MEANINGS
from clew.documents.rules_file.disk import RULES

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "audit.md").read_text(encoding="utf-8")


def test_lines_and_measures_and_rules_are_told() -> None:
    assert not [meaning for meaning in MEANINGS.values() if f"| {meaning} |" not in PAGE]
    assert not [kind for kind in ADVICE if f"`{kind}`" not in PAGE]
    assert not [rule.id for rule in RULES.values() if f"| `{rule.id}` | {rule.meaning.rstrip('.')}" not in PAGE]

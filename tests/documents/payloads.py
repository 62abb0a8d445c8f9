"""Resume payloads for the tests of documents: made of a view, and looked into by heading."""

from __future__ import annotations

from hypothesis import strategies as st

from clew.documents.profiles import REHYDRATE
from clew.documents.render import BUDGET_TOKENS_MIN, Document, View, render

budgets = st.integers(BUDGET_TOKENS_MIN, 1500) | st.sampled_from((BUDGET_TOKENS_MIN, 239, 240, 241, 1000))
HEADINGS = {*(f"## {section.heading}" for section in REHYDRATE.sections), "## Read first", "## Changed on disk since"}


def made(of: View, budget: int = 1000) -> Document:
    return render(of, REHYDRATE, budget)


def section(document: Document, heading: str) -> list[str]:
    """The lines under a heading; [] if it is not there."""
    rows = document.text.split("\n")
    if f"## {heading}" not in rows:
        return []
    start = rows.index(f"## {heading}") + 1
    return rows[start : rows.index("", start)]

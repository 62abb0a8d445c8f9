"""What a document tells, as short rows for comparison."""

from __future__ import annotations

from clew.documents.parse import parse


def told(text: str, *, name: str = "x.md") -> list[tuple[str, str, str]]:
    """(kind, status, text) of each entry, in the order of the source."""
    return [(entry.kind, entry.status, entry.text) for entry in parse(text, name=name).entries]


def kinds(text: str, *, name: str = "x.md") -> list[str]:
    """The kinds of the entries."""
    return [entry.kind for entry in parse(text, name=name).entries]

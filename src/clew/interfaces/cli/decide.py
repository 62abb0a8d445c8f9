"""`clew decide`: `clew note decision` in one word."""

from __future__ import annotations

from typing import Any

from clew.interfaces.cli.note import keep, noting
from clew.interfaces.cli.parser import Command


def run(text: tuple[str, ...], **fields: Any) -> None:
    """Record that TEXT was decided, --why it was, and with --lock that only a person may change it."""
    keep("decision", text, **fields)


command = Command("Record a decision and why.", run, noting("--lock"))

"""`clew ask`: `clew note question` in one word."""

from __future__ import annotations

from typing import Any

from clew.interfaces.cli.note import keep, noting
from clew.interfaces.cli.parser import Command


def run(text: tuple[str, ...], **fields: Any) -> None:
    """Record the question TEXT, whose it is to answer (--owner), and whether work waits for it (--blocking)."""
    keep("question", text, **fields)


command = Command("Record an open question.", run, noting("--owner", "--blocking"))

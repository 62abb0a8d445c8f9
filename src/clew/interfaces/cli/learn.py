"""`clew learn`: `clew note learning` in one word."""

from __future__ import annotations

from typing import Any

from clew.interfaces.cli.note import keep, noting
from clew.interfaces.cli.parser import Command


def run(text: tuple[str, ...], **fields: Any) -> None:
    """Record a fact that other tasks can use, TEXT, with a --tag that says what kind it is."""
    keep("learning", text, **fields)


command = Command("Record something learned for other sessions.", run, noting("--tag"))

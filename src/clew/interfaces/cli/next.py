"""`clew next`: `clew note next` in one word."""

from __future__ import annotations

from typing import Any

from clew.interfaces.cli.note import keep, noting
from clew.interfaces.cli.parser import Command


def run(text: tuple[str, ...], **fields: Any) -> None:
    """Record TEXT as the next action, best with its --file PATH:LINES; it takes the place of the one before."""
    keep("next", text, **fields)


command = Command("Record the one next action.", run, noting())

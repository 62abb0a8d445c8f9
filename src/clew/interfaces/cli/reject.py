"""`clew reject`: `clew note failed` in one word."""

from __future__ import annotations

from typing import Any

from clew.interfaces.cli.note import keep, noting
from clew.interfaces.cli.parser import Command


def run(text: tuple[str, ...], **fields: Any) -> None:
    """Record that TEXT was tried and failed, and --why (best the real error): nobody is to try it again."""
    keep("failed", text, **fields)


command = Command("Record an approach that failed and why.", run, noting("--guard"))

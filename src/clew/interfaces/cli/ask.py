"""`clew ask`: `clew note question` in one word."""

from __future__ import annotations

from typing import Any

import click

from clew.interfaces.cli.group import Command
from clew.interfaces.cli.note import keep, noting


@click.command("ask", cls=Command)
@noting("--owner", "--blocking")
def command(text: tuple[str, ...], **fields: Any) -> None:
    """Record the question TEXT, whose it is to answer (--owner), and whether work waits for it (--blocking)."""
    keep("question", text, **fields)

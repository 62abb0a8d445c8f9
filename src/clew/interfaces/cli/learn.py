"""`clew learn`: `clew note learning` in one word."""

from __future__ import annotations

from typing import Any

import click

from clew.interfaces.cli.group import Command
from clew.interfaces.cli.note import keep, noting


@click.command("learn", cls=Command)
@noting("--tag")
def command(text: tuple[str, ...], **fields: Any) -> None:
    """Record a fact that other tasks can use, TEXT, with a --tag that says what kind it is."""
    keep("learning", text, **fields)

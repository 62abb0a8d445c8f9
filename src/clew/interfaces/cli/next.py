"""`clew next`: `clew note next` in one word."""

from __future__ import annotations

from typing import Any

import click

from clew.interfaces.cli.group import Command
from clew.interfaces.cli.note import keep, noting


@click.command("next", cls=Command)
@noting()
def command(text: tuple[str, ...], **fields: Any) -> None:
    """Record TEXT as the next action, best with its --file PATH:LINES; it takes the place of the one before."""
    keep("next", text, **fields)

"""`clew decide`: `clew note decision` in one word."""

from __future__ import annotations

from typing import Any

import click

from clew.interfaces.cli.group import Command
from clew.interfaces.cli.note import keep, noting


@click.command("decide", cls=Command)
@noting("--lock")
def command(text: tuple[str, ...], **fields: Any) -> None:
    """Record that TEXT was decided, --why it was, and with --lock that only a person may change it."""
    keep("decision", text, **fields)

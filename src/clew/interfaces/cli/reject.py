"""`clew reject`: `clew note failed` in one word."""

from __future__ import annotations

from typing import Any

import click

from clew.interfaces.cli.group import Command
from clew.interfaces.cli.note import keep, noting


@click.command("reject", cls=Command)
@noting("--guard")
def command(text: tuple[str, ...], **fields: Any) -> None:
    """Record that TEXT was tried and failed, and --why (best the real error): nobody is to try it again."""
    keep("failed", text, **fields)

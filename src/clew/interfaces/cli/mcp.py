"""`clew mcp`: the MCP server, for clients to start."""

from __future__ import annotations

import sys

import click

from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import aside
from clew.interfaces.mcp.server import run


@click.command("mcp", cls=CliCommand)
def command() -> None:
    """Speak MCP (the Model Context Protocol) on stdin and stdout, until the client closes them.

    `clew init` configures the clients that you have to start it; docs/reference/mcp.md has the entry for any other. In
    folders without `clew init` it offers no tools.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        aside("Clients start this and speak MCP with it. Ctrl-D ends it.")
    run()

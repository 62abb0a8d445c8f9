"""`clew mcp`: the MCP server, for clients to start."""

from __future__ import annotations

import click


@click.command("mcp", short_help="Serve clew's tools to a client, over stdin and stdout (MCP).")
def command() -> None:
    """Speak MCP (the Model Context Protocol) on stdin and stdout, until the client closes them.

    `clew init` tells the clients that you have to start it; for any other, docs/mcp.md has the entry. In folders
    without `clew init` it offers nothing.
    """
    import sys

    from clew.interfaces.mcp.run import check, run

    if sys.stdin is not None and sys.stdin.isatty():
        check()
        click.echo("Clients start this and speak MCP with it. Ctrl-D ends it.", err=True)
    run()

"""`clew help`: what a command is for and what it takes."""

from __future__ import annotations

import click

from clew.interfaces.cli.group import Command, Group, command_at


@click.command("help", cls=Command)
@click.argument("names", metavar="[COMMAND…]", nargs=-1)
@click.pass_context
def command(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Show what clew can do, or what COMMAND does and takes: `clew help task new`."""
    root = ctx.find_root()
    assert isinstance(root.command, Group)
    print(command_at(root.command, root, names).get_help())

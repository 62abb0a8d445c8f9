"""What the help of a command lists."""

from __future__ import annotations

import click

from clew.interfaces.cli.main import cli


def command_named(name: str) -> click.Command:
    """The command of that name, loaded."""
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return command


def options_of(name: str) -> set[str]:
    """The options of a command, and of those below it."""
    command = command_named(name)
    below = command.commands.values() if isinstance(command, click.Group) else ()
    told = {word for one in (command, *below) for param in one.params for word in (*param.opts, *param.secondary_opts)}
    return {word for word in told if word.startswith("--")} | {"--help"}

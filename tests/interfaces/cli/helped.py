"""What the help of a command lists."""

from __future__ import annotations

import re

from clew.interfaces.cli.main import command_named
from clew.interfaces.cli.parser import Parser


def options_of(name: str) -> set[str]:
    """The options of a command, and of those below it."""
    command = command_named(name)
    told = [Parser(name, one).format_help() for one in (command, *command.commands.values())]
    return set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", "\n".join(told), re.MULTILINE))

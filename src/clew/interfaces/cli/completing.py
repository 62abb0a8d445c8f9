"""What a shell asks when somebody presses Tab: every command is loaded for that, and none is run."""

from __future__ import annotations

from collections.abc import Mapping

import argcomplete

from clew.interfaces.cli.parser import Command, Parser


def complete(parser: Parser, commands: Mapping[str, Command]) -> None:
    """Answer the shell and leave. `parser` is the program's own."""
    _grow(parser, commands)
    argcomplete.autocomplete(parser, always_complete_options=False)


def _grow(parser: Parser, commands: Mapping[str, Command]) -> None:
    below = parser.add_subparsers(parser_class=_Below)
    for name, command in commands.items():
        grown = below.add_parser(name, command=command, help=command.line)
        if command.commands:
            _grow(grown, command.commands)


class _Below(Parser):
    """A parser as `argparse` makes it of a command below another."""

    def __init__(self, *, prog: str, command: Command) -> None:
        super().__init__(prog, command)

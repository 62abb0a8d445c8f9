"""What a shell asks when somebody presses Tab: every command is loaded for that, and none is run."""

from __future__ import annotations

from argparse import Action, ArgumentParser
from collections.abc import Mapping
from pathlib import Path

import argcomplete
from argcomplete.completers import ChoicesCompleter

from clew.interfaces.cli.parser import Command, Parser

# Of what is asked for in these words shells complete files.
_FILES = ("FILE", "DIR", "PATH")


def complete(parser: Parser, commands: Mapping[str, Command]) -> None:
    """Answer the shell and leave. `parser` is the program's own."""
    tree = ArgumentParser(prog="clew", add_help=False)
    parser.fill(tree)
    _grow(tree, "clew", commands)
    argcomplete.autocomplete(tree, always_complete_options=False)


def _grow(tree: ArgumentParser, path: str, commands: Mapping[str, Command]) -> None:
    below = tree.add_subparsers()
    for name, command in commands.items():
        grown = below.add_parser(name, add_help=False, help=command.line)
        for action in Parser(f"{path} {name}", command).fill(grown):
            if action.choices is None and not _is_file(action):
                action.completer = ChoicesCompleter({})  # type: ignore[attr-defined]
        if command.commands:
            _grow(grown, f"{path} {name}", command.commands)


def _is_file(action: Action) -> bool:
    return action.type is Path or any(word in str(action.metavar) for word in _FILES)

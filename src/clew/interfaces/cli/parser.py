"""The command line's parser: `argparse`, with help and errors as clew says them.

`argparse` and not a library on top of it: what is loaded before a command does anything is a good part of what
`clew resume` costs (docs/dependencies.md).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NoReturn

from clew.core.tuples import NamedTuple

_COLUMNS_MAX = 100
_COLUMNS_DEFAULT = 80
# An option that takes more room has its help below it.
_OPTION_COLUMNS = 32


class UsageError(Exception):
    """The command line is wrong. `option`: the one that there is not, "" if it is about something else. `path`: the
    whole name of the command, known where it is run.
    """

    def __init__(self, message: str, *, option: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.option = option
        self.path = ""


class Aborted(Exception):
    """The person does not want to go on, or nobody is there to answer."""


class Command(NamedTuple):
    """A command, or a group of them. `line` stands in the list of commands.

    `arguments` tells a parser what may be on the command line; `run` gets all of it by name, and its docstring is the
    help. Without `run` it is a group that does nothing by itself and has `about` as its help.
    """

    line: str
    run: Callable[..., None] | None = None
    arguments: Callable[[Parser], None] | None = None
    commands: Mapping[str, Command] = {}
    about: str = ""


class Parser(argparse.ArgumentParser):
    """Of a command whose whole name is `path`. `lists` are tables for the end of the help: rows of name and line, by
    heading.
    """

    def __init__(self, path: str, command: Command, lists: Mapping[str, Mapping[str, str]] | None = None) -> None:
        about = command.about or (command.run.__doc__ if command.run is not None else None)
        super().__init__(prog=path, description=about, allow_abbrev=False, add_help=False, formatter_class=_Help)
        self._words: list[str] = []
        self._options: list[argparse.Action] = []
        self._lists = dict(lists or {})
        if command.arguments is not None:
            command.arguments(self)
        self.add_argument("-h", "--help", action="help", help="Show this message and exit.")
        if command.commands:
            self._lists["Commands"] = {name: one.line for name, one in command.commands.items()}
        words = [*self._words, *(["[COMMAND] [ARGS]…"] if self._lists else [])]
        self.usage = " ".join([path, "[OPTIONS]", *words])

    def add_argument(self, *names: str, **known: Any) -> argparse.Action:
        """As `argparse` has it."""
        action = super().add_argument(*names, **known)
        if action.option_strings:
            self._options.append(action)
        else:
            self._words.append(str(action.metavar))
        return action

    def parsed(self, words: list[str]) -> dict[str, Any]:
        """What `words` say, by name, in any order of options and others. Raises `UsageError`."""
        options, others = self._apart(words)
        found, rest = self.parse_known_args([*options, "--", *others] if others else options)
        if rest and rest[0].startswith("-"):
            raise UsageError(f"there is no option {rest[0]}", option=rest[0])
        if rest:
            raise UsageError(f"{rest[0]!r} is one word too many")
        return {name: tuple(value) if isinstance(value, list) else value for name, value in vars(found).items()}

    def _apart(self, words: list[str]) -> tuple[list[str], list[str]]:
        """The options among `words`, each in one word with its value (`argparse` takes `--guard --force` for two), and
        the others.
        """
        takes = {name for action in self._options if action.nargs is None for name in action.option_strings}
        options: list[str] = []
        others: list[str] = []
        rest = iter(words)
        for word in rest:
            if word == "--":
                others += rest
            elif not word.startswith("-") or word == "-" or " " in word.partition("=")[0]:
                others.append(word)
            elif word not in takes or (value := next(rest, None)) is None:
                options.append(word)
            elif word.startswith("--"):
                options.append(f"{word}={value}")
            else:
                options += [word + value] if value.startswith("-") else [word, value]
        return options, others

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError`: `argparse` would leave with 2, which clients of agents read as "block"."""
        raise UsageError(message)

    def format_help(self) -> str:
        """The help: how it is called, what it is for, options, and what else there is."""
        help_ = _Help(self.prog)
        help_.add_usage(self.usage, (), (), prefix="Usage: ")
        help_.add_text(self.description)
        help_.start_section("Options")
        help_.add_arguments(self._options)
        help_.end_section()
        width = max((len(name) for rows in self._lists.values() for name in rows), default=0)
        tables = [
            "\n".join([f"{heading}:", *(f"  {name:<{width}}  {line}" for name, line in rows.items())])
            for heading, rows in self._lists.items()
        ]
        return "\n".join([help_.format_help(), *(f"{table}\n" for table in tables)])


class _Help(argparse.HelpFormatter):
    """Paragraphs stay paragraphs, two blanks from the edge."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=_OPTION_COLUMNS, width=_columns())

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = [paragraph.split() for paragraph in text.strip().split("\n\n")]
        filled = (super(_Help, self)._fill_text(" ".join(words), width, indent + "  ") for words in paragraphs)
        return "\n\n".join(filled)


@cache
def _columns() -> int:
    """How wide help may be. `argparse` wants to know it for each option, and would load half a dozen modules to ask."""
    try:
        return min(os.get_terminal_size(sys.stdout.fileno()).columns or _COLUMNS_DEFAULT, _COLUMNS_MAX)
    except (OSError, ValueError):
        return _COLUMNS_DEFAULT


def at_least(least: int) -> Callable[[str], int]:
    """The type of a whole number that is not smaller."""

    def number(word: str) -> int:
        if not word.isdecimal() or int(word) < least:
            raise argparse.ArgumentTypeError(f"{word!r} is no whole number from {least} on")
        return int(word)

    return number

"""The command line's parser. Options are `argparse`'s; which words are options, and what the others are, is told here,
since `argparse` tells it otherwise from one version of Python to the next (`--`, `-5`, values that begin with a dash).

`argparse` and not a library on top of it: what is loaded before a command does anything is a good part of what
`clew resume` costs (docs/dependencies.md).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from clew.core.tuples import NamedTuple

_COLUMNS_MAX = 100
# An option that takes more room has its help below it.
_OPTION_COLUMNS = 32
_HELP = ("-h", "--help")


class UsageError(Exception):
    """The command line is wrong. `option`: the one that there is not, "" if it is about something else. `path`: the
    whole name of the command, known where it is run.
    """

    def __init__(self, message: str, *, option: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.option = option
        self.path = ""


class HelpWanted(Exception):
    """Somebody asks what there is: `text`, for stdout."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


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


class Parser:
    """Of a command whose whole name is `path`. `lists` are tables for the end of the help: rows of name and line, by
    heading.
    """

    def __init__(self, path: str, command: Command, lists: Mapping[str, Mapping[str, str]] | None = None) -> None:
        self._path = path
        self._about = command.about or (command.run.__doc__ if command.run is not None else None) or ""
        self._lists = dict(lists or {})
        if command.commands:
            self._lists["Commands"] = {name: one.line for name, one in command.commands.items()}
        self._options: list[tuple[tuple[str, ...], dict[str, Any]]] = []
        self._words: list[tuple[str, dict[str, Any]]] = []
        if command.arguments is not None:
            command.arguments(self)
        self.add_argument(*_HELP, action="store_true", help="Show this message and exit.")

    def add_argument(self, *names: str, **known: Any) -> None:
        """As `argparse` has it. Of the words that are no options only the last may be several."""
        if names[0].startswith("-"):
            self._options.append((names, known))
        else:
            self._words.append((names[0], known))

    def fill(self, parser: argparse.ArgumentParser) -> list[argparse.Action]:
        """Put what was added into a parser of `argparse`'s, for who wants to know what there is."""
        return [
            *self._fill(parser),
            *(parser.add_argument(name, **known) for name, known in self._words),
        ]

    def _fill(self, parser: argparse.ArgumentParser) -> list[argparse.Action]:
        return [parser.add_argument(*names, **known) for names, known in self._options]

    def parsed(self, words: list[str]) -> dict[str, Any]:
        """What `words` say, by name, in any order of options and others. Raises `UsageError` and `HelpWanted`."""
        options, others = self._apart(words)
        if not set(_HELP).isdisjoint(options):
            raise HelpWanted(self.format_help())
        parser = _Options()
        self._fill(parser)
        found, rest = parser.parse_known_args(options)
        if rest:
            raise self._no_option(rest[0].partition("=")[0])
        given = {**vars(found), **self._placed(others)}
        del given["help"]
        return {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}

    def _apart(self, words: list[str]) -> tuple[list[str], list[str]]:
        """The options among `words`, each in one word with its value, and the others."""
        takes = {name for names, known in self._options if known.get("action") in (None, "append") for name in names}
        options: list[str] = []
        others: list[str] = []
        rest = iter(words)
        for word in rest:
            if word == "--":
                others += rest
            elif not word.startswith("-") or word == "-":
                others.append(word)
            elif word in takes and (value := next(rest, None)) is not None:
                if value == "--":
                    raise UsageError(f"{word} takes a value, and -- is none")
                # `-m` and "" in one word would be `-m` alone.
                options += [f"{word}={value}"] if word.startswith("--") else [word + value] if value else [word, value]
            elif " " in word.partition("=")[0] and word[:2] not in takes:
                others.append(word)  # an entry of a list, pasted as it is
            else:
                options.append(word)
        return options, others

    def _placed(self, others: list[str]) -> dict[str, Any]:
        """The words that are no options, by name."""
        found: dict[str, Any] = {}
        rest = others
        for name, known in self._words:
            several, kind = known.get("nargs") in ("+", "*"), known.get("nargs")
            mine, rest = (rest, []) if several else (rest[:1], rest[1:])
            if not mine and kind in (None, "+"):
                raise UsageError(f"{known['metavar']} is missing")
            if not mine and known.get("default"):
                mine = [known["default"]]
            values = [_value(word, known) for word in mine]
            found[name] = values if several else values[0] if values else known.get("default")
        if rest:
            raise UsageError(f"{rest[0]!r} is one word too many")
        return found

    def _no_option(self, name: str) -> UsageError:
        from difflib import get_close_matches

        near = get_close_matches(name, [one for names, _ in self._options for one in names], n=1)
        way_out = "; what begins with a dash stands behind --" if self._words else ""
        meant = f"; did you mean {near[0]}?" if near else way_out
        return UsageError(f"there is no option {name}{meant}", option=name)

    def format_help(self) -> str:
        """The help: how it is called, what it is for, options, and what else there is."""
        words = [str(known["metavar"]) for _, known in self._words]
        usage = " ".join([self._path, "[OPTIONS]", *words, *(["[COMMAND] [ARGS]…"] if self._lists else [])])
        text = _Help(self._path)
        text.add_usage(usage, (), (), prefix="Usage: ")
        text.add_text(self._about)
        text.start_section("Options")
        text.add_arguments(self._fill(_Options()))
        text.end_section()
        width = max((len(name) for rows in self._lists.values() for name in rows), default=0)
        tables = [
            "\n".join([f"{heading}:", *(f"  {name:<{width}}  {line}" for name, line in rows.items())])
            for heading, rows in self._lists.items()
        ]
        return "\n".join([text.format_help(), *(f"{table}\n" for table in tables)])


class _Options(argparse.ArgumentParser):
    """Parses options. What is wrong is a `UsageError`: `argparse` would leave with 2, which clients of agents read as
    "block".
    """

    def __init__(self) -> None:
        super().__init__(prog="", allow_abbrev=False, add_help=False, formatter_class=_Sized)

    def error(self, message: str) -> NoReturn:
        raise UsageError(message.removeprefix("argument "))


class _Sized(argparse.HelpFormatter):
    """Of some width: `argparse` makes one for each option, and would load half a dozen modules to ask how wide."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_COLUMNS_MAX)


class _Help(argparse.HelpFormatter):
    """As wide as the terminal. Paragraphs stay paragraphs, two blanks from the edge."""

    def __init__(self, prog: str) -> None:
        from shutil import get_terminal_size

        width = min(get_terminal_size().columns, _COLUMNS_MAX)
        plain: dict[str, Any] = {"color": False} if sys.version_info >= (3, 14) else {}
        super().__init__(prog, max_help_position=_OPTION_COLUMNS, width=width, **plain)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = [paragraph.split() for paragraph in text.strip().split("\n\n")]
        filled = (super(_Help, self)._fill_text(" ".join(words), width, indent + "  ") for words in paragraphs)
        return "\n\n".join(filled)


def _value(word: str, known: Mapping[str, Any]) -> Any:
    """A word as the value that is wanted. Raises `UsageError`."""
    choices = known.get("choices")
    if choices is not None and word not in choices:
        raise UsageError(f"{known['metavar']} is one of {', '.join(choices)}, and not {word!r}")
    return known["type"](word) if "type" in known else word


def at_least(least: int) -> Callable[[str], int]:
    """The type of a whole number that is not smaller."""

    def number(word: str) -> int:
        try:
            found = int(word)
        except ValueError:
            found = least - 1
        if found < least:
            raise argparse.ArgumentTypeError(f"{word!r} is no whole number from {least} on")
        return found

    return number

"""Commands and groups of commands: click's, with what is typed here that click would refuse."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from importlib import import_module
from itertools import islice
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# What other programs call it.
_MEANT = {
    **dict.fromkeys(("continue", "load", "rehydrate", "prime"), "resume"),
    **dict.fromkeys(("save", "snapshot", "commit", "mark"), "checkpoint"),
    **dict.fromkeys(("ls", "list", "runs"), "sessions"),
    **dict.fromkeys(("get", "cat", "view", "items"), "show"),
    **dict.fromkeys(("find", "grep", "recall"), "search"),
    **dict.fromkeys(("add", "remember", "write"), "note"),
    **dict.fromkeys(("done", "close", "finish", "complete"), "resolve"),
    **dict.fromkeys(("delete", "rm", "undo", "remove", "drop"), "retract"),
    **dict.fromkeys(("config", "set", "options"), "settings"),
    **dict.fromkeys(("history", "events"), "log"),
    **dict.fromkeys(("diff", "stale", "changes"), "drift"),
    **dict.fromkeys(("check", "test", "verify"), "validate"),
    **dict.fromkeys(("phases", "step"), "phase"),
    **dict.fromkeys(("execute", "go", "start"), "run"),
    **dict.fromkeys(("install", "setup", "hooks"), "init"),
    **dict.fromkeys(("context", "tokens", "usage"), "pressure"),
    **dict.fromkeys(("tasks", "thread", "threads", "switch", "branch"), "task"),
    **dict.fromkeys(("backup", "dump"), "export"),
    **dict.fromkeys(("diagnose", "health"), "doctor"),
    "question": "ask",
}


_PAGE: Final = re.compile(r"\bdocs/((?:guide|reference|clients)/[\w-]+)\.md")
# Options of the program itself, which people type behind the command as well.
_ROOT = {"-q": "quiet", "--quiet": "quiet", "--debug": "debug"}


def documentation() -> str:
    """The address of the documentation, as the installed package names it (`project.urls`)."""
    from importlib.metadata import metadata  # here: hardly anything printed names a page

    urls = (line.partition(", ")[::2] for line in metadata("clew").get_all("Project-URL") or ())
    return str(dict(urls)["Documentation"])


def with_pages(text: str) -> str:
    """`text`, in which pages of the documentation are named as files of a checkout, with their addresses where clew was
    installed from a wheel, which has no such files.
    """
    docs = os.path.normpath(f"{__file__}/../../../../../docs")
    if "docs/" not in text or os.path.isdir(docs):  # noqa: PTH112 - `pathlib` is half of what the help costs
        return text
    return _PAGE.sub(lambda page: f"{documentation()}{page[1]}/", text)


def _name_pages(command: click.Command) -> None:
    for one in (command, *command.params):
        if isinstance(one, (click.Command, click.Option)) and one.help:
            one.help = with_pages(one.help)


def _show_defaults(command: click.Command) -> None:
    """Have the help name every default that says something: no flag's, no empty text."""
    for one in command.params:
        if isinstance(one, click.Option) and not one.is_flag and isinstance(one.default, (str, int)) and one.default:
            one.show_default = True


class CliCommand(click.Command):
    """A command whose options and words come in any order, and whose text may begin with a dash.

    `doing` is what a person at a terminal is told that it does, if it takes longer than a second; "" nothing.
    """

    def __init__(self, *args: Any, doing: str = "", **known: Any) -> None:
        super().__init__(*args, **known)
        _show_defaults(self)
        self._doing = doing

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click, with the options in front. An entry of a list is a word as it is pasted (`- [ ] one`), and who asks
        for help gets it whatever else is wrong.
        """
        options: list[str] = []
        words: list[str] = []
        known = {name for one in self.params for name in one.opts}
        takes = {
            name
            for one in self.params
            if isinstance(one, click.Option) and not (one.is_flag or one.count)
            for name in one.opts
        }
        rest = iter(args)
        for word in rest:
            if word == "--":
                words += rest
            elif not word.startswith("-") or word == "-":
                words.append(word)
            elif word in takes:
                value = list(islice(rest, 1))
                if not value and not ctx.resilient_parsing:
                    raise click.BadOptionUsage(word, f"{word} takes a value", ctx)
                options += [word, *value]
            elif word in _ROOT and word not in known:
                ctx.find_root().params[_ROOT[word]] = True
            elif word in ctx.help_option_names:
                return super().parse_args(ctx, [word])
            elif " " in word.partition("=")[0] and word[:2] not in takes:
                words.append(word)
            else:
                options.append(word)
        return super().parse_args(ctx, [*options, *(["--", *words] if words else [])])

    def get_help(self, ctx: click.Context) -> str:
        """As click."""
        _name_pages(self)
        return super().get_help(ctx)

    def invoke(self, ctx: click.Context) -> Any:
        """As click; a `UsageError` of the command's own tells of which it is."""
        try:
            if not self._doing:
                return super().invoke(ctx)
            from clew.interfaces.cli.waiting import Waiting  # here: the help of all commands needs none

            with Waiting(self._doing):
                return super().invoke(ctx)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise


class Group(click.Group):
    """A group that does something by itself, or prints its help, and says which command may be meant."""

    command_class = CliCommand

    def __init__(self, *args: Any, **known: Any) -> None:
        super().__init__(*args, **{"invoke_without_command": True, **known})
        _show_defaults(self)

    def get_help(self, ctx: click.Context) -> str:
        """As click."""
        _name_pages(self)
        return super().get_help(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """All names, in the order in which they were made."""
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click; without a word and without a function of its own the group prints its help."""
        if not (args or ctx.resilient_parsing) and self.callback is None:
            print(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click. Raises `UsageError`: there is no such command."""
        known = self.list_commands(ctx)
        if args[0] in known or args[0].startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches

        near = [name for name in (_MEANT.get(args[0]),) if name in known] or get_close_matches(args[0], known, n=1)
        raise click.UsageError(f"there is no command {args[0]!r}" + (f"; did you mean {near[0]}?" if near else ""), ctx)


class LazyGroup(Group):
    """A group whose commands are loaded when they run: `package` has a module for each, with the attribute `command`,
    or a module of several, the command's home in `homes`, with the attribute `COMMANDS` (of commands, or of what has a
    `made(name)`). `lists` are lines for the help: by heading, by the command's name.
    """

    def __init__(
        self, *args: Any, package: str, lists: dict[str, dict[str, str]], homes: dict[str, str], **known: Any
    ) -> None:
        super().__init__(*args, **known)
        self._package = package
        self._homes = homes
        self._lists = lists
        self._lines = {name: line for rows in lists.values() for name, line in rows.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """All names, in the order of the help."""
        return list(self._lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, loaded now; None if there is none of that name."""
        if cmd_name not in self._lines:
            return None
        home = self._homes.get(cmd_name, f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name)
        module = import_module(f"{self._package}.{home}")
        command = module.COMMANDS[cmd_name] if cmd_name in self._homes else module.command
        return command if isinstance(command, click.Command) else command.made(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Each list with its heading; no command is loaded for that."""
        width = max(map(len, self._lines))
        for heading, rows in self._lists.items():
            with formatter.section(heading):
                for name, line in rows.items():
                    formatter.write(f"  {name:<{width}}  {line}\n")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names with their lines, without loading a command, then options."""
        from click.shell_completion import CompletionItem  # here: only a shell that completes asks

        named = [CompletionItem(name, help=line) for name, line in self._lines.items() if name.startswith(incomplete)]
        return named + click.Command.shell_complete(self, ctx, incomplete)


def command_at(root: click.Group, ctx: click.Context, path: Sequence[str]) -> click.Context:
    """The context of the command that is named by the words of `path`. Raises `UsageError`: there is none."""
    command: click.Command = root
    for name in path:
        if not isinstance(command, Group):
            raise click.UsageError(f"{ctx.command_path} has no commands below it", ctx)
        _, found, _ = command.resolve_command(ctx, [name])
        if found is None:
            raise click.UsageError(f"there is no command {name!r}", ctx)
        ctx, command = click.Context(found, info_name=name, parent=ctx), found
    return ctx

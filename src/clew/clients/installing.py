"""What a client's `install.py` says is to be installed: entries of settings files, and files of our own."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:  # settings are read at a session's start, and nothing is put into them
    from clew.clients.splice import Entry, Ours


class Edited(NamedTuple):
    """A settings file (JSON, maybe with comments) and the entries that it gets.

    `extras` are members that it gets only when they are asked for (`asked`) and nobody has one of that name; one of
    ours that is there stays. `strict`: the client reads no file with comments or trailing commas.
    """

    path: Path
    entries: "tuple[Entry, ...]"
    extras: "tuple[Entry, ...]" = ()
    asked: bool = False
    strict: bool = False


class Placed(NamedTuple):
    """A file of our own, whole."""

    path: Path
    text: str


class Parts(NamedTuple):
    """What a client gets. `ours` knows every entry that any clew ever put into such a file.

    `typed` are the slash commands that come with it, as they are typed. `notes` are sentences for the person who
    installs it: what is to be done in the client before it works.
    """

    client: str
    edited: tuple[Edited, ...]
    placed: tuple[Placed, ...]
    ours: "Ours"
    typed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Command(NamedTuple):
    """How a hook is started: without a shell, `program` with `arguments`, then the client's name and the event's."""

    program: str
    arguments: tuple[str, ...]


# Ends well where the program is gone, and becomes the program else: what runs too long can then be stopped.
GUARD: Final = '[ -x "$0" ]||exit 0;exec "$0" "$@"'
SHELL: Final = "/bin/sh"


def shell_line(command: Command, *words: str) -> str:
    """The command of a hook, with `words` behind it, as a line for a shell, which ends well where the program is gone:
    a client shows the error of a shell that does not find it, or takes it for a denial.

    It has no variable in it, since clients put in what they know by such a name; nor a version, since a client has a
    person accept a line as it is.
    """
    program = shlex.quote(command.program)
    return " ".join([f"[ -x {program} ]||exit 0;exec {program}", *map(_quoted, (*command.arguments, *words))])


def started(line: str) -> tuple[str, ...]:
    """The program that a hook's line starts, and its arguments, of this or any other version; () if it cannot be
    read.
    """
    try:
        words = shlex.split(line)
    except ValueError:
        return ()
    at = next((at for at, word in enumerate(words) if word in ("exec", "0;exec")), -1)
    return tuple(words[at + 1 :])


def _quoted(word: str) -> str:
    """A word for a shell, without a dollar: in our code one can only stand in a string of Python."""
    word = word.replace("$", "\\x24")
    return shlex.quote(word) if set(word) & set('"`!\\') or word == shlex.quote(word) else f'"{word}"'


def server_command(hook: Command) -> Command:
    """How a client starts the MCP server, without a shell: with the interpreter of the hooks (`hook`), blind to the
    folder that the client stands in and to the PYTHON* variables of a project, which could put other modules first.
    """
    return Command(hook.program, ("-E", "-P", "-m", "clew", "mcp"))


# The start of every hook of ours names it.
SHIM: Final = "clewhook"


def is_entry(path: tuple[str, ...], value: object, *, servers: str, is_hook: Callable[[object], bool]) -> bool:
    """Whether the value at `path` in a settings file is an entry of ours, of this or any other version: a hook, or a
    group of nothing but such hooks (`is_hook` knows one), or our server among those below the key `servers`.
    """
    if not isinstance(value, dict):
        return False
    if path == (servers, "clew"):
        arguments = value.get("args")
        return isinstance(arguments, list) and "mcp" in arguments and "clew" in (value.get("command"), *arguments)
    if path[:1] != ("hooks",) or path[2:] not in (("",), ("", "hooks", "")):
        return False
    hooks = value.get("hooks") if len(path) == 3 else [value]
    return isinstance(hooks, list) and bool(hooks) and all(map(is_hook, hooks))


def is_shell_hook(hook: object) -> bool:
    """Whether a hook that a client starts by a shell is ours."""
    return isinstance(hook, dict) and SHIM in str(hook.get("command"))


class Installer(Protocol):
    """How clew gets into a client. Says what goes where; reads texts of ours and changes nothing."""

    name: str

    def present(self, find_program: Callable[[str], str | None]) -> bool:
        """Whether this user has the client. `find_program` gives the path of a program, None for none."""
        ...

    def user(self, command: Command, *, status_line: bool = False) -> Parts:
        """What goes into the user's own settings."""
        ...

    def shared(self, root: Path) -> Parts:
        """What goes into the project whose top is `root`, for everybody: only what works on any machine."""
        ...

    def plugin(self, folder: Path, command: Command, *, version: str) -> Parts:
        """All of it as a plugin in `folder`, which changes no settings. Asked of clients that have a `PLUGIN_MARK`."""
        ...

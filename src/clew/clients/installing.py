"""Getting clew into a client: which entries its settings files get, and which files of our own. Pure, but for the texts
of slash commands, which are read. One installer for all; a family's `settings.py` says what is its own.
"""

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

from clew.clients.spec import ClientSpec, Hook

if TYPE_CHECKING:  # settings are read at a session's start, and nothing is put into them
    from clew.clients.splice import Ours, SpliceEntry

# The start of every hook of ours names it.
SHIM: Final = "clewhook"
# Ends well where the program is gone, and becomes the program else: what runs too long can then be stopped.
_GUARD: Final = '[ -x "$0" ]||exit 0;exec "$0" "$@"'
SHELL: Final = "/bin/sh"
STATUS_LINE: Final = "statusline"
ABOUT: Final = "Leads the next session of a coding agent back to where the last one stopped."
# The texts of our slash commands, in Claude Code's form: `NAME.md`. In a text it stands where the words behind the
# command go.
ASSETS: Final = Path(__file__).with_name("claude_code") / "assets"
_BY_PLUGIN: Final = (
    "The plugin `clew` of {client} has the commands and the tools, so only hooks were put into your settings. Commands "
    "from before, if there are any: `clew uninstall --settings` takes them out, then run `clew init` again."
)
ARGUMENTS: Final = "$ARGUMENTS"
SKILL: Final = "skill"


class Edited(NamedTuple):
    """A settings file (JSON, maybe with comments, or TOML) and the entries that it gets.

    `extras` are members that it gets only when they are asked for (`asked`) and nobody has one of that name; one of
    ours that is there stays. `strict`: the client reads no file with comments or trailing commas.
    """

    path: Path
    entries: "tuple[SpliceEntry, ...]"
    extras: "tuple[SpliceEntry, ...]" = ()
    asked: bool = False
    strict: bool = False


class OwnFile(NamedTuple):
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
    placed: tuple[OwnFile, ...]
    ours: "Ours"
    typed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class HookCommand(NamedTuple):
    """How a hook is started: without a shell, `program` with `arguments`, then the client's name and the event's."""

    program: str
    arguments: tuple[str, ...]


class SlashCommand(NamedTuple):
    """`name` without prefix ("resume"), a line that describes it, and what the agent is told to do."""

    name: str
    description: str
    text: str


class Installer:
    """How clew gets into a client. Says what goes where, and changes nothing. `home` is the client's folder, `server`
    the file in which the client keeps the user's MCP servers, when it shall get ours; None for not.

    A member says its `spec`, the file of `home` that hooks go into, whether the client is `strict` with it, what stands
    before the name of a slash command, and the file of a plugin that names servers ("": the one that marks a plugin).
    """

    spec: ClassVar[ClientSpec]
    hooks_file: ClassVar[str] = ""
    strict: ClassVar[bool] = False
    prefix: ClassVar[str] = "/clew-"
    plugin_servers: ClassVar[str] = ""

    def __init__(self, home: Path, *, server: Path | None = None) -> None:
        self.name = self.spec.name
        self.home = home
        self.server = server

    @classmethod
    def of(cls, environment: Mapping[str, str], user: Path, *, server: bool) -> Self:
        """For a user whose home folder is `user`; with `server` the MCP server, too."""
        files = cls.spec.servers_of(environment, user)
        there = (path for path in files if path.is_file()) if len(files) > 1 else iter(files)
        return cls(cls.spec.home(environment, user), server=next(there, files[0]) if server else None)

    def present(self, find_program: Callable[[str], str | None]) -> bool:
        """Whether this user has the client. `find_program` gives the path of a program, None for none."""
        return self.home.is_dir() or find_program(self.spec.program) is not None

    def user(self, command: HookCommand, *, status_line: bool = False) -> Parts:
        """What goes into the user's own settings."""
        from clew.clients.splice import SpliceEntry  # here: the hooks' table is read at a session's start

        edited, by_plugin = [], self.has_plugin()
        served = (SpliceEntry((self.spec.servers,), "clew", self.user_server(command)),) if self.server else ()
        served = () if by_plugin else served
        if self.hooks_file:
            path = self.home / self.hooks_file
            hooks = tuple(SpliceEntry(("hooks", hook.event), "", self.group(hook, command)) for hook in self.spec.hooks)
            extras = tuple(SpliceEntry((), key, value) for key, value in self.extras(command))
            own, served = (served, ()) if path == self.server else ((), served)
            edited.append(Edited(path, hooks + own, extras, status_line, self.strict))
        if self.server and (served or by_plugin) and self.server not in [one.path for one in edited]:
            edited.append(Edited(self.server, served))
        texts = () if by_plugin else tuple(self.texts(self.home, self.prefix))
        typed = self.typed(self.plugin_prefix() if by_plugin else self.prefix)
        notes = (*self.notes(), *((_BY_PLUGIN.format(client=self.name),) if by_plugin else ()))
        return Parts(self.name, tuple(edited), (*self.files(command), *texts), self.is_ours, typed, notes)

    def shared(self, root: Path) -> Parts:
        """What goes into the project whose top is `root`, for everybody: texts only, for a hook names a place on one
        machine.
        """
        texts = tuple(self.texts(root / self.spec.folder, self.prefix))
        return Parts(self.name, (), texts, self.is_ours, self.typed(self.prefix) if texts else ())

    def published(self, folder: Path, *, version: str) -> Parts:
        """The plugin that is published, in `folder`: what works on any machine that has `clew` on its PATH; nothing of
        a client that has no such thing. It has no hooks: clients pin those of a plugin to a copy, or ask again with
        each version; `clew init` puts them in.
        """
        if not self.spec.plugin_mark:
            return Parts(self.name, (), (), self.is_ours)
        about: dict[str, Any] = {"name": "clew", "version": version, "description": ABOUT}
        files = {folder.joinpath(*self.spec.plugin_mark): about}
        servers = files.setdefault(folder / self.plugin_servers, {}) if self.plugin_servers else about
        servers["mcpServers"] = {"clew": self.server_entry(ON_PATH)}
        prefix = self.plugin_prefix()
        made = (OwnFile(path, json.dumps(value, indent=2) + "\n") for path, value in files.items())
        return Parts(self.name, (), (*made, *self.texts(folder, prefix)), self.is_ours, self.typed(prefix))

    def is_ours(self, path: tuple[str, ...], value: object) -> bool:
        """Whether the value at `path` in a settings file is an entry of ours, of this or any other version: a hook, or
        a group of nothing but such hooks, our server, or a status line.
        """
        if not isinstance(value, dict):
            return False
        if path == ("statusLine",):
            return SHIM in str(value.get("command"))
        if path == (self.spec.servers, "clew"):
            words = _words(value)
            return "mcp" in words[1:] and "clew" in words
        if path[:1] != ("hooks",) or path[2:] not in (("",), ("", "hooks", "")):
            return False
        hooks = value.get("hooks") if len(path) == 3 else [value]
        return isinstance(hooks, list) and bool(hooks) and all(map(partial(is_hook, self.spec), hooks))

    # What a member says in a way of its own.

    def group(self, hook: Hook, command: HookCommand) -> dict[str, Any]:
        """The entry of a hook."""
        run = {"type": "command", **self.run(hook, command)}
        return {"matcher": hook.matcher, "hooks": [run]} if hook.matcher else {"hooks": [run]}

    def run(self, hook: Hook, command: HookCommand) -> dict[str, Any]:
        """What stands in it: what is started, and the time-out."""
        return {"command": shell_line(command, self.name, hook.event), "timeout": hook.timeout_s}

    def server_entry(self, command: HookCommand) -> dict[str, Any]:
        """The entry of our MCP server."""
        start = server_command(command)
        return {"command": start.program, "args": list(start.arguments)}

    def user_server(self, command: HookCommand) -> dict[str, Any]:
        """That entry in the user's own settings."""
        return self.server_entry(command)

    def extras(self, command: HookCommand) -> Iterator[tuple[str, Any]]:  # noqa: ARG002
        """Members that the file of hooks gets on request, by their keys."""
        yield from ()

    def files(self, command: HookCommand) -> Iterator[OwnFile]:  # noqa: ARG002
        """Files of our own in the client's folder, beside the texts."""
        yield from ()

    def texts(self, folder: Path, prefix: str) -> Iterator[OwnFile]:
        """Our slash commands in the client's form, in its folder or one like it."""
        raise NotImplementedError

    def typed(self, prefix: str) -> tuple[str, ...]:
        """What a person types for them."""
        return tuple(f"{prefix}{one.name}" for one in slash_commands())

    def notes(self) -> tuple[str, ...]:
        """Sentences for the person who installs it."""
        return ()

    def has_plugin(self) -> bool:
        """Whether the user has the published plugin switched on in this client, so that it has our texts and server."""
        return False

    def plugin_prefix(self) -> str:
        """What stands before the name of a slash command of the plugin."""
        return self.prefix


# clew as whoever has it installed calls it: what is published names no machine.
ON_PATH: Final = HookCommand("clew", ())


def slash_commands() -> tuple[SlashCommand, ...]:
    """All of them, by name."""
    found = ((path.stem, path.read_text(encoding="utf-8")) for path in sorted(ASSETS.glob("*.md")))
    return tuple(_command(name, text) for name, text in found if name != SKILL)


def is_plugin(name: str) -> bool:
    """Whether a client's name of a plugin (`NAME@MARKETPLACE`) is that of ours, of whatever marketplace."""
    return name.partition("@")[0] == "clew"


def settings_of(path: Path) -> dict[str, Any]:
    """What a settings file holds, JSON or TOML; nothing where it is missing, a pipe or cannot be read: whoever puts
    something into it says why.
    """
    import tomllib

    if not path.is_file():
        return {}
    try:
        text = path.read_text(encoding="utf-8-sig")
        value = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _command(name: str, text: str) -> SlashCommand:
    _, front, body = text.split("---\n", 2)
    fields = dict(line.partition(": ")[::2] for line in front.splitlines())
    return SlashCommand(name, fields["description"], body.strip() + "\n")


def is_hook(spec: ClientSpec, hook: object) -> bool:
    """Whether a hook of the client is ours."""
    if not isinstance(hook, dict):
        return False
    return any(SHIM in word for word in ([str(hook.get("command"))] if spec.shell_hooks else _words(hook)[1:]))


def started(spec: ClientSpec, hook: Mapping[str, Any]) -> tuple[str, ...]:
    """The program that a hook of ours starts, and its arguments, of this or any other version; () if it cannot be
    read.
    """
    if not spec.shell_hooks:
        words = _words(hook)
        return words[3:] if words[2:3] == (_GUARD,) else words
    try:
        words = tuple(shlex.split(str(hook["command"])))
    except ValueError:
        return ()
    return words[next((at for at, word in enumerate(words) if word in ("exec", "0;exec")), -1) + 1 :]


def exec_form(command: HookCommand, *words: str) -> dict[str, Any]:
    """A hook as a program and its arguments, with `words` behind them."""
    return {"command": SHELL, "args": ["-c", _GUARD, command.program, *command.arguments, *words]}


def shell_line(command: HookCommand, *words: str) -> str:
    """The command of a hook, with `words` behind it, as a line for a shell, which ends well where the program is gone:
    a client shows the error of a shell that does not find it, or takes it for a denial.

    It has no variable in it, since clients put in what they know by such a name; nor a version, since a client has a
    person accept a line as it is.
    """
    program = shlex.quote(command.program)
    return " ".join([f"[ -x {program} ]||exit 0;exec {program}", *map(_quoted, (*command.arguments, *words))])


def server_command(hook: HookCommand) -> HookCommand:
    """How a client starts the MCP server, without a shell: with the interpreter of the hooks (`hook`), blind to the
    folder that the client stands in and to the PYTHON* variables of a project, which could put other modules first.
    """
    return HookCommand(hook.program, ("mcp",) if hook == ON_PATH else ("-E", "-P", "-m", "clew", "mcp"))


def _words(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The program and the arguments of an entry, in whichever form."""
    command, arguments = row.get("command", ""), row.get("args")
    words = command if isinstance(command, list) else [command]
    return tuple(map(str, [*words, *(arguments if isinstance(arguments, list) else ())]))


def _quoted(word: str) -> str:
    """A word for a shell, without a dollar: in our code one can only stand in a string of Python."""
    word = word.replace("$", "\\x24")
    return shlex.quote(word) if set(word) & set('"`!\\') or word == shlex.quote(word) else f'"{word}"'

"""What OpenCode gets: a plugin of one file, slash commands, and on request the MCP server. Pure, but for the texts,
which are read.

Where the client looks and what it does with it: docs/clients/opencode.md, "Hooks". The plugin lies in the user's own
folder of plugins, so that no settings have to name it.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from clew.clients.installing import Command, Edited, Parts, Placed, server_command
from clew.clients.opencode import home_of
from clew.clients.opencode.paths import CLIENT, PACKAGES, PLUGIN, SETTINGS
from clew.clients.splice import Entry
from clew.clients.texts import slash_commands

_SOURCE: Final = Path(__file__).with_name("assets") / "clew.js"
# The line of the plugin that says what it starts, and what stands in it before it is installed.
_COMMAND: Final = "const COMMAND = "
_UNSET: Final = '["@COMMAND@"]'
_WAITS: Final = (
    "OpenCode fetches a package from npm (about 60 MB) at the next start, as for any plugin. Without a network each "
    "start waits a minute and a half for it."
)


class Hook(NamedTuple):
    """An event that the plugin starts the program for, and the seconds that it waits for the answer."""

    event: str
    timeout_s: int


# As in the plugin, which knows them by its own constants. Nobody waits for the last two.
HOOKS: Final = (
    Hook("SessionStart", 15),
    Hook("UserPromptSubmit", 15),
    Hook("PreToolUse", 5),
    Hook("PostToolUse", 5),
    Hook("PreCompact", 15),
    Hook("Stop", 60),
    Hook("SessionEnd", 60),
)
EVENTS: Final = tuple(hook.event for hook in HOOKS)


class OpenCodeInstaller:
    """Implements `clew.clients.installing.Installer`. `config` is the client's folder, by default `~/.config/opencode`.

    `server`: the client shall get our MCP server.
    """

    name = CLIENT

    def __init__(self, config: Path, *, server: bool = False) -> None:
        self._config = config
        self._server = server

    def present(self, find_program: Callable[[str], str | None]) -> bool:
        return self._config.is_dir() or find_program("opencode") is not None

    def user(self, command: Command, *, status_line: bool = False) -> Parts:  # noqa: ARG002 - the client has none
        edited: tuple[Edited, ...] = ()
        if self._server:
            start = server_command(command)
            entry = Entry(("mcp",), "clew", {"type": "local", "command": [start.program, *start.arguments]})
            edited = (Edited(self._settings(), (entry,)),)
        placed = (Placed(self._config / PLUGIN, _plugin(command)), *_commands(self._config))
        notes = () if (self._config / PACKAGES).is_file() else (_WAITS,)
        return Parts(CLIENT, edited, placed, is_ours, _typed(), notes)

    def shared(self, root: Path) -> Parts:  # noqa: ARG002
        """Nothing: a folder `.opencode` in a project would make the client install a package into it."""
        return Parts(CLIENT, (), (), is_ours)

    def plugin(self, folder: Path, command: Command, *, version: str) -> Parts:  # noqa: ARG002 - a file has none
        """The file alone, for those who name it in a `plugin` of their settings."""
        return Parts(CLIENT, (), (Placed(folder / "clew.js", _plugin(command)),), is_ours)

    def _settings(self) -> Path:
        """The file of settings that the user has; the client reads both."""
        there = [self._config / name for name in SETTINGS if (self._config / name).is_file()]
        return there[0] if there else self._config / SETTINGS[0]


def installer(environment: Mapping[str, str], user: Path, *, server: bool) -> OpenCodeInstaller:
    """For a user whose home folder is `user`."""
    return OpenCodeInstaller(home_of(environment, user), server=server)


def is_ours(path: tuple[str, ...], value: Any) -> bool:
    """Whether a value of a settings file is an entry of ours, of this or any other version: a server."""
    command = value.get("command") if path == ("mcp", "clew") and isinstance(value, dict) else None
    return isinstance(command, list) and "mcp" in command and "clew" in command


def started(plugin: str) -> Command | None:
    """What an installed plugin starts; None for a text that is none of ours."""
    for line in plugin.splitlines():
        if line.startswith(_COMMAND):
            try:
                words = json.loads(line.removeprefix(_COMMAND))
            except ValueError:
                return None
            if isinstance(words, list) and words and all(isinstance(word, str) for word in words):
                return Command(words[0], tuple(words[1:]))
    return None


def _plugin(command: Command) -> str:
    source = _SOURCE.read_text(encoding="utf-8")
    assert source.count(_COMMAND + _UNSET) == 1
    return source.replace(_COMMAND + _UNSET, _COMMAND + json.dumps([command.program, *command.arguments]))


def _commands(folder: Path) -> Iterator[Placed]:
    """The slash commands. Only who types one tells the model of it."""
    for one in slash_commands():
        text = f"---\ndescription: {json.dumps(one.description, ensure_ascii=False)}\n---\n\n{one.text}"
        yield Placed(folder / "command" / f"clew-{one.name}.md", text)


def _typed() -> tuple[str, ...]:
    return tuple(f"/clew-{one.name}" for one in slash_commands())

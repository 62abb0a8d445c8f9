"""What OpenCode gets: a plugin of one file, slash commands, and on request the MCP server.

Where the client looks and what it does with it: docs/clients/opencode.md, "Hooks". The plugin lies in the user's own
folder of plugins, so that no settings have to name it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from clew.clients.installing import HookCommand, Installer, OwnFile, Parts, server_command, slash_commands
from clew.clients.opencode.spec import PLUGIN, SPEC

# What the client's own installation of the package for plugins leaves there when it is done.
PACKAGES: Final = "package-lock.json"
_SOURCE: Final = Path(__file__).with_name("assets") / "clew.js"
# The line of the plugin that says what it starts, and what stands in it before it is installed.
_COMMAND: Final = "const COMMAND = "
_UNSET: Final = '["@COMMAND@"]'
_WAITS: Final = (
    "OpenCode fetches a package from npm (about 60 MB) at the next start, as for any plugin. Without a network each "
    "start waits a minute and a half for it."
)


class OpenCodeInstaller(Installer):
    """What differs from other clients."""

    spec = SPEC

    def shared(self, root: Path) -> Parts:  # noqa: ARG002
        """Nothing: a folder `.opencode` in a project would make the client install a package into it."""
        return Parts(self.name, (), (), self.is_ours)

    def plugin(self, folder: Path, command: HookCommand, *, version: str) -> Parts:  # noqa: ARG002 - a file has none
        """The file alone, for those who name it in a `plugin` of their settings."""
        return Parts(self.name, (), (OwnFile(folder / "clew.js", _plugin(command)),), self.is_ours)

    def server_entry(self, command: HookCommand) -> dict[str, Any]:
        start = server_command(command)
        return {"type": "local", "command": [start.program, *start.arguments]}

    def files(self, command: HookCommand) -> Iterator[OwnFile]:
        yield OwnFile(self.home / PLUGIN, _plugin(command))

    def texts(self, folder: Path, prefix: str) -> Iterator[OwnFile]:
        """Only who types one tells the model of it."""
        for one in slash_commands():
            text = f"---\ndescription: {json.dumps(one.description, ensure_ascii=False)}\n---\n\n{one.text}"
            yield OwnFile(folder / "command" / f"{prefix.removeprefix('/')}{one.name}.md", text)

    def notes(self) -> tuple[str, ...]:
        return () if (self.home / PACKAGES).is_file() else (_WAITS,)


def plugin_command(plugin: str) -> HookCommand | None:
    """What an installed plugin starts; None for a text that is none of ours."""
    for line in plugin.splitlines():
        if line.startswith(_COMMAND):
            try:
                words = json.loads(line.removeprefix(_COMMAND))
            except ValueError:
                return None
            if isinstance(words, list) and words and all(isinstance(word, str) for word in words):
                return HookCommand(words[0], tuple(words[1:]))
    return None


def _plugin(command: HookCommand) -> str:
    source = _SOURCE.read_text(encoding="utf-8")
    assert source.count(_COMMAND + _UNSET) == 1
    return source.replace(_COMMAND + _UNSET, _COMMAND + json.dumps([command.program, *command.arguments]))


INSTALLER: Final = OpenCodeInstaller

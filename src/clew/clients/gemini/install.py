"""What Gemini CLI gets: hooks, slash commands and on request the MCP server; or all of it as an extension.

Where the client looks and what it does with it: docs/clients/gemini.md, "Hooks".
"""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from clew.clients.gemini.spec import SPEC
from clew.clients.installing import ARGUMENTS, HookCommand, Installer, OwnFile, slash_commands
from clew.clients.spec import Hook


class GeminiInstaller(Installer):
    """What differs from other clients."""

    spec = SPEC
    hooks_file = "settings.json"

    def run(self, hook: Hook, command: HookCommand) -> dict[str, Any]:
        """Time-outs are in milliseconds."""
        return {"name": "clew", **super().run(hook, command), "timeout": 1000 * hook.timeout_s}

    def user_server(self, command: HookCommand) -> dict[str, Any]:
        """Without trust the tools of a server are not even offered to a model that nobody sits at."""
        return {**self.server_entry(command), "trust": True}

    def texts(self, folder: Path, prefix: str) -> Iterator[OwnFile]:
        """A prompt that is asked for by nobody costs the model nothing."""
        for one in slash_commands():
            prompt = one.text.replace(ARGUMENTS, "{{args}}")
            text = f"description = {json.dumps(one.description, ensure_ascii=False)}\nprompt = '''\n{prompt}'''\n"
            yield OwnFile(folder / "commands" / f"{prefix.removeprefix('/')}{one.name}.toml", text)

    def has_plugin(self) -> bool:
        return self.home.joinpath("extensions", "clew").is_dir()  # of one that is linked it holds the address alone

    def plugin_note(self, folder: Path) -> str:
        return f"`gemini extensions link {shlex.quote(str(folder))}` makes it known to the client."


INSTALLER: Final = GeminiInstaller

"""What GitHub Copilot CLI gets: a file of hooks, skills that the user calls by name, and on request the MCP server.

Where the client looks and what it does with it: docs/clients/copilot.md, "Hooks".
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from clew.clients.copilot.spec import HOOKS, SPEC
from clew.clients.installing import HookCommand, Installer, OwnFile, slash_commands


class CopilotInstaller(Installer):
    """What differs from other clients."""

    spec = SPEC

    def server_entry(self, command: HookCommand) -> dict[str, Any]:
        return {"type": "local", **super().server_entry(command), "tools": ["*"]}

    def files(self, command: HookCommand) -> Iterator[OwnFile]:
        hooks = {hook.event: [self.group(hook, command)] for hook in self.spec.hooks}
        yield OwnFile(self.home / HOOKS, json.dumps({"version": 1, "hooks": hooks}, indent=2) + "\n")

    def texts(self, folder: Path, prefix: str) -> Iterator[OwnFile]:
        """Our commands as skills that only the user calls: the model is told of none."""
        for one in slash_commands():
            name = f"{prefix.removeprefix('/')}{one.name}"
            front = f"name: {name}\ndescription: {json.dumps(one.description, ensure_ascii=False)}\n"
            text = f"---\n{front}disable-model-invocation: true\n---\n\n{one.text}"
            yield OwnFile(folder / "skills" / name / "SKILL.md", text)


INSTALLER: Final = CopilotInstaller

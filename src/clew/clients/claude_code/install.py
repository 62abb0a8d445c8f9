"""What Claude Code gets: hooks and a skill, slash commands, on request a status line; or all of it as a plugin.

Where the client looks and what it does with it: docs/clients/claude-code.md, "Hooks". The event stands last in each
command, so that two hooks differ by it alone.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from clew.clients.claude_code.spec import SPEC
from clew.clients.installing import (
    ASSETS,
    SKILL,
    STATUS_LINE,
    HookCommand,
    Installer,
    OwnFile,
    exec_form,
    is_plugin,
    settings_of,
    shell_line,
    slash_commands,
)
from clew.clients.spec import Hook


class ClaudeCodeInstaller(Installer):
    """What differs from other clients."""

    spec = SPEC
    hooks_file = "settings.json"
    strict = True
    plugin_servers = ".mcp.json"

    def run(self, hook: Hook, command: HookCommand) -> dict[str, Any]:
        return {**exec_form(command, self.name, hook.event), "timeout": hook.timeout_s}

    def server_entry(self, command: HookCommand) -> dict[str, Any]:
        return {"type": "stdio", **super().server_entry(command)}

    def extras(self, command: HookCommand) -> Iterator[tuple[str, Any]]:
        """A status line is the one thing that the client starts with a shell."""
        yield "statusLine", {"type": "command", "command": shell_line(command, self.name, STATUS_LINE)}

    def texts(self, folder: Path, prefix: str) -> Iterator[OwnFile]:
        """The skill and the slash commands, which in a plugin are called `/clew:resume` and so on."""
        before = prefix.removeprefix("/") if prefix == self.prefix else ""
        names = {f"{one.name}.md": folder / "commands" / f"{before}{one.name}.md" for one in slash_commands()}
        for name, path in {f"{SKILL}.md": folder / "skills" / "clew" / "SKILL.md", **names}.items():
            yield OwnFile(path, (ASSETS / name).read_text(encoding="utf-8"))

    def typed(self, prefix: str) -> tuple[str, ...]:
        skill = "/clew" if prefix == self.prefix else f"{prefix}clew"
        return (skill, *super().typed(prefix))

    def has_plugin(self) -> bool:
        enabled = settings_of(self.home / self.hooks_file).get("enabledPlugins")
        return isinstance(enabled, dict) and any(on is True for name, on in enabled.items() if is_plugin(name))

    def plugin_prefix(self) -> str:
        return "/clew:"

    def plugin_note(self, folder: Path) -> str:
        return f"Start the client with it: `claude --plugin-dir {folder}`."


INSTALLER: Final = ClaudeCodeInstaller

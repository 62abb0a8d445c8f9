"""What Claude Code gets (hooks and a skill, slash commands, on request a status line), and what its settings say that
clew has to know. Where the client looks and what it does with it: docs/clients/claude-code.md, "Hooks" and "Settings".
The event stands last in each command, so that two hooks differ by it alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from clew.clients.claude_code.spec import SPEC
from clew.clients.configured import ClientConfig, JsonForm, Problem, SettingLayers, whole
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


INSTALLER: Final = ClaudeCodeInstaller


RETENTION_DAYS: Final = 30
WINDOW_MIN: Final = 100_000
_WINDOW_VARIABLE: Final = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
_NEVER_VARIABLES: Final = ("DISABLE_AUTO_COMPACT", "DISABLE_COMPACT")
_STRICT: Final = "Take that out of the file; the client is strict about it."
_SWITCHED_OFF: Final = "Take `disableAllHooks` out, if hooks are to run."
_FALSE: Final = ("", "0", "false", "no", "off")


class ClaudeCodeConfig(ClientConfig):
    """What differs from other clients."""

    spec = SPEC
    # It drops anything else whole, without a word.
    form = JsonForm("the client reads nothing of it", _STRICT)

    def files(self, root: Path) -> tuple[Path, ...]:
        """The user's own are in one file; a local one beside it is read where that folder is a project's."""
        user, _, *others = super().files(root)
        return user, *others

    def problems(self, told: SettingLayers) -> Iterator[Problem]:
        for path, values in told.files:
            if values.get("disableAllHooks") is True:
                yield Problem(f"{path} switches all hooks off (`disableAllHooks`)", _SWITCHED_OFF)

    def judge(self, told: SettingLayers) -> dict[str, Any]:
        held, environment = told.held, told.environment
        days = whole(held.get("cleanupPeriodDays"))
        window = _tokens(environment.get(_WINDOW_VARIABLE, "")) or whole(held.get("autoCompactWindow"))
        never = any(environment.get(name, "").strip().lower() not in _FALSE for name in _NEVER_VARIABLES)
        return {
            "retention_days": days or RETENTION_DAYS,
            "retention_said": days > 0,
            "compact_window": max(window, WINDOW_MIN) if window else 0,
            "compacts": held.get("autoCompactEnabled") is not False and not never,
        }


def _tokens(text: str) -> int:
    """`200000`, `200k` and `1m` as people give the client a size; 0 for what it does not take."""
    plain_text = text.strip().lower().replace(",", "").replace("_", "")
    factor = {"k": 1000, "m": 1_000_000}.get(plain_text[-1:], 1)
    digits = plain_text[:-1] if factor > 1 else plain_text
    return int(digits) * factor if digits.isascii() and digits.isdigit() and len(digits) < 9 else 0


CONFIG: Final = ClaudeCodeConfig

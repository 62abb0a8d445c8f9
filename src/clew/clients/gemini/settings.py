"""What Gemini CLI gets (hooks, slash commands and on request the MCP server; or all of it as an extension), and what
its settings say that clew has to know. Sources: docs/clients/gemini.md, "Hooks" and "Settings".
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from clew.clients.configured import ClientConfig, JsonForm, Problem, SettingLayers
from clew.clients.fields import inner
from clew.clients.gemini.spec import SPEC
from clew.clients.installing import ARGUMENTS, SHIM, HookCommand, Installer, OwnFile, slash_commands
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


INSTALLER: Final = GeminiInstaller


RETENTION_DAYS: Final = 30
# The window of every model of the client's own. It drops its context at a share of that.
WINDOW: Final = 1_048_576
_DAYS: Final = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0}
_BROKEN: Final = "Fix the file, or put back an older one: the client does not start with it."
_OFF: Final = "Take `hooksConfig.enabled` out of it or set it to true, if hooks are to run."
_DISABLED: Final = "Say `/hooks enable clew` in the client, or take the name out of `hooksConfig.disabled`."


class GeminiConfig(ClientConfig):
    """What differs from other clients."""

    spec = SPEC
    form = JsonForm("the client does not start", _BROKEN, comments=True)

    def timeout_s(self, event: str, row: Mapping[str, Any]) -> int:
        return -(-super().timeout_s(event, row) // 1000)  # they are milliseconds

    def problems(self, told: SettingLayers) -> Iterator[Problem]:
        for path, values in told.files:
            config = inner(values, "hooksConfig")
            # Older versions had the switch among the hooks.
            if config.get("enabled") is False or inner(values, "hooks").get("enabled") is False:
                yield Problem(f"{path} switches all hooks off (`hooksConfig.enabled`)", _OFF)
            names = config.get("disabled")
            if isinstance(names, list) and any(str(name) == "clew" or SHIM in str(name) for name in names):
                yield Problem(f"{path} switches our hooks off (`hooksConfig.disabled`)", _DISABLED)

    def judge(self, told: SettingLayers) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        threshold = 0.0
        for _, values in told.files:
            kept |= inner(inner(values, "general"), "sessionRetention")
            threshold = _share(inner(values, "model").get("compressionThreshold")) or threshold
        days, is_said = _retention(kept)
        window = round(min(threshold, 1.0) * WINDOW)
        lasts = {"retention_days": days, "retention_said": is_said}
        return {**lasts, "compact_window": window, "compacts": threshold < 1.0}


def _retention(said: Mapping[str, Any]) -> tuple[int, bool]:
    """Days that a session is kept, 0 for ever, and whether somebody said so."""
    if said.get("enabled") is False:
        return 0, True
    age = said.get("maxAge")
    if isinstance(age, str) and age[:-1].isdecimal() and age[-1:] in _DAYS and 0 < int(age[:-1]) < 1 << 20:
        return max(1, int(int(age[:-1]) * _DAYS[age[-1]])), True
    return RETENTION_DAYS, False


def _share(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 100 else 0.0


CONFIG: Final = GeminiConfig

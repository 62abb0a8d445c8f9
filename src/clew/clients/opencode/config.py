"""What OpenCode's settings say that clew has to know. Sources: docs/clients/opencode.md, "Settings"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from clew.clients.configured import ClientConfig, HookRow, InstalledHook, JsonForm, Problem, SettingLayers
from clew.clients.fields import inner, number, text
from clew.clients.opencode.install import PACKAGES, plugin_command
from clew.clients.opencode.spec import PLUGIN, SPEC

_NEVER_VARIABLE: Final = "OPENCODE_DISABLE_AUTOCOMPACT"
_PURE_VARIABLE: Final = "OPENCODE_PURE"
_BROKEN: Final = "Fix the file, or put back an older one: the client does not start with it."
_CHANGED: Final = "Run `clew init` again: it writes the file again."
_WAITS: Final = "Start it once with a network: it fetches what it wants for plugins from npm, and then waits no more."
_PURE: Final = "Unset it, if hooks are to run. `--pure` does the same for one start."
_TRUE: Final = ("1", "true", "yes", "on")


class OpenCodeConfig(ClientConfig):
    """What differs from other clients."""

    spec = SPEC
    form = JsonForm("the client does not start", _BROKEN, comments=True, commas=True)

    def files(self, root: Path) -> tuple[Path, ...]:
        """Among them the plugin, which says what is started, and what tells whether the client waits for a package
        before it loads one.
        """
        return *super().files(root), self.home / PACKAGES

    def decode(self, path: Path, data: bytes) -> tuple[dict[str, Any], JsonForm, str]:
        if path == self.home / PACKAGES:
            return {}, self.form, ""
        if path == self.home / PLUGIN:
            return {"plugin": data.decode("utf-8", "replace")}, self.form, ""
        return super().decode(path, data)

    def rows(self, path: Path, values: Mapping[str, Any]) -> Iterator[HookRow]:
        command = plugin_command(text(values, "plugin")) if path == self.home / PLUGIN else None
        for hook in self.spec.hooks if command else ():
            assert command is not None
            arguments = (*command.arguments, self.name, hook.event)
            yield HookRow(InstalledHook(hook.event, command.program, arguments, hook.timeout_s, path), {}, "", 0, 0)

    def problems(self, told: SettingLayers) -> Iterator[Problem]:
        there = {path for path, _ in told.files}
        if self.home / PLUGIN in there and not told.ours:
            yield Problem(f"{self.home / PLUGIN} is not as clew made it, and starts nothing of it", _CHANGED)
        if told.ours and self.home / PACKAGES not in there:
            said = "each start of opencode waits for npm, a minute and more without network"
            yield Problem(said, _WAITS, hinders=False)
        if _is_set(told.environment, _PURE_VARIABLE):
            yield Problem(f"{_PURE_VARIABLE} is set, so the client loads no plugins", _PURE)

    def judge(self, told: SettingLayers) -> dict[str, Any]:
        compacts, windows, chosen = True, dict[str, int](), ""
        for _, values in told.files:
            said = inner(values, "compaction").get("auto")
            compacts = said if isinstance(said, bool) else compacts
            windows |= _windows(inner(values, "provider"))
            chosen = text(values, "model") or chosen
        window = windows.get(chosen) or min(windows.values(), default=0)
        return {"compact_window": window, "compacts": compacts and not _is_set(told.environment, _NEVER_VARIABLE)}


def _windows(providers: Mapping[str, Any]) -> dict[str, int]:
    """The windows that the user says models of his own have, by `provider/model`."""
    found = {}
    for provider in providers:
        models = inner(inner(providers, provider), "models")
        for model in models:
            if window := number(inner(inner(models, model), "limit"), "context"):
                found[f"{provider}/{model}"] = window
    return found


def _is_set(environment: Mapping[str, str], name: str) -> bool:
    return environment.get(name, "").strip().lower() in _TRUE


CONFIG: Final = OpenCodeConfig

"""What OpenCode gets (a plugin of one file, slash commands, and on request the MCP server), and what its settings say
that clew has to know. Sources: docs/clients/opencode.md, "Hooks" and "Settings". The plugin lies in the user's own
folder of plugins, so that no settings have to name it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from clew.clients.configured import ClientConfig, HookRow, InstalledHook, JsonForm, Problem, SettingLayers
from clew.clients.fields import inner, number, text
from clew.clients.installing import HookCommand, Installer, OwnFile, Parts, server_command, slash_commands
from clew.clients.opencode.spec import PLUGIN, SPEC

# What the client's own installation of the package for plugins leaves there when it is done.
PACKAGES: Final = "package-lock.json"
_SOURCE: Final = Path(__file__).with_name("assets") / "clew.js"
# The line of the plugin that says what it starts, and what stands in it before it is installed.
_COMMAND: Final = "const COMMAND = "
_UNSET: Final = '["@COMMAND@"]'
_FETCHES: Final = (
    "OpenCode fetches a package from npm (about 60 MB) at the next start, as for any plugin. Without a network each "
    "start waits a minute and a half for it."
)


class OpenCodeInstaller(Installer):
    """What differs from other clients."""

    spec = SPEC

    def shared(self, root: Path) -> Parts:  # noqa: ARG002
        """Nothing: a folder `.opencode` in a project would make the client install a package into it."""
        return Parts(self.name, (), (), self.is_ours)

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
        return () if (self.home / PACKAGES).is_file() else (_FETCHES,)


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
    form = JsonForm("the client does not start", _BROKEN, comments=True)

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

"""What OpenCode's settings say that clew has to know. Pure. Sources: docs/clients/opencode.md, "Settings"."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from clew.clients.configured import Configuration, InstalledHook, Problem, Tried
from clew.clients.fields import inner, number, text
from clew.clients.jsonc import NotJson, parse, plain
from clew.clients.opencode import home_of
from clew.clients.opencode.install import EVENTS, HOOKS, started
from clew.clients.opencode.paths import CLIENT, PACKAGES, PLUGIN, settings_of

_NEVER_VARIABLE: Final = "OPENCODE_DISABLE_AUTOCOMPACT"
_PURE_VARIABLE: Final = "OPENCODE_PURE"
_BROKEN: Final = "Mend the file, or put back an older one: the client does not start with it."
_CHANGED: Final = "Run `clew init` again: it writes the file anew."
_WAITS: Final = "Start it once with a network: it fetches what it wants for plugins from npm, and then waits no more."
_PURE: Final = "Unset it, if hooks are to run. `--pure` does the same for one start."
_TRUE: Final = ("1", "true", "yes", "on")


class OpenCodeConfig(Tried):
    """Implements `clew.clients.configured.Configured`. `config_root` is the client's folder, by default
    `~/.config/opencode`.
    """

    name = CLIENT

    def __init__(self, config_root: Path) -> None:
        self._root = config_root

    def files(self, root: Path) -> tuple[Path, ...]:
        """See `Configured.files`. Among them the plugin, which says what is started, and what tells whether the client
        waits for a package before it loads one.
        """
        return *settings_of(self._root, root), self._root / PACKAGES

    def read(
        self,
        found: Sequence[tuple[Path, bytes]],
        environment: Mapping[str, str],
        *,
        plugins: Collection[Path] = (),  # noqa: ARG002 - its plugin is a file of the user's
    ) -> Configuration:
        """See `Configured.read`."""
        hooks: list[InstalledHook] = []
        problems: list[Problem] = []
        compacts, windows, chosen = True, dict[str, int](), ""
        for path, data in found:
            if path == self._root / PLUGIN:
                hooks += _hooks(path, data)
                if not hooks:
                    problems.append(Problem(f"{path} is not as clew made it, and starts nothing of it", _CHANGED))
            if path in (self._root / PLUGIN, self._root / PACKAGES):
                continue
            values, problem = _values(data)
            if problem:
                problems.append(Problem(f"{path} {problem}", _BROKEN))
            said = inner(values, "compaction").get("auto")
            compacts = said if isinstance(said, bool) else compacts
            windows |= _windows(inner(values, "provider"))
            chosen = text(values, "model") or chosen
        if hooks and not any(path == self._root / PACKAGES for path, _ in found):
            problems.append(
                Problem(
                    "each start of opencode waits for npm, a minute and more without network", _WAITS, hinders=False
                )
            )
        if _is_set(environment, _PURE_VARIABLE):
            problems.append(Problem(f"{_PURE_VARIABLE} is set, so the client loads no plugins", _PURE))
        return Configuration(
            client=self.name,
            events=EVENTS,
            hooks=tuple(hooks),
            problems=tuple(problems),
            retention_days=0,
            retention_said=False,
            compact_window=windows.get(chosen) or min(windows.values(), default=0),
            compacts=compacts and not _is_set(environment, _NEVER_VARIABLE),
            always=("SessionStart",),
        )


def configured(environment: Mapping[str, str], user: Path) -> OpenCodeConfig:
    """For a user whose home folder is `user`."""
    return OpenCodeConfig(home_of(environment, user))


def _values(data: bytes) -> tuple[dict[str, Any], str]:
    """The object that a settings file holds, and why the client does not read it, in a clause. It takes comments and
    trailing commas."""
    try:
        given = data.decode("utf-8-sig")
        node = parse(given)
        value = plain(given, node) if node else {}
    except UnicodeDecodeError:
        return {}, "is no UTF-8, so the client does not start"
    except NotJson as error:
        return {}, f"is no JSON (line {error.line}: {error.what}), so the client does not start"
    return (value, "") if isinstance(value, dict) else ({}, "is no JSON object, so the client does not start")


def _hooks(path: Path, data: bytes) -> Iterator[InstalledHook]:
    command = started(data.decode("utf-8", "replace"))
    for hook in HOOKS if command else ():
        assert command is not None
        yield InstalledHook(hook.event, command.program, (*command.arguments, CLIENT, hook.event), hook.timeout_s, path)


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

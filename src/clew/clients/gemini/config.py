"""What Gemini CLI's settings say that clew has to know. Pure. Sources: docs/clients/gemini.md, "Settings"."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from clew.clients.configured import Configuration, InstalledHook, Problem, Tried, told_apart
from clew.clients.fields import inner
from clew.clients.gemini import home_of
from clew.clients.gemini.install import CLIENT, EVENTS, is_ours
from clew.clients.gemini.paths import settings_of
from clew.clients.installing import started
from clew.clients.jsonc import NotJson, parse, plain

RETENTION_DAYS: Final = 30
# The window of every model of the client's own. It drops its context at a share of that.
WINDOW: Final = 1_048_576
_DAYS: Final = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0}
_BROKEN: Final = "Mend the file, or put back an older one: the client does not start with it."
_OFF: Final = "Take `hooksConfig.enabled` out of it or set it to true, if hooks are to run."
_DISABLED: Final = "Say `/hooks enable clew` in the client, or take the name out of `hooksConfig.disabled`."


class GeminiConfig(Tried):
    """Implements `clew.clients.configured.Configured`. `config_root` is the client's folder, by default `~/.gemini`."""

    name = CLIENT

    def __init__(self, config_root: Path) -> None:
        self._root = config_root
        self._user = config_root / "settings.json"

    def files(self, root: Path) -> tuple[Path, ...]:
        """See `Configured.files`."""
        return settings_of(self._root, root)

    def read(
        self,
        found: Sequence[tuple[Path, bytes]],
        environment: Mapping[str, str],  # noqa: ARG002
        *,
        plugins: Collection[Path] = (),
    ) -> Configuration:
        """See `Configured.read`."""
        hooks: list[InstalledHook] = []
        problems: list[Problem] = []
        general: dict[str, Any] = {}
        threshold = 0.0
        for path, data in found:
            values, problem = _values(data)
            if problem:
                problems.append(Problem(f"{path} {problem}", _BROKEN))
            hooks += _hooks(path, values)
            problems += _switched_off(path, values)
            general |= inner(inner(values, "general"), "sessionRetention")
            threshold = _share(inner(values, "model").get("compressionThreshold")) or threshold
        ours, foreign = told_apart(hooks, {self._user, *plugins})
        days, is_said = _retention(general)
        return Configuration(
            client=self.name,
            events=EVENTS,
            hooks=ours,
            problems=tuple(problems),
            retention_days=days,
            retention_said=is_said,
            compact_window=round(min(threshold, 1.0) * WINDOW),
            compacts=threshold < 1.0,
            always=("BeforeAgent",),
            foreign=foreign,
        )


def configured(environment: Mapping[str, str], user: Path) -> GeminiConfig:
    """For a user whose home folder is `user`."""
    return GeminiConfig(home_of(environment, user))


def _values(data: bytes) -> tuple[dict[str, Any], str]:
    """The object that a settings file holds, and why the client does not read it, in a clause.

    The client takes comments, but neither a comma behind the last value nor a byte order mark.
    """
    try:
        text = data.decode("utf-8")
        node = parse(text)
        value = plain(text, node) if node else None
    except UnicodeDecodeError:
        return {}, "is no UTF-8, so the client does not start"
    except NotJson as error:
        return {}, f"is no JSON (line {error.line}: {error.what}), so the client does not start"
    if not isinstance(value, dict):
        return {}, "is no JSON object, so the client does not start"
    if text.startswith("\ufeff"):
        return value, "begins with a byte order mark, so the client does not start"
    if _has_trailing_comma(node):
        return value, "has a comma behind a last value, so the client does not start"
    return value, ""


def _has_trailing_comma(node: Any) -> bool:
    children = node.children
    return bool(children) and (children[-1].comma >= 0 or any(_has_trailing_comma(child.value) for child in children))


def _switched_off(path: Path, values: Mapping[str, Any]) -> Iterator[Problem]:
    config = inner(values, "hooksConfig")
    # Older versions had the switch among the hooks.
    if config.get("enabled") is False or inner(values, "hooks").get("enabled") is False:
        yield Problem(f"{path} switches all hooks off (`hooksConfig.enabled`)", _OFF)
    disabled = config.get("disabled")
    if isinstance(disabled, list) and any(
        isinstance(one, str) and (one == "clew" or "clewhook" in one) for one in disabled
    ):
        yield Problem(f"{path} switches our hooks off (`hooksConfig.disabled`)", _DISABLED)


def _hooks(path: Path, values: Mapping[str, Any]) -> Iterator[InstalledHook]:
    for event, groups in inner(values, "hooks").items():
        for group in groups if isinstance(groups, list) else ():
            rows = group.get("hooks") if isinstance(group, dict) else None
            for row in rows if isinstance(rows, list) else ():
                if not is_ours(("hooks", event, "", "hooks", ""), row):
                    continue
                words = started(str(row["command"]))
                if not words:
                    continue
                timeout = row.get("timeout")
                seconds = -(-timeout // 1000) if isinstance(timeout, int) and timeout > 0 else 0
                yield InstalledHook(event, words[0], words[1:], seconds, path)


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

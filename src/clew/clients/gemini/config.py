"""What Gemini CLI's settings say that clew has to know. Sources: docs/clients/gemini.md, "Settings"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.clients.configured import ClientConfig, JsonForm, Problem, SettingLayers
from clew.clients.fields import inner
from clew.clients.gemini.spec import SPEC
from clew.clients.installing import SHIM

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
    form = JsonForm("the client does not start", _BROKEN, comments=True, bom=False, empty=False)

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

"""What Claude Code's settings say that clew has to know. Sources: docs/clients/claude-code.md, "Settings"."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from clew.clients.claude_code.spec import SPEC
from clew.clients.configured import ClientConfig, JsonForm, Problem, SettingLayers, whole

RETENTION_DAYS: Final = 30
WINDOW_MIN: Final = 100_000
_WINDOW_VARIABLE: Final = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
_NEVER_VARIABLES: Final = ("DISABLE_AUTO_COMPACT", "DISABLE_COMPACT")
_STRICT: Final = "Take that out of the file; the client is strict about it. Or use a plugin: `clew init --plugin-dir`."
_SWITCHED_OFF: Final = "Take `disableAllHooks` out, if hooks are to run. It is about those of plugins as well."
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

"""What Claude Code's settings say that clew has to know. Pure. Sources: docs/clients/claude-code.md, "Settings"."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from clew.clients.claude_code import home_of
from clew.clients.claude_code.install import EVENTS, is_ours
from clew.clients.configured import Configuration, InstalledHook, Problem, Tried, told_apart
from clew.clients.installing import GUARD

RETENTION_DAYS: Final = 30
WINDOW_MIN: Final = 100_000
_WINDOW_VARIABLE: Final = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
_NEVER_VARIABLES: Final = ("DISABLE_AUTO_COMPACT", "DISABLE_COMPACT")
_STRICT: Final = "Take that out of the file; the client is strict about it. Or use a plugin: `clew init --plugin-dir`."
_SWITCHED_OFF: Final = "Take `disableAllHooks` out, if hooks are to run. It is about those of plugins as well."
_FALSE: Final = ("", "0", "false", "no", "off")


class ClaudeCodeConfig(Tried):
    """Implements `clew.clients.configured.Configured`. `config_root` is the client's folder, by default `~/.claude`."""

    name = "claude-code"

    def __init__(self, config_root: Path) -> None:
        self._user = config_root / "settings.json"

    def files(self, root: Path) -> tuple[Path, ...]:
        """See `Configured.files`."""
        return self._user, root / ".claude" / "settings.json", root / ".claude" / "settings.local.json"

    def read(
        self, found: Sequence[tuple[Path, bytes]], environment: Mapping[str, str], *, plugins: Collection[Path] = ()
    ) -> Configuration:
        """See `Configured.read`."""
        hooks: list[InstalledHook] = []
        problems: list[Problem] = []
        held: dict[str, Any] = {}
        for path, data in found:
            values, problem = _values(data)
            if problem:
                problems.append(Problem(f"{path} {problem}", _STRICT))
            if not problem or values:
                hooks += _hooks(path, values)
            if problem:
                continue
            if values.get("disableAllHooks") is True:
                problems.append(Problem(f"{path} switches all hooks off (`disableAllHooks`)", _SWITCHED_OFF))
            held |= values
        ours, foreign = told_apart(hooks, {self._user, *plugins})
        days, window = _number(held.get("cleanupPeriodDays"), 1), _number(held.get("autoCompactWindow"), 1)
        told = _number(_tokens(environment.get(_WINDOW_VARIABLE, "")), 1) or window
        never = any(environment.get(name, "").strip().lower() not in _FALSE for name in _NEVER_VARIABLES)
        return Configuration(
            client=self.name,
            events=EVENTS,
            hooks=ours,
            problems=tuple(problems),
            retention_days=days or RETENTION_DAYS,
            retention_said=days > 0,
            compact_window=max(told, WINDOW_MIN) if told else 0,
            compacts=held.get("autoCompactEnabled") is not False and not never,
            foreign=foreign,
        )


def configured(environment: Mapping[str, str], user: Path) -> ClaudeCodeConfig:
    """For a user whose home folder is `user`."""
    return ClaudeCodeConfig(home_of(environment, user))


def _values(data: bytes) -> tuple[dict[str, Any], str]:
    """The object that a settings file holds, and why the client does not read it, in a clause.

    The client takes strict JSON and drops anything else whole, without a word; what would stand there is told all the
    same, since our hooks may be among it.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return {}, "is no UTF-8, so the client does not read it"
    if not text.strip():
        return {}, ""
    try:
        value = json.loads(text)
        return (value, "") if isinstance(value, dict) else ({}, "is no JSON object, so the client does not read it")
    except (ValueError, RecursionError):
        pass
    from clew.clients.jsonc import NotJson, parse, plain  # here: most files are what the client takes

    try:
        node = parse(text)
        value = plain(text, node) if node else {}
    except NotJson as error:
        return {}, f"is no JSON (line {error.line}: {error.what}), so the client reads nothing of it"
    told = "has comments or trailing commas, so the client reads nothing of it"
    return (value if isinstance(value, dict) else {}), told


def _hooks(path: Path, values: Mapping[str, Any]) -> Iterator[InstalledHook]:
    by_event = values.get("hooks")
    for event, groups in by_event.items() if isinstance(by_event, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            rows = group.get("hooks") if isinstance(group, dict) else None
            for row in rows if isinstance(rows, list) else ():
                if is_ours(("hooks", event, "", "hooks", ""), row):
                    words = (str(row.get("command", "")), *map(str, row["args"]))
                    program, *arguments = words[3:] if words[2:3] == (GUARD,) else words
                    timeout_s = _number(row.get("timeout"), 1)
                    yield InstalledHook(event, program, tuple(arguments), timeout_s, path)


def _number(value: object, least: int) -> int:
    """A whole number of at least `least`, 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= least else 0


def _tokens(text: str) -> int:
    """`200000`, `200k` and `1m` as people give the client a size; 0 for what it does not take."""
    plain_text = text.strip().lower().replace(",", "").replace("_", "")
    factor = {"k": 1000, "m": 1_000_000}.get(plain_text[-1:], 1)
    digits = plain_text[:-1] if factor > 1 else plain_text
    return int(digits) * factor if digits.isascii() and digits.isdigit() and len(digits) < 9 else 0

"""What was said to a session beside payloads, and whether more may be: clew is quiet (SPEC C4).

At most one line for ten prompts and 150 tokens a session. Kept in the session's live folder (`told.json`), which the
fast hooks read as well: what stands there is not said again.
"""

from contextlib import suppress
from typing import Any, Final, NamedTuple

import msgspec

from clew.app.project.runtime_dirs import read_small, write_small

PROMPTS_APART: Final = 10
TOKENS_MAX: Final = 150
PULSE: Final = "pulse"
_TOLD: Final = "told.json"
_PROMPTS: Final = "prompts"
_FILES_MAX: Final = 2000
# "<system-reminder>\nUserPromptSubmit hook additional context: …\n</system-reminder>"
_FRAME_TOKENS: Final = 15


class Told(NamedTuple):
    """`thresholds` are the names of those that were told since the last compaction. `changed`: files with the time and
    the size that they had when it was told. `tokens` and `lines` were said so far; no line before the session has
    heard `quiet_until` prompts. `compactions`: how many the session has had. `pressure`: the thresholds that hold for
    its model, in tokens by name, for the `window` that its client told (0 none).
    """

    thresholds: tuple[str, ...] = ()
    changed: dict[str, tuple[int, int]] = {}  # noqa: RUF012
    tokens: int = 0
    lines: int = 0
    quiet_until: int = 0
    compactions: int = 0
    pressure: dict[str, int] = {}  # noqa: RUF012
    window: int = 0


def told(folder: str) -> Told:
    """What was told to the session with this live folder. What is damaged counts as nothing told."""
    with suppress(OSError, ValueError):
        found = msgspec.json.decode(read_small(f"{folder}/{_TOLD}", most=4 << 20))
        if isinstance(found, dict):
            return Told(
                thresholds=tuple(name for name in _listed(found.get("thresholds")) if isinstance(name, str)),
                changed=_changes(found.get("changed")),
                tokens=_count(found.get("tokens")),
                lines=_count(found.get("lines")),
                quiet_until=_count(found.get("quiet_until")),
                compactions=_count(found.get("compactions")),
                pressure={str(name): least for name, least in _pairs(found.get("pressure")) if isinstance(least, int)},
                window=_count(found.get("window")),
            )
    return Told()


def keep(folder: str, now: Told) -> None:
    """Keep what was told, for the hooks after this one. What cannot be kept may be said twice."""
    newest = dict(list(now.changed.items())[-_FILES_MAX:])
    with suppress(OSError):
        write_small(f"{folder}/{_TOLD}", msgspec.json.encode(now._replace(changed=newest)._asdict()).decode())


def compacted(folder: str) -> Told:
    """Note that the client dropped the context: thresholds count anew, from what the fast hooks see next."""
    from pathlib import Path

    with suppress(OSError):
        Path(folder, PULSE).unlink()
    before = told(folder)
    now = before._replace(compactions=before.compactions + 1, thresholds=())
    keep(folder, now)
    return now


def prompts(folder: str) -> int:
    """How many prompts the session has heard: the size of a file to which each hook of one adds a byte."""
    from pathlib import Path

    try:
        return Path(folder, _PROMPTS).stat().st_size
    except (OSError, ValueError):
        return 0


def spoken(now: Told, line: str, heard: int) -> Told:
    """`now` after saying `line` when the session has heard so many prompts."""
    return now._replace(tokens=now.tokens + cost(line), lines=now.lines + 1, quiet_until=heard + PROMPTS_APART)


def cost(line: str) -> int:
    """The tokens of a line, with those by which a client frames it."""
    from clew.core.text.tokens import estimate  # here: most hooks have nothing to say

    return estimate(line) + _FRAME_TOKENS


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _changes(value: Any) -> dict[str, tuple[int, int]]:
    return {
        path: (now[0], now[1])
        for path, now in _pairs(value)
        if isinstance(now, list) and len(now) == 2 and all(isinstance(part, int) for part in now)
    }


def _pairs(value: Any) -> list[tuple[Any, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0

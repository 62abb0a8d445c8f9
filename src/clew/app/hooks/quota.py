"""What was said to a session beside payloads, and whether more may be: clew is quiet (SPEC C4).

At most one line for ten prompts and 150 tokens a session. Kept in the session's live folder (`told.json`), which the
fast hooks read as well: what stands there is not said again.
"""

from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from clew.app.project.runtime_dirs import read_small, write_small
from clew.core.text.tokens import estimate

PROMPTS_APART: Final = 10
TOKENS_MAX: Final = 150
PULSE: Final = "pulse"
_TOLD: Final = "told.json"
_PROMPTS: Final = "prompts"
_FILES_MAX: Final = 2000
# "<system-reminder>\nUserPromptSubmit hook additional context: …\n</system-reminder>"
_FRAME_TOKENS: Final = 15


class QuotaState(msgspec.Struct, frozen=True):
    """`thresholds` are the names of those that were told since the last compaction. `changed`: files with the time and
    the size that they had when it was told. `tokens` and `lines` were said so far; no line before the session has
    heard `quiet_until` prompts. `compactions`: how many the session has had. `pressure`: the thresholds that hold for
    its model, in tokens by name, for the `window` that its client told (0 none).
    """

    thresholds: tuple[str, ...] = ()
    changed: dict[str, tuple[int, int]] = {}
    tokens: int = 0
    lines: int = 0
    quiet_until: int = 0
    compactions: int = 0
    pressure: dict[str, int] = {}
    window: int = 0


def told(folder: str) -> QuotaState:
    """What was told to the session with this live folder. What is damaged counts as nothing told."""
    with suppress(OSError, ValueError):
        return msgspec.json.decode(read_small(f"{folder}/{_TOLD}", most=4 << 20), type=QuotaState)
    return QuotaState()


def keep(folder: str, now: QuotaState) -> None:
    """Keep what was told, for the hooks after this one. What cannot be kept may be said twice."""
    newest = dict(list(now.changed.items())[-_FILES_MAX:])
    with suppress(OSError):
        write_small(f"{folder}/{_TOLD}", msgspec.json.encode(replace(now, changed=newest)).decode())


def compacted(folder: str) -> QuotaState:
    """Note that the client dropped the context: thresholds count again, from what the fast hooks see next."""
    with suppress(OSError):
        Path(folder, PULSE).unlink()
    before = told(folder)
    now = replace(before, compactions=before.compactions + 1, thresholds=())
    keep(folder, now)
    return now


def prompts(folder: str) -> int:
    """How many prompts the session has heard: the size of a file to which each hook of one adds a byte."""
    try:
        return Path(folder, _PROMPTS).stat().st_size
    except (OSError, ValueError):
        return 0


def spoken(now: QuotaState, line: str, heard: int) -> QuotaState:
    """`now` after saying `line` when the session has heard so many prompts."""
    return replace(now, tokens=now.tokens + cost(line), lines=now.lines + 1, quiet_until=heard + PROMPTS_APART)


def cost(line: str) -> int:
    """The tokens of a line, with those by which a client frames it."""
    return estimate(line) + _FRAME_TOKENS

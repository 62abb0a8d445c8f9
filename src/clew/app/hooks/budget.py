"""A phase's tokens while a session goes on: a line at 80 %, an end to edits at 100 %, until somebody raises it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from clew.app.ports import Ports
from clew.app.project import open_project
from clew.app.project.runtime_dirs import read_small, write_small
from clew.core.runtime_dir import SPENT
from clew.core.text.cleaning import shorten

_TITLE_CHARS: Final = 60
_TOLD: Final = "budget-told"


def budget_line(ports: Ports, root: Path, live: str) -> str:
    """What is to be said of the budget of the phase that is under way in the project at `root`, "" nothing new.

    From 100 % on a mark in the place's live folder has the gate deny edits, of sub-agents too.
    """
    from clew.app.phase.checking import under_way
    from clew.app.phase.record import WARN_PERCENT, done_since, percent

    with open_project(ports, root, write=False) as at:
        phase = under_way(at.plan())
        if phase is None or not phase.budget_tokens:
            _lift(live)
            return ""
        spent = done_since(ports, at, phase.started_at).tokens
    share = percent(spent, phase.budget_tokens)
    if share < 100:
        _lift(live)
    if share < WARN_PERCENT:
        return ""
    step = 100 if share >= 100 else WARN_PERCENT
    key = f"{phase.id} {phase.attempt} {phase.budget_tokens} {step}"
    of = (
        f"{spent:,} of the {phase.budget_tokens:,} tokens of phase {phase.number} "
        f"({shorten(phase.title, _TITLE_CHARS)})"
    )
    if step == 100:
        reason = (
            f"{of} are spent. Stop here: hand over (`clew checkpoint`), and say what is left. A person raises it: "
            f"`clew phase start {phase.number} --budget TOKENS`."
        )
        with suppress(OSError):
            write_small(f"{live}/{SPENT}", reason)
        said = f"clew: {reason}"
    else:
        said = f"clew: {of} are spent ({share} %). Finish the step at hand; `clew phase done` comes next."
    return said if _is_new(live, key) else ""


def _is_new(live: str, key: str) -> bool:
    with suppress(OSError):
        if read_small(f"{live}/{_TOLD}").strip() == key:
            return False
    with suppress(OSError):
        write_small(f"{live}/{_TOLD}", f"{key}\n")
        return True
    return False  # it would be said again and again


def _lift(live: str) -> None:
    with suppress(OSError):
        Path(live, SPENT).unlink()

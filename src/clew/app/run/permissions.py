"""What a client may do in a run: what the plan says, and nothing else. All else is denied without a question."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from clew.app.validate.configured import configured, of_phase
from clew.clients.working import Permissions
from clew.core.plan.plan import Phase
from clew.documents.plan.prompts import REVIEW

# What every phase needs: to look at what changed, and to record what was found out.
_LOOKING: Final = ("git status", "git diff", "git log", "git show")
_RECORDING: Final = tuple(
    f"clew {name}"
    for name in ("decide", "reject", "note", "ask", "next", "learn", "show", "search", "plan tick", "validate")
)


def permissions(top: Path, phase: Phase) -> Permissions:
    """What a client may do at a phase: change files of the work tree (not for a review), and run the commands that
    prove it, those that only look, and those of clew that record.
    """
    project = configured(top)
    proving = [check.run for check in (*of_phase(phase.validate, project), *project)]
    commands = tuple(dict.fromkeys((*proving, *_LOOKING, *_RECORDING)))
    return Permissions(edit=phase.tier != REVIEW, commands=commands)

"""Other sessions that run now in a project, told to one that begins: two agents at one task undo each other's work."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from clew.app.project import ProjectSession
from clew.app.project.runtime_dirs import Running
from clew.core.state.ids import short_session
from clew.core.text.cleaning import shorten
from clew.documents.escaping import claimed, safe

_SHOWN_MAX: Final = 2
_TOPIC_CHARS: Final = 80


def neighbours(at: ProjectSession, others: Sequence[Running]) -> str:
    """A line on the sessions that run in this work tree, or on the task that is bound here; "" if there are none."""
    task = at.task()
    near = []
    for one in others:
        extract = next(iter(at.ledger.extracts(session=one.session)), None)
        is_here = Path(one.place).is_relative_to(at.location.root)
        if is_here or (task and extract is not None and extract.task == task):
            goals = [item.text for item in extract.items if item.kind == "goal"] if extract is not None else []
            topic = f"“{claimed(safe(shorten(goals[-1], _TOPIC_CHARS)))}”" if goals else "nothing on record yet"
            where = "in this work tree" if is_here else "on the same task in another work tree"
            near.append(f"{topic} ({short_session(one.session)}, {where})")
    if not near:
        return ""
    more = f" and {len(near) - _SHOWN_MAX} more" if len(near) > _SHOWN_MAX else ""
    return (
        f"clew: another session is live: {'; '.join(near[:_SHOWN_MAX])}{more}. Before you edit what it may be editing, "
        "tell the user."
    )

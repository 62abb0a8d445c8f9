"""The plan that waits for a person's approval, as the gate reads it: what passes beside what only reads."""

from __future__ import annotations

from typing import Any, Final

from clew.app.ports import Ports
from clew.app.project.session import ProjectSession
from clew.app.project.trust import allowed_tools, project_at, standings
from clew.core.plan.plan import Plan
from clew.core.plan.recorded import plan_of
from clew.core.text.cleaning import clean, one_line, shorten

_TITLE_CHARS: Final = 60
# Where Claude Code's own planning has the agent write its plan.
_CLIENTS_PLANS: Final = "plans"


def open_plan(ports: Ports, at: ProjectSession, task: str) -> dict[str, Any]:
    """What `gates.json` says of the plan of `task` ("" none), if nothing but reading passes; else {}.

    `title`; `tools` of which a person said that they only read; `commands` that check the project and that a person
    trusted; `own`: folders in which a client keeps plans of its own. Raises `InputError`, `LedgerError`.
    """
    plan = plan_of(at.plan_entities(task), lambda _: Plan()) if task else Plan()
    if not plan.is_planning:
        return {}
    project = project_at(at.location.root)
    trusted = [one.thing for one in standings(ports.trust_store, project) if one.trusted]
    return {
        "title": shorten(one_line(clean(plan.title)), _TITLE_CHARS),
        "tools": sorted(allowed_tools(ports.trust_store, project)),
        "commands": [thing.run for thing in trusted if thing.sort == "command" and thing.run],
        "own": [str(folder.parent / _CLIENTS_PLANS) for folder in ports.session_folders()],
    }

"""Setting a session aside: from now on it is given nothing of earlier work, and does not count for the task that is
bound here (`clew fresh`, `/clew-fresh`).
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from clew.app.intake.sessions import ASIDE
from clew.app.intake.threads import let_go
from clew.app.ports import Ports
from clew.app.project import locate, open_project
from clew.app.project import runtime_dirs as places
from clew.core.errors import LedgerError, NotFound
from clew.core.state.ids import short_session


def set_aside(ports: Ports, folder: Path, data: str) -> str:
    """Mark the session that asks, wherever in the project of `folder` it was started; its id. `data` is the user's data
    folder. Raises `NotFound` where no session asks, or the one that asks is not known to the hooks.
    """
    session = ports.asking_session
    if not session:
        raise NotFound(
            "no session of a client runs this command",
            code="E-no-asking-session",
            hint="Run it inside of one (`/clew-fresh`); `CLEW_INJECT_ON=off` holds for a whole client.",
        )
    for live in places.live_folders(data, locate(folder)):
        if places.set_aside(live, session):
            record_aside(ports, folder, session)
            return session
    raise NotFound(
        f"no hook has seen the session {short_session(session)} in this project",
        code="E-no-asking-session",
        hint="Nothing was given to it then. `clew doctor` says whether the hooks run.",
    )


def record_aside(ports: Ports, folder: Path, session: str) -> None:
    """Note it for the intake, where there is a ledger that can be written."""
    if not locate(folder).has_ledger:
        return
    with suppress(LedgerError), open_project(ports, folder, write=True, spool=False) as at:
        at.append([at.event(ASIDE, {"session": session}, task="")])
        taken = at.ledger.taken().get(session)
        if taken is not None and taken.task:
            let_go(at, session, "")

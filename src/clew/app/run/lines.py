"""How a run stands, in the status lines of the sessions that somebody has open beside it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from clew.app.hooks.status_line import keep_line
from clew.app.ports import runtime_dir
from clew.app.project import locate
from clew.app.project.runtime_dirs import running
from clew.app.run.context import Run
from clew.core.errors import ClewError
from clew.core.plan.next_actions import is_through
from clew.core.runtime_dir import session_folder


def keep_lines(run: Run, waits: str = "", *, over: bool = False) -> None:
    """Let them tell how far the run is, or until when it waits (RFC 3339); once it is `over`, the phase as ever. It is
    a help: what cannot be written is left alone.
    """
    data = str(run.ports.trust_store.parent)
    with suppress(ClewError, OSError):
        sessions = running(data, locate(run.top), run.ports.now_ms() / 1000, but="")
        if not sessions:
            return
        plan, _ = run.look()
        done = sum(is_through(one) for one in plan.phases)
        text = f"run waits until {waits[11:16]} UTC" if waits else f"run: {done} of {len(plan.phases)} phases done"
        with run.open() as at:
            for one in sessions:
                if folder := session_folder(runtime_dir(run.ports, Path(one.place)), one.session):
                    keep_line(at, folder, run="" if over else text)

"""A turn or a session ends, or a client is about to drop its context: what was said is imported. Only a turn may be
answered: with the request for a draft (`turn_end.py`).

Nothing depends on these hooks: what they miss, the next session's start takes in.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from clew.app.cost.budgets import budgets
from clew.app.hooks.prompt import due
from clew.app.hooks.receipts import owed, settle
from clew.app.hooks.session_task import count_for_named
from clew.app.hooks.status_line import keep_line
from clew.app.hooks.turn_end import asked_at_stop, checked_at_stop
from clew.app.intake.sessions import Sessions
from clew.app.ports import Ports, runtime_dir
from clew.app.project import ProjectSession, locate, open_project
from clew.app.project import runtime_dirs as places
from clew.app.project.gates import refresh
from clew.app.project.notify import COMMAND, Notice, notify
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import read_small, write_small
from clew.app.resume.catchup import catch_up
from clew.core.cost.budget import BUDGET
from clew.core.records.hook_events import SILENCE, Answer, HookEvent
from clew.core.runtime_dir import PARALLEL, session_folder
from clew.core.state.ids import short_session
from clew.workspace.process import MARK

# Of the second that a client waits for the hook of a session's end.
_END_MS: Final = 800
# In a session's live folder: the budgets of which the person was told that they are used up.
_TOLD: Final = "spent"


def ended(ports: Ports, event: HookEvent, live: str) -> Answer:
    """Take in what there is, and take a checkpoint if it is worth one. Before a compaction all of it, else within the
    time that the client gives. What is answered is mostly silence.

    Nothing happens in a turn that goes on only because of a stop hook: its end comes again. Raises `ClewError` and
    `OSError`.
    """
    folder = Path(event.folder)
    if event.agent or event.stop_hook_active or not folder.is_absolute():
        return SILENCE
    if event.name == "session_end":
        places.leave(live, event.session)
    if not locate(folder).has_ledger:
        return SILENCE
    with open_project(ports, folder, write=True, spool=False) as at:
        sessions = Sessions(ports, at)
        done = catch_up(ports, at, sessions, deadline_ms=None if event.name == "before_compaction" else _END_MS)
        if done.intake.taken:
            refresh(ports, at)  # what a person forbade in a prompt warns from now on
        count_for_named(at, live)
        here = session_folder(live, event.session)
        has_folder = bool(here) and Path(here).is_dir()
        if event.name != "before_compaction":  # somebody waits for that
            missed = owed(settle(ports, at, sessions), event.session)
            if missed is not None and has_folder:
                due(here)
        if has_folder:
            keep_line(at, here)
        if event.name == "session_end":
            from clew.app.handoff.protocol import end_of_session  # here: most turns end in the middle of a session

            end_of_session(ports, at, sessions, event.session)
            _leave_others(ports, at, event, live)
        answer = SILENCE
        if MARK not in ports.environment:  # a run has checks and hand-off of its own, and asks for one last line
            held = checked_at_stop(ports, event, at, sessions, here)
            answer = held if held != SILENCE else asked_at_stop(ports, event, at, sessions, here)
        _tell_spent(ports, at, live, here)
        if event.name != "stop" and ports.settings(at.location.root).on("archive.on"):  # last: nothing waits for it
            from clew.app.archive.archiving import archive  # here: few people have an archive

            archive(ProjectHandle(ports, folder), session=event.session)
        if event.name == "session_end" and at.location.exchange_file.exists():
            from clew.app.project.device import start_sync  # here: few exchange

            start_sync(ports, at.location.root, at.location.exchange_file)
        return answer


def _leave_others(ports: Ports, at: ProjectSession, event: HookEvent, live: str) -> None:
    """Let the sessions that are still live in this work tree know that this one is over."""
    if any(Path(place, PARALLEL).exists() for place in (live, runtime_dir(ports, at.location.root))):
        from clew.app.hooks.parallel import mark_parallel

        data, now_s = str(ports.trust_store.parent), ports.now_ms() / 1000
        mark_parallel(at, data, places.running(data, at.location, now_s, but=event.session, rests=at.rests), "")


def _tell_spent(ports: Ports, at: ProjectSession, live: str, folder: str) -> None:
    """Tell the person, where they want that, of a budget that is used up: once a session, whose live `folder` it is."""
    if not folder or not Path(live, BUDGET).exists() or not ports.settings(at.location.root).text(COMMAND):
        return
    day = time.strftime("%Y-%m-%d", time.localtime(ports.now_ms() / 1000))
    held = budgets(ProjectHandle(ports, at.location.root), day).budgets
    spent = [one for one in held if one.stands == "stopped" and (one.scope != "session" or folder.endswith(one.name))]
    marks = " ".join(f"{one.scope}:{one.name}:{one.most_tokens}:{one.most_usd}" for one in spent)
    with suppress(OSError):
        if spent and read_small(f"{folder}/{_TOLD}") == marks:
            return
    with suppress(OSError):
        write_small(f"{folder}/{_TOLD}", marks)
        names = ", ".join(" ".join(filter(None, (one.scope, one.title or short_session(one.called)))) for one in spent)
        notify(ports, at.location.root, [Notice("budget", f"A budget is used up: {names}")] if spent else [])

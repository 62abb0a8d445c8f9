"""A turn ends: where its person wants that, a session that did real work since its last draft is asked for one, once.

The answer keeps the turn going, so it must never come twice for the same work: what was asked is marked before it is
said, and a turn that goes on only because of a stop hook is left alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from clew.app.draft.due import Mark, last_mark, mark, used, work_since
from clew.app.intake.sessions import Sessions
from clew.app.ports import Ports
from clew.app.project import ProjectSession
from clew.app.project.gates import AT_STOP
from clew.app.project.injection import is_quiet
from clew.core.records.hook_events import SILENCE, Answer, HookEvent
from clew.core.state.events import timestamp

_SEND: Final = (
    "clew: before you stop, hand over what the next session could not know. Call clew's tool `checkpoint` with it as "
    "`draft` (without that tool: `clew checkpoint --draft - <<'END'`); correct what it strikes; say nothing else."
)


def asked_at_stop(ports: Ports, event: HookEvent, at: ProjectSession, sessions: Sessions, folder: str) -> Answer:
    """What a turn that ends is answered; the session was taken in. `folder` is its live folder, "" none."""
    if event.name != "stop" or event.agent or event.stop_hook_active or not folder or not Path(folder).is_dir():
        return SILENCE
    settings = ports.settings(at.location.root)
    if not settings.on(AT_STOP) or is_quiet(ports, event, settings, folder):
        return SILENCE
    file = sessions.files.get(event.session)
    gathered = sessions.gather(file) if file is not None else None
    if gathered is None:
        return SILENCE
    extracts = at.ledger.extracts(session=event.session)
    if not work_since(gathered, extracts, last_mark(at.ledger, folder, event.session)).is_worth_a_draft:
        return SILENCE
    now = Mark(timestamp(ports.now_ms()), used(gathered))
    mark(folder, now)
    if last_mark(at.ledger, folder, event.session) != now:
        return SILENCE  # what cannot be marked would be asked at every turn
    from clew.documents.draft import REQUEST  # here: most turns end without a question

    return Answer(block=f"{_SEND} {REQUEST}")

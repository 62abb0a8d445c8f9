"""What a session is told where the one before it left no hand-off: what its record in short costs to read."""

from __future__ import annotations

from typing import Final

from clew.app.draft.due import Mark, work_since
from clew.app.draft.newest import newest
from clew.app.hooks.injected_text import Offer
from clew.app.intake.sessions import Sessions
from clew.app.project import ProjectSession
from clew.core.records.hook_events import CONTEXT_UNITS_MAX, HookEvent, units
from clew.core.records.transcript import Prompt
from clew.core.settings import Settings
from clew.core.state.ids import shortest_sessions
from clew.core.text.receipt import opening
from clew.core.text.tokens import estimate

BY_SUCCESSOR: Final = "draft.by_successor"
# So many requests are real work, too, though nothing was edited.
_TURNS: Final = 8
_MARGIN_UNITS: Final = 400
_OFFER: Final = (
    "No hand-off was written. If you go on with this work: `clew record {0}` (or the tool resume with record {0}), "
    "about {1:,} tokens; then `clew checkpoint --draft -` (or the tool checkpoint with a draft) for the sessions after "
    "you."
)


def with_record(at: ProjectSession, sessions: Sessions, event: HookEvent, settings: Settings, offer: Offer) -> Offer:
    """An offer of earlier work with a line before its data: that its last session left no hand-off, and what it costs
    to read its record in short.

    The offer stays as it was where that session did no real work, where its record is not at hand, where nobody sits at
    the session that begins, and where the setting `draft.by_successor` is off.
    """
    session = offer.session
    if not session or not event.attended or event.source not in ("startup", "clear"):
        return offer
    file = sessions.files.get(session)
    if settings.text(BY_SUCCESSOR) == "off" or file is None or newest(at.ledger, session=session) is not None:
        return offer
    try:
        gathered = sessions.gather(file)
    except OSError:
        gathered = None
    if gathered is None:
        return offer
    turns = sum(isinstance(one, Prompt) for one in gathered.kept)
    if turns < _TURNS and not work_since(gathered, at.ledger.extracts(session=session), Mark()).is_real:
        return offer
    from clew.app.look.digest import digest_of  # here: most starts follow a hand-off, or nothing

    line = _OFFER.format(
        shortest_sessions((session, *sessions.files))[session], digest_of(gathered, client=file.client).tokens
    )
    lead, mark, data = offer.text.partition(opening(offer.mark))
    text = f"{lead}{line}\n{mark}{data}"
    if units(text) + _MARGIN_UNITS > CONTEXT_UNITS_MAX:
        return offer
    return offer._replace(text=text, tokens=estimate(text))

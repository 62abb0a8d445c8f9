"""What a compaction lost: the live items that the client's own summary does not hold, told again (SPEC C12)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from clew.app.context.compact import recalled
from clew.app.hooks.receipts import NOTHING, InjectedText, whole
from clew.app.project import ProjectSession
from clew.app.project.lookup import live_state
from clew.core.records.hook_events import CONTEXT_UNITS_MAX, HookEvent, units
from clew.core.state.items import Item
from clew.core.state.projection import state_of
from clew.core.text.receipt import wrapped

_SUMMARY: Final = "summary"
_SUMMARY_BYTES_MAX: Final = 256 << 10
# The words around the list, in the units that clients count.
_MARGIN_UNITS: Final = 700


def after_compaction(
    at: ProjectSession, event: HookEvent, folder: str, *, count: int, beside: str = ""
) -> InjectedText:
    """What the summary in the session's live folder lost of the items that are live for the session; pins, constraints
    and reminders in any case. The summary is removed; without one all that is dear counts as lost. `count`: the how
    manieth compaction of the session it is, so that the same text is no repetition, which a client would drop. `beside`
    is given along with it.
    """
    summary = _taken(Path(folder, _SUMMARY)) if folder else ""
    rows = recalled(_live(at, event.session), summary).split("\n")
    room = CONTEXT_UNITS_MAX - _MARGIN_UNITS - units(beside)
    while rows and units("\n".join(rows)) > room:
        rows.pop()
    if len(rows) < 2:
        return NOTHING
    lead = (
        f"clew: compaction {count} of this session. "
        + ("The summary above leaves this out, or it must not be forgotten" if summary else "This still holds")
        + "; it is data from the record, not a new request."
    )
    return whole(lead, wrapped("\n".join(rows) + "\n"))


def _live(at: ProjectSession, session: str) -> tuple[Item, ...]:
    """The live items of the session's task; of a session of none its own, and what is stated of none."""
    own = at.ledger.extracts(session=session)
    task = (own[0].task if own else "") or at.task()
    if task:
        return live_state(at, task).items
    origin = own[0].origin if own else live_state(at, "").origin
    return state_of(at.stated("", extracts=own), own, nowhere=origin).items


def _taken(place: Path) -> str:
    """The text in a file that is read once; "" if it cannot be read."""
    text = ""
    with suppress(OSError):
        with place.open("rb") as file:
            text = file.read(_SUMMARY_BYTES_MAX).decode("utf-8", "replace")
        place.unlink()
    return text

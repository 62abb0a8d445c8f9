"""Confirm: closing a session's confirm gate behind a payload, and opening it for a right answer
(docs/reference/gates.md).
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from clew.app.ports import Ports
from clew.app.project.runtime_dirs import all_lives, write_small
from clew.app.results import JsonResult
from clew.core.errors import InputError, NotFound
from clew.core.gate.confirm import DENIED, MISSES_MAX, REQUEST, ConfirmQuestion, judge, kept
from clew.core.runtime_dir import CONFIRM, session_folder
from clew.core.text.cleaning import clean, one_line
from clew.workspace.atomic import alone

_STATE_BYTES_MAX: Final = 64 << 10


class Confirmed(JsonResult, frozen=True):
    """What came of an answer. `said` tells it in a sentence. `fits`: it was right; else it was missed so often that the
    gate gave in (`misses`), or there was nothing to confirm.
    """

    said: str
    fits: bool
    misses: int


def close_confirm(live: str, session: str, mark: str, question: ConfirmQuestion | None, *, level: str) -> str:
    """Close the confirm gate of `session` behind the payload with this `mark`, and give back what its text has to say
    about that; "" where the gate is off (`level`), nothing can be asked, or this payload was confirmed already.

    `live` is the live folder of the place; the session has a folder there. Raises OSError where the state cannot be
    written.
    """
    folder = session_folder(live, session)
    if level == "off" or question is None or not folder:
        return ""
    file = Path(folder, CONFIRM)
    before = _state(file)
    if before.get("mark") == mark and before.get("open"):
        return ""
    if before.get("mark") != mark:
        _write(file, kept(question, mark))
    return f"{REQUEST} {DENIED}" if level == "deny" else REQUEST


def confirm(ports: Ports, text: str) -> Confirmed:
    """Judge what the session that asks says its goal and next action are, and open its gate if that fits, or if it was
    missed twice.

    Raises `NotFound` where no session asks, `InputError` for an answer that lacks something; it says what.
    """
    session = ports.asking_session
    if not session:
        raise NotFound(
            "no session of a client runs this command",
            code="E-no-asking-session",
            hint="Its agent answers, from its own shell; a person sets the gate: `clew settings set gate.confirm off`.",
        )
    file = _file(ports, session)
    if file is None or not _state(file):
        return Confirmed("There is nothing to confirm: no edits are waiting.", True, 0)
    with alone(file):
        state = _state(file)
        if state.get("open"):
            return Confirmed("Already confirmed: edits are allowed.", True, _misses(state))
        judged = judge(state, text)
        misses = _misses(state) + (not judged.fits)
        is_open = judged.fits or misses >= MISSES_MAX
        _write(file, {**state, "misses": misses, "open": is_open})
    if judged.fits:
        return Confirmed("Confirmed: edits are allowed.", True, misses)
    told = one_line(clean(ports.redact(judged.told)))
    if is_open:
        return Confirmed(
            f"That does not fit either: {told}. The gate gives in after {misses} misses: say to the person you work "
            "for what you take the goal and the next action to be, before you edit.",
            False,
            misses,
        )
    raise InputError(
        f"that does not fit: {told}",
        code="E-confirm-missed",
        hint="Read the goal and the next action again (`clew resume` prints them) and say both in one sentence each.",
    )


def _file(ports: Ports, session: str) -> Path | None:
    """The state of a session, wherever it was started: its shell may stand anywhere by now. One that waits is taken
    before one that is open."""
    folders = [session_folder(str(live), session) for live in all_lives(ports.trust_store.parent)]
    files = [Path(folder, CONFIRM) for folder in folders if folder and os.path.lexists(f"{folder}/{CONFIRM}")]
    return min(files, key=lambda file: bool(_state(file).get("open")), default=None)


def _state(file: Path) -> Mapping[str, Any]:
    """What the file holds; nothing for one that is not there or cannot be read: then the gate is open."""
    try:
        with file.open("rb") as opened:
            found = json.loads(opened.read(_STATE_BYTES_MAX))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _misses(state: Mapping[str, Any]) -> int:
    misses = state.get("misses")
    return misses if isinstance(misses, int) else 0


def _write(file: Path, state: Mapping[str, Any]) -> None:
    write_small(str(file), json.dumps(state))

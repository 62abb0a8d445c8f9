"""While a session goes on: the one line that is worth saying, if there is one and it may be said (`quota.py`).

The fast hooks have looked before: this runs when a threshold of the context was crossed, a file that the session has
seen was changed from outside, a hook of clew's own failed, or the session's start has to be made good: nobody heard it,
or what it said did not get there.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from clew.app.draft.due import want
from clew.app.hooks import quota as talk
from clew.app.hooks.parallel import at_prompt
from clew.app.hooks.receipts import DUE, owed, receipts
from clew.app.ports import Ports
from clew.app.project.opening import open_project
from clew.app.project.runtime_dirs import STARTED, is_quiet, read_small, write_small
from clew.core.context.pressure import ToldWindow, threshold_line, thresholds
from clew.core.errors import ClewError
from clew.core.records.hook_events import SILENCE, START_SOURCES, Answer, HookEvent, StartSource
from clew.core.records.seen import changed
from clew.core.runtime_dir import BROKEN, NO_WORD, REFLOG_SIZE, ROOT, session_folder
from clew.core.settings import Settings
from clew.core.text.cleaning import clean, one_line, shorten
from clew.documents.escaping import claimed, safe

if TYPE_CHECKING:
    pass

AT_THRESHOLD: Final = "draft.at_threshold"
_SEEN: Final = "seen"
# Files were edited since a tool did anything else (`interfaces/hook/after.py`).
_EDITED: Final = "edited"
_SEEN_BYTES_MAX: Final = 16 << 20
_NAMES_MAX: Final = 3
_NAME_CHARS: Final = 60
_BROKEN_CHARS: Final = 120


def during(ports: Ports, event: HookEvent, live: str, data: str) -> Answer:
    """What is said at a prompt, or after a tool, of the session of `event`; `live` is the live folder of its place,
    `data` the user's data folder.

    A line for which it is too soon, or beside what a start brings, waits for a later prompt. Raises `InputError` for
    settings that cannot be used, and `OSError`.
    """
    folder = session_folder(live, event.session)
    if event.agent or not folder:
        return SILENCE
    message = _broken(live) if event.name == "prompt" else ""
    start = _start(ports, event, folder, data)
    message = f"{message} {start.message}".strip()
    if start.context:
        return start._replace(message=message)
    root = Path(_text(f"{live}/{ROOT}"))
    if not root.is_absolute():
        return Answer(message=message)
    settings = ports.settings(root)
    checks = _broken_by_edits(ports, folder, root) if event.name == "after_tool" else ""
    if checks:  # it is about what was just done, and may not wait
        return Answer(checks, message)
    before = talk.told(folder)
    line, after = _pressure(folder, before, settings, ports.told_window(root, event.client), event.client)
    asks = bool(line) and settings.on(AT_THRESHOLD)
    size = -1
    if event.name == "prompt":
        changes, after = _changes(ports, folder, root, after)
        moved, size = at_prompt(ports, event, live, folder, root)
        changes = f"{moved} {changes}".strip()
        line = f"{line} {changes}".strip() if line else changes and f"clew: {changes}"
    heard = talk.prompts(folder)
    if not line or is_quiet(ports, event, settings, folder) or before.tokens + talk.cost(line) > talk.TOKENS_MAX:
        line = ""  # what never will be said counts as told
    elif heard < before.quiet_until:
        line, after, size = "", replace(before, pressure=after.pressure, window=after.window), -1  # it waits
    else:
        after = talk.spoken(after, line, heard)
        if asks:
            want(folder)
    if after != before:
        talk.keep(folder, after)
    if size >= 0:
        with suppress(OSError):
            write_small(f"{folder}/{REFLOG_SIZE}", str(size))
    return Answer(line, message)


def _broken_by_edits(ports: Ports, folder: str, root: Path) -> str:
    """What failed first behind a set of edits that is complete."""
    try:
        Path(folder, _EDITED).unlink()
    except OSError:
        return ""
    from clew.app.hooks.turn_end import quick_failure
    from clew.app.validate.tree import ground

    with open_project(ports, root, write=False) as at, ground(at.location, ports.environment, lasting=True) as here:
        return quick_failure(ports, at, here, folder)


def _start(ports: Ports, event: HookEvent, folder: str, data: str) -> Answer:
    """What the session's start should have said, if it has to be made good, which is tried once; or what is to be said
    after a compaction that no other hook tells of. Silence otherwise, and where it cannot be said.
    """
    if event.source == "compact":
        from clew.app.hooks.session_start import session_start

        with suppress(ClewError):
            return session_start(ports, event, data)
    if event.name != "prompt":
        return SILENCE
    is_heard, is_due = (os.path.lexists(f"{folder}/{name}") for name in (STARTED, DUE))
    with suppress(OSError):
        Path(folder, DUE).unlink()
    if is_heard and not is_due:
        return SILENCE
    from clew.app.hooks.session_start import session_start

    with suppress(OSError):
        write_small(f"{folder}/{STARTED}", "")
    with suppress(ClewError):
        if not is_heard:
            return session_start(ports, event, data)
        with open_project(ports, Path(event.folder), write=False) as at:
            missed = owed(receipts(at), event.session)
        if missed is not None:
            source: StartSource = next((one for one in START_SOURCES if one == missed.source), "")
            return session_start(ports, event._replace(source=source), data, again=True)
    return SILENCE


def _pressure(
    folder: str, now: talk.QuotaState, settings: Settings, window: ToldWindow, client: str
) -> tuple[str, talk.QuotaState]:
    """The line on a threshold of the context that was not told of yet, "" none; and what then is told.

    The thresholds that hold for the session's model are kept for the fast hooks, which know those of no model.
    """
    pulse = _text(f"{folder}/{talk.PULSE}").split()
    tokens, measured = (int(pulse[at]) if len(pulse) > at and pulse[at].isdecimal() else 0 for at in (1, 3))
    if not tokens:
        return "", now
    window = window.measured(measured)
    model = pulse[2] if len(pulse) > 2 else ""
    found = thresholds(model, settings, client=client, context=tokens, told=window)
    limits = {"checkpoint": found.checkpoint, "compact": found.compact}
    now = replace(now, pressure=limits, window=measured)
    over = [name for name, least in limits.items() if tokens >= least]
    if all(name in now.thresholds for name in over):
        return "", now
    drafts = settings.on(AT_THRESHOLD)
    line = threshold_line(tokens, found, compactions=now.compactions, drafts=drafts)
    return line, replace(now, thresholds=tuple(dict.fromkeys((*now.thresholds, *over))))


def _changes(ports: Ports, folder: str, root: Path, now: talk.QuotaState) -> tuple[str, talk.QuotaState]:
    """A sentence on files that were changed from outside since the session saw them, without what was told before."""
    try:
        lines = Path(folder, _SEEN).read_bytes()[:_SEEN_BYTES_MAX]
    except OSError:
        return "", now
    found = changed(lines, _state)
    new = [path for path, state in found.items() if now.changed.get(path) != state]
    if not new:
        return "", now
    names = [ports.redact(_name(path, root)) for path in new[-_NAMES_MAX:]]
    more = f" and {len(new) - len(names)} more" if len(new) > len(names) else ""
    told = f"Changed from outside since this session saw it: {', '.join(names)}{more}. Read again before relying on it."
    return told, replace(now, changed={**now.changed, **found})


def _name(path: str, root: Path) -> str:
    place = Path(path)
    name = place.relative_to(root).as_posix() if place.is_relative_to(root) else path
    return claimed(safe(shorten(name, _NAME_CHARS)))


def _state(path: str) -> tuple[int, int, int] | None:
    """When a file was last written, its size, and when that was noted, in nanoseconds; None if it is gone."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ctime_ns


def _broken(live: str) -> str:
    """A sentence for the person on a hook of clew's that failed, told once; "" if none did."""
    word = shorten(one_line(clean(_text(f"{live}/{BROKEN}"))), _BROKEN_CHARS)
    try:
        Path(live, BROKEN).unlink()
    except FileNotFoundError:
        return ""
    except OSError:
        pass
    return f"clew: a hook of it failed ({word or NO_WORD}); nothing was held up. Run `clew doctor` for details."


def _text(path: str) -> str:
    try:
        return read_small(path).strip()
    except (OSError, ValueError):
        return ""

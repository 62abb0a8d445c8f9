"""Heard: whether hooks ran in real sessions of this project, when, and whether what they gave got to the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from clew.app.health.finding import HealthFinding, Level, ago, hook_of, mend_of
from clew.app.project.runtime_dirs import read_small
from clew.clients.configured import Configuration
from clew.clients.port import Transcript
from clew.core.runtime_dir import BROKEN, NO_WORD, beat
from clew.core.text.cleaning import clean, one_line, shorten
from clew.workspace.times import written_s

# A session file is written on for a moment after the last hook, and hooks of tools fire before a file grows.
_GRACE_S: Final = 120
_WORDS_CHARS: Final = 160
_RECEIPTS_SHOWN: Final = 20


def examine(
    lives: Sequence[Path], files: Sequence[Transcript], found: Configuration, *, now_s: float
) -> Iterator[HealthFinding]:
    """Findings about the heartbeats of a client's hooks in the live folders of a project, against its session `files`
    (newest first). Nothing of a client that has no hooks of ours and never ran here.
    """
    beats = _beats(lives, found)
    since = max((written_s(live / "root") for live in lives), default=0.0)
    newest = next((one for one in files if one.size and one.client == found.client), None)
    if newest is None and not found.hooks:
        return
    heard = max(beats.values(), default=0.0)
    ran = newest.modified_ns / 1e9 if newest else 0.0
    who = found.client
    if newest is None:
        yield HealthFinding("heard", "info", f"no session of {who} was recorded here yet")
    elif heard and ran <= heard + _GRACE_S:
        told = f"a hook of {who} was heard {ago(now_s - heard)}, its newest session wrote {ago(now_s - ran)}"
        yield HealthFinding("heard", "fine", told)
    elif ran <= since + _GRACE_S:
        yield HealthFinding("heard", "info", f"no session of {who} ran here since `clew init`")
    else:
        last = f"its last hook was heard {ago(now_s - heard)}" if heard else "no hook of it was ever heard"
        mend = "Restart the client: it reads its settings when it starts. If this continues, look at the hooks above."
        yield HealthFinding("heard", "warn", f"a session of {who} wrote {ago(now_s - ran)}, and {last}", mend)
    if heard:
        told = ", ".join(f"{event} {ago(now_s - beats[event])}" for event in found.events if event in beats)
        never = [event for event in found.events if event not in beats]
        words = f"{who}: {told}" + (f"; never {', '.join(never)}" if never else "")
        if any(event not in beats for event in found.always):
            mend = "Every session has these: see what the hook says when it is run, above."
            yield HealthFinding("beats", "warn", words, mend)
        else:
            yield HealthFinding("beats", "fine", words)


def delivered(marks: Sequence[tuple[str, bool | None]]) -> HealthFinding | None:
    """A finding about receipts, newest first: (source, whether delivered, None unknown). None if there are none."""
    newest = marks[:_RECEIPTS_SHOWN]
    if not newest:
        return None
    got, lost = sum(one is True for _, one in newest), sum(one is False for _, one in newest)
    open_ = len(newest) - got - lost
    given = "the one text given to a session" if len(newest) == 1 else f"the last {len(newest)} texts given to sessions"
    words = f"of {given} {_were(got)} delivered, {_were(lost)} not"
    words += f", {open_} not known yet" if open_ else ""
    if not lost:
        return HealthFinding("receipts", "fine", words)
    sources = ", ".join(sorted({source or "unknown" for source, one in newest if one is False}))
    first = next(one for _, one in newest if one is not None)
    mend = "`clew resume` prints the text; paste it. If this continues, report it with the client's version."
    level: Level = "warn" if first else "wrong"
    return HealthFinding("receipts", level, f"{words} (at {sources})", mend)


def _were(number: int) -> str:
    return f"{number} was" if number == 1 else f"{number} were"


def _beats(lives: Sequence[Path], found: Configuration) -> dict[str, float]:
    """When the hook of each of the client's events last ran to its end, seconds since 1970."""
    last = {
        event: max((written_s(live / beat(found.client, event)) for live in lives), default=0.0)
        for event in found.events
    }
    return {event: time for event, time in last.items() if time}


def broken(lives: Sequence[Path]) -> Iterator[HealthFinding]:
    """Findings about failures of clew in hooks, of which word was left."""
    for live in lives:
        try:
            said = read_small(str(live / BROKEN), most=400)
        except OSError:
            continue
        words = shorten(one_line(clean(said)), _WORDS_CHARS) or NO_WORD
        client, event = hook_of(words)
        if event and "/" not in event + client and written_s(live / beat(client, event)) > written_s(live / BROKEN):
            told = f"clew failed in a hook once, which has run since: {words}"
            yield HealthFinding("broken", "info", told, mend_of(words))
        else:
            yield HealthFinding("broken", "wrong", f"clew failed in a hook: {words}", mend_of(words))

"""The hooks of clients, tried and heard.

Tried: the installed hook commands, as they stand in the client's settings, run for real in a place of their own. The
place is a folder for this purpose alone, with a ledger and a live folder; the client's own folder is another one. All
of it is removed again. What one took is told against the client's limit.

Heard: whether hooks ran in real sessions of this project, when, and whether what they gave got to the model.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.health.finding import HealthFinding, Level, ago
from clew.app.install.init import found, plan
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import live_at, opt_in, opt_out, read_small
from clew.clients.configured import ClientConfig, Configuration, InstalledHook
from clew.clients.port import Transcript
from clew.core.errors import ClewError
from clew.core.runtime_dir import BEATS, BROKEN, NO_WORD, beat
from clew.core.text.cleaning import clean, one_line, shorten
from clew.workspace.process import Finished, LimitExceeded, run
from clew.workspace.times import written_s

# A session file is written on for a moment after the last hook, and hooks of tools fire before a file grows.
_GRACE_S: Final = 120
_WORDS_CHARS: Final = 160
_RECEIPTS_SHOWN: Final = 20


def examine_heard(
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


SESSION: Final = "00000000-0000-4000-8000-00000000c1e3"
_TIMEOUT_S: Final = 60
# A hook is slow beyond this part of the time that the client gives it.
_SLOW_PART: Final = 0.5
# By the name of the type: nothing else of a failure is kept. The shim leaves word of one: client, event, type and place
# in the code.
_AGAIN: Final = "Python does not find what clew needs: run `clew init` again, from an installation that is whole."
_LEDGER: Final = "The ledger could not be opened, read or written: see `ledger`, `writable` and `room`."
_DISK: Final = "A file could not be read or written: see `writable`, `rights` and `room`."
_SETTINGS: Final = "A setting or a file of clew's cannot be used: `clew settings` and `clew status` say which."
_CUT_OFF: Final = "It was interrupted; once is nothing to fix."
_FAULT: Final = "Report it with this line: it is a bug in clew."
# By the name of the type: nothing else of the failure is kept.
_MENDS: Final = {
    "ModuleNotFoundError": _AGAIN,
    "ImportError": _AGAIN,
    "LedgerError": _LEDGER,
    "OSError": _DISK,
    "PermissionError": _DISK,
    "FileNotFoundError": _DISK,
    "NotADirectoryError": _DISK,
    "InputError": _SETTINGS,
    "KeyboardInterrupt": _CUT_OFF,
    "MemoryError": "The machine had no memory left.",
}


class _Place(NamedTuple):
    place: Path
    config: Path
    live: Path


def tried(
    ports: Ports, data: Path, client: ClientConfig, hooks: Sequence[InstalledHook], scratch: Path
) -> Iterator[HealthFinding]:
    """A finding for each of `hooks`, run one after the other in an empty folder `scratch` (absolute, resolved). Raises
    `ClewError` and OSError where no place for them can be made.
    """
    with _place(ports, data, client, scratch) as where:
        for one in hooks:
            check = f"hook.{beat(client.name, one.event).removeprefix(f'{BEATS}/')}"
            yield HealthFinding(check, *_tried(ports, client, one, where))


@contextmanager
def _place(ports: Ports, data: Path, client: ClientConfig, scratch: Path) -> Iterator[_Place]:
    place, config = scratch / "place", scratch / "client"
    place.mkdir()
    live = live_at(data, place)
    assert live is not None
    try:
        opt_in(data, place)
        found(ports, plan(ProjectHandle(ports, place))).ledger.close()
        path, text = client.recorded(session=SESSION, place=place, config=config)
        path.parent.mkdir(parents=True)
        path.write_bytes(text)
        yield _Place(place, config, live)
    finally:
        with suppress(OSError):
            opt_out(data, [live])


def _tried(ports: Ports, client: ClientConfig, hook: InstalledHook, where: _Place) -> tuple[Level, str, str]:
    """How bad it is, what the hook did, and what is to be done."""
    given = client.trial(hook.event, session=SESSION, place=where.place, config=where.config)
    inherited = {name: value for name, value in ports.environment.items() if not client.is_own(name)}
    stdin = where.config / f"{hook.event}.json"
    stdin.write_bytes(given.given)
    mark, broken = where.live / beat(client.name, hook.event), where.live / BROKEN
    for old in (mark, broken):
        old.unlink(missing_ok=True)
    limit_s, begun_s = hook.timeout_s or _TIMEOUT_S, time.perf_counter()
    try:
        done = run(
            [hook.program, *hook.arguments],
            environment={**inherited, **given.environment},
            timeout_s=limit_s,
            given=str(stdin),
        )
        problem = _problem(ports, done)
    except OSError as error:
        problem = f"{hook.program} cannot be started: {error.strerror or type(error).__name__}"
    except LimitExceeded as error:
        problem = f"it had to be stopped: {error}"
    took_s = time.perf_counter() - begun_s
    took = f", {took_s:.2f} s of the {limit_s} s that it has"
    if problem:
        return "wrong", problem, "Run `clew init` again: it puts the hooks in order."
    if word := _left_word(broken):
        return "wrong", f"clew failed in it: {word}", mend_of(word)
    if not mark.exists():
        return "wrong", f"it ran{took}, and left no heartbeat", "It does not find this clew: run `clew init` again."
    if took_s > _SLOW_PART * limit_s:
        mend = "Is the machine busy? If this continues, report it with this figure."
        return "warn", f"it runs, and is slow{took}", mend
    return "fine", f"it runs{took}", ""


def _problem(ports: Ports, done: Finished) -> str:
    if done.code:
        said = done.err.decode("utf-8", "replace").strip().rpartition("\n")[2]
        words = shorten(one_line(ports.redact(clean(said))), _WORDS_CHARS)
        return f"it ended with exit code {done.code}" + (f": {words}" if words else "")
    out = done.out.strip()
    if out:
        try:
            if not isinstance(json.loads(out), dict):
                raise ValueError
        except ValueError:
            return "it answered with something that is not a JSON object"
    return ""


def _left_word(broken: Path) -> str:
    try:
        return shorten(one_line(clean(broken.read_bytes()[:400].decode("utf-8", "replace"))), _WORDS_CHARS)
    except OSError:
        return ""


def refusal(error: ClewError | OSError) -> HealthFinding:
    """The finding where no trial could be made."""
    why = error.message if isinstance(error, ClewError) else error.strerror or type(error).__name__
    return HealthFinding(
        "hooks", "wrong", f"the hooks could not be tried: {one_line(clean(str(why)))}", "See that there is room."
    )


def hook_of(word: str) -> tuple[str, str]:
    """The client and the event in whose hook it failed, ("", "") if the word does not say."""
    words = word.split() if word != NO_WORD else []
    return (words[0], words[1]) if len(words) > 2 else ("", "")


def mend_of(word: str) -> str:
    """What to do about it, a sentence."""
    if word == NO_WORD:
        return _DISK
    words = word.split()
    return _MENDS.get(words[2], _FAULT) if len(words) > 2 else _FAULT

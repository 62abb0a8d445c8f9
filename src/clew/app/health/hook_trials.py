"""Trials: the installed hook commands, as they stand in the client's settings, run for real in a place of their own.

The place is a folder for this purpose alone, with a ledger and a live folder; the client's own folder is another one.
All of it is removed again. Time is told as a ratio to a bare start of the same interpreter at the same moment, since
machines differ, and are busy at times; of hooks that start the whole program in seconds, against the client's limit.
"""

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.health.finding import HealthFinding, mend_of
from clew.app.install.init import found, plan
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import live_at, opt_in, opt_out
from clew.clients.configured import ClientConfig, InstalledHook
from clew.core.errors import ClewError
from clew.core.runtime_dir import BEATS, BROKEN, beat
from clew.core.text.cleaning import clean, one_line, shorten
from clew.workspace.process import Finished, LimitExceeded, run

SESSION: Final = "00000000-0000-4000-8000-00000000c1e3"
_TIMEOUT_S: Final = 60
_BARE: Final = ("-I", "-S", "-c", "pass")
# The best of so many runs of a fast hook is told, and one of a full one, which is far from its limit; of one that looks
# slow so many more: something else may have had the machine.
_TIMES: Final = 3
_MORE: Final = 7
_ENOUGH_S: Final = 10.0
# These start the whole program, the last one when it has something to say.
_FULL: Final = frozenset("SessionStart PreCompact Stop SessionEnd UserPromptSubmit BeforeAgent AfterAgent".split())
# A fast hook is slow beyond so many times a bare start, of which it takes a tenth more; a full one beyond this part of
# the time that the client gives it.
_SLOW_RATIO: Final = 6.0
_SLOW_PART: Final = 0.5
_WORDS_CHARS: Final = 160


class HookTrial(NamedTuple):
    """One hook that was run. `ratio`: the least of its time over that of a bare start right before it, 0 unknown, or it
    starts the whole program; `took_s`: its least time, 0 unknown; `limit_s`: what the client gives it. `beat`: its
    heartbeat came. `problem`: why it failed, a clause, "" if it did not. `broken`: what clew left word of in the live
    folder.
    """

    event: str
    code: int
    ratio: float
    took_s: float
    limit_s: int
    beat: bool
    problem: str
    broken: str

    @property
    def slow(self) -> bool:
        """Whether it keeps people waiting."""
        return self.took_s > _SLOW_PART * self.limit_s if self.event in _FULL else self.ratio > _SLOW_RATIO

    @property
    def told(self) -> str:
        """The figure, a clause behind a comma; "" without one."""
        if self.event in _FULL:
            return f", {self.took_s:.2f} s of the {self.limit_s} s that it has" if self.took_s else ""
        return f", {self.ratio:.1f} times a bare start" if self.ratio else ""


class _Place(NamedTuple):
    place: Path
    config: Path
    live: Path


def trials(
    ports: Ports, data: Path, client: ClientConfig, hooks: Sequence[InstalledHook], scratch: Path
) -> Iterator[HookTrial]:
    """Run each of `hooks`, one after the other, in an empty folder `scratch` (absolute, resolved). Raises `ClewError`
    and OSError where no such place can be made.
    """
    with _place(ports, data, client, scratch) as where:
        for one in hooks:
            yield _tried(ports, client, one, where)


def findings(done: Iterable[HookTrial], client: str) -> Iterator[HealthFinding]:
    """A finding for each trial of a client's hooks."""
    for one in done:
        check = f"hook.{beat(client, one.event).removeprefix(f'{BEATS}/')}"
        took = one.told
        if one.problem:
            yield HealthFinding(check, "wrong", one.problem, "Run `clew init` again: it puts the hooks in order.")
        elif one.broken:
            yield HealthFinding(check, "wrong", f"clew failed in it: {one.broken}", mend_of(one.broken))
        elif not one.beat:
            mend = "It does not find this clew: run `clew init` again."
            yield HealthFinding(check, "wrong", f"it ran{took}, and left no heartbeat", mend)
        elif one.slow:
            mend = "Is the machine busy? If this continues, report it with this figure."
            yield HealthFinding(check, "warn", f"it runs, and is slow{took}", mend)
        else:
            yield HealthFinding(check, "fine", f"it runs{took}")


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


def _tried(ports: Ports, client: ClientConfig, hook: InstalledHook, where: _Place) -> HookTrial:
    given = client.trial(hook.event, session=SESSION, place=where.place, config=where.config)
    inherited = {name: value for name, value in ports.environment.items() if not client.is_own(name)}
    environment = {**inherited, **given.environment}
    stdin = where.config / f"{hook.event}.json"
    stdin.write_bytes(given.given)
    mark, broken = where.live / beat(client.name, hook.event), where.live / BROKEN
    for old in (mark, broken):
        old.unlink(missing_ok=True)
    tried = HookTrial(hook.event, 0, 0.0, 0.0, hook.timeout_s or _TIMEOUT_S, False, "", "")
    argv, spent_s = [hook.program, *hook.arguments], 0.0
    is_full = hook.event in _FULL
    times = 1 if is_full else _TIMES
    try:
        for turn in range(times + _MORE):
            if turn and (spent_s > _ENOUGH_S or (turn >= times and not tried.slow)):
                break
            bare_s = 0.0 if is_full else _timed([hook.program, *_BARE], environment, os.devnull, _TIMEOUT_S)[0]
            took_s, done = _timed(argv, environment, str(stdin), tried.limit_s)
            if done.code:
                return tried._replace(code=done.code, problem=_problem(ports, done))
            spent_s += took_s
            ratio = took_s / bare_s if bare_s else 0.0
            tried = tried._replace(
                ratio=min(tried.ratio or ratio, ratio),
                took_s=min(tried.took_s or took_s, took_s),
                problem=_problem(ports, done),
            )
    except OSError as error:
        why = f"{hook.program} cannot be started: {error.strerror or type(error).__name__}"
        return tried._replace(code=127, ratio=0.0, problem=why)
    except LimitExceeded as error:
        return tried._replace(code=-9, ratio=0.0, problem=f"it had to be stopped: {error}")
    return tried._replace(beat=mark.exists(), broken=_left_word(broken))


def _timed(argv: Sequence[str], environment: Mapping[str, str], given: str, timeout_s: float) -> tuple[float, Finished]:
    """Seconds that a program took, and how it ended. Raises OSError and `LimitExceeded`."""
    start = time.perf_counter()
    done = run(argv, environment=environment, timeout_s=timeout_s, given=given)
    return time.perf_counter() - start, done


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

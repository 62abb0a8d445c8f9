"""Whether something changed: seen by sizes and times of a few files, so that idle pages cost next to nothing."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from clew.app.intake.find import found_in, project_at
from clew.app.project.location import ProjectLocation
from clew.app.project.runtime_dirs import lives
from clew.clients.registry import Locators
from clew.core.runtime_dir import SESSIONS

TICK_S: Final = 0.1
# New session files are looked for so often; of those there are, the newest are looked at each time.
_LISTED_S: Final = 60.0
_NEWEST: Final = 4
_RECENT_S: Final = 3600.0
# So that a connection that nobody holds any more is noticed.
_BEAT_S: Final = 20.0
_LINE_END: Final = re.compile("\r\n|\r|\n")


class Marks:
    """The files of some projects that change when something happens there: ledgers, live sessions, runs."""

    def __init__(self, places: Sequence[ProjectLocation], locators: Locators, data: Path) -> None:
        self._places = places
        self._locators = locators
        self._data = data
        self._files: list[str] = []
        self._listed = -_LISTED_S

    def now(self) -> str:
        """What stands for how things are; another text when something changed."""
        now = time.monotonic()
        if now - self._listed >= _LISTED_S:
            self._files = list(self._watched())
            self._listed = now
        return " ".join(map(_stamp, self._files))

    def _watched(self) -> Iterable[str]:
        now_ns = time.time_ns()
        for at in self._places:
            folder = at.ledger.parent
            yield from (str(at.ledger), f"{at.ledger}-wal", str(at.root / ".clew"), str(at.spool), str(folder / "run"))
            yield from (f"{live}/{SESSIONS}" for live in lives(self._data, [at.root]))
            files = found_in(self._locators, project_at(at.root))
            recent = [one for one in files if now_ns - one.modified_ns < _RECENT_S * 1e9]
            recent.sort(key=lambda one: -one.modified_ns)
            yield from (str(one.path) for one in recent[:_NEWEST])


def _stamp(path: str) -> str:
    try:
        facts = os.stat(path)  # noqa: PTH116 - many times a second
    except (OSError, ValueError):
        return "-"
    return f"{facts.st_size}.{facts.st_mtime_ns}"


def event(name: str, data: str) -> str:
    """A server-sent event. A field ends at each line end that browsers know, so that no text makes another field."""
    lines = "".join(f"data: {line}\n" for line in _LINE_END.split(data))
    return f"event: {_LINE_END.sub(' ', name)}\n{lines}\n"


class Watch:
    """Looks (`now()` gives another text when something changed) for all pages that listen, and not while none does.
    `is_over`: the server ends.
    """

    def __init__(self, now: Callable[[], str], is_over: Callable[[], bool]) -> None:
        self._now = now
        self._is_over = is_over
        self._ears: set[asyncio.Event] = set()
        self._looks: asyncio.Task[None] | None = None

    async def changes(self, is_gone: Callable[[], Awaitable[bool]], *, is_behind: bool = False) -> AsyncIterator[str]:
        """An event each time that something changed, until whoever listens is gone or the server ends. `is_behind`:
        something changed since whoever listens last looked.
        """
        ear = asyncio.Event()
        if is_behind:
            ear.set()
        self._ears.add(ear)
        try:
            if self._looks is None or self._looks.done():
                mark = await asyncio.to_thread(self._now)
                self._looks = asyncio.create_task(self._look(mark))
            yield event("ready", "")
            while not self._is_over():
                try:
                    await asyncio.wait_for(ear.wait(), _BEAT_S)
                except TimeoutError:
                    if await is_gone():
                        return
                    yield event("beat", "")
                    continue
                ear.clear()
                if not self._is_over():
                    yield event("changed", str(time.time_ns() // 1_000_000))
        finally:
            self._ears.discard(ear)

    async def _look(self, mark: str) -> None:
        while self._ears and not self._is_over():
            await asyncio.sleep(TICK_S)
            now = self._now()
            if now != mark or self._is_over():
                mark = now
                for ear in self._ears:
                    ear.set()

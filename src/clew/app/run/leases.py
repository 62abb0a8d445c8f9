"""Who works at what on this machine: a small file beside the ledger for each round that is claimed, one for the run.

They say what only this machine can use (numbers of processes), so they are no events. Each names its holder by process
and start, and the first process of the client; who finds a holder gone ends what is left of that.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from clew.workspace.atomic import alone, delete, private_folder, replace
from clew.workspace.process_tree import end_orphan, started

_FOLDER: Final = "run"
_RUN: Final = "run.json"
_BYTES_MAX: Final = 64 << 10


class Name(NamedTuple):
    """One round of one attempt at a phase: the unit that is claimed. `task` and `phase` are ids; the `number` 0 is
    the whole attempt, which a worker claims.
    """

    task: str
    phase: str
    attempt: int
    number: int

    @property
    def mark(self) -> str:
        """What the environment of a client and of all that it starts holds, so that they are found again."""
        return f"{self.task}.{self.phase}.{self.attempt}.{self.number}"


class Pulse(NamedTuple):
    """What is seen of a client while it works. `act` is the last thing that it did. Tokens are those that no cache
    gave, `context` what the model was sent last; `time` is RFC 3339.
    """

    act: str = ""
    tokens: int = 0
    cents: int = 0
    context: int = 0
    time: str = ""


class LocalLeases:
    """Who works at what, in files of the folder `run` beside the ledger. A holder that is gone holds nothing."""

    def __init__(self, ledger: Path) -> None:
        self._folder = ledger.parent / _FOLDER
        self._me = [os.getpid(), started(os.getpid())]

    def begin(self, run: str) -> int:
        """Begin a run: 0, or the number of the process that is at one here and is alive. Raises `OSError`."""
        file = self._folder / _RUN
        with alone(file):
            there = _read(file)
            if _is_held(there) and there.get("holder") != self._me:
                return int(there["holder"][0])
            self._write(file, {"holder": self._me, "run": run})
        return 0

    def runs(self) -> int:
        """The process that is at a run here, 0 none."""
        there = _read(self._folder / _RUN)
        return int(there["holder"][0]) if _is_held(there) else 0

    def end(self) -> None:
        """The run is over."""
        with suppress(OSError):
            delete(self._folder / _RUN)

    def claim(self, name: Name) -> bool:
        file = self._file(name)
        with alone(file):
            there = _read(file)
            if _is_held(there) and there.get("holder") != self._me:
                return False
            if there:
                _end(name, there)
            self._write(file, {"holder": self._me, "name": list(name)})
        return True

    def began(self, name: Name, pid: int, when: str) -> None:
        file = self._file(name)
        self._write(file, {**_read(file), "client": [pid, when]})

    def heartbeat(self, name: Name, pulse: Pulse) -> bool:
        file = self._file(name)
        there = _read(file)
        if there.get("holder") != self._me:
            return False
        with suppress(OSError):
            self._write(file, {**there, "pulse": list(pulse)})
        return True

    def complete(self, name: Name) -> None:
        if _read(self._file(name)).get("holder") == self._me:
            with suppress(OSError):
                delete(self._file(name))

    def release(self, name: Name) -> bool:
        file = self._file(name)
        with alone(file):
            there = _read(file)
            if _is_held(there) and there.get("holder") != self._me:
                return False
            ended = _end(name, there)
            with suppress(OSError):
                delete(file)
        return ended

    def held(self) -> Collection[Name]:
        return frozenset(name for name, there in self._all() if _is_held(there) and there.get("holder") != self._me)

    def pulses(self) -> dict[Name, Pulse]:
        return {name: _pulse(there.get("pulse")) for name, there in self._all() if name.number and _is_held(there)}

    def _all(self) -> list[tuple[Name, dict[str, Any]]]:
        found = []
        for file in sorted(self._folder.glob("*.json")) if self._folder.is_dir() else ():
            there = _read(file)
            named = there.get("name")
            if file.name != _RUN and isinstance(named, list) and len(named) == len(Name._fields):
                found.append((Name(*named), there))
        return found

    def _file(self, name: Name) -> Path:
        return self._folder / f"{name.phase}.{name.attempt}.{name.number}.json"

    def _write(self, file: Path, value: dict[str, Any]) -> None:
        private_folder(self._folder)
        # Not forced to the disk: after the power went no process is alive that it names.
        replace(file, json.dumps(value).encode(), mode=0o600, durable=False)


def _end(name: Name, there: dict[str, Any]) -> bool:
    """End what is left of the client of a round; whether nothing is left."""
    pid, when = _process(there.get("client"))
    return end_orphan(pid, when, name.mark)


def _is_held(there: dict[str, Any]) -> bool:
    pid, when = _process(there.get("holder"))
    return bool(when) and started(pid) == when


def _process(value: object) -> tuple[int, str]:
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], int) and isinstance(value[1], str):
        return value[0], value[1]
    return 0, ""


def _pulse(value: object) -> Pulse:
    if not isinstance(value, list) or len(value) != len(Pulse._fields):
        return Pulse()
    act, tokens, cents, context, time = value
    tokens, cents, context = (one if isinstance(one, int) else 0 for one in (tokens, cents, context))
    return Pulse(str(act), tokens, cents, context, str(time))


def _read(file: Path) -> dict[str, Any]:
    """What a file holds; {} for none, and for one that cannot be read."""
    try:
        with file.open("rb") as stream:
            value = json.loads(stream.read(_BYTES_MAX))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}

"""Who works at what on this machine: a small file beside the ledger for each round that is claimed, one for the run.

They say what only this machine can use (numbers of processes), so they are no events. Each names its holder by process
and start, and the first process of the client; who finds a holder gone ends what is left of that.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

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


class LeaseFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a file says: its holder and the client, each by process and start, and the round (None: it is the run's)."""

    holder: tuple[int, str] = (0, "")
    client: tuple[int, str] = (0, "")
    name: Name | None = None
    pulse: Pulse = Pulse()

    @property
    def is_held(self) -> bool:
        """Whether the holder is alive."""
        pid, when = self.holder
        return bool(when) and started(pid) == when


class LocalLeases:
    """Who works at what, in files of the folder `run` beside the ledger. A holder that is gone holds nothing."""

    def __init__(self, ledger: Path) -> None:
        self._folder = ledger.parent / _FOLDER
        self._me = os.getpid(), started(os.getpid())

    def begin(self) -> int:
        """Begin a run: 0, or the number of the process that is at one here and is alive. Raises `OSError`."""
        file = self._folder / _RUN
        with alone(file):
            there = _read(file)
            if self._is_anothers(there):
                return there.holder[0]
            self._write(file, LeaseFile(self._me))
        return 0

    def runs(self) -> int:
        """The process that is at a run here, 0 none."""
        there = _read(self._folder / _RUN)
        return there.holder[0] if there.is_held else 0

    def end(self) -> None:
        """The run is over."""
        with suppress(OSError):
            delete(self._folder / _RUN)

    def claim(self, name: Name) -> bool:
        """Claim a round, and end what a holder that is gone left of it. False: somebody alive has it."""
        file = self._file(name)
        with alone(file):
            there = _read(file)
            if self._is_anothers(there):
                return False
            if file.is_file():
                end_orphan(*there.client, name.mark)
            self._write(file, LeaseFile(self._me, name=name))
        return True

    def began(self, name: Name, pid: int, when: str) -> None:
        """The client of a round that is ours has begun, as the process `pid`, which was started at `when`."""
        file = self._file(name)
        self._write(file, msgspec.structs.replace(_read(file), client=(pid, when)))

    def heartbeat(self, name: Name, pulse: Pulse) -> bool:
        """Tell what is seen of the client; False: the round is ours no more."""
        file = self._file(name)
        there = _read(file)
        if there.holder != self._me:
            return False
        with suppress(OSError):
            self._write(file, msgspec.structs.replace(there, pulse=pulse))
        return True

    def complete(self, name: Name) -> None:
        """Let go of a round that is ours."""
        if _read(self._file(name)).holder == self._me:
            with suppress(OSError):
                delete(self._file(name))

    def release(self, name: Name) -> bool:
        """End what is left of a round that nobody alive has; whether nothing is left of it."""
        file = self._file(name)
        with alone(file):
            there = _read(file)
            if self._is_anothers(there):
                return False
            ended = end_orphan(*there.client, name.mark)
            with suppress(OSError):
                delete(file)
        return ended

    def held(self) -> Collection[Name]:
        """The rounds that others have."""
        return frozenset(name for name, there in self._all() if self._is_anothers(there))

    def pulses(self) -> dict[Name, Pulse]:
        """What is seen of the clients that work now."""
        return {name: there.pulse for name, there in self._all() if name.number and there.is_held}

    def _is_anothers(self, there: LeaseFile) -> bool:
        return there.holder != self._me and there.is_held

    def _all(self) -> Iterator[tuple[Name, LeaseFile]]:
        for file in sorted(self._folder.glob("*.json")) if self._folder.is_dir() else ():
            there = _read(file)
            if there.name is not None:
                yield there.name, there

    def _file(self, name: Name) -> Path:
        return self._folder / f"{name.phase}.{name.attempt}.{name.number}.json"

    def _write(self, file: Path, value: LeaseFile) -> None:
        private_folder(self._folder)
        # Not forced to the disk: after the power went no process is alive that it names.
        replace(file, msgspec.json.encode(value), mode=0o600, durable=False)


def _read(file: Path) -> LeaseFile:
    """What a file says; that of nobody for none, and for one that cannot be read."""
    try:
        with file.open("rb") as stream:
            return msgspec.json.decode(stream.read(_BYTES_MAX), type=LeaseFile)
    except (OSError, msgspec.MsgspecError):
        return LeaseFile()

"""A writer that is going to be killed: `python -m tests.ledger.crash.writer LEDGER SEED [POINT]`.

It changes the ledger for ever, in ways that follow from SEED, and says on stdout what it was told is kept, a line each:

    batch N COUNT       events whose actor is "N part of COUNT" (state, activity or both)
    extract S EXTENT    the extract of session S that read EXTENT bytes
    purge WORD          every occurrence of WORD is gone

A line is written after the ledger's call has returned, never before. Before a purge it says `purging WORD`.
POINT is where it kills itself: `commit:N` before the N-th commit, `step:N` after N times 50 steps of SQLite's machine,
`write:N` or `sync:N` in the N-th write to or sync of a file; without it, somebody else does.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import sys
from pathlib import Path

import apsw

from clew.core.state.events import Event
from clew.ledger.port import Ledger
from clew.ledger.sqlite.opening import open_ledger
from tests.ledger.given import checkpoint, named, read_off, seen, stated

# The file system that is the default one.
SYSTEM = apsw.vfs_names()[0]
TASKS = ("", named("T", 1), named("T", 2))


class Dying:
    """Kills this process when it was asked for the n-th time."""

    def __init__(self, left: int) -> None:
        self._left = left

    def __call__(self) -> bool:
        self._left -= 1
        if self._left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return False


class DyingDisk(apsw.VFS):
    """The system's files, until the n-th write or sync. What is asked last is half done."""

    def __init__(self, what: str, die: Dying) -> None:
        super().__init__("dying", SYSTEM, makedefault=True)
        self.what, self.die = what, die

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        return DyingFile(name, flags, self)


class DyingFile(apsw.VFSFile):
    """A file of `DyingDisk`."""

    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], disk: DyingDisk) -> None:
        super().__init__(SYSTEM, name, flags)
        self._disk = disk

    def xWrite(self, data: bytes, offset: int) -> None:
        if self._disk.what == "write":
            if self._disk.die._left == 1:
                super().xWrite(bytes(data)[: len(data) // 2], offset)
            self._disk.die()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        if self._disk.what == "sync":
            self._disk.die()
        super().xSync(flags)


def arm(point: str) -> None:
    """Prepare every connection that is opened from now on."""
    what, _, number = point.partition(":")
    die = Dying(int(number))
    if what == "commit":
        apsw.connection_hooks.append(lambda connection: connection.set_commit_hook(die))
    elif what == "step":
        apsw.connection_hooks.append(lambda connection: connection.set_progress_handler(die, 50))
    else:
        globals()["_disk"] = DyingDisk(what, die)
        # A file system that is written in Python has no shared memory; alone at the file SQLite needs none.
        apsw.connection_hooks.append(lambda connection: connection.pragma("locking_mode", "exclusive"))


def say(*words: object) -> None:
    """One line to whoever reads; whole, since it is short."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def work(ledger: Ledger, seed: str) -> None:
    """Change the ledger for ever."""
    chance = random.Random(seed)
    extent = {}
    for number in itertools.count():
        name = f"{seed}.{number}"
        task = chance.choices(TASKS, [6, 1, 1])[0]  # so that one of them is worth a snapshot
        act = chance.choices(["state", "activity", "both", "checkpoint", "extract", "assign", "fold", "purge"],
                             [8, 4, 3, 2, 4, 1, 3, 1])[0]  # fmt: skip
        count = chance.choice((1, 2, 3, 5, 40))
        if act in ("state", "activity", "both", "checkpoint"):
            count = 1 if act == "checkpoint" else count
            kinds = {"state": [_state], "activity": [_activity], "both": [_state, _activity],
                     "checkpoint": [_checkpoint]}[act]  # fmt: skip
            batch(ledger, name, [chance.choice(kinds)(f"{name}.{part}", chance, task) for part in range(count)])
        elif act == "extract":
            session = f"s{chance.randrange(4)}-{seed}"
            extent[session] = extent.get(session, 0) + chance.randint(1, 50)
            texts = [f"{session}@{extent[session]}#{count}", *(f"{name} item {part}" for part in range(count))]
            ledger.take_in(read_off(session, extent[session], *texts, task=task))
            say("extract", session, extent[session])
        elif act == "assign":
            ledger.assign(f"s0-{seed}", task)
        elif act == "fold":
            ledger.fold(task)
        else:
            word = f"hunter{seed.replace('.', 's')}n{number}z"  # no word is the beginning of another
            batch(ledger, name, [stated(f"{word} is it", name, part, task=task) for part in range(2)])
            ledger.take_in(read_off(f"p-{name}", 1, f"{word} said", "and more"))
            say("purging", word)
            ledger.purge(named("D", f"{word} is it", name, 0), [word])
            say("purge", word)


def batch(ledger: Ledger, name: str, events: list[Event]) -> None:
    """Append events that tell of which batch they are a part."""
    count = len(events)
    ledger.append([event._replace(actor=f"{name} {part} of {count}") for part, event in enumerate(events)])
    say("batch", name, count)


def _state(name: str, chance: random.Random, task: str) -> Event:
    return stated(name + "x" * chance.choice((0, 10, 3000)), task=task)


def _activity(name: str, chance: random.Random, task: str) -> Event:
    return seen(name)._replace(task=task)


def _checkpoint(name: str, chance: random.Random, task: str) -> Event:
    return checkpoint(name, task=task)


def main() -> None:
    """Open the ledger and work."""
    path, seed, *point = sys.argv[1:]
    for one in point:
        arm(one)
    work(open_ledger(Path(path), write=True), seed)


if __name__ == "__main__":
    main()

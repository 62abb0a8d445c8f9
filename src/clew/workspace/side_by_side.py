"""The same work on many things, on all cores: forked processes that hand their results back through pipes, in order.

Knows nothing of the work. Only where a fork is cheap and sound (Linux); elsewhere the work is done here, one by one.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from typing import BinaryIO, Final, TypeVar

Thing = TypeVar("Thing")
Result = TypeVar("Result")
_WORKERS_MAX: Final = 8


def side_by_side(
    work: Callable[[Thing], Result], things: Sequence[Thing], *, many: bool
) -> Generator[Result, None, None]:
    """`work` on each of `things`, the results in their order. `many`: it is worth more than one process.

    Results are pickled; `work` has no effect but its result, and raises nothing. What a process that ended early owes
    is worked out here.
    """
    count = min(_cores(), _WORKERS_MAX, len(things)) if many and sys.platform == "linux" else 1
    if count < 2:
        yield from map(work, things)
        return
    workers: list[tuple[int, BinaryIO]] = []
    try:
        for number in range(count):
            workers.append(_started(work, things[number::count], [pipe for _, pipe in workers]))
        for at, thing in enumerate(things):
            yield _next(workers[at % count][1], work, thing)
    finally:
        for pid, pipe in workers:
            pipe.close()  # one that still writes ends
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _next(pipe: BinaryIO, work: Callable[[Thing], Result], thing: Thing) -> Result:
    try:
        result: Result = pickle.load(pipe)
    except (EOFError, pickle.UnpicklingError):
        return work(thing)
    return result


def _started(
    work: Callable[[Thing], Result], things: Sequence[Thing], others: Sequence[BinaryIO]
) -> tuple[int, BinaryIO]:
    """A process that works on `things` one after the other. It leaves without any of the parent's ends: what that has
    open is not its own.
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, os.fdopen(reading, "rb")
    try:
        os.close(reading)
        for pipe in others:
            os.close(pipe.fileno())
        with os.fdopen(writing, "wb") as out:
            for thing in things:
                pickle.dump(work(thing), out, protocol=pickle.HIGHEST_PROTOCOL)
    finally:
        os._exit(0)


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))

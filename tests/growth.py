"""What work costs, compared with what other work costs here and now: in time, or in calls, which no machine changes.

No limit in seconds: a busy machine or a slow one would fail it. Counted is the process's own time, in rounds. Noise
only adds to it, so more rounds bring both minima to what is true: a busy machine needs more of them, and cost that
grows too fast fails after all of them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TypeVar

Given = TypeVar("Given")

ROUNDS_MAX = 12
# Four times as much may cost ten times as much: the square costs sixteen times.
MORE, MORE_COST_MAX = 4, 10
# What the yardstick is taken for at least: below, it is the clock's grain.
FLOOR_S = 0.002


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def calls(work: Callable[[], object]) -> int:
    """How many calls `work` makes, with each turn of a generator: the same number every time."""
    counted = 0

    def count(_frame: object, event: str, _given: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return counted


def costs_at_most(times: float, work: Callable[[], object], yardstick: Callable[[], object]) -> None:
    """Fail when `work` costs more than so many `times` the yardstick in each round."""
    yardstick()
    small = large = float("inf")
    for _ in range(ROUNDS_MAX):
        small = min(small, _seconds(yardstick))
        large = min(large, _seconds(work))
        if large <= times * max(small, FLOOR_S):
            return
    raise AssertionError(f"it cost {large:.3f} s, {large / small:.0f} times the {small:.4f} s of its yardstick")


def in_proportion(made: Callable[[int], Given], work: Callable[[Given], object], size: int) -> None:
    """Fail when `work` on what is `made` in four times the size costs like the square of the size, or more."""
    short, long = made(size), made(MORE * size)
    costs_at_most(MORE_COST_MAX, lambda: work(long), lambda: work(short))


def calls_in_proportion(made: Callable[[int], Given], work: Callable[[Given], object], size: int) -> None:
    """Fail when `work` on what is `made` in four times the size makes more than five times as many calls."""
    short, long = made(size), made(MORE * size)
    few, many = calls(lambda: work(short)), calls(lambda: work(long))
    assert many <= (MORE + 1) * few, f"it made {many:,} calls for {MORE} times what took {few:,}"

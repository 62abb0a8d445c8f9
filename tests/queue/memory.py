"""A queue in memory: the reference that says what is meant, for one process."""

from __future__ import annotations

from collections.abc import Callable, Collection
from threading import RLock
from typing import Final

from clew.core.errors import NotFound
from clew.core.state.events import timestamp
from clew.queue.port import OVER, Claim, Job, JobState, Order, Refused, check_tags

_LOST: Final = "it gave no sign of life"


class _Kept:
    """A job as it stands. `at_ms` is when the lease ends, or when it may be claimed."""

    def __init__(self, order: Order, at_ms: int) -> None:
        self.order = order
        self.state: JobState = "waiting"
        self.worker = ""
        self.since_ms = self.at_ms = at_ms
        self.attempts = 0
        self.result = ""


class MemoryQueue:
    """`Queue`; threads may share it. `now_ms` is its clock."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._jobs: dict[str, _Kept] = {}
        self._lock = RLock()

    def put(self, order: Order) -> str:
        check_tags(order.tags)
        with self._lock:
            for name, one in self._jobs.items():
                if one.order.key == order.key and one.state not in OVER:
                    return name
            name = str(len(self._jobs) + 1)
            self._jobs[name] = _Kept(order, self._now_ms())
            return name

    def claim(self, worker: str, tags: Collection[str], lease_s: int) -> Claim | None:
        with self._lock:
            now_ms = self._now_ms()
            for name, one in self._jobs.items():
                if one.state in OVER or one.at_ms > now_ms or not set(one.order.tags) <= set(tags):
                    continue
                if one.state == "working":
                    one.result = _LOST
                one.state, one.worker, one.attempts = "working", worker, one.attempts + 1
                one.since_ms, one.at_ms = now_ms, now_ms + lease_s * 1000
                return Claim(name, str(one.attempts), one.order, one.attempts)
        return None

    def extend(self, claim: Claim, lease_s: int) -> None:
        with self._lock:
            self._held(claim).at_ms = self._now_ms() + lease_s * 1000

    def complete(self, claim: Claim, result: str) -> None:
        with self._lock:
            one = self._held(claim)
            one.state, one.result = "done", result

    def release(self, claim: Claim, after_s: float, why: str) -> None:
        with self._lock:
            one = self._held(claim)
            one.state, one.worker, one.result = "waiting", "", why
            one.at_ms = self._now_ms() + int(after_s * 1000)

    def cancel(self, job: str) -> None:
        with self._lock:
            if job not in self._jobs:
                raise NotFound(f"there is no job {job}", code="E-worker-job")
            if self._jobs[job].state not in OVER:
                self._jobs[job].state = "cancelled"

    def jobs(self) -> tuple[Job, ...]:
        with self._lock:
            return tuple(self._told(name, one) for name, one in self._jobs.items())

    def close(self) -> None:
        """Nothing is kept open."""

    def _held(self, claim: Claim) -> _Kept:
        one = self._jobs[claim.job]
        if one.state != "working" or str(one.attempts) != claim.token:
            raise Refused(f"{claim.job} is {one.state}")
        return one

    def _told(self, name: str, one: _Kept) -> Job:
        is_late = one.at_ms <= self._now_ms()
        working = one.state == "working"
        until = timestamp(one.at_ms) if working or (one.state == "waiting" and not is_late) else ""
        state: JobState = "lost" if working and is_late else one.state
        since = timestamp(one.since_ms) if working else ""
        return Job(name, one.order, state, one.worker if working else "", since, until, one.attempts, one.result)

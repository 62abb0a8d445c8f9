"""A claim that is held by signs of life, in a thread of its own, until it is refused or nobody answers for too long."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from threading import Event, Thread
from typing import Final, Self

from clew.core.errors import LedgerError
from clew.queue.port import Claim, Queue, Refused

_BEATS: Final = 3


class Lease:
    """While one is in it, the claim is extended three times in each `lease_s`. `since` is `monotonic()` from before it
    was claimed.
    """

    def __init__(
        self, open_queue: Callable[[], Queue], claim: Claim, lease_s: int, since: float, monotonic: Callable[[], float]
    ) -> None:
        self._open_queue, self._claim, self._lease_s, self._monotonic = open_queue, claim, lease_s, monotonic
        self._until = since + lease_s
        self._refused = ""
        self._over = Event()
        self._thread = Thread(target=self._beat, daemon=True, name="lease")

    def lost(self) -> str:
        """Why the phase may be somebody else's by now, "" it is not."""
        if not self._refused and self._monotonic() > self._until:
            return f"there was no sign of life for {self._lease_s} seconds, so that another worker may have it"
        return self._refused

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def _beat(self) -> None:
        pause = self._lease_s / _BEATS
        while not self._over.wait(pause) and not self._refused:
            try:
                with closing(self._open_queue()) as queue:
                    pause = self._beaten(queue)
            except LedgerError:
                pause = self._lease_s / _BEATS / 4

    def _beaten(self, queue: Queue) -> float:
        """Give signs of life until it is over, or refused: how long to pause then."""
        pause = 0.0
        while not self._over.wait(pause):
            asked = self._monotonic()
            try:
                queue.extend(self._claim, self._lease_s)
            except Refused as error:
                self._refused = f"the phase was given to another worker, or cancelled ({error})"
                break
            self._until = asked + self._lease_s
            pause = self._lease_s / _BEATS
        return 0.0

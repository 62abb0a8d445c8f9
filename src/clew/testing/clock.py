"""A clock and chance that a test sets: the same every time."""

from __future__ import annotations

from hashlib import blake2b


class Clock:
    """Milliseconds since 1970 that move when told to; `clock()` reads it."""

    def __init__(self, now_ms: int = 1_795_305_600_000) -> None:
        self.now_ms = now_ms

    def __call__(self) -> int:
        return self.now_ms

    def tick(self, ms: int = 1) -> int:
        """Let `ms` milliseconds pass (negative: the clock goes back); the new time."""
        self.now_ms += ms
        return self.now_ms


class Chance:
    """Bytes that look like chance and are the same in each run with one `seed`."""

    def __init__(self, seed: str = "") -> None:
        self._seed = seed
        self._drawn = 0

    def __call__(self, count: int) -> bytes:
        self._drawn += 1
        return blake2b(f"{self._seed}:{self._drawn}".encode(), digest_size=count).digest()

"""Fresh identities, each later than the one before."""

from collections.abc import Callable
from typing import Final

from clew.core.state.ids import drawn, ulid

_CHANCE_BYTES: Final = 10


class Identities:
    """Draws identities. `now_ms` is the time in milliseconds since 1970, `chance(n)` n random bytes.

    What is drawn later is later: of two in one millisecond, or when the clock goes back, the second is the greater (the
    monotonic way of the ULID's specification).
    """

    def __init__(self, now_ms: Callable[[], int], chance: Callable[[int], bytes]) -> None:
        self._now_ms = now_ms
        self._chance = chance
        self._last_ms = 0
        self._last_chance = bytes(_CHANCE_BYTES)

    def short(self, letter: str) -> str:
        """Of an item (the letter of its kind), a task (T) or a checkpoint (K)."""
        return f"{letter}-{drawn(self._chance(_CHANCE_BYTES))}"

    def next(self) -> tuple[int, str]:
        """Of an event: when it is (milliseconds since 1970), and its ULID."""
        now_ms = max(self._now_ms(), self._last_ms)
        if now_ms > self._last_ms:
            self._last_ms, self._last_chance = now_ms, self._chance(_CHANCE_BYTES)
        else:
            following = int.from_bytes(self._last_chance, "big") + 1
            self._last_chance = (following % (1 << 8 * _CHANCE_BYTES)).to_bytes(_CHANCE_BYTES, "big")
        return now_ms, ulid(now_ms, self._last_chance)

"""Pace: how long answers take, and what the next turn will use. Pure."""

from collections import deque
from datetime import datetime
from statistics import median
from typing import Final, NamedTuple

from clew.core.cost.uses import UsageFold
from clew.core.records.transcript import Usage

_SHOWN: Final = 8
_ANSWERS_MAX: Final = 400
_LONG_S: Final = 10.0
_SLOWER: Final = 2.0
_TURNS: Final = 5


class Pace(NamedTuple):
    """Seconds until an answer begins: the median of the first and of the last answers since the context was empty, of
    `answers` in all; 0 unknown.
    """

    first_s: float = 0.0
    last_s: float = 0.0
    answers: int = 0

    @property
    def is_slower(self) -> bool:
        """Whether answers take much longer than they did."""
        return self.last_s >= _LONG_S and self.last_s >= _SLOWER * self.first_s > 0


class Turns(NamedTuple):
    """What one turn used lately, on average: `responses`, and tokens of them; `cache_read` is by the context now."""

    responses: float = 0.0
    input: int = 0
    cache_write: int = 0
    cache_read: int = 0
    output: int = 0


def seconds(time: str) -> float | None:
    """Seconds since 1970 of a record's time; None where there is none."""
    try:
        return datetime.fromisoformat(time).timestamp() if time else None
    except (ValueError, OverflowError, OSError):
        return None


class Meter:
    """Goes through the usage of the main chain. `said(seconds)` are times of records, None unknown."""

    def __init__(self) -> None:
        self._waits: list[float] = []
        self._asked: float | None = None
        self._turns: deque[UsageFold] = deque(maxlen=_TURNS)

    def emptied(self) -> None:
        """The context was dropped: answers are counted anew."""
        self._waits.clear()
        self._asked = None

    def began(self) -> None:
        """A turn begins."""
        self._turns.append(UsageFold())

    def asked(self, seconds: float | None) -> None:
        """Something was given to the model."""
        self._asked = seconds

    def answered(self, seconds: float | None) -> None:
        """The model began to answer."""
        if self._asked is not None and seconds is not None and 0 <= seconds - self._asked < 3600:
            self._waits.append(seconds - self._asked)
            if len(self._waits) > _ANSWERS_MAX:
                del self._waits[_SHOWN]
        self._asked = None

    def used(self, usage: Usage) -> None:
        """Count a response."""
        if not self._turns:
            self.began()
        self._turns[-1].add([usage])

    @property
    def pace(self) -> Pace:
        """How long answers take."""
        if len(self._waits) < 2 * _SHOWN:
            return Pace(answers=len(self._waits))
        first, last = median(self._waits[:_SHOWN]), median(self._waits[-_SHOWN:])
        return Pace(round(first, 1), round(last, 1), len(self._waits))

    def next_turn(self, context: int) -> Turns:
        """What a turn like the last ones uses with a context of so many tokens."""
        done = [turn.total() for turn in self._turns if turn.responses]
        if not done:
            return Turns()
        count = len(done)
        responses, given, written, _, out = (sum(column) / count for column in zip(*done, strict=True))
        # What a client keeps in no cache is given anew with each response.
        is_cached = given < responses * context / 2
        read = int(responses * context) if is_cached else 0
        fresh = int(given if is_cached else responses * context)
        return Turns(round(responses, 1), fresh, int(written), read, int(out))

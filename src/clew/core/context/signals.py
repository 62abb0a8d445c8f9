"""Signals: what a session's records tell of how it goes, beside the size of its context. Pure;
docs/reference/pressure.md.

Each signal is a count with the thing that it is about, so that whoever reads it can look for himself. Of those that
go by words (corrections, vague replies) and of a changed topic the page says how often they are right.
"""

import re
from collections import deque
from collections.abc import Iterable
from datetime import datetime
from statistics import median
from typing import Final, NamedTuple

from clew.core.context.exchange import corrects, files_of, is_elsewhere, is_vague
from clew.core.context.loops import Loops, Signal, most
from clew.core.cost.uses import UsageFold
from clew.core.records.todos import TodoList
from clew.core.records.transcript import (
    Call,
    Compaction,
    Context,
    Edit,
    Model,
    Prompt,
    Read,
    Record,
    Reply,
    Result,
    Usage,
)
from clew.core.text.cleaning import one_line, shorten

REREAD_MIN: Final = 3
ALIKE_MIN: Final = 3
TURNS_SHOWN: Final = 5
# Of so many last exchanges corrections, empty ones and vague answers are counted.
EXCHANGES: Final = 10
_ALIKE_SHARE: Final = 0.9
_ALIKE_WORDS_MIN: Final = 6
_ALIKE_BACK: Final = 6
_PROMPT_CHARS: Final = 120
_WORD: Final = re.compile(r"\w+")


class TurnSpan(NamedTuple):
    """From a prompt to the next: times of its first and last record, and the context at its end (0 unknown)."""

    first_time: str
    last_time: str
    context: int


class Manner(NamedTuple):
    """What an exchange was: its message corrects what came before, its last words tell nothing, its files have nothing
    to do with those before. `subject` is the beginning of the message.
    """

    subject: str
    corrects: bool = False
    vague: bool = False
    elsewhere: tuple[str, ...] = ()


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


class Signals(NamedTuple):
    """What the records of the main chain tell; None for a signal that is not there.

    `model`: that of the last answer, "" unknown. `context`: tokens of the context now, `largest` the largest one,
    `window` the model's as the client tells it, 0 unknown. `turns` are those since the context was last empty.
    `failing`: a command that fails again and again with the same words, and did not pass since. `undone`: a file in
    which one edit was taken back and made again so often. `reread`: a file that was read again though nothing changed
    it. `alike`: replies that say the same. `step`: the to-do entry under way, "" none. `edited`: time of the last edit
    or commit, "" none. `repeated`: another call that comes to the same again and again. `exchanges` are the last ones,
    ten at most, the newest last. `topic`: the files that the newest exchange turned to. `pace`: how long answers take;
    `next_turn`: what one more turn will use.
    """

    model: str
    context: int
    largest: int
    compactions: int
    prompts: int
    turns: tuple[TurnSpan, ...]
    failing: Signal | None
    undone: Signal | None
    reread: Signal | None
    alike: Signal | None
    step: str
    edited: str
    repeated: Signal | None = None
    exchanges: tuple[Manner, ...] = ()
    pace: Pace = Pace()
    next_turn: Turns = Turns()
    window: int = 0

    @property
    def growth(self) -> int:
        """Tokens by which the context grew with each of the last turns, on average; 0 unknown."""
        sizes = [turn.context for turn in self.turns if turn.context][-TURNS_SHOWN - 1 :]
        return max(0, (sizes[-1] - sizes[0]) // (len(sizes) - 1)) if len(sizes) > 1 else 0

    @property
    def corrections(self) -> int:
        """How many of the last ten messages correct what came before."""
        return sum(one.corrects for one in self.exchanges)

    @property
    def vague(self) -> int:
        """How many of the last ten exchanges ended with words that tell nothing."""
        return sum(one.vague for one in self.exchanges)

    @property
    def topic(self) -> tuple[str, ...]:
        """The files that the newest exchange turned to, () none."""
        return self.exchanges[-1].elsewhere if self.exchanges else ()


class SignalWatch:
    """Goes through a session's records in the order of its file. What sub-agents did is passed over."""

    def __init__(self) -> None:
        self._model = ""
        self._context = 0
        self._largest = 0
        self._window = 0
        self._compactions = 0
        self._prompts = 0
        self._edited = ""
        self._turns: list[TurnSpan] = []
        self._calls: dict[str, list[Call]] = {}
        self._loops = Loops()
        self._meter = Meter()
        self._folder = ""
        # Of the exchange under way: its message, files, those of them that were changed, last words; files before it.
        self._message = Manner("")
        self._files: set[str] = set()
        self._changed: set[str] = set()
        self._words = ""
        self._before: set[str] = set()
        self._exchanges: deque[Manner] = deque(maxlen=EXCHANGES)
        self._reads: dict[str, int] = {}
        self._replies: deque[frozenset[str]] = deque(maxlen=_ALIKE_BACK)
        self._alike: Signal | None = None
        self._todos = TodoList()

    def add(self, records: Iterable[Record]) -> None:
        """Take in more of the session."""
        for record in records:
            if not record.agent:
                self._todos.take([record])
                self._add(record)

    def signals(self) -> Signals:
        """What the records so far tell."""
        rereads = {path: times - 1 for path, times in self._reads.items()}
        return Signals(
            self._model,
            self._context,
            self._largest,
            self._compactions,
            self._prompts,
            tuple(self._turns),
            self._loops.failing,
            self._loops.undone,
            most(rereads, REREAD_MIN),
            self._alike,
            next((one.text for one in self._todos.entries if one.status == "in_progress"), ""),
            self._edited,
            self._loops.repeated,
            (*self._exchanges, *([now] if (now := self._now()) else []))[-EXCHANGES:],
            self._meter.pace,
            self._meter.next_turn(self._context),
            self._window,
        )

    def _add(self, record: Record) -> None:
        if isinstance(record, Context):  # it stands before a prompt, with the prompt's time
            self._folder = record.cwd or self._folder
            return
        if isinstance(record, Model):
            self._model = record.name
            return
        if isinstance(record, Prompt):
            self._prompted(record)
            self._turns.append(TurnSpan(record.time, record.time, 0))
            return
        if isinstance(record, Compaction):
            self._dropped(record)
            return
        if isinstance(record, Usage):
            self._used(record)
        elif isinstance(record, Call):
            self._meter.answered(seconds(record.time))
            same = [call for call in self._calls.get(record.id, ()) if call.at == record.at]
            self._calls[record.id] = [*same, record]  # one call can do several things, told in one line
        elif isinstance(record, Result):
            self._meter.asked(seconds(record.time))
            for call in self._calls.pop(record.call, ()):
                self._returned(call, record)
        elif isinstance(record, Reply):
            self._meter.answered(seconds(record.time))
            self._replied(record)
        if record.time:
            first = self._turns[-1].first_time if self._turns else record.time
            turn = TurnSpan(first or record.time, record.time, self._context)
            self._turns[-1:] = [turn]

    def _used(self, record: Usage) -> None:
        tokens = record.context
        if tokens:  # an answer that the client made up itself used nothing
            self._context = tokens
            self._largest = max(self._largest, tokens)
            self._model = record.model or self._model
            self._window = record.window or self._window
            self._meter.used(record)

    def _dropped(self, record: Compaction) -> None:
        """The context is small again: what was read is read again with good reason, and turns count from here."""
        if record.trigger == "micro":
            return
        self._compactions += 1
        self._largest = max(self._largest, record.tokens_before)
        self._context = record.tokens_after
        self._reads.clear()
        self._meter.emptied()
        self._turns = [TurnSpan(record.time, record.time, record.tokens_after)]

    def _prompted(self, record: Prompt) -> None:
        if now := self._now():
            self._exchanges.append(now)
        self._before |= self._files
        self._files, self._changed, self._words = set(), set(), ""
        is_typed = record.source == "typed"
        about = shorten(one_line(record.text[: 2 * _PROMPT_CHARS]), _PROMPT_CHARS)
        self._message = Manner(about, corrects=is_typed and self._prompts > 0 and corrects(record.text))
        self._prompts += 1
        self._meter.began()
        self._meter.asked(seconds(record.time))

    def _now(self) -> Manner | None:
        """What the exchange under way was so far; None before the first message."""
        if not self._prompts:
            return None
        files = tuple(sorted(self._changed or self._files)) if is_elsewhere(self._files, self._before) else ()
        return self._message._replace(vague=is_vague(self._words), elsewhere=files)

    def _returned(self, call: Call, result: Result) -> None:
        action = call.action
        has_changed = self._loops.returned(call, result)
        if result.outcome == "ok" and self._prompts:
            files, are_edited = files_of(action, self._folder)
            self._files |= files
            self._changed |= files if are_edited else set()
        if result.outcome == "ok" and isinstance(action, Read):
            place = f"{action.path}\0{action.first}\0{action.last}"
            self._reads[place] = self._reads.get(place, 0) + 1
        if has_changed:
            self._reached(action, result)

    def _reached(self, action: object, result: Result) -> None:
        """Something was done: words that come again after it are no empty ones."""
        if isinstance(action, Edit):
            for place in [place for place in self._reads if place.partition("\0")[0] == action.path]:
                del self._reads[place]
        self._edited = result.time or self._edited
        self._replies.clear()
        self._alike = None

    def _replied(self, record: Reply) -> None:
        self._words = record.text
        words = frozenset(_WORD.findall(record.text.lower()))
        if len(words) < _ALIKE_WORDS_MIN:
            return
        alike = sum(len(words & one) >= _ALIKE_SHARE * len(words | one) for one in self._replies) + 1
        if alike >= ALIKE_MIN:
            self._alike = Signal(record.text, alike)
        self._replies.append(words)


_SHOWN: Final = 8
_ANSWERS_MAX: Final = 400
_LONG_S: Final = 10.0
_SLOWER: Final = 2.0
_TURNS: Final = 5


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
        """The context was dropped: answers are counted again."""
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
        # What a client keeps in no cache is given again with each response.
        is_cached = given < responses * context / 2
        read = int(responses * context) if is_cached else 0
        fresh = int(given if is_cached else responses * context)
        return Turns(round(responses, 1), fresh, int(written), read, int(out))

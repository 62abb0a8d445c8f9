"""Signals: what a session's records tell of how it goes, beside the size of its context. Pure;
docs/reference/pressure.md.

Each signal is a count with the thing that it is about, so that whoever reads it can look for himself. Nothing is
guessed: what rules cannot tell surely (a changed topic, vague replies) is no signal here.
"""

import re
from collections.abc import Iterable
from hashlib import blake2b
from typing import Final, NamedTuple

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
    Run,
    Todos,
    Usage,
)
from clew.core.records.usage import context_tokens
from clew.core.text.cleaning import one_line

FAILING_MIN: Final = 3
UNDONE_MIN: Final = 2
REREAD_MIN: Final = 3
ALIKE_MIN: Final = 3
TURNS_SHOWN: Final = 5
_ALIKE_SHARE: Final = 0.9
_ALIKE_WORDS_MIN: Final = 6
_ALIKE_BACK: Final = 6
_END_CHARS: Final = 4000
# A loop that was left is none: what counts as one happened among so many last results.
_RECENT_RESULTS: Final = 20
_EDITS_MAX: Final = 50
# What differs from run to run though nothing changed: times, durations, addresses, temporary names.
_CHANCE: Final = re.compile(r"\d+[.:]\d[\d.:]*|0x[0-9a-fA-F]+|\b[0-9a-f]{8,}\b|(?<=/)tmp[\w.-]*")
_WORD: Final = re.compile(r"\w+")
_COMMIT: Final = "git commit"


class Signal(NamedTuple):
    """Something that happened `times` times: a command, a path, the beginning of a reply."""

    subject: str
    times: int


class Turn(NamedTuple):
    """From a prompt to the next: times of its first and last record, and the context at its end (0 unknown)."""

    first_time: str
    last_time: str
    context: int


class Signals(NamedTuple):
    """What the records of the main chain tell; None for a signal that is not there.

    `model`: that of the last answer, "" unknown. `context`: tokens of the context now, `largest` the largest one, 0
    unknown. `turns` are those since the context was last empty. `failing`: a command that fails again and again with
    the same words, and did not pass since. `undone`: a file in which one edit was taken back and made again so often.
    `reread`: a file that was read again though nothing changed it. `alike`: replies that say the same. `step`: the
    to-do entry under way, "" none. `edited`: time of the last edit or commit, "" none.
    """

    model: str
    context: int
    largest: int
    compactions: int
    prompts: int
    turns: tuple[Turn, ...]
    failing: Signal | None
    undone: Signal | None
    reread: Signal | None
    alike: Signal | None
    step: str
    edited: str

    @property
    def growth(self) -> int:
        """Tokens by which the context grew with each of the last turns, on average; 0 unknown."""
        sizes = [turn.context for turn in self.turns if turn.context][-TURNS_SHOWN - 1 :]
        return max(0, (sizes[-1] - sizes[0]) // (len(sizes) - 1)) if len(sizes) > 1 else 0


class _Streak(NamedTuple):
    """How often, and at which result the last time; `said` tells failures from others of the same command."""

    times: int
    at: int
    said: bytes = b""


class Watch:
    """Goes through a session's records in the order of its file. What sub-agents did is passed over."""

    def __init__(self) -> None:
        self._model = ""
        self._context = 0
        self._largest = 0
        self._compactions = 0
        self._prompts = 0
        self._edited = ""
        self._turns: list[Turn] = []
        self._calls: dict[str, list[Call]] = {}
        self._results = 0
        self._failures: dict[str, _Streak] = {}
        self._edits: dict[str, list[tuple[bytes, bytes]]] = {}
        self._undone: dict[str, _Streak] = {}
        self._reads: dict[str, int] = {}
        self._replies: list[tuple[str, frozenset[str]]] = []
        self._alike: Signal | None = None
        self._todos: dict[str, tuple[str, str]] = {}

    def add(self, records: Iterable[Record]) -> None:
        """Take in more of the session."""
        for record in records:
            if not record.agent:
                self._add(record)

    def signals(self) -> Signals:
        """What the records so far tell."""
        recent = self._results - _RECENT_RESULTS
        failing = {command: one.times for command, one in self._failures.items() if one.at > recent}
        undone = {path: one.times for path, one in self._undone.items() if one.at > recent}
        rereads = {path: times - 1 for path, times in self._reads.items()}
        return Signals(
            self._model,
            self._context,
            self._largest,
            self._compactions,
            self._prompts,
            tuple(self._turns),
            _most(failing, FAILING_MIN),
            _most(undone, UNDONE_MIN),
            _most(rereads, REREAD_MIN),
            self._alike,
            next((text for text, status in self._todos.values() if status == "in_progress"), ""),
            self._edited,
        )

    def _add(self, record: Record) -> None:
        if isinstance(record, Context):  # it stands before a prompt, with the prompt's time
            return
        if isinstance(record, Model):
            self._model = record.name
            return
        if isinstance(record, Prompt):
            self._prompts += 1
            self._turns.append(Turn(record.time, record.time, 0))
            return
        if isinstance(record, Compaction):
            self._dropped(record)
            return
        if isinstance(record, Usage):
            self._used(record)
        elif isinstance(record, Call):
            same = [call for call in self._calls.get(record.id, ()) if call.at == record.at]
            self._calls[record.id] = [*same, record]  # one call can do several things, told in one line
        elif isinstance(record, Result):
            for call in self._calls.pop(record.call, ()):
                self._returned(call, record)
        elif isinstance(record, Reply):
            self._replied(record)
        if record.time:
            first = self._turns[-1].first_time if self._turns else record.time
            turn = Turn(first or record.time, record.time, self._context)
            self._turns[-1:] = [turn]

    def _used(self, record: Usage) -> None:
        tokens = context_tokens(record)
        if tokens:  # an answer that the client made up itself used nothing
            self._context = tokens
            self._largest = max(self._largest, tokens)
            self._model = record.model or self._model

    def _dropped(self, record: Compaction) -> None:
        """The context is small again: what was read is read again with good reason, and turns count from here."""
        if record.trigger == "micro":
            return
        self._compactions += 1
        self._largest = max(self._largest, record.tokens_before)
        self._context = record.tokens_after
        self._reads.clear()
        self._turns = [Turn(record.time, record.time, record.tokens_after)]

    def _returned(self, call: Call, result: Result) -> None:
        self._results += 1
        action = call.action
        if isinstance(action, Run):
            self._ran(one_line(action.command), result)
        elif isinstance(action, Todos):
            self._listed(action, result)
        elif result.outcome != "ok":
            return
        elif isinstance(action, Edit):
            self._changed(action)
            self._reached(result)
        elif isinstance(action, Read):
            place = f"{action.path}\0{action.first}\0{action.last}"
            self._reads[place] = self._reads.get(place, 0) + 1

    def _ran(self, command: str, result: Result) -> None:
        if result.outcome == "error":
            said = _digest(_CHANCE.sub("#", result.text[-_END_CHARS:]))
            before = self._failures.get(command)
            times = before.times + 1 if before and before.said == said else 1
            self._failures[command] = _Streak(times, self._results, said)
        elif result.outcome == "ok":
            self._failures.pop(command, None)
            if _COMMIT in command:
                self._failures.clear()
                self._undone.clear()
                self._edits.clear()
                self._reached(result)

    def _reached(self, result: Result) -> None:
        """Something was done: words that come again after it are no empty ones."""
        self._edited = result.time or self._edited
        self._replies.clear()
        self._alike = None

    def _changed(self, edit: Edit) -> None:
        """An edit that was made before and taken back since is made again."""
        for place in [place for place in self._reads if place.partition("\0")[0] == edit.path]:
            del self._reads[place]
        pair = _digest(edit.removed), _digest(edit.added)
        made = self._edits.setdefault(edit.path, [])
        again = made.count(pair)
        if again and pair[::-1] in made:
            before = self._undone.get(edit.path, _Streak(0, 0))
            self._undone[edit.path] = _Streak(max(before.times, again), self._results)
        made.append(pair)
        del made[:-_EDITS_MAX]

    def _replied(self, record: Reply) -> None:
        words = frozenset(_WORD.findall(record.text.lower()))
        if len(words) < _ALIKE_WORDS_MIN:
            return
        alike = sum(_are_alike(words, other) for _, other in self._replies) + 1
        if alike >= ALIKE_MIN:
            self._alike = Signal(record.text, alike)
        self._replies.append((record.text, words))
        del self._replies[:-_ALIKE_BACK]

    def _listed(self, action: Todos, result: Result) -> None:
        if result.outcome != "ok":
            return
        if action.whole:
            self._todos = {str(at): (one.text, one.status) for at, one in enumerate(action.entries)}
            return
        for one in action.entries:
            name = one.id or result.todo
            text, status = self._todos.get(name, ("", ""))
            self._todos[name] = one.text or text, one.status or status


def _most(counts: dict[str, int], least: int) -> Signal | None:
    """The thing that was counted most, if that is `least` times at least; of several the last one."""
    subject, times = max(counts.items(), key=lambda one: one[1], default=("", 0))
    return Signal(subject.partition("\0")[0], times) if times >= least else None


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _ALIKE_SHARE * len(one | other)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()

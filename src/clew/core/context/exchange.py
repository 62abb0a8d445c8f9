"""One exchange: from a person's message to the next, and what came of it. Pure."""

import re
from collections import deque
from collections.abc import Iterable
from typing import Final

from clew.core.context.manner import is_vague
from clew.core.context.topics import files_of, is_elsewhere
from clew.core.records.transcript import Ask, Call, Edit, Plan, Result, Run, Search
from clew.core.text.cleaning import one_line

_WORD: Final = re.compile(r"\w+")
# A reply says something again when so much of it stood in one before.
_SAID_SHARE: Final = 0.8
_NEW_WORDS_MIN: Final = 3
_REPLIES_MAX: Final = 60
_CALLS_MAX: Final = 20_000


class Exchange:
    """What happens until the next message. `before` is what the session knew when it began."""

    def __init__(self, before: "Known") -> None:
        self._before = before
        self._is_new = False
        self._acted = False
        self._last = ""
        self.files: set[str] = set()
        self.changed: set[str] = set()

    def returned(self, call: Call, result: Result, folder: str, *, changed: bool) -> None:
        """Take in what a call came to."""
        self._acted = True
        files, edits = files_of(call.action, folder)
        if result.outcome == "ok":
            self.files |= files
            if edits:
                self.changed |= files
        asked = isinstance(call.action, (Ask, Plan))
        self._is_new |= changed or asked or self._before.is_new_call(call, result)

    def replied(self, text: str) -> None:
        """Take in words of the agent."""
        self._acted = True
        self._last = text
        self._is_new |= self._before.is_new_text(text)

    @property
    def is_idle(self) -> bool:
        """Whether something was done or said, and none of it was new."""
        return self._acted and not self._is_new

    @property
    def is_vague(self) -> bool:
        """Whether its last words tell nothing."""
        return is_vague(self._last)

    @property
    def is_elsewhere(self) -> bool:
        """Whether the files it is about have nothing to do with those before."""
        return is_elsewhere(self.files, self._before.files)


class Known:
    """What a session has asked, said and touched. What was said or asked in an exchange is known at once."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self._calls: set[int] = set()
        self._replies: deque[frozenset[str]] = deque(maxlen=_REPLIES_MAX)

    def ended(self, one: Exchange) -> None:
        """An exchange is over: its files are known."""
        self.files |= one.files

    def is_new_call(self, call: Call, result: Result) -> bool:
        """Whether a call asked something new, or came to something new; it is known from now on."""
        asked = _asked(call)
        key = hash((call.tool, asked, result.text))
        is_known = key in self._calls
        if len(self._calls) < _CALLS_MAX:
            self._calls.add(key)
        return not is_known and bool(asked or result.text.strip())

    def is_new_text(self, text: str) -> bool:
        """Whether a reply says more than one before did; it is known from now on. A few words say nothing new."""
        words = frozenset(_WORD.findall(text.lower()))
        if len(words) < _NEW_WORDS_MIN or is_vague(text):
            return any(mark in text for mark in "`/0123456789")
        said = any(_is_said(words, one) for one in self._replies)
        self._replies.append(words)
        return not said


def _asked(call: Call) -> str:
    action = call.action
    if isinstance(action, Run):
        return one_line(action.command)
    if isinstance(action, Search):
        return f"{action.pattern}\0{action.path}"
    return "\0".join(map(str, _plain(action))) if not isinstance(action, Edit) else ""


def _plain(values: object) -> Iterable[object]:
    return values if isinstance(values, tuple) else ()


def _is_said(words: frozenset[str], before: frozenset[str]) -> bool:
    return len(words & before) >= _SAID_SHARE * len(words)

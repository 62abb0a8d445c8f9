"""Turns: what a session's records hold for a search, a passage for each thing that was asked and what came of it. Pure.

Results of tools are left out: they are most of a record and hold the files, which are searched better where they are.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from clew.app.search.index import Passage
from clew.core.records.transcript import Call, Context, Edit, Plan, Prompt, Read, Record, Reply, Run, Summary

TITLE_CHARS: Final = 4_000
BODY_CHARS: Final = 8_000
_NAMES_CHARS: Final = 8_000
_COMMAND_CHARS: Final = 400


def turns(records: Iterable[Record]) -> Iterator[Passage]:
    """The passages of clean and redacted records, in file order. What sub-agents said is not the session's.

    A turn that is longer than a passage goes on in the next one, which has no title.
    """
    turn = _Turn(-1, "")
    for record in records:
        if record.agent or isinstance(record, Context):
            continue
        if isinstance(record, Prompt) and record.source != "command":
            yield from turn.passages()
            turn = _Turn(record.at, record.time)
            turn.title = record.text[:TITLE_CHARS]
            continue
        if turn.at < 0:
            turn = _Turn(record.at, record.time)
        if not turn.take(record):
            yield from turn.passages()
            turn = _Turn(record.at, record.time)
            turn.take(record)
    yield from turn.passages()


class _Turn:
    def __init__(self, at: int, time: str) -> None:
        self.at = at
        self.title = ""
        self._time = time
        self._body: list[str] = []
        self._names: dict[str, None] = {}
        self._chars = self._names_chars = 0

    def take(self, record: Record) -> bool:
        """Add what a record holds; False: there is no room, the next passage takes it."""
        if isinstance(record, (Reply, Summary)):
            text = record.text[:BODY_CHARS]
            if self._body and self._chars + len(text) > BODY_CHARS:
                return False
            self._body.append(text)
            self._chars += len(text)
        elif isinstance(record, Call):
            text = _named(record)
            if self._names_chars + len(text) > _NAMES_CHARS and text not in self._names:
                return False
            if text and text not in self._names:
                self._names[text] = None
                self._names_chars += len(text)
        return True

    def passages(self) -> Iterator[Passage]:
        if self.title or self._body or self._names:
            yield Passage(self.title, "\n".join(self._body), "\n".join(self._names), self.at, self._time)


def _named(call: Call) -> str:
    match call.action:
        case Run(command=command):
            return command[:_COMMAND_CHARS]
        case Read(path=path) | Edit(path=path):
            return path
        case Plan(text=text):
            return text[:BODY_CHARS]
    return ""

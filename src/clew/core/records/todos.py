"""The to-do list of a session, as its calls leave it. Pure."""

from collections.abc import Iterable
from typing import NamedTuple

from clew.core.records.transcript import Call, Record, Result, Todos


class ListedTodo(NamedTuple):
    """An entry of the list. `status` is the client's word (`pending`, `in_progress`, `completed`), "" unknown."""

    text: str
    status: str


class TodoList:
    """Goes through a session's records in the order of its file. What sub-agents list is theirs."""

    def __init__(self) -> None:
        self._known: dict[str, ListedTodo] = {}
        self._unnamed: dict[str, str] = {}  # by call, the entry whose id its result tells

    def take(self, records: Iterable[Record]) -> bool:
        """Take in more of the session; whether the list was written."""
        was_written = False
        for record in records:
            if isinstance(record, Result) and record.todo and record.call in self._unnamed:
                self._known[record.todo] = self._known.pop(self._unnamed.pop(record.call))
            if not isinstance(record, Call) or record.agent or not isinstance(record.action, Todos):
                continue
            was_written = True
            if record.action.whole:
                self._known.clear()
                self._unnamed.clear()
            for number, one in enumerate(record.action.entries):
                key = one.id or f"{record.id}:{number}"
                text, status = self._known.get(key, ("", ""))
                self._known[key] = ListedTodo(one.text or text, one.status or status)
                if not one.id:
                    self._unnamed.setdefault(record.id, key)
        return was_written

    @property
    def entries(self) -> tuple[ListedTodo, ...]:
        """Those that have words, in their order."""
        return tuple(one for one in self._known.values() if one.text)

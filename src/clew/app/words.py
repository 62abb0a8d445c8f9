"""Words that go along: what was said of a session's items counts in the task that the session counts for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from clew.app.desk import Desk
from clew.core.events import Event
from clew.core.extract import Extract
from clew.core.fold import FOLDED_KINDS

_KINDS: Final = frozenset(kind for kind in FOLDED_KINDS if kind.startswith("item."))


def words_along(at: Desk, extract: Extract, task: str) -> list[Event]:
    """What was said about the items of a session in its task, said in `task` as well; what is said there already is
    left out. It is the same word of the same speaker at the same time; only the task is another.
    """
    names = {item.id for item in extract.items}
    return _said_in(at, task, (event for event in _words(at, names) if event.task == extract.task))


def strays(at: Desk) -> list[Event]:
    """What was said about items in tasks where no session has them, said in the tasks of the sessions that do: of two
    ledgers that were put together one had let the session count for another task. Reads the ledger from its beginning.
    """
    spoken = {_item(event) for event in _words(at)}
    spoken -= {_item(event) for event in _words(at) if event.kind == "item.stated"}  # which are where they were stated
    homes: dict[str, set[str]] = {}
    for session in at.ledger.taken() if spoken else ():
        for extract in at.ledger.extracts(session=session):
            for name in spoken.intersection(item.id for item in extract.items):
                homes.setdefault(name, set()).add(extract.task)
    lost = [event for event in _words(at, homes) if event.task not in homes[_item(event)]]
    tasks = sorted({task for event in lost for task in homes[_item(event)]})
    return [copy for task in tasks for copy in _said_in(at, task, (one for one in lost if task in homes[_item(one)]))]


def _words(at: Desk, names: Collection[str] | None = None) -> Iterator[Event]:
    """What was said about items (None: about any), by arrival."""
    found = (recorded.event for recorded in at.ledger.events(kinds=_KINDS))
    return (event for event in found if names is None or _item(event) in names)


def _item(event: Event) -> str:
    return str(event.data.get("item", ""))


def _said_in(at: Desk, task: str, words: Iterable[Event]) -> list[Event]:
    there = {_word(event) for _, event in at.ledger.events(task=task)}
    copies = []
    for event in words:
        if _word(event) in there:
            continue
        there.add(_word(event))
        copy = at.writer.event(event.kind, event.data, task=task, key=f"adopted:{task}:{event.id}")
        same = ("session", "actor", "provenance", "visibility", "said_at", "v")
        copies.append(copy._replace(**{name: getattr(event, name) for name in same}))
    return copies


def _word(event: Event) -> tuple[str, ...]:
    """What makes an event the word it is, whatever task and ledger it stands in."""
    data = repr(sorted(event.data.items()))
    return event.kind, data, event.said_at, event.provenance, event.actor, event.session

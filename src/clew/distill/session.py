"""A session as distilling sees it: the main chain in order, each tool call joined with its result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from clew.core.receipt import without_documents
from clew.core.records import (
    Call,
    Compaction,
    Context,
    Interruption,
    Link,
    Prompt,
    Record,
    Reply,
    Result,
    Summary,
)


class Step(NamedTuple):
    """A tool call with what it returned; `result` is None when the record ends before it (killed, or still running)."""

    call: Call
    result: Result | None

    @property
    def failed(self) -> bool:
        return self.result is not None and self.result.outcome == "error"

    @property
    def done(self) -> bool:
        return self.result is not None and self.result.outcome == "ok"


Event: TypeAlias = Prompt | Reply | Step | Summary | Compaction | Interruption | Link


class Session(NamedTuple):
    """What happened, in order. `root` is the folder that paths are shown relative to ("" unknown)."""

    client: str
    id: str
    root: str
    branch: str
    events: tuple[Event, ...]
    first_time: str
    last_time: str


def build(records: Iterable[Record], *, client: str, root: str = "") -> Session:
    """Put records in file order together. Sub-agents' own records are left out: their answer is a tool result.

    `root` overrides the working folder that the record names (a caller that knows the repository's top passes it).
    """
    events: list[Event] = []
    steps: dict[str, int] = {}
    session = branch = cwd = first_time = last_time = ""
    for record in records:
        if record.time:
            first_time = first_time or record.time
            last_time = max(last_time, record.time)
        if record.agent:
            continue
        if isinstance(record, Context):
            session = session or record.session
            cwd = cwd or record.cwd
            branch = branch if record.branch in ("", "HEAD") else record.branch  # detached, as in a rebase
        elif isinstance(record, Call):
            steps[record.id] = len(events)
            events.append(Step(record, None))
        elif isinstance(record, Result):
            index = steps.get(record.call)
            if index is not None:
                step = events[index]
                assert isinstance(step, Step)
                events[index] = step._replace(result=record)
        elif isinstance(record, Prompt):
            said = without_documents(record.text)
            if said:
                events.append(record._replace(text=said))
        elif isinstance(record, (Reply, Summary, Compaction, Interruption, Link)):
            events.append(record)
    return Session(client, session, root or cwd, branch, tuple(_without_rewound(events)), first_time, last_time)


def _without_rewound(events: list[Event]) -> list[Event]:
    """Leave out what was said on a way that the user went back from.

    Two prompts with one parent mean that the second replaced the first. What tools did on the abandoned way stays:
    going back in the conversation does not undo files.
    """
    taken: dict[str, int] = {}
    abandoned: set[int] = set()
    for index, event in enumerate(events):
        if not isinstance(event, Prompt) or not event.parent:
            continue
        earlier = taken.get(event.parent)
        if earlier is not None:
            abandoned.update(i for i in range(earlier, index) if isinstance(events[i], (Prompt, Reply)))
        taken[event.parent] = index
    return [event for index, event in enumerate(events) if index not in abandoned]


def turn_finals(events: tuple[Event, ...]) -> set[int]:
    """Indexes of the replies that end a turn: what follows is the user's next words, a stop, or the end."""
    finals: set[int] = set()
    for index, event in enumerate(events):
        if not isinstance(event, Reply):
            continue
        for later in events[index + 1 :]:
            if isinstance(later, (Reply, Step)):
                break
            if isinstance(later, (Prompt, Compaction, Interruption)):
                finals.add(index)
                break
        else:
            finals.add(index)
    return finals

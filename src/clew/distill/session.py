"""A session as distilling sees it: the main chain in order, each tool call joined with its result."""

from collections.abc import Iterable
from itertools import accumulate
from typing import TypeAlias

from clew.core.receipt import without_documents
from clew.core.records import (
    Call,
    Compaction,
    Context,
    Delegate,
    Edit,
    Interruption,
    Link,
    Poll,
    Prompt,
    Record,
    Reply,
    Result,
    Run,
    Running,
    Spawned,
    Summary,
    Thought,
)
from clew.core.tuples import NamedTuple
from clew.distill.branch import branch_after
from clew.distill.writing import files_written


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


Event: TypeAlias = Prompt | Reply | Thought | Step | Summary | Compaction | Interruption | Link


class Session(NamedTuple):
    """What happened, in order. `root` is the folder that paths are shown relative to ("" unknown).

    `finals` indexes the replies that end a turn: what follows is the user's next words, a stop, or the end.
    `is_torn`: the record breaks off within a line, so its client was stopped, or writes just now. `programs` are the
    places (`at`) of prompts, and of calls with results, that a program gave and no person. What stands before the place
    `begun` is copied from the session that began this one.
    """

    client: str
    id: str
    root: str
    branch: str
    events: tuple[Event, ...]
    first_time: str
    last_time: str
    finals: frozenset[int]
    is_torn: bool = False
    programs: frozenset[int] = frozenset()
    begun: int = 0

    def is_persons(self, event: Event) -> bool:
        """Whether a prompt, or the answer to a call, is a person's words as far as the record tells."""
        return _line_of(event) not in self.programs

    def is_own(self, event: Event) -> bool:
        """Whether it happened in this session, and not in the one that began it."""
        return _line_of(event) >= self.begun


def build(records: Iterable[Record], *, client: str, root: str = "", is_torn: bool = False) -> Session:
    """Put records in file order together. Sub-agents' own records are left out: their answer is a tool result.

    `root` overrides the working folder that the record names (a caller that knows the repository's top passes it);
    `is_torn` says that the last line of the record is not whole.
    """
    events: list[Event] = []
    steps: dict[str, list[int]] = {}  # of each call: one can do several things, told in one line
    programs: set[int] = set()
    processes = _Processes()
    attended = True
    begun = 0
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
            attended = record.attended
            branch = branch if record.branch in ("", "HEAD") else record.branch  # detached, as in a rebase
        elif isinstance(record, Call) and isinstance(record.action, Poll) and processes.knows(record.action.process):
            processes.looked(record.id, record.action.process)
        elif isinstance(record, Running):
            processes.went_on(record)
        elif isinstance(record, Call):
            same = [index for index in steps.get(record.id, ()) if _line_of(events[index]) == record.at]
            calls = [*_written(record, root or cwd), _within_reach(record)]
            steps[record.id] = [*same, *range(len(events), len(events) + len(calls))]
            events += (Step(call, None) for call in calls)
        elif isinstance(record, Result):
            result = processes.ended(record)
            for index in steps.get(result.call, ()):
                step = events[index]
                assert isinstance(step, Step)
                events[index] = Step(step.call, result)
                if isinstance(step.call.action, Run) and "git" in step.call.action.command and result.outcome == "ok":
                    branch = branch_after(step.call.action, result.text, root=root or cwd) or branch
                programs.update(() if attended else (step.call.at,))
        elif isinstance(record, Prompt):
            said = without_documents(record.text)
            if said:
                events.append(record if said == record.text else record._replace(text=said))
                programs.update(() if attended else (record.at,))
        elif isinstance(record, Spawned):
            if not begun and any(_begins_agent(events[index]) for index in steps.get(record.call, ())):
                programs.clear()  # what stands before is of a session whose prompts a person gave
                begun = record.at
        elif isinstance(record, (Reply, Thought, Summary, Compaction, Interruption, Link)):
            events.append(record)
    kept = tuple(_without_rewound(events))
    finals = _turn_finals(kept)
    where = root or cwd
    return Session(
        client, session, where, branch, kept, first_time, last_time, finals, is_torn, frozenset(programs), begun
    )


def _written(call: Call, root: str) -> list[Call]:
    """The calls that write files, of one that does so in a shell line. What the line does with them comes behind."""
    action = call.action
    if not isinstance(action, Run) or len(action.command) > _COMMAND_CHARS_MAX:
        return []
    return [call._replace(action=edit) for edit in files_written(action.command, action.folder or root)]


# So much is kept of what a process printed: its end, which says how it went.
_PRINTED_CHARS_MAX = 64_000


class _Processes:
    """Commands that go on behind the answers to their calls: how they ended, a later look at them tells."""

    def __init__(self) -> None:
        self._calls: dict[str, str] = {}  # that began one, by process
        self._begun: dict[str, str] = {}  # processes that have not ended, by call
        self._looks: dict[str, str] = {}  # at processes, by call
        self._printed: dict[str, list[str]] = {}  # by process

    def knows(self, process: str) -> bool:
        """Whether the record tells what began a process, ended or not."""
        return process in self._printed

    def looked(self, call: str, process: str) -> None:
        """A call looks at a process."""
        self._looks[call] = process

    def went_on(self, record: Running) -> None:
        """A process had not ended when a call was answered."""
        process = record.process
        if record.call not in self._looks:
            self._calls[process], self._begun[record.call], self._printed[process] = record.call, process, []
        self._printed.setdefault(process, []).append(record.text)

    def ended(self, result: Result) -> Result:
        """The result as that of the call which began the process, with all that it printed. Others stay as they are, so
        does that of a look which was stopped or failed itself.
        """
        looked = self._looks.pop(result.call, "")
        if looked and result.exit_code is None:
            return result
        process = looked or self._begun.get(result.call, "")
        call = self._calls.pop(process, "")
        if not call:
            return result
        self._begun.pop(call, None)
        printed = "".join(self._printed[process])
        self._printed[process] = []
        if call == result.call:
            return result
        return result._replace(call=call, text=(printed + result.text)[-_PRINTED_CHARS_MAX:])


def _begins_agent(event: Event) -> bool:
    return isinstance(event, Step) and isinstance(event.call.action, Delegate)


def _line_of(event: Event) -> int:
    return event.call.at if isinstance(event, Step) else event.at


# No shell is handed more in one word (Linux: 128 KiB), and what a larger edit says stands in its front part.
_COMMAND_CHARS_MAX = 131_072
_EDIT_CHARS_MAX = 200_000


def _within_reach(call: Call) -> Call:
    """The call with its texts cut to what is read: they are as the client gave them, of any length."""
    action = call.action
    if isinstance(action, Run) and len(action.command) > _COMMAND_CHARS_MAX:
        return call._replace(action=action._replace(command=action.command[:_COMMAND_CHARS_MAX]))
    if isinstance(action, Edit) and max(len(action.removed), len(action.added)) > _EDIT_CHARS_MAX:
        removed, added = action.removed[:_EDIT_CHARS_MAX], action.added[:_EDIT_CHARS_MAX]
        return call._replace(action=Edit(action.path, removed, added))
    return call


def _without_rewound(events: list[Event]) -> list[Event]:
    """Leave out what was said on a way that the user went back from.

    Two prompts with one parent mean that the second replaced the first. What tools did on the abandoned way stays:
    going back in the conversation does not undo files.
    """
    taken: dict[str, int] = {}
    ways = [0] * (len(events) + 1)  # how many abandoned ways begin (less: end) at each event
    for index, event in enumerate(events):
        if not isinstance(event, Prompt) or not event.parent:
            continue
        earlier = taken.get(event.parent)
        if earlier is not None:
            ways[earlier] += 1
            ways[index] -= 1
        taken[event.parent] = index
    return [
        event
        for event, abandoned in zip(events, accumulate(ways), strict=False)
        if not (abandoned and isinstance(event, (Prompt, Reply, Thought)))
    ]


def _turn_finals(events: tuple[Event, ...]) -> frozenset[int]:
    """Indexes of the replies that end a turn, read from the end: links and summaries between count for nothing."""
    finals: set[int] = set()
    ends = True
    for index in range(len(events) - 1, -1, -1):
        event = events[index]
        if isinstance(event, (Reply, Step)):
            if ends and isinstance(event, Reply):
                finals.add(index)
            ends = False
        elif isinstance(event, (Prompt, Compaction, Interruption)):
            ends = True
    return frozenset(finals)

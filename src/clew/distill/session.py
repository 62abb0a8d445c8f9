"""A session as distilling sees it: the main chain in order, each tool call joined with its result."""

import re
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from clew.core.gate.shell.git_output import branch_after
from clew.core.records.file_names import below, moved_home
from clew.core.records.transcript import (
    Action,
    Call,
    Compaction,
    Context,
    Delegate,
    Edit,
    Interruption,
    Link,
    Plan,
    Poll,
    Prompt,
    Read,
    Record,
    Reply,
    Result,
    Rollback,
    Run,
    Running,
    Spawned,
    Summary,
    Thought,
)
from clew.core.text.receipt import without_documents
from clew.distill.shell_lines import files_written


class ToolStep(NamedTuple):
    """A tool call with what it returned; `result` is None when the record ends before it.

    `goes_on`: a command that was answered before it had ended. `is_one_of`: one of several commands that one call made,
    and the result is of them all.
    """

    call: Call
    result: Result | None
    goes_on: bool = False
    is_one_of: bool = False

    @property
    def failed(self) -> bool:
        return self.result is not None and self.result.outcome == "error"

    @property
    def is_denied(self) -> bool:
        """Whether a hook or a rule kept it from running: nothing came of it."""
        return self.result is not None and self.result.outcome == "denied"

    @property
    def done(self) -> bool:
        return self.result is not None and self.result.outcome == "ok"


Event: TypeAlias = Prompt | Reply | Thought | ToolStep | Summary | Compaction | Interruption | Link


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

    def is_in_turn(self, index: int) -> bool:
        """Whether the prompt at `index` was typed while a turn was under way: the agent was between two calls."""
        before = index - 1
        while before >= 0 and isinstance(self.events[before], (Link, Thought)):
            before -= 1
        step = self.events[before] if before >= 0 else None
        return (
            isinstance(step, ToolStep) and step.result is not None and step.result.outcome in ("ok", "error", "denied")
        )

    def is_own(self, event: Event) -> bool:
        """Whether it happened in this session, and not in the one that began it."""
        return _line_of(event) >= self.begun


def build(
    records: Iterable[Record], *, client: str, root: str = "", is_torn: bool = False, trees: Iterable[str] = ()
) -> Session:
    """Put records in file order together. Sub-agents' own records are left out: their answer is a tool result.

    `root` overrides the working folder that the record names (a caller that knows the repository's top passes it);
    `is_torn` says that the last line of the record is not whole. `trees` are folders that hold the same project: other
    names of `root`, other work trees. What is done in them is told as done in `root`.
    """
    builder = _Builder(root, trees)
    for record in records:
        if record.time:
            builder.first_time = builder.first_time or record.time
            builder.last_time = max(builder.last_time, record.time)
        if (
            not record.agent
            and not (isinstance(record, Context) and builder.is_copy(record))
            and record.at != builder.copied
        ):
            builder.take(record)
    return builder.session(client, is_torn=is_torn)


class _Builder:
    """The state of one reading. Private to this module: `build` is the way in."""

    def __init__(self, root: str, trees: Iterable[str]) -> None:
        self.root = root
        self.first_time = self.last_time = ""
        self.copied = -1  # the place of a line that stood in the record before
        self._lines = set[tuple[str, str]]()
        self._line = (-1, "")  # the place of the line under way, and its parent
        self._uids: dict[str, str] = {}  # of each line, and the prompt at whose end its way was left ("" none)
        self._asked: dict[str, tuple[int, int, int]] = {}  # by parent the last prompt: its place, event and line
        self._left: dict[str, range] = {}  # ways that the user went back from: what was said there
        self._trees = tuple(trees)
        self._events: list[Event] = []
        self._steps: dict[str, list[int]] = {}  # of each call: one can do several things, told in one line
        self._programs: set[int] = set()
        self._rolled_back: set[int] = set()  # places of events
        self._processes = _Processes()
        self._delegated: set[str] = set()  # prompts of sub-agents
        self._attended = True
        self._begun = 0
        self._cwd = self._id = self._branch = ""

    def take(self, record: Record) -> None:
        if isinstance(record, Context):
            self._context(record)
        elif isinstance(record, Call):
            self._call(record)
        elif isinstance(record, Running):
            self._processes.went_on(record)
            for index in self._steps.get(record.call, ()):
                self._events[index] = self._step(index)._replace(goes_on=True)
        elif isinstance(record, Result):
            self._result(self._processes.ended(record))
        elif isinstance(record, Prompt):
            self._went_back(record)
            if (said := without_documents(record.text)) and not self._asks_nothing(record):
                self._add(self._of_plan(record._replace(text=said)))
                self._programs.update(() if self._attended else (record.at,))
        elif isinstance(record, Rollback):
            self._taken_back(record.turns)
        elif isinstance(record, Spawned):
            begins = (isinstance(self._step(index).call.action, Delegate) for index in self._steps.get(record.call, ()))
            if not self._begun and any(begins):
                self._programs.clear()  # what stands before is of a session whose prompts a person gave
                self._begun = record.at
        elif isinstance(record, (Reply, Thought, Summary, Compaction, Interruption, Link)):
            self._add(record)

    def _asks_nothing(self, prompt: Prompt) -> bool:
        """Whether the user ran a command of their own (`!pwd`), or it is what the agent gave a sub-agent to do."""
        is_handed_on = not self._begun and prompt.text.strip() in self._delegated
        return is_handed_on or (prompt.source == "command" and prompt.text.startswith("!"))

    def is_copy(self, record: Context) -> bool:
        """Whether a line stood in the record before: some clients write it again on a compaction."""
        self.copied = record.at if (record.uid, record.time) in self._lines and record.uid else -1
        self._lines.add((record.uid, record.time))
        self._line = record.at, record.parent
        if self.copied < 0 and record.uid:
            self._uids[record.uid] = ""
            self._left.pop(self._uids.get(record.parent, ""), None)  # two processes went on with one session
        return self.copied >= 0

    def _went_back(self, prompt: Prompt) -> None:
        """Two prompts with one parent: the user went back and took another way. What was said since is taken back, what
        tools did is not.
        """
        parent = self._line[1] if prompt.at == self._line[0] else prompt.parent
        at, index, line = self._asked.get(parent, (prompt.at, len(self._events), len(self._uids) - 1))
        if at != prompt.at and (parent in self._uids or not self._uids):
            self._left[prompt.uid] = range(index, len(self._events))
            self._uids.update(dict.fromkeys([*self._uids][line:-1], prompt.uid))
            index, line = len(self._events), len(self._uids) - 1
        if parent:
            self._asked[parent] = prompt.at, index, line

    def _add(self, event: Event) -> None:
        self._events.append(event)

    def _of_plan(self, prompt: Prompt) -> Prompt:
        """A prompt that says no more than to carry out the plan before it is that plan, accepted."""
        if not re.fullmatch(_IMPLEMENTING, prompt.text.strip()):
            return prompt
        plans = (step.call.action for step in reversed(self._events) if isinstance(step, ToolStep))
        plan = next((action for action in plans if isinstance(action, Plan)), None)
        return prompt._replace(text=plan.text, source="plan") if plan is not None else prompt

    def _taken_back(self, turns: int) -> None:
        """Mark what was said and edited since the prompt that began the last but so many turns."""
        asked = [
            at for at, event in enumerate(self._events) if isinstance(event, Prompt) and at not in self._rolled_back
        ]
        if asked[-turns:]:
            self._rolled_back.update(range(asked[-turns:][0], len(self._events)))

    def _step(self, index: int) -> ToolStep:
        step = self._events[index]
        assert isinstance(step, ToolStep)
        return step

    def _context(self, record: Context) -> None:
        self._id = self._id or record.session
        self.root = self.root or record.cwd
        self._cwd = moved_home(record.cwd, self.root, self._trees) or self._cwd
        self._attended = record.attended
        if record.branch not in ("", "HEAD"):  # detached, as in a rebase
            self._branch = record.branch

    def _call(self, record: Call) -> None:
        action = record.action
        if isinstance(action, Poll) and self._processes.knows(action.process):
            self._processes.looked(record.id, action.process)
            return
        self._delegated.update((action.prompt.strip(),) if isinstance(action, Delegate) else ())
        call = record._replace(action=self._placed(_within_reach(action)))
        places = [index for index in self._steps.get(record.id, ()) if self._step(index).call.at == record.at]
        runs = [index for index in places if isinstance(self._step(index).call.action, Run)]
        is_one_of = isinstance(action, Run) and bool(runs)
        for index in runs:
            self._events[index] = self._step(index)._replace(is_one_of=True)
        for one in (*_written(call, self.root), call):
            places.append(len(self._events))
            self._add(ToolStep(one, None, is_one_of=is_one_of and one is call))
        self._steps[record.id] = places

    def _placed(self, action: Action) -> Action:
        """The action with its place told from `root`, whichever work tree it was done in."""
        if isinstance(action, Run):
            folder = moved_home(action.folder, self.root, self._trees) or self._cwd
            return action if folder in ("", action.folder, self.root) else action._replace(folder=folder)
        if isinstance(action, (Edit, Read)) and (self._trees or not action.path.startswith("/")):
            path = below(self._cwd, action.path) if self._cwd not in ("", self.root) else action.path
            return action._replace(path=moved_home(path, self.root, self._trees))
        return action

    def _result(self, result: Result) -> None:
        for index in self._steps.get(result.call, ()):
            step = self._step(index)
            self._events[index] = step._replace(result=result)
            action = step.call.action
            if isinstance(action, Run) and "git" in action.command and result.outcome == "ok":
                self._branch = branch_after(action.command, action.folder, result.text, root=self.root) or self._branch
            self._programs.update(() if self._attended else (step.call.at,))

    def session(self, client: str, *, is_torn: bool) -> Session:
        """All that was taken, without what the user took back."""
        unsaid = {index for way in self._left.values() for index in way}
        kept = tuple(
            event
            for index, event in enumerate(self._events)
            if not (index in self._rolled_back and (_is_said(event) or _is_edit(event)))
            and not (index in unsaid and _is_said(event))
        )
        return Session(
            client, self._id, self.root, self._branch, kept, self.first_time, self.last_time, _turn_finals(kept),
            is_torn, frozenset(self._programs), self._begun,
        )  # fmt: skip


def _written(call: Call, root: str) -> list[Call]:
    """The calls that write files, of one that does so in a shell line. What the line does with them comes behind."""
    action = call.action
    if not isinstance(action, Run) or len(action.command) >= _COMMAND_CHARS_MAX:
        return []
    return [call._replace(action=edit) for edit in files_written(action.command, action.folder or root)]


# So much is kept of what a process printed: its end, which says how it went.
_PRINTED_CHARS_MAX = 64_000


class _Processes:
    """Commands that go on behind the answers to their calls: how they ended, a later look at them tells."""

    def __init__(self) -> None:
        self._calls: dict[str, str] = {}  # that began one, by process
        self._printed: dict[str, str] = {}  # by process that the record tells the beginning of
        self._looks: dict[str, str] = {}  # at processes, by call

    def knows(self, process: str) -> bool:
        """Whether the record tells what began a process, ended or not."""
        return process in self._printed

    def looked(self, call: str, process: str) -> None:
        """A call looks at a process."""
        self._looks[call] = process

    def went_on(self, record: Running) -> None:
        """A process had not ended when a call was answered."""
        if record.call not in self._looks:
            self._calls[record.process] = record.call
        self._print(record.process, record.text)

    def _print(self, process: str, text: str) -> str:
        self._printed[process] = (self._printed.get(process, "") + text)[-_PRINTED_CHARS_MAX:]
        return self._printed[process]

    def ended(self, result: Result) -> Result:
        """The result as that of the call which began the process, with all that it printed. Others stay as they are, so
        does that of a look which was stopped or failed itself.
        """
        process = self._looks.pop(result.call, "")
        call = self._calls.get(process, "")
        if not process and (own := [one for one, begun in self._calls.items() if begun == result.call]):
            del self._calls[own[0]]
        if not call or (result.exit_code is None and result.outcome != "unknown"):
            return result
        if result.exit_code is not None:
            del self._calls[process]
        return result._replace(call=call, text=self._print(process, result.text))


# What a client that has a plan mode lets its user say with one key.
_IMPLEMENTING = r"(?i)implement (?:the|this) plan[.!]?"


def _is_said(event: Event) -> bool:
    return isinstance(event, (Prompt, Reply, Thought))


def _is_edit(event: Event) -> bool:
    return isinstance(event, ToolStep) and isinstance(event.call.action, Edit)


def _line_of(event: Event) -> int:
    return event.call.at if isinstance(event, ToolStep) else event.at


# No shell is handed more in one word (Linux: 128 KiB), and what a larger edit says stands in its front part.
_COMMAND_CHARS_MAX = 131_072
_EDIT_CHARS_MAX = 200_000


def _within_reach(action: Action) -> Action:
    """The action with its texts cut to what is read: they are as the client gave them, of any length."""
    if isinstance(action, Run) and len(action.command) > _COMMAND_CHARS_MAX:
        return action._replace(command=action.command[:_COMMAND_CHARS_MAX])
    if isinstance(action, Edit) and max(len(action.removed), len(action.added)) > _EDIT_CHARS_MAX:
        return action._replace(removed=action.removed[:_EDIT_CHARS_MAX], added=action.added[:_EDIT_CHARS_MAX])
    return action


def _turn_finals(events: tuple[Event, ...]) -> frozenset[int]:
    """Indexes of the replies that end a turn, read from the end: links and summaries between count for nothing."""
    finals: set[int] = set()
    ends = True
    for index in range(len(events) - 1, -1, -1):
        event = events[index]
        if isinstance(event, (Reply, ToolStep)):
            if ends and isinstance(event, Reply):
                finals.add(index)
            ends = False
        elif isinstance(event, (Prompt, Compaction, Interruption)):
            ends = True
    return frozenset(finals)

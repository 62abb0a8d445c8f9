"""What was really done, as tools tell it: files edited and committed, checks run, plans, to-dos, refusals, fixes.

Tools are trusted for status, words are not: done means a commit or a passing check after the last edit.
"""

import re
from bisect import bisect_right
from typing import Literal, NamedTuple, TypeAlias

from clew.core.gate.shell import outcomes, purposes
from clew.core.gate.shell.walker import Command
from clew.core.gate.shell.words import OptionWords, program
from clew.core.records.file_names import below, relative
from clew.core.records.transcript import Ask, Edit, Link, Other, Plan, Prompt, Read, Reply, Run, Todos
from clew.core.text.cleaning import one_line, shorten
from clew.distill.checks import Checks
from clew.distill.commits import Commits
from clew.distill.session import Event, Session, ToolStep
from clew.distill.shell_lines import ShellOutcome, files_read, folders_of, gh_title
from clew.distill.tree import EditTree, TextEdit

_TITLE_CHARS = 100
_MADE = {"pr": "pull request", "issue": "issue", "release": "release"}
# Patterns are compiled when a session needs them. The command prints the address of what it made on a line of its own.
_PRINTED = r"(?m)^https?://\S+/(?:pull|issues|merge_requests|releases/tag)/\S+$"
# The Codex app tells of what it did in leaf directives of Markdown.
_DIRECTED = r"::git-create-pr\{[^{}\n]*\burl=\"(https?://[^\"\s]+)\""


State = Literal["open", "draft", "merged", "closed"]


class Opened(NamedTuple):
    """Something with an address, as it stood when the session last told of it. `title` is "" where nobody told it,
    `state` is of pull requests. `event` is where its address was first told, `last` where it was last told of.
    `is_made`: the session opened it, and did not only change it or look it up.
    """

    kind: str
    url: str
    event: int
    last: int
    is_made: bool = True
    label: str = ""
    title: str = ""
    state: State = "open"

    @property
    def text(self) -> str:
        """What it is, in a few words."""
        title = shorten(one_line(self.title), _TITLE_CHARS)
        return f"{self.kind}: {title}" if title else self.label or self.kind


_NUMBERED = r"(?:/(?:pull|issues|merge_requests)/|\A)(\d+)(?!\w)"
# What the verbs of `gh pr` make of a pull request, and the words for that.
_BECOMES: dict[str, State] = {"merge": "merged", "close": "closed", "reopen": "open", "ready": "open"}


class Openings:
    """All that was opened or changed so far, one for each address; a pull request without one by its number."""

    def __init__(self) -> None:
        self._found: dict[str, Opened] = {}

    def take(self, index: int, event: Event) -> None:
        """Read one event."""
        if isinstance(event, Link):
            self._add(Opened(_MADE["pr"] if "/pull/" in event.url else "", event.url, index, index, label=event.text))
        elif isinstance(event, Reply):
            if "::git-create-pr{" in event.text:
                for url in re.findall(_DIRECTED, event.text):
                    self._add(Opened(_MADE["pr"], url, index, index))
        elif isinstance(event, ToolStep) and isinstance(event.call.action, Run) and event.done:
            command = event.call.action.command
            if "gh " in command:
                self._ran(index, command, event.result.text if event.result else "")

    def all(self) -> tuple[Opened, ...]:
        """What the session opened, in the order in which it did."""
        return tuple(one for one in self._found.values() if one.is_made)

    def pulls(self) -> tuple[Opened, ...]:
        """The pull requests, the one told of last behind all others."""
        return tuple(sorted((one for one in self._found.values() if one.kind == _MADE["pr"]), key=lambda one: one.last))

    def _ran(self, index: int, command: str, output: str) -> None:
        parts = purposes.split(command)
        # Behind a "||" another command may have printed the address of what was there before.
        urls = iter(re.findall(_PRINTED, output) if "||" not in command else ())
        for number, part in enumerate(parts):
            kind, verb = part.words[1:3] if len(part.words) > 2 and program(part.words[0]) == "gh" else ("", "")
            if verb == "create" and (url := next(urls, "")):
                state: State = "draft" if OptionWords(part.words[3:], "gh").flags & {"draft", "d"} else "open"
                self._add(Opened(_MADE.get(kind, kind), url, index, index, title=gh_title(part), state=state))
            elif kind == "pr" and outcomes.outcome(parts, number, "", exit_ok=True) != "hidden":
                if verb in (*_BECOMES, "edit"):
                    self._changed(index, part)

    def _changed(self, index: int, part: Command) -> None:
        """Read what a command makes of the pull request that it names; of the latest one where it names none."""
        given, verb = OptionWords(part.words[3:], "gh"), part.words[2]
        named = [found[1] for word in given.operands if (found := re.search(_NUMBERED, word.lstrip("#")))][:1]
        numbers = {one: re.findall(_NUMBERED, one.url)[:1] for one in self.pulls()}
        known = next((one for one in reversed(numbers) if named in ([], numbers[one])), None)
        known = known or (Opened(_MADE["pr"], named[0], index, index, is_made=False) if named else None)
        if known is not None:
            state: State = "draft" if "undo" in given.flags else _BECOMES.get(verb, known.state)
            state = known.state if given.flags & {"auto", "disable-auto"} else state  # later, or never
            self._found[known.url] = known._replace(title=gh_title(part) or known.title, state=state, last=index)

    def _add(self, made: Opened) -> None:
        known = self._found.get(made.url)
        if known is None:
            self._found[made.url] = made
        elif len(made.text) > len(known.text):
            self._found[made.url] = made._replace(event=known.event)


# How clew's tools, and its skills in calls of the tool for skills, begin.
_SKILL = "Skill"
_OWN_TOOLS = ("mcp__clew__", "mcp__plugin_clew_")
# Checks have a list of their own, and the message of a commit that was not made tells of what was not done.
_TOLD_APART = {"test", "lint", "build", "commit"}
_NO_OUTPUT = "(Bash completed with no output)"
_OWN_SKILLS = ("clew-", "clew:", "/clew")


class PlanSeen(NamedTuple):
    """A plan. `status`: proposed (nobody answered), dismissed (turned down without a word), accepted, rejected.
    `reason`: the user's words on refusing it.
    """

    text: str
    status: Literal["proposed", "dismissed", "accepted", "rejected"]
    reason: str
    event: int


class Refusal(NamedTuple):
    """The user refused a tool call; `reason` is "" if no reason was given. `what` names the call in a few words.

    `command`: a shell command, which is then something not done rather than an approach turned down.
    """

    what: str
    reason: str
    command: bool
    files: tuple[str, ...]
    event: int


class TodoSeen(NamedTuple):
    """An entry of the to-do list as it stands at the end."""

    text: str
    status: str
    event: int


class UserAnswer(NamedTuple):
    """A question that the agent put to the user, with the answer, and the labels that were offered and not taken.
    `is_pick`: the answer is one of them, and not in words of the user's own.
    """

    question: str
    answer: str
    others: tuple[str, ...]
    is_pick: bool
    event: int


_Words: TypeAlias = tuple[tuple[str, ...], ...]


class FailedRun(NamedTuple):
    """A command that failed when it was last run and what it said. `works`: what did the same where the program of the
    first one is not there, "" nothing.
    """

    command: str
    error: str
    event: int
    works: str = ""


# What a shell, or an interpreter, says of a program that is not there.
_NOT_THERE = re.compile(
    r"command not found|No module named|not recognized as|executable file not found|Unknown command", re.IGNORECASE
)
_ABSENT_MAX = 4  # programs that were not there are looked for among so many


class SessionWork:
    """All of it, each list in the order in which it happened.

    `pushed`: the event of the last push, `even` that of git's last word that nothing is to be pushed, -1 none. `pulls`:
    the pull requests that were opened, changed or looked up, the latest one last. `read`: the project files read and
    not edited, those read most first, each with the event of its last read.
    """

    def __init__(self, session: Session) -> None:
        """Read all of the session's tool calls once."""
        steps = [event for event in session.events if isinstance(event, ToolStep)]
        # The places of shell lines: what one writes is refused with it.
        self._lines = {step.call.at for step in steps if isinstance(step.call.action, Run)}
        self._root = session.root
        self._tree = EditTree(session.root)
        self._git = Commits(self._tree, session.branch)
        self._checks = Checks()
        self._openings = Openings()
        self._reads: dict[str, list[int]] = {}
        self._todo: dict[str, TodoSeen] = {}
        self._failing: dict[_Words, FailedRun] = {}
        self._absent: list[tuple[str, _Words]] = []  # failing ones whose program is not there, each with its purpose
        self.plans: list[PlanSeen] = []
        self.refusals: list[Refusal] = []
        self.answers: list[UserAnswer] = []
        for index, event in enumerate(session.events):
            self._take(index, event)
        self.edits = self._tree.changes
        self.files = self._tree.files()
        self.status: dict[str, str] = {file.path: file.status for file in self.files}
        self.commits, self.rebases = self._git.done, self._git.rebases
        self.pushed, self.even, self.git = self._git.pushed, self._git.even, self._git.state()
        self.opened, self.pulls = self._openings.all(), self._openings.pulls()
        self.todos = [*self._todo.values()]
        self.failed_runs = [*self._failing.values()]
        self.checks = self._checks.all(last_edit=self._tree.last, last_rebase=max(self.rebases, default=-1))
        read = sorted(self._reads.items(), key=lambda entry: -len(entry[1]))
        self.read = {path: at[-1] for path, at in read if not self._tree.knows(path)}

    def edited(self, start: int, end: int) -> bool:
        """Whether a project file was edited behind the event `start` and before `end`."""
        first = bisect_right(self.edits, start, key=_event_of)
        return first < len(self.edits) and self.edits[first].event < end

    def _take(self, index: int, event: Event) -> None:
        if isinstance(event, Prompt):
            if event.source == "plan":
                self._carried_out(event.text, index)
            return
        self._openings.take(index, event)
        if not isinstance(event, ToolStep) or is_own(event) or event.is_denied:
            return
        if event.result is not None and event.result.outcome == "rejected" and not isinstance(event.call.action, Plan):
            self._refused(index, event, event.result.reason)
        else:
            self._acted(index, event)

    def _acted(self, index: int, event: ToolStep) -> None:
        action = event.call.action
        match action:
            case Run():
                self._run(index, action, event)
            case Edit():
                if not event.failed:
                    self._tree.edit(index, action)
            case Read():
                self._read(index, action, event)
            case Todos():
                self._todos(index, action, event)
            case Ask():
                self._answered(index, action, event)
            case Plan():
                self._planned(index, action, event)

    def _refused(self, index: int, event: ToolStep, reason: str) -> None:
        action = event.call.action
        is_of_line = isinstance(action, Edit) and event.call.at in self._lines
        if not is_of_line and (reason or isinstance(action, (Run, Edit))):
            files = _files(event, self._root)
            self.refusals.append(Refusal(_what(event, self._root), reason, isinstance(action, Run), files, index))

    def _answered(self, index: int, action: Ask, event: ToolStep) -> None:
        answers = event.result.answers if event.result is not None else ()
        offered = {question.text: question.options for question in action.questions}
        for question, answer in answers:
            labels = offered.get(question, ())
            others = tuple(label for label in labels if not _was_taken(label, answer))
            self.answers.append(UserAnswer(question, answer, others, len(others) < len(labels), index))

    def _read(self, index: int, action: Read, event: ToolStep) -> None:
        if event.done and (path := relative(action.path, self._root)):
            self._reads.setdefault(path, []).append(index)

    def _planned(self, index: int, action: Plan, event: ToolStep) -> None:
        result = event.result
        if result is None:
            self.plans.append(PlanSeen(action.text, "proposed", "", index))
        elif result.outcome == "rejected":
            self.plans.append(PlanSeen(action.text, "rejected" if result.reason else "dismissed", result.reason, index))
        elif result.outcome == "ok":
            self.plans.append(PlanSeen(action.text, "accepted", "", index))

    def _carried_out(self, text: str, index: int) -> None:
        """A plan that is the next prompt was accepted, by whichever way its dialog was left."""
        if self.plans and self.plans[-1].status != "accepted" and self.plans[-1].text.strip() == text.strip():
            self.plans.pop()
        self.plans.append(PlanSeen(text, "accepted", "", index))

    def _todos(self, index: int, action: Todos, event: ToolStep) -> None:
        if event.failed:
            return
        if action.whole:
            self._todo.clear()
        for number, entry in enumerate(action.entries):
            key = entry.id or (event.result.todo if event.result else "") or f"{index}.{number}"
            known = self._todo.get(key)
            text = entry.text or (known.text if known else "")
            status = entry.status or (known.status if known else "pending")
            if status == "deleted":
                self._todo.pop(key, None)
            elif text:
                self._todo[key] = TodoSeen(text, status, index)

    def _run(self, index: int, action: Run, event: ToolStep) -> None:
        text = event.result.text if event.result else ""
        parts = purposes.split(action.command)
        is_told = (event.done or event.failed) and not event.is_one_of
        folder = below(self._root, action.folder) if action.folder else self._tree.root
        is_mute = text == _NO_OUTPUT or (event.result is not None and event.result.exit_code == 0)
        ran = ShellOutcome(
            index, action.command, parts, "" if text == _NO_OUTPUT else text, event.done if is_told else None,
            folders_of(parts, folder, self._tree.root), is_mute,
        )  # fmt: skip
        self._git.take(ran)
        if ran.ok:
            what = _what(event, self._root)
            # It ran after all; what the user said of it stays.
            self.refusals = [one for one in self.refusals if one.reason or not one.command or one.what != what]
            for path in files_read(action.command, ran.parts, action.folder or self._root, self._root):
                if name := relative(path, self._root):
                    self._reads.setdefault(name, []).append(index)
        if is_told and self._failed(ran):
            return  # a check whose program is not there says nothing of the work
        # What was stopped or never came back neither worked nor failed.
        is_over = event.result is not None and event.result.outcome in ("ok", "error", "unknown")
        if is_over or (event.goes_on and event.result is None):
            self._checks.take(ran._replace(text="") if event.is_one_of else ran)

    def _failed(self, ran: ShellOutcome) -> bool:
        """Remember a command that failed until it works, or something in its place does; whether its program is not
        there. What only looks often fails for an answer, and checks are told apart.
        """
        acts = [part for part in ran.parts if part.purpose != "look"]
        if not acts:
            return False
        words, purpose = tuple(part.words for part in ran.parts), acts[0].purpose
        if ran.ok:
            for absent in [one for one in self._absent if one[0] == purpose or one[1][-1][1:] == words[-1][1:]]:
                self._absent.remove(absent)
                if absent[1] in self._failing:
                    self._failing[absent[1]] = self._failing[absent[1]]._replace(works=one_line(ran.command))
        known = self._failing.get(words)
        if known is not None and (known.command == one_line(ran.command) or not known.works):
            del self._failing[words]
        if ran.ok:
            return False
        error = one_line(outcomes.error_line(ran.text))
        has_run = outcomes.signs(ran.text, is_test=purpose == "test", is_whole=False)
        is_absent = not has_run and _NOT_THERE.search(error) is not None
        if is_absent:
            self._absent = [*self._absent, (purpose if purpose in purposes.CHECKS else "", words)][-_ABSENT_MAX:]
        if error and (is_absent or not {part.purpose for part in acts} & _TOLD_APART):
            self._failing[words] = FailedRun(one_line(ran.command), error, ran.event)
        return is_absent


def _event_of(change: TextEdit) -> int:
    return change.event


def is_own(step: ToolStep) -> bool:
    """Whether a call is to clew itself, by its command, its tools or its skills: what comes of it is about the ledger,
    not about the work.
    """
    action, tool = step.call.action, step.call.tool
    if isinstance(action, Run):
        return "clew" in action.command and purposes.is_own(action.command)
    is_skill = tool == _SKILL and isinstance(action, Other) and action.detail.startswith(_OWN_SKILLS)
    return is_skill or tool.startswith(_OWN_TOOLS)


def survey(session: Session) -> SessionWork:
    """What came of the session's tool calls."""
    return SessionWork(session)


def _was_taken(label: str, answer: str) -> bool:
    """Whether an answer takes this option; several are given with ", " between them."""
    return label in answer.split(", ") or (", " in label and label in answer)


def _what(step: ToolStep, root: str) -> str:
    """A refused call in a few words."""
    action = step.call.action
    if isinstance(action, Run):
        return f"`{one_line(action.command)}`"
    if isinstance(action, Edit):
        return f"{step.call.tool} {relative(action.path, root) or action.path}"
    return step.call.tool


def _files(step: ToolStep, root: str) -> tuple[str, ...]:
    action = step.call.action
    path = relative(action.path, root) if isinstance(action, (Edit, Read)) else ""
    return (path,) if path else ()

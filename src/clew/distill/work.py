"""What was really done, as tools tell it: files edited and committed, checks run, plans, to-dos, refusals, fixes.

Tools are trusted for status, words are not: done means a commit or a passing check after the last edit.
"""

from bisect import bisect_right
from typing import Literal, NamedTuple

from clew.core.gate.shell import outcomes, purposes
from clew.core.records.file_names import below, relative
from clew.core.records.transcript import Ask, Edit, Other, Plan, Prompt, Read, Run, Todos
from clew.core.text.cleaning import one_line
from clew.distill.checks import Check, Checks
from clew.distill.commits import CommitDone, Commits, GitState
from clew.distill.fixes import Attempts, DeadEnd, Fix, Fixes, passes_by_itself
from clew.distill.opened import Opened, Openings
from clew.distill.session import Event, Session, Step
from clew.distill.shell_lines import Ran, files_read, folders_of
from clew.distill.tree import Change, FileWork, Tree

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


class Answer(NamedTuple):
    """A question that the agent put to the user, with the answer, and the labels that were offered and not taken.
    `is_pick`: the answer is one of them, and not in words of the user's own.
    """

    question: str
    answer: str
    others: tuple[str, ...]
    is_pick: bool
    event: int


class FailedRun(NamedTuple):
    """A command, no check, that failed when it was last run, and what it said."""

    command: str
    error: str
    event: int


class Work(NamedTuple):
    """All of it, each list in the order in which it happened.

    `pushed`: the event of the last push, `even` that of git's last word that nothing is to be pushed, -1 none. `pulls`:
    the pull requests that were opened, changed or looked up, the latest one last. `read`: project files read and not
    edited, those read most first; `read_at` has for each the event of its last read.
    """

    files: tuple[FileWork, ...]
    read: tuple[str, ...]
    read_at: tuple[int, ...]
    commits: tuple[CommitDone, ...]
    checks: tuple[Check, ...]
    plans: tuple[PlanSeen, ...]
    refusals: tuple[Refusal, ...]
    answers: tuple[Answer, ...]
    todos: tuple[TodoSeen, ...]
    fixes: tuple[Fix, ...]
    rebases: tuple[int, ...]
    edits: tuple[Change, ...]
    pushed: int
    even: int
    opened: tuple[Opened, ...]
    pulls: tuple[Opened, ...]
    git: GitState
    failed_runs: tuple[FailedRun, ...]
    dead_ends: tuple[DeadEnd, ...]

    def edited(self, start: int, end: int) -> bool:
        """Whether a project file was edited behind the event `start` and before `end`."""
        first = bisect_right(self.edits, start, key=_event_of)
        return first < len(self.edits) and self.edits[first].event < end


def _event_of(change: Change) -> int:
    return change.event


def is_own(step: Step) -> bool:
    """Whether a call is to clew itself, by its command, its tools or its skills: what comes of it is about the ledger,
    not about the work.
    """
    action, tool = step.call.action, step.call.tool
    if isinstance(action, Run):
        return "clew" in action.command and purposes.is_own(action.command)
    is_skill = tool == _SKILL and isinstance(action, Other) and action.detail.startswith(_OWN_SKILLS)
    return is_skill or tool.startswith(_OWN_TOOLS)


def survey(session: Session) -> Work:
    """Read all of the session's tool calls once and tell what came of them."""
    steps = (event for event in session.events if isinstance(event, Step))
    survey = _Survey(
        session.root, session.branch, frozenset(step.call.at for step in steps if isinstance(step.call.action, Run))
    )
    for index, event in enumerate(session.events):
        survey.take(index, event)
    return survey.finish()


class _Survey:
    """The state of one reading. Private to this module: `survey` is the way in."""

    def __init__(self, root: str, branch: str, lines: frozenset[int]) -> None:
        self.root = root
        self.lines = lines  # the places of shell lines: what one writes is refused with it
        self.tree = Tree(root)
        self.commits = Commits(self.tree, branch)
        self.checks = Checks()
        self.fixes = Fixes()
        self.attempts = Attempts()
        self.openings = Openings()
        self.reads: dict[str, list[int]] = {}
        self.missing: dict[str, str] = {}
        self.plans: list[PlanSeen] = []
        self.refusals: list[Refusal] = []
        self.answers: list[Answer] = []
        self.todos: dict[str, TodoSeen] = {}
        self.failed_runs: dict[tuple[tuple[str, ...], ...], FailedRun] = {}

    def take(self, index: int, event: Event) -> None:
        if isinstance(event, Prompt):
            if event.source == "plan":
                self._carried_out(event.text, index)
            return
        self.openings.take(index, event)
        if not isinstance(event, Step):
            return
        action = event.call.action
        if is_own(event) or event.is_denied:
            return
        if event.result is not None and event.result.outcome == "rejected" and not isinstance(action, Plan):
            self._refused(index, event, event.result.reason)
        else:
            self._acted(index, event)

    def _acted(self, index: int, event: Step) -> None:
        action = event.call.action
        match action:
            case Run():
                self._run(index, action, event)
            case Edit():
                if not event.failed and self.tree.edit(index, action):
                    self.fixes.edited()
                    if event.done:
                        self.attempts.edited(self.tree.changes[-1])
            case Read():
                self._read(index, action, event)
            case Todos():
                self._todos(index, action, event)
            case Ask():
                self._answered(index, action, event)
            case Plan():
                self._planned(index, action, event)

    def _refused(self, index: int, event: Step, reason: str) -> None:
        action = event.call.action
        is_of_line = isinstance(action, Edit) and event.call.at in self.lines
        if not is_of_line and (reason or isinstance(action, (Run, Edit))):
            files = _files(event, self.root)
            self.refusals.append(Refusal(_what(event, self.root), reason, isinstance(action, Run), files, index))

    def _answered(self, index: int, action: Ask, event: Step) -> None:
        answers = event.result.answers if event.result is not None else ()
        offered = {question.text: question.options for question in action.questions}
        for question, answer in answers:
            labels = offered.get(question, ())
            others = tuple(label for label in labels if not _was_taken(label, answer))
            self.answers.append(Answer(question, answer, others, len(others) < len(labels), index))

    def _read(self, index: int, action: Read, event: Step) -> None:
        path = relative(action.path, self.root)
        name = path.rpartition("/")[2]
        if not name:
            return
        if event.failed and path:
            self.missing[name] = path
        elif path and event.done:
            self.reads.setdefault(path, []).append(index)
            wrong = self.missing.pop(name, path)
            if wrong != path:
                self.fixes.found.append(Fix(wrong, "", path, index))

    def _planned(self, index: int, action: Plan, event: Step) -> None:
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

    def _todos(self, index: int, action: Todos, event: Step) -> None:
        if event.failed:
            return
        if action.whole:
            self.todos.clear()
        for number, entry in enumerate(action.entries):
            key = entry.id or (event.result.todo if event.result else "") or f"{index}.{number}"
            known = self.todos.get(key)
            text = entry.text or (known.text if known else "")
            status = entry.status or (known.status if known else "pending")
            if status == "deleted":
                self.todos.pop(key, None)
            elif text:
                self.todos[key] = TodoSeen(text, status, index)

    def _run(self, index: int, action: Run, event: Step) -> None:
        text = event.result.text if event.result else ""
        ended = event.result.at if event.result else event.call.at
        parts = purposes.split(action.command)
        is_told = (event.done or event.failed) and not event.is_one_of
        folder = below(self.root, action.folder) if action.folder else self.tree.root
        is_mute = text == _NO_OUTPUT or (event.result is not None and event.result.exit_code == 0)
        ran = Ran(
            index, action.command, parts, "" if text == _NO_OUTPUT else text, event.done if is_told else None,
            event.call.at, ended, folders_of(parts, folder, self.tree.root), is_mute,
        )  # fmt: skip
        self.commits.take(ran)
        if ran.ok:
            what = _what(event, self.root)
            # It ran after all; what the user said of it stays.
            self.refusals = [one for one in self.refusals if one.reason or not one.command or one.what != what]
            for path in files_read(action.command, ran.parts, action.folder or self.root, self.root):
                if name := relative(path, self.root):
                    self.reads.setdefault(name, []).append(index)
        # What was stopped or never came back neither worked nor failed.
        is_over = event.result is not None and event.result.outcome in ("ok", "error", "unknown")
        if is_over or (event.goes_on and event.result is None):
            self.attempts.checked(self.checks.take(ran._replace(text="") if event.is_one_of else ran))
        if is_told:
            self.fixes.take(ran, self.checks)
            self._failed(ran)

    def _failed(self, ran: Ran) -> None:
        """Remember a command that failed until it works. What only looks often fails for an answer."""
        acts = {part.purpose for part in ran.parts} - {"look"}
        if not acts or acts & _TOLD_APART:
            return
        words = tuple(part.words for part in ran.parts)
        self.failed_runs.pop(words, None)
        if not ran.ok and not passes_by_itself(ran.text) and (error := outcomes.error_line(ran.text)):
            self.failed_runs[words] = FailedRun(one_line(ran.command), one_line(error), ran.event)

    def _failed_for_good(self) -> tuple[FailedRun, ...]:
        """The failed commands for which no variant was found either."""
        mended = {fix.event for fix in self.fixes.found}
        return tuple(run for run in self.failed_runs.values() if run.event not in mended)

    def finish(self) -> Work:
        changes = self.tree.changes
        read = sorted(self.reads.items(), key=lambda entry: -len(entry[1]))
        only_read = [(path, at[-1]) for path, at in read if not self.tree.knows(path)]
        return Work(
            files=self.tree.files(),
            read=tuple(path for path, _ in only_read),
            read_at=tuple(at for _, at in only_read),
            commits=tuple(self.commits.done),
            checks=self.checks.all(
                last_edit=changes[-1].event if changes else -1,
                last_rebase=self.commits.rebases[-1] if self.commits.rebases else -1,
            ),
            plans=tuple(self.plans),
            refusals=tuple(self.refusals),
            answers=tuple(self.answers),
            todos=tuple(self.todos.values()),
            fixes=tuple(self.fixes.found),
            rebases=tuple(self.commits.rebases),
            edits=tuple(changes),
            pushed=self.commits.pushed,
            even=self.commits.even,
            opened=self.openings.all(),
            pulls=self.openings.pulls(),
            git=self.commits.state(),
            failed_runs=self._failed_for_good(),
            dead_ends=tuple(self.attempts.dead),
        )


def _was_taken(label: str, answer: str) -> bool:
    """Whether an answer takes this option; several are given with ", " between them."""
    return label in answer.split(", ") or (", " in label and label in answer)


def _what(step: Step, root: str) -> str:
    """A refused call in a few words."""
    action = step.call.action
    if isinstance(action, Run):
        return f"`{one_line(action.command)}`"
    if isinstance(action, Edit):
        return f"{step.call.tool} {relative(action.path, root) or action.path}"
    return step.call.tool


def _files(step: Step, root: str) -> tuple[str, ...]:
    action = step.call.action
    path = relative(action.path, root) if isinstance(action, (Edit, Read)) else ""
    return (path,) if path else ()

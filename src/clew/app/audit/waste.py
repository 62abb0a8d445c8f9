"""What of a session's input did little for it, and what is advised."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from clew.core.audit.bill import Bill, BillEntry
from clew.core.audit.contexts import BillStep
from clew.core.gate.shell.purposes import only_looks, split
from clew.core.gate.shell.words import program
from clew.core.records.file_names import relative
from clew.core.records.transcript import Edit, Other, Read, Run, Search
from clew.distill.shell_lines import files_read

# Programs that say with their exit code whether they found something.
_ASKING: Final = frozenset(("grep", "rg", "diff", "test", "[", "egrep", "fgrep", "ag", "git", "cmp", "which", "pgrep"))
_SCANNING: Final = frozenset(("find", "ls", "tree", "fd", "rg", "grep", "ag", "du", "eza", "exa"))
_SCAN_TOOLS: Final = frozenset(("Glob", "LS", "glob", "list_directory", "list"))
_FIRST_TURNS: Final = 2
# A result is used if the model wrote so many of its words later, and not to be judged in the last responses.
_USED: Final = 2
_TERMS_MIN: Final = 5
_LAST_RESPONSES: Final = 3
_OUTSIDE_FILES: Final = 3
_EXAMPLES_MAX: Final = 5


class Remedy(NamedTuple):
    """What a measure is called, what to do about it, and which share of it could be saved: 0 where it is for knowing
    only.
    """

    what: str
    do: str
    saves: float


ADVICE: Final[Mapping[str, Remedy]] = {
    "reread": Remedy(
        "files read again that stood in the context unchanged",
        "Say in the rules file that what was read once is not read again; give the payload (`clew resume`) at a start.",
        1.0,
    ),
    "retried": Remedy(
        "calls repeated after they failed, with nothing changed in between",
        "Say in the rules file how the command is run right, and that a failure is read before it is tried again.",
        1.0,
    ),
    "failed": Remedy(
        "calls that failed", "Put the commands that work into the rules file (`clew rules init` proposes them).", 0.0
    ),
    "scan": Remedy(
        "searches and listings before the first edit",
        "Name the files in the prompt or in a plan's phase, so that nothing has to be looked for.",
        0.5,
    ),
    "unused": Remedy(
        "large results of which nothing was used later",
        "Have a sub-agent look and answer in a few lines, or ask for less (a range of lines, `| tail -40`, `-q`).",
        0.9,
    ),
    "outside": Remedy(
        "files read in folders in which nothing was edited",
        "Narrow the scope: say in the prompt which folder the work is in, and what the others offer.",
        0.5,
    ),
    "rules": Remedy(
        "rules files", "Shorten them: `clew audit rules` says what is dead, double or in the wrong place.", 0.5
    ),
    "skills": Remedy(
        "skills", "Remove skills that this project does not use; their list is sent with every response.", 0.5
    ),
    "tools": Remedy(
        "schemas and lists of tools", "Switch off the servers and apps that this project does not use.", 0.5
    ),
    "hooks-others": Remedy("what other hooks gave", "Take hooks out that say at each session what nobody needs.", 1.0),
    "hooks-clew": Remedy("what clew's own hooks gave", "`clew cost --self` tells how often.", 0.0),
    "images": Remedy("images and documents", "Describe or crop pictures; each stays in the context to its end.", 0.5),
    "agents": Remedy("sub-agents", "Give a sub-agent one question and a bound for its answer.", 0.0),
}


class Waste(NamedTuple):
    """What one measure, a key of `ADVICE`, found: `tokens` and `usd` over all responses (as far as prices are known).
    `times` it happened; `examples` with how often, the dearest first.
    """

    kind: str
    tokens: float
    usd: float
    times: int
    examples: tuple[tuple[str, int], ...]


class BilledSession(NamedTuple):
    """A bill with its steps, and the folder where the session ran."""

    bill: Bill
    steps: Sequence[BillStep]
    root: str


def wastes(session: BilledSession) -> Iterator[Waste]:
    """All measures, also those that found nothing."""
    again = list(_again(session))
    first = set(range(len(session.steps))).difference(again)
    failed = [at for at in sorted(first) if _is_failure(session.steps[at])]
    for kind, steps, name in (
        ("reread", _reread(session), _target),
        ("retried", again, _tool),
        ("failed", failed, _tool),
        ("scan", _scans(session), _tool),
        ("unused", _unused(session), _target),
        ("outside", _outside(session), _read_folder),
    ):
        yield _of_steps(kind, session, steps, name)
    for kind in ("rules", "skills", "tools", "images", "agents"):
        yield _of_entries(kind, (one for one in session.bill.entries if one.group == kind))
    hooks = [one for one in session.bill.entries if one.group == "hooks"]
    yield _of_entries("hooks-others", (one for one in hooks if one.piece.name != "clew"))
    yield _of_entries("hooks-clew", (one for one in hooks if one.piece.name == "clew"))


def _of_steps(
    kind: str, session: BilledSession, steps: Sequence[int], name: Callable[[BilledSession, BillStep], str]
) -> Waste:
    """The waste of some steps: what was sent to and came from them."""
    by_step: dict[int, list[BillEntry]] = defaultdict(list)
    for one in session.bill.entries:
        by_step[one.piece.step].append(one)
    sizes: Counter[str] = Counter()
    names = [name(session, session.steps[at]) for at in steps]
    for at, called in zip(steps, names, strict=True):
        sizes[called] += round(sum(one.carried for one in by_step[at]))
    entries = [one for at in dict.fromkeys(steps) for one in by_step[at]]
    examples = tuple((called, names.count(called)) for called, _ in sizes.most_common(_EXAMPLES_MAX))
    return Waste(kind, sum(one.carried for one in entries), sum(one.usd for one in entries), len(steps), examples)


def _of_entries(kind: str, found: Iterable[BillEntry]) -> Waste:
    """The waste of a line of the bill."""
    entries = list(found)
    sizes: Counter[str] = Counter()
    for one in entries:
        sizes[one.piece.name] += round(one.carried)
    examples = tuple((name, 1) for name, _ in sizes.most_common(_EXAMPLES_MAX) if name)
    return Waste(kind, sum(one.carried for one in entries), sum(one.usd for one in entries), len(entries), examples)


def _tool(_: BilledSession, step: BillStep) -> str:
    return step.name


def _target(session: BilledSession, step: BillStep) -> str:
    """The file that a step read, else its command, else its tool."""
    if step.outcome == "ok" and (read := next(_read(step, session.root), None)):
        return read[0]
    return next((action.command for action in step.actions if isinstance(action, Run)), step.name)


def _is_failure(step: BillStep) -> bool:
    """Whether a call failed; that a search found nothing is no failure."""
    asks = any(not _ASKING.isdisjoint(_programs(action)) for action in step.actions if isinstance(action, Run))
    return step.outcome == "error" and not (asks and step.exit_code == 1)


def _programs(action: Run) -> set[str]:
    return {program(part.words[0]) for part in split(action.command) if part.words}


def _edits(step: BillStep) -> bool:
    return any(isinstance(action, Edit) for action in step.actions)


def _again(session: BilledSession) -> Iterator[int]:
    """Calls that failed just as they had before, with nothing edited in between."""
    failed: set[tuple[str, object]] = set()
    for at, step in enumerate(session.steps):
        if _edits(step) and not _is_failure(step):
            failed.clear()
        elif _is_failure(step):
            if (key := (step.tool, step.actions)) in failed:
                yield at
            failed.add(key)


def _reread(session: BilledSession) -> list[int]:
    """Reads of what stands in the context already, with nothing known that changed the file in between."""
    known: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    results = {one.piece.step: one for one in session.bill.entries if one.piece.group == "results" and not one.agent}
    steps = []
    for at, step in enumerate(session.steps):
        if step.agent or step.outcome != "ok":
            continue
        seen = list(_read(step, session.root))
        if at in results and any(
            _holds(results, one, at, first, last) for path, first, last in seen for one in known[path]
        ):
            steps.append(at)
        for path, first, last in seen:
            known[path].append((at, first, last))
        _forget(step, known)
    return steps


def _holds(results: dict[int, BillEntry], before: tuple[int, int, int], at: int, first: int, last: int) -> bool:
    """Whether an earlier read held those lines, and still stands in the context when step `at` comes into it."""
    earlier, start, end = before
    held = results.get(earlier)
    if held is None or held.first + held.responses < results[at].first:
        return False
    return (not start or start <= (first or 1)) and (not end or 0 < last <= end)


def _read(step: BillStep, root: str) -> Iterator[tuple[str, int, int]]:
    """The files that a step read, with the lines; 0 to the end."""
    for action in step.actions:
        if isinstance(action, Read):
            yield relative(action.path, root) or action.path, action.first, action.last
        elif isinstance(action, Run):
            parts = split(action.command)
            is_whole = len(parts) == 1 and parts[0].words[:1] == ("cat",)
            for path in files_read(action.command, parts, action.folder or root, root) if is_whole else ():
                yield relative(path, root) or path, 0, 0


def _forget(step: BillStep, known: dict[str, list[tuple[int, int, int]]]) -> None:
    """What a step may have changed is not known any more."""
    for action in step.actions:
        if isinstance(action, Edit):
            changed = [one for one in known if one.rpartition("/")[2] == action.path.rpartition("/")[2]]
        elif isinstance(action, Run) and _may_write(action.command):
            is_git = "git" in action.command
            changed = [one for one in known if is_git or one.rpartition("/")[2] in action.command]
        else:
            continue
        for path in changed:
            del known[path]


def _may_write(line: str) -> bool:
    """Whether a shell line may change a file that it names."""
    in_place = any(part.words[:1] == ("sed",) and any(w.startswith("-i") for w in part.words) for part in split(line))
    return in_place or ">" in line or not only_looks(line)


def _scans(session: BilledSession) -> list[int]:
    """Searches and listings of the first turns, before the first edit."""
    edit = next((at for at, one in enumerate(session.steps) if _edits(one) and not one.agent), len(session.steps))
    early = [at for at, one in enumerate(session.steps[:edit]) if one.turn <= _FIRST_TURNS and not one.agent]
    return [at for at in early if _is_scan(session.steps[at])]


def _is_scan(step: BillStep) -> bool:
    for action in step.actions:
        if isinstance(action, Search):
            return True
        if isinstance(action, Run):
            return not _SCANNING.isdisjoint(_programs(action)) or "ls-files" in action.command
    return step.tool in _SCAN_TOOLS


def _unused(session: BilledSession) -> list[int]:
    """Large results, of steps that were to find something out, of which the model wrote hardly a word later."""
    last = session.bill.responses - _LAST_RESPONSES
    judged = {one.piece.step: one.first for one in session.bill.entries if one.piece.group == "results"}
    return [
        at
        for at, step in enumerate(session.steps)
        if step.terms >= _TERMS_MIN
        and step.used < _USED
        and judged.get(at, last) < last
        and all(isinstance(action, (Read, Run, Search, Other)) for action in step.actions)
    ]


def _outside(session: BilledSession) -> list[int]:
    """Reads in folders in which nothing was edited, where something was edited elsewhere; none where they are few."""
    edits = (action for step in session.steps for action in step.actions if isinstance(action, Edit))
    edited = {_folder(path) for one in edits if (path := relative(one.path, session.root))}
    steps = []
    for at, step in enumerate(session.steps):
        read = _folders(session, step)
        is_rules = any(isinstance(action, Read) and action.path.endswith(".md") for action in step.actions)
        if edited and read and not read & edited and not step.agent and not is_rules:
            steps.append(at)
    return steps if len(steps) >= _OUTSIDE_FILES else []


def _read_folder(session: BilledSession, step: BillStep) -> str:
    return min(_folders(session, step))


def _folders(session: BilledSession, step: BillStep) -> set[str]:
    """The folders of the project in which a step read."""
    return {_folder(relative(path, session.root)) for path, _, _ in _read(step, session.root)} - {""}


def _folder(path: str) -> str:
    """The two topmost folders of a path of the project."""
    return "/".join(path.split("/")[:-1][:2]) or ("." if path else "")

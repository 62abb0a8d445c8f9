"""What of a session's input did little for it, what is advised, and whether earlier advice came about."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from clew.app.project.opening import ProjectHandle
from clew.app.project.reading import newest_first
from clew.core.audit.bill import Bill, BillEntry
from clew.core.audit.contexts import BillStep, Group
from clew.core.errors import ClewError
from clew.core.gate.shell.purposes import only_looks, split
from clew.core.gate.shell.words import program
from clew.core.records.file_names import relative
from clew.core.records.transcript import Edit, Other, Read, Run, Search
from clew.core.state.events import Data
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
_OUTPUTS: Final = 3


class Waste(NamedTuple):
    """What one measure found. `times` it happened; `examples` with how often, the dearest first. `saves` is the share
    of it that could be saved, 0 where the measure is for knowing only.
    """

    kind: str
    entries: tuple[BillEntry, ...]
    times: int
    examples: tuple[tuple[str, int], ...]
    saves: float

    @property
    def tokens(self) -> float:
        """Input tokens over all responses."""
        return sum(one.carried for one in self.entries)

    @property
    def usd(self) -> float:
        """What they cost, as far as prices are known."""
        return sum(one.usd for one in self.entries)


class BilledSession(NamedTuple):
    """A bill with its steps, and the folder where the session ran."""

    bill: Bill
    steps: Sequence[BillStep]
    root: str

    def entries(self, steps: Iterable[int]) -> tuple[BillEntry, ...]:
        """What was sent to and came from those steps."""
        wanted = set(steps)
        return tuple(one for one in self.bill.entries if one.piece.step in wanted)


def wastes(session: BilledSession) -> tuple[Waste, ...]:
    """All measures, also those that found nothing."""
    return tuple(measure(session) for measure in _MEASURES)


def _named(kind: str, session: BilledSession, steps: Sequence[int], names: Callable[[int], str], saves: float) -> Waste:
    """The waste of some steps, with their names."""
    sizes: Counter[str] = Counter()
    times: Counter[str] = Counter()
    carried: dict[int, float] = defaultdict(float)
    for one in session.bill.entries:
        carried[one.piece.step] += one.carried
    for step in steps:
        sizes[names(step)] += round(carried[step])
        times[names(step)] += 1
    examples = tuple((name, times[name]) for name, _ in sizes.most_common(5))
    return Waste(kind, session.entries(steps), len(steps), examples, saves)


def is_failure(step: BillStep) -> bool:
    """Whether a call failed; that a search found nothing is no failure."""
    asks = any(
        isinstance(action, Run) and {program(part.words[0]) for part in split(action.command) if part.words} & _ASKING
        for action in step.actions
    )
    return step.outcome == "error" and not (asks and step.exit_code == 1)


def _failed(session: BilledSession) -> Waste:
    """Calls that failed, the first time each."""
    steps = [at for at, step in enumerate(session.steps) if is_failure(step)]
    again = set(_again(session))
    return _named("failed", session, [at for at in steps if at not in again], lambda at: session.steps[at].name, 0.0)


def _retried(session: BilledSession) -> Waste:
    return _named("retried", session, list(_again(session)), lambda at: session.steps[at].name, 1.0)


def _again(session: BilledSession) -> Iterator[int]:
    """Calls that failed just as they had before, with nothing edited in between."""
    failed: set[tuple[str, object]] = set()
    for at, step in enumerate(session.steps):
        if any(isinstance(action, Edit) for action in step.actions) and not is_failure(step):
            failed.clear()
        elif is_failure(step):
            if (key := (step.tool, step.actions)) in failed:
                yield at
            failed.add(key)


def _reread(session: BilledSession) -> Waste:
    """Reads of what stands in the context already, with nothing known that changed the file in between."""
    known: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    results = {one.piece.step: one for one in session.bill.entries if one.piece.group == "results" and not one.agent}
    steps, paths = [], {}
    for at, step in enumerate(session.steps):
        if step.agent or step.outcome != "ok":
            continue
        seen = list(_read(step, session.root))
        for path, first, last in seen:
            if at in results and any(_holds(results, one, at, first, last) for one in known[path]):
                steps.append(at)
                paths[at] = path
                break
        for path, first, last in seen:
            known[path].append((at, first, last))
        _forget(step, known)
    return _named("reread", session, steps, paths.__getitem__, 1.0)


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
            name = action.path.rpartition("/")[2]
            for path in [one for one in known if one.rpartition("/")[2] == name]:
                del known[path]
        elif isinstance(action, Run) and _may_write(action.command):
            for path in [one for one in known if one.rpartition("/")[2] in action.command or "git" in action.command]:
                del known[path]


def _may_write(line: str) -> bool:
    """Whether a shell line may change a file that it names."""
    in_place = any(part.words[:1] == ("sed",) and any(w.startswith("-i") for w in part.words) for part in split(line))
    return in_place or ">" in line or not only_looks(line)


def _scans(session: BilledSession) -> Waste:
    """Searches and listings of the first turns, before the first edit."""
    edit = next((at for at, one in enumerate(session.steps) if _edits(one) and not one.agent), len(session.steps))
    early = [at for at, one in enumerate(session.steps[:edit]) if one.turn <= _FIRST_TURNS and not one.agent]
    steps = [at for at in early if _is_scan(session.steps[at])]
    return _named("scan", session, steps, lambda at: session.steps[at].name, 0.5)


def _edits(step: BillStep) -> bool:
    return any(isinstance(action, Edit) for action in step.actions)


def _is_scan(step: BillStep) -> bool:
    if step.tool in _SCAN_TOOLS:
        return True
    for action in step.actions:
        if isinstance(action, Search):
            return True
        if isinstance(action, Run):
            heads = [program(part.words[0]) for part in split(action.command) if part.words]
            return any(head in _SCANNING for head in heads) or "ls-files" in action.command
    return False


def _unused(session: BilledSession) -> Waste:
    """Large results of which the model wrote hardly a word later."""
    last = session.bill.responses - _LAST_RESPONSES
    judged = {one.piece.step: one.first for one in session.bill.entries if one.piece.group == "results"}
    steps = [
        at
        for at, step in enumerate(session.steps)
        if step.terms >= _TERMS_MIN and step.used < _USED and judged.get(at, last) < last and _looks(step)
    ]
    return _named("unused", session, steps, lambda at: _what(session, at), 0.9)


def _looks(step: BillStep) -> bool:
    """Whether a step was to find something out."""
    return all(isinstance(action, (Read, Run, Search, Other)) for action in step.actions)


def _what(session: BilledSession, at: int) -> str:
    step = session.steps[at]
    for action in step.actions:
        if isinstance(action, Read):
            return f"{step.name} {relative(action.path, session.root) or action.path}"
        if isinstance(action, Run):
            return action.command
    return step.name


def _outside(session: BilledSession) -> Waste:
    """Reads in folders in which nothing was edited, where something was edited elsewhere."""
    edited = {
        _folder(relative(action.path, session.root))
        for step in session.steps
        for action in step.actions
        if isinstance(action, Edit) and relative(action.path, session.root)
    }
    steps, folders = [], {}
    for at, step in enumerate(session.steps):
        read = {_folder(relative(path, session.root)) for path, _, _ in _read(step, session.root)} - {""}
        if edited and read and not read & edited and not step.agent and not _is_rules(step):
            steps.append(at)
            folders[at] = min(read)
    if len(steps) < _OUTSIDE_FILES:
        steps = []
    return _named("outside", session, steps, folders.__getitem__, 0.5)


def _folder(path: str) -> str:
    """The two topmost folders of a path of the project."""
    return "/".join(path.split("/")[:-1][:2]) or ("." if path else "")


def _is_rules(step: BillStep) -> bool:
    return any(isinstance(action, Read) and action.path.endswith(".md") for action in step.actions)


def _group(
    kind: str, group: Group, saves: float, *, names: Callable[[str], bool] = lambda _: True
) -> Callable[[BilledSession], Waste]:
    """A measure of a line of the bill."""

    def measure(session: BilledSession) -> Waste:
        entries = tuple(one for one in session.bill.entries if one.group == group and names(one.piece.name))
        sizes: Counter[str] = Counter()
        for one in entries:
            sizes[one.piece.name] += round(one.carried)
        examples = tuple((name, 1) for name, _ in sizes.most_common(5) if name)
        return Waste(kind, entries, len(entries), examples, saves)

    return measure


def _by_command(session: BilledSession) -> Waste:
    """The command whose output took most."""
    sizes: Counter[str] = Counter()
    for one in session.bill.entries:
        step = session.steps[one.piece.step] if one.piece.step >= 0 else None
        if one.group == "results" and step is not None and any(isinstance(action, Run) for action in step.actions):
            sizes[one.piece.name] += round(one.carried)
    name = next((name for name, _ in sizes.most_common(1)), "")
    steps = [at for at, step in enumerate(session.steps) if name and step.name == name and not step.agent]
    if len(steps) < _OUTPUTS:
        steps = []
    return _named("output", session, steps, lambda at: session.steps[at].name, 0.5)


_MEASURES: Final[tuple[Callable[[BilledSession], Waste], ...]] = (
    _reread,
    _retried,
    _failed,
    _scans,
    _unused,
    _outside,
    _by_command,
    _group("rules", "rules", 0.5),
    _group("skills", "skills", 0.5),
    _group("tools", "tools", 0.5),
    _group("hooks-others", "hooks", 1.0, names=lambda name: name != "clew"),
    _group("hooks-clew", "hooks", 0.0, names=lambda name: name == "clew"),
    _group("images", "images", 0.5),
    _group("agents", "agents", 0.0),
)


AUDITED: Final = "session.audited"
# An advice came about where what it was about takes half of the share that it took, or less.
_CAME: Final = 0.5
_LOOKED_AT_MAX: Final = 50


class Remedy(NamedTuple):
    """What a measure is called, and what to do about it."""

    what: str
    do: str


ADVICE: Final[Mapping[str, Remedy]] = {
    "reread": Remedy(
        "files read again that stood in the context unchanged",
        "Say in the rules file that what was read once is not read again; give the payload (`clew resume`) at a start.",
    ),
    "retried": Remedy(
        "calls repeated after they failed, with nothing changed in between",
        "Say in the rules file how the command is run right, and that a failure is read before it is tried again.",
    ),
    "failed": Remedy(
        "calls that failed",
        "Put the commands that work into the rules file (`clew rules init` proposes them).",
    ),
    "scan": Remedy(
        "searches and listings before the first edit",
        "Name the files in the prompt or in a plan's phase, so that nothing has to be looked for.",
    ),
    "unused": Remedy(
        "large results of which nothing was used later",
        "Have a sub-agent look and answer in a few lines, or ask for less (a range of lines, `| tail -40`, `-q`).",
    ),
    "outside": Remedy(
        "files read in folders in which nothing was edited",
        "Narrow the scope: say in the prompt which folder the work is in, and what the others offer.",
    ),
    "output": Remedy(
        "the command whose output took most",
        "Let it print less: only failures, only names, or into a file of which the end is read.",
    ),
    "rules": Remedy("rules files", "Shorten them: `clew audit rules` says what is dead, double or in the wrong place."),
    "skills": Remedy("skills", "Remove skills that this project does not use; their list is sent with every response."),
    "tools": Remedy("schemas and lists of tools", "Switch off the servers and apps that this project does not use."),
    "hooks-others": Remedy("what other hooks gave", "Take hooks out that say at each session what nobody needs."),
    "hooks-clew": Remedy("what clew's own hooks gave", "`clew cost --self` tells how often."),
    "images": Remedy("images and documents", "Describe or crop pictures; each stays in the context to its end."),
    "agents": Remedy("sub-agents", "Give a sub-agent one question and a bound for its answer."),
}  # fmt: skip


class CheckedAdvice(NamedTuple):
    """An advice of an earlier audit: the share of the input that it was about, then and now, and whether it came about.
    `session` is the one that it was said of.
    """

    kind: str
    what: str
    session: str
    before: float
    now: float
    came: bool


def checked(project: ProjectHandle, session: str, began: str, shares: Mapping[str, float]) -> tuple[CheckedAdvice, ...]:
    """What became of the advice on the last session before this one, if it was given before this one `began`. `shares`
    are this one's.
    """
    with project.open(write=False) as at:
        for number, recorded in enumerate(newest_first(at.ledger, (AUDITED,))):
            data = recorded.event.data
            earlier, kinds = str(data.get("session", "")), data.get("advised")
            is_later = bool(began) and max(str(data.get("began", "")), recorded.event.recorded_at) >= began
            if earlier == session or is_later or not isinstance(kinds, list):
                if number >= _LOOKED_AT_MAX:
                    break
                continue
            then = _shares(data.get("shares"))
            told = [kind for kind in kinds if kind in ADVICE and kind in then and kind in shares]
            return tuple(
                CheckedAdvice(
                    kind, ADVICE[kind].what, earlier, then[kind], shares[kind], shares[kind] <= _CAME * then[kind]
                )
                for kind in told
            )
    return ()


def keep(
    project: ProjectHandle, client: str, session: str, began: str, shares: Mapping[str, float], advised: Sequence[str]
) -> str:
    """Note what was advised. A note for the person where that was not possible, "" else. Activity: it may be lost."""
    told = json.dumps({kind: round(share, 4) for kind, share in shares.items() if share}, separators=(",", ":"))
    data: Data = {"client": client, "session": session, "began": began, "shares": told, "advised": list(advised)}
    try:
        with project.open(write=True) as at:
            # The same audit again is no news.
            last = next((one.event.data for one in newest_first(at.ledger, (AUDITED,))), None)
            if last != data and at.ledger.writable:
                at.append([at.event(AUDITED, data, task="", visibility="private")])
    except ClewError as error:
        return f"The advice could not be kept, so it cannot be checked later: {error.message}."
    return ""


def _shares(told: object) -> dict[str, float]:
    try:
        found = json.loads(told) if isinstance(told, str) else {}
    except ValueError:
        return {}
    return {kind: value for kind, value in found.items() if isinstance(value, float)} if isinstance(found, dict) else {}

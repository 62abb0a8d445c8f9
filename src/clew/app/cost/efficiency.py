"""Efficiency: what came of the tokens: checks that passed behind a change, lines that were added and are still there.

Output is read off the sessions' own records: an edit counts when its tool says that it was made, a check when it ran
to its end and passed, once for what was changed before it. What a shell line writes into files is not seen.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal, get_args

from clew.app.cost.cost import CostNames, with_usage
from clew.app.cost.index import UsageIndex, UsageRow, gather, usage_files
from clew.app.cost.phases import second_of
from clew.app.intake.find import ProjectFolders, newest, project_at
from clew.app.intake.worked import ChecksPassed, EditMade, worked
from clew.app.ports import Ports
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.redaction import safe_errors
from clew.app.results import JsonResult
from clew.clients.port import Transcript
from clew.core.errors import Unavailable
from clew.core.text.cleaning import clean, one_line
from clew.workspace.disk import Disk, read
from clew.workspace.git import Git
from clew.workspace.repository import head_at

Way = Literal["session", "task", "phase"]
WAYS: Final = get_args(Way)
SESSIONS: Final = 30
_FILE_BYTES_MAX: Final = 1 << 20
# Git is asked for what so many files held before; of more, all that was written counts as new.
_BASES_MAX: Final = 200


class NameOutput(JsonResult, frozen=True):
    """What came of one name's tokens. `lines_added` are lines that edits added, `lines` those of them that are still
    in the work tree; `passes` are checks that passed behind a change, both also for each 1,000 tokens. `trend` is
    `lines_per_1k` session by session, the newest last.
    """

    name: str
    about: str
    sessions: int
    tokens: int
    passes: int
    lines_added: int
    lines: int
    passes_per_1k: float
    lines_per_1k: float
    trend: tuple[float, ...] = ()


class Efficiency(JsonResult, frozen=True):
    """`parts` with the newest work first. `scope` is the top folder in which lines were looked for."""

    by: Way
    parts: tuple[NameOutput, ...]
    total: NameOutput
    scope: str
    notes: tuple[str, ...] = ()


def efficiency(
    project: ProjectHandle, *, by: Way = "session", limit: int = SESSIONS, tell: Callable[[str], None] = lambda _: None
) -> Efficiency:
    """What came of the tokens of the newest `limit` sessions of the project that `folder` (absolute) is in, with their
    sub-agents'. Raises `Unavailable` where the index of tokens cannot be kept.
    """
    with safe_errors(project.ports.redact):
        found_project = project_at(project.folder)
        chosen = list(islice(newest(project.ports.locators, project.ports.readers, found_project, excluded=""), limit))[
            ::-1
        ]
        account = _Account(
            CostNames.of_project(project.ports, project.folder, by), [item.session for item, _ in chosen]
        )
        notes = []
        for item in _files(project.ports, [item for item, _ in chosen]):
            tell(item.session)
            try:
                account.take(item.session, worked(project.ports, item, found_project))
            except OSError:
                notes.append(f"{one_line(clean(str(item.path)))} cannot be read, so its work is not counted.")
        _count_tokens(project.ports, account, tell)
        if locate(project.folder).has_ledger:
            _count_validations(project, account)
        account.look(found_project, _Bases(project.ports, found_project))
        return account.told(
            by, str(found_project.folders[0]), tuple(notes), lambda text: project.ports.redact(clean(text))
        )


_Name = tuple[str, str]


@dataclass(slots=True)
class _Made:
    """What one session made for one name."""

    tokens: int = 0
    passes: int = 0
    lines: int = 0
    files: dict[str, Added] = field(default_factory=lambda: defaultdict(Added))


class _Account:
    """What sessions made, by name and session."""

    def __init__(self, names: CostNames, sessions: Iterable[str]) -> None:
        self._names = names
        self._place = {session: number for number, session in enumerate(dict.fromkeys(sessions))}
        self._made: dict[tuple[int, _Name], _Made] = defaultdict(_Made)
        self._first: dict[str, int] = {}

    @property
    def sessions(self) -> Collection[str]:
        """Their ids, the newest last."""
        return self._place.keys()

    def of(self, session: str, folder: str, second: int) -> _Made:
        """What is counted for that moment."""
        return self._made[self._place[session], self._names.of_session(session, "", folder, second)]

    def take(self, session: str, work: Iterable[EditMade | ChecksPassed]) -> None:
        """Count what a session did."""
        for one in work:
            if isinstance(one, EditMade):
                self._first.setdefault(one.path, one.second)
                self.of(session, one.folder, one.second).files[one.path].edit(one.removed, one.added)
            else:
                self.of(session, one.folder, one.second).passes += one.checks

    def look(self, project: ProjectFolders, bases: _Bases) -> None:
        """Find which lines are still there. A line counts once, for who added it first."""
        disk = Disk(project.folders[0])
        there: dict[str, Counter[str]] = {}
        whole = {path for one in self._made.values() for path, added in one.files.items() if added.is_whole}
        for _, one in sorted(self._made.items()):
            for path, added in one.files.items():
                if path not in there:
                    data = read(disk, path, limit_bytes=_FILE_BYTES_MAX).data or b""
                    there[path] = telling(data.decode("utf-8", "replace"))
                    if path in whole:
                        there[path] -= bases.lines(path, self._first[path])
                one.lines += surviving(added.lines, there[path])

    def told(self, by: Way, scope: str, notes: tuple[str, ...], safe: Callable[[str], str]) -> Efficiency:
        """The result; `safe` makes texts of others fit to be shown."""
        names: dict[_Name, list[tuple[int, _Made]]] = defaultdict(list)
        for (place, name), one in sorted(self._made.items()):
            names[name].append((place, one))
        latest = sorted(names.items(), key=lambda entry: -entry[1][-1][0])
        parts = tuple(_output(safe(name), safe(about), ones) for (name, about), ones in latest)
        total = _output("total", "", [(place, one) for (place, _), one in sorted(self._made.items())])
        return Efficiency(by, parts, total, scope, notes)


def _output(name: str, about: str, ones: Sequence[tuple[int, _Made]]) -> NameOutput:
    sessions: dict[int, list[_Made]] = defaultdict(list)
    for place, one in ones:
        sessions[place].append(one)
    made = [one for _, one in ones]
    tokens, passes, lines = (sum(getattr(one, what) for one in made) for what in ("tokens", "passes", "lines"))
    return NameOutput(
        name,
        about,
        len(sessions),
        tokens,
        passes,
        sum(added.count for one in made for added in one.files.values()),
        lines,
        per_thousand(passes, tokens),
        per_thousand(lines, tokens),
        tuple(
            per_thousand(sum(one.lines for one in some), sum(one.tokens for one in some)) for some in sessions.values()
        ),
    )


def _files(ports: Ports, known: Sequence[Transcript]) -> list[Transcript]:
    """The sessions' files and those of their sub-agents, the sessions in their order."""
    there = {item.path for item in known}
    place = {item.session: number for number, item in enumerate(known)}
    beside = [item for item in usage_files(ports) if item.session in place and item.path not in there]
    return sorted([*known, *beside], key=lambda item: place[item.session])


def _count_tokens(ports: Ports, account: _Account, tell: Callable[[str], None]) -> None:
    if not account.sessions:
        return

    def rows(index: UsageIndex) -> list[UsageRow]:
        gather(ports, index, lambda done, all_: tell(f"tokens in file {done} of {all_}"))
        return list(index.rows(since=0, until=0, folders=None, sessions=account.sessions, step_s=1))

    for row in with_usage(ports, rows)[0]:
        account.of(row.session, row.folder, row.at).tokens += row.tokens.total


def _count_validations(project: ProjectHandle, account: _Account) -> None:
    """Add clew's own validations that passed: one a tree, and none of a tree as the phase found it."""
    with project.open(write=False) as at:
        met: set[tuple[str, str]] = set()
        for entry in at.ledger.events(kinds=("phase.started", "validation.ran")):
            event = entry.event
            tree = event.task, str(event.data.get("tree"))
            is_pass = event.kind == "validation.ran" and event.data.get("verdict") == "passed"
            if is_pass and tree not in met and event.session in account.sessions:
                account.of(event.session, event.worktree, second_of(event.said_at)).passes += 1
            if is_pass or event.kind == "phase.started":
                met.add(tree)


class _Bases:
    """What files held before a moment, as git has it; nothing where it does not know."""

    def __init__(self, ports: Ports, project: ProjectFolders) -> None:
        self._git = Git(project.repository, environment=ports.environment) if project.repository else None
        self._asked = 0

    def lines(self, path: str, second: int) -> Counter[str]:
        """The lines of a file as they were committed then."""
        commit = head_at(self._git.repository, second) if self._git and self._asked < _BASES_MAX else ""
        if not commit or self._git is None:
            return Counter()
        self._asked += 1
        try:
            return telling(self._git.content(f"{commit}:{path}").decode("utf-8", "replace"))
        except Unavailable:  # it was not there
            return Counter()


def telling(text: str) -> Counter[str]:
    """How often each line stands in a text. Lines without a letter or a digit tell nothing and count for nothing."""
    lines = (line.strip() for line in text.splitlines())
    return Counter(line for line in lines if any(mark.isalnum() for mark in line))


class Added:
    """The lines that edits of one file added: those that were not there before."""

    def __init__(self) -> None:
        self.lines: Counter[str] = Counter()
        self.is_whole = False

    def edit(self, removed: str, added: str) -> None:
        """Take in an edit. A file that is written whole again (`removed` is "") adds only what it did not before."""
        if removed:
            self.lines += telling(added) - telling(removed)
        else:
            self.is_whole = True
            self.lines |= telling(added)

    @property
    def count(self) -> int:
        """How many lines."""
        return self.lines.total()


def surviving(added: Counter[str], there: Counter[str]) -> int:
    """How many of the lines that were added are still `there`, from which they are taken: a line counts once."""
    found = added & there
    there.subtract(found)
    return found.total()


def per_thousand(count: float, tokens: int) -> float:
    """`count` for each 1,000 tokens, 0 where there are none."""
    return round(1000 * count / tokens, 4) if tokens else 0.0

"""What new sessions did again although an earlier one had it, read off the user's own records. No model, no network."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from statistics import fmean
from typing import Final, Literal, NamedTuple

from clew.app.cost.restarts import sessions_given
from clew.app.intake.find import newest, project_at
from clew.app.project.opening import ProjectHandle
from clew.app.results import JsonResult
from clew.clients.port import Reader, Transcript
from clew.core.records.transcript import Ask, Call, Context, Edit, Read, Result, Run, Search
from clew.core.text.tokens import estimate
from clew.sessions.log import SessionLog

Sort = Literal["read", "run", "ask"]
# The calls of a session that count: what it did to find out where it stood.
FIRST_CALLS: Final = 20
_DAY_NS: Final = 24 * 3600 * 10**9


class SessionRepeats(NamedTuple):
    """What one session repeated in its first calls (`calls`, at most `FIRST_CALLS`). `given`: clew gave it a payload.
    `reread` are files and searches, `rerun` commands, `reasked` questions put to the user. `tokens` are those of what
    the repeated calls answered.
    """

    client: str
    session: str
    began: str
    given: bool
    calls: int
    reread: int
    rerun: int
    reasked: int
    tokens: int


class MeanRepeats(NamedTuple):
    """Means of several sessions; `share` of their first calls were repeats."""

    sessions: int
    reread: float
    rerun: float
    reasked: float
    tokens: int
    share: float


class Continuity(JsonResult, frozen=True):
    """The sessions of the last `days` days that had an earlier one to go by, the newest first, and the means of those
    with and without a payload.
    """

    days: int
    sessions: tuple[SessionRepeats, ...]
    with_payload: MeanRepeats | None
    without_payload: MeanRepeats | None


class _Deed(NamedTuple):
    """A call that finds something out: by `keys` it is known again, the first is its own, each of them will do.
    `path` is the file that it depends on, "" for any. `tokens` are those of its answer.
    """

    time: str
    sort: Sort
    keys: tuple[str, ...]
    path: str
    tokens: int


class _Session(NamedTuple):
    item: Transcript
    began: str
    calls: int
    deeds: tuple[_Deed, ...]
    first_count: int  # so many of the deeds, in order, are among the first calls
    edits: tuple[tuple[str, str], ...]


def continuity(project: ProjectHandle, *, days: int, tell: Callable[[str], None] = lambda _: None) -> Continuity:
    """What the project's sessions that were written to in the last `days` days did again.

    A call repeats one of a session that began earlier if it reads the same file or lines, searches for the same, runs
    the same command or asks the user the same, and no session on record has edited since what that told: the file that
    was read, or for searches and commands any file.
    """
    given = sessions_given(project)
    since_ns = project.ports.now_ms() * 10**6 - days * _DAY_NS
    found = list(_sessions(project, since_ns, tell))
    found.sort(key=lambda one: one.began)
    known = _Known(found)
    rows = []
    for number, one in enumerate(found):
        if number and one.calls:
            again = known.repeats(number)
            counts = Counter(deed.sort for deed in again)
            rows.append(
                SessionRepeats(
                    one.item.client,
                    project.ports.redact(one.item.session),
                    one.began,
                    one.item.session in given,
                    one.calls,
                    counts["read"],
                    counts["run"],
                    counts["ask"],
                    sum(deed.tokens for deed in again),
                )
            )
    rows.reverse()
    means = [_mean([one for one in rows if one.given is is_given]) for is_given in (True, False)]
    return Continuity(days, tuple(rows), *means)


def _sessions(project: ProjectHandle, since_ns: int, tell: Callable[[str], None]) -> Iterator[_Session]:
    ports = project.ports
    for item, reader in newest(ports.locators, ports.readers, project_at(project.folder), excluded=""):
        if item.modified_ns < since_ns:
            return
        tell(item.session)
        try:
            yield _read(item, reader)
        except OSError:
            continue


def _read(item: Transcript, reader: Reader) -> _Session:
    """A session's calls of the main chain that find something out, and all edits. Raises `OSError`."""
    began, root, calls = "", "", 0
    deeds: dict[str, _Deed] = {}
    first: set[str] = set()
    edits = []
    for record in SessionLog(item.path, reader):
        began = began or record.time
        if isinstance(record, Context):
            root = root or f"{record.cwd}/"
        elif isinstance(record, Call) and isinstance(record.action, Edit):
            edits.append((record.time, record.action.path.removeprefix(root)))
        elif isinstance(record, Result) and record.call in first:
            deeds[record.call] = deeds[record.call]._replace(tokens=estimate(record.text))
        if isinstance(record, Call) and not record.agent:
            calls += 1
            found = _deed(record, root)
            if found is not None:
                deeds[record.id] = found
                if calls <= FIRST_CALLS:
                    first.add(record.id)
    return _Session(item, began, min(calls, FIRST_CALLS), tuple(deeds.values()), len(first), tuple(edits))


def _deed(call: Call, root: str) -> _Deed | None:
    """None for a call that finds nothing out."""
    match call.action:
        case Read(path, first, last):
            path = path.removeprefix(root)
            return _Deed(call.time, "read", (f"read {path} {first} {last}", f"read {path} 0 0"), path, 0)
        case Search(pattern, path):
            return _Deed(call.time, "read", (f"search {path.removeprefix(root)} {pattern}",), "", 0)
        case Run(command):
            return _Deed(call.time, "run", (f"run {' '.join(command.split())}",), "", 0)
        case Ask(questions) if questions:
            asked = " ".join(" ".join(one.text.casefold().split()) for one in questions)
            return _Deed(call.time, "ask", (f"ask {asked}",), "", 0)
        case _:
            return None


class _Known:
    """When which session found out what, and when which file was edited, of sessions in the order they began."""

    def __init__(self, sessions: list[_Session]) -> None:
        self._sessions = sessions
        self._times: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self._edits: dict[str, list[str]] = defaultdict(list)
        for number, one in enumerate(sessions):
            for deed in one.deeds:
                self._times[deed.keys[0]].append((deed.time, number))
            for time, path in one.edits:
                self._edits[path].append(time)
                self._edits[""].append(time)
        for values in self._edits.values():
            values.sort()

    def repeats(self, number: int) -> list[_Deed]:
        """The deeds among the first calls of a session that an earlier one had, each once."""
        one = self._sessions[number]
        again = {deed.keys[0]: deed for deed in reversed(one.deeds[: one.first_count]) if self._is_known(deed, number)}
        return list(again.values())

    def _is_known(self, deed: _Deed, number: int) -> bool:
        return any(
            time < deed.time and by < number and (deed.sort == "ask" or not self._is_stale(deed, time))
            for key in deed.keys
            for time, by in self._times.get(key, ())
        )

    def _is_stale(self, deed: _Deed, since: str) -> bool:
        """Whether what the deed depends on was edited between `since` and the deed."""
        times = self._edits.get(deed.path, [])
        return bisect_right(times, since) < bisect_left(times, deed.time)


def _mean(found: Iterable[SessionRepeats]) -> MeanRepeats | None:
    several = list(found)
    if not several:
        return None
    repeats = sum(one.reread + one.rerun + one.reasked for one in several)
    return MeanRepeats(
        len(several),
        round(fmean(one.reread for one in several), 2),
        round(fmean(one.rerun for one in several), 2),
        round(fmean(one.reasked for one in several), 2),
        round(fmean(one.tokens for one in several)),
        round(repeats / sum(one.calls for one in several), 4),
    )

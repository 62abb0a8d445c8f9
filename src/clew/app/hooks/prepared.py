"""What the next session's start is given, prepared while nobody waits: behind the end of a turn or of a session, behind
a start, and behind a prompt where a turn before it was stopped.

It is kept with all that it was read from, as the file system says of it: the ledger, session files and their folders,
settings, git's own files, the files that were compared; and until when time alone changes nothing. A start that finds
all of it unchanged gives it as it is (`interfaces/hook/prepared.py`); any other makes it anew.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from clew.app.handoff.takeover import to_give
from clew.app.hooks.receipts import InjectedText
from clew.app.hooks.session_start import offered
from clew.app.intake.sessions import Sessions
from clew.app.memory.store import user_folder
from clew.app.ports import TASK_VARIABLE, Ports
from clew.app.project.gates import refresh
from clew.app.project.location import PROJECT_FOLDER, ProjectLocation, locate
from clew.app.project.opening import open_project
from clew.app.project.runtime_dirs import live_folders, running
from clew.app.project.session import ProjectSession
from clew.app.resume.catchup import catch_up
from clew.core.records.files import Drift
from clew.core.records.hook_events import CONTEXT_UNITS_MAX, Answer, HookEvent, units
from clew.core.runtime_dir import LEAF, PREPARED_VERSION
from clew.workspace import stats
from clew.workspace.repository import work_trees
from clew.workspace.times import nanoseconds

# What waits is imported for so long at most.
_INTAKE_MS: Final = 60_000
# For so long at most a text stays good, the first of these after which the same would be said.
_GOOD_S: Final = (24 * 3600, 2 * 3600)
# More than these are not looked at at a start.
_PATHS_MAX: Final = 20_000
# Two changes within so short a time can look like one: a file system's clock is coarse.
_SETTLED_NS: Final = 50_000_000
_NOBODY: Final = "00000000-0000-0000-0000-000000000000"


class PreparedStart(NamedTuple):
    """What a start is answered, and what that rests on (docs/reference/hooks.md), as JSON values."""

    answer: Answer
    stamp: dict[str, Any]


def prepared(ports: Ports, event: HookEvent, data: str) -> PreparedStart | None:
    """Take in what sessions left, then what the next start in the place of `event` is given; None where that cannot be
    known: another session runs, a task is named, something is asked at the start, the ledger is on a server.

    Raises `ClewError` and `OSError`.
    """
    location = locate(Path(event.folder))
    if not location.has_ledger or location.is_remote or not event.attended or ports.environment.get(TASK_VARIABLE):
        return None
    with open_project(ports, location.root, write=True, spool=False) as at:
        if catch_up(ports, at, deadline_ms=_INTAKE_MS).intake.left:
            return None
        refresh(ports, at, force=False)
    settings = ports.settings(location.root)
    if settings.gate("gate.confirm") != "off":
        return None
    calm = ports._replace(asking_session=_NOBODY)
    start = event._replace(name="session_start", session=_NOBODY, transcript="", source="startup", pid=0)
    _settle(location)
    ledger = _ledger(location)
    with _reads() as read, open_project(calm, location.root, write=False) as at:
        now_s = calm.now_ms() / 1000
        if to_give(calm, at) is not None or running(data, location, now_s, but=event.session, rests=at.rests):
            return None
        offer, spoken, found = _offered(calm, at, start)
        before = _paths(location, offer, found, read)
        was = stats.each(before)
        until_s = _good_until(calm, at, start, offer)  # makes the text anew: what changed until now shows in it
    if until_s <= now_s or not settings.on("inject.on"):
        return None
    rests_on = _paths(location, offer, found, read)
    if len(rests_on) > _PATHS_MAX:
        return None
    paths = [*ledger[0], *rests_on, f"{user_folder(ports)}/"]
    seen = stats.each(paths)
    if stats.each(before) != was or not seen.startswith(ledger[1]):
        return None  # somebody wrote meanwhile, and will prepare it anew
    stamp = {
        "v": PREPARED_VERSION,
        "since_s": int(time.time()),
        "until_s": int(until_s),
        "lives": live_folders(data, location),
        "paths": paths,
        "seen": stats.digest(seen),
        "text": offer.text,
        "mark": offer.mark,
        "tokens": offer.tokens,
    }
    return PreparedStart(spoken, stamp)


def _offered(ports: Ports, at: ProjectSession, event: HookEvent) -> tuple[InjectedText, Answer, Sessions]:
    sessions = Sessions(ports, at)
    offer = offered(ports, at, sessions, event, at.standing(), others=())
    fits = offer.text and units(offer.text) < CONTEXT_UNITS_MAX
    return offer, Answer(context=offer.text) if fits else Answer(), sessions


def _good_until(ports: Ports, at: ProjectSession, event: HookEvent, offer: InjectedText) -> float:
    """Until when (seconds since 1970) the same is said, if nothing but time goes on; 0 not even for some hours."""
    now_ms = ports.now_ms()
    idle_ms = ports.settings(at.location.root).number("thread.idle_days") * 86_400_000
    ends = [(nanoseconds(at.last_of(one)) or 0) // 1_000_000 + idle_ms for one in at.tasks() if one.thread]
    for good_s in _GOOD_S:
        then_ms = now_ms + good_s * 1000

        def later(now_ms: int = then_ms) -> int:
            return now_ms

        if _offered(ports._replace(now_ms=later), at, event)[0].text == offer.text:
            return min([then_ms, *(one for one in ends if one > now_ms)]) / 1000  # then a thread is over
    return 0


def _ledger(location: ProjectLocation) -> tuple[list[str], bytes]:
    """The files of the ledger, and what the file system says of them. An empty log is as good as none."""
    paths = [str(location.ledger), f"{location.ledger}-wal"]
    return paths, stats.each(paths)


def _settle(location: ProjectLocation) -> None:
    """Wait until a change from now on can be told from the last one."""
    times = [found[1] for found in stats.parsed(_ledger(location)[1]).values()]
    left_ns = max(times, default=0) + _SETTLED_NS - time.time_ns()
    if 0 < left_ns <= _SETTLED_NS:
        time.sleep(left_ns / 1e9)


def _rests_on(location: ProjectLocation, sessions: Sessions, read: Iterable[str]) -> set[str]:
    """The paths that an offer rests on beside the ledger; one that ends in "/" with all that lies below it."""
    root, found = location.root, set(read)
    for item in sessions.files.values():
        found |= {str(item.path), str(item.path.parent)}
    found |= {f"{root}/{PROJECT_FOLDER}/", str(Path(sys.modules["clew"].__file__ or "")), str(root)}
    home = Path("~").expanduser()
    found |= {f"{home}/.gitconfig", f"{home}/.config/git/"}
    repository = location.repository
    if repository is not None:
        git, common = repository.git_dir, repository.common_dir
        found |= {f"{git}/{name}" for name in ("HEAD", "index", "MERGE_HEAD", "rebase-merge")}
        found |= {f"{common}/{name}" for name in ("packed-refs", "config", "info/exclude", "refs/", "worktrees/")}
    return found


def _paths(location: ProjectLocation, offer: InjectedText, sessions: Sessions, read: Iterable[str]) -> list[str]:
    """All paths that an offer rests on beside the ledger, sorted."""
    files = _of_files(location, offer.compared) if offer.compared is not None else set()
    return sorted(_rests_on(location, sessions, read) | files)


def _of_files(location: ProjectLocation, drift: Drift) -> set[str]:
    """The paths on which it depends how files differ: they, what git leaves out beside them, and where one that is gone
    may be found again: in another work tree, or anywhere in this one.
    """
    top, found = Path(drift.tree.root), set[str]()
    for file in drift.files:
        place = top / file.path
        found.add(str(place))
        found |= {str(top / file.moved_to)} if file.moved_to else set()
        found |= {f"{folder}/.gitignore" for folder in place.parents if folder.is_relative_to(top)}
    gone = [file.path for file in drift.files if file.status in ("gone", "moved", "unknown")]
    others = work_trees(location.repository) if gone and location.repository is not None else ()
    found |= {str(other / path) for other in others for path in gone}
    for folder, names, _ in os.walk(top) if gone else ():
        names[:] = [name for name in names if name != ".git"]
        found.add(folder)
        if len(found) > _PATHS_MAX:
            break
    return found


@contextmanager
def _reads() -> Iterator[set[str]]:
    """What this process opens to read and which folders it lists while this lasts, but for Python's own and clew's."""
    global _heard  # noqa: PLW0603 - a hook for what Python does cannot be taken off again
    if _heard is None:
        sys.addaudithook(_hear)
    _heard = found = set[str]()
    try:
        yield found
    finally:
        _heard = set()


_heard: set[str] | None = None
_LISTS: Final = ("os.scandir", "os.listdir")
_WRITES: Final = os.O_WRONLY | os.O_RDWR
_NOT_READ: Final = (
    "/proc/",
    "/dev/null",
    "/dev/tty",
    "/dev/urandom",
    "/sys/",
    sys.prefix,
    sys.base_prefix,
    str(Path(__file__).parents[2]),
)


def _hear(name: str, given: tuple[Any, ...]) -> None:
    if name != "open" and name not in _LISTS:
        return
    path = given[0]
    if _heard is None or isinstance(path, int) or path is None or (name == "open" and (given[2] or 0) & _WRITES):
        return
    whole = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - it is called for whatever is opened
    if not whole.startswith(_NOT_READ) and f"/{LEAF}" not in whole and "/clew/cache" not in whole:
        _heard.add(whole)

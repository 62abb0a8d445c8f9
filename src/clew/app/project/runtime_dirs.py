"""Live folders on disk (`core/runtime_dir.py`): which places of a project have one, and the sessions that run there.

What stands in them is a help, never a truth: whatever is missing or unreadable counts as not there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.ports import Ports, wanted_task
from clew.app.project.location import ProjectLocation
from clew.core.records.hook_events import HookEvent
from clew.core.runtime_dir import BEATS, FOLDER, LEAF, ROOT, SESSIONS, live_folder, session_folder
from clew.core.settings import Settings
from clew.workspace.atomic import private_folder, replace
from clew.workspace.repository import work_trees


def live_at(data: Path, root: Path) -> Path | None:
    """The live folder that belongs to a work tree's top, whether it is there or not; None if `root` can have none."""
    named = live_folder(os.fspath(data), os.fspath(root))
    return Path(named) if named else None


def opt_in(data: Path, root: Path) -> bool:
    """Make the live folder of a work tree's top, if it is not there; whether it was made. Raises OSError."""
    live = live_at(data, root)
    if live is None or _root_of(live) == root:
        return False
    for part in (live, live / BEATS, live / SESSIONS):
        private_folder(part)
    replace(live / ROOT, os.fsencode(root), mode=0o600)  # last: with it the folder is whole
    return True


def lives(data: Path, roots: list[Path]) -> list[Path]:
    """The live folders there are of these work trees: of their tops, and of places below that belong to them."""
    found = []
    for root in roots:
        own = live_at(data, root)
        for live in _below(own.parent) if own else ():
            if live == own or _root_of(live) == root:
                found.append(live)
    return list(dict.fromkeys(found))


def all_lives(data: Path) -> list[Path]:
    """Every live folder of this user."""
    return list(_below(data / FOLDER))


def known_roots(data: Path) -> list[Path]:
    """The tops of all work trees for which this user ran `clew init`, sorted."""
    return sorted({root for live in all_lives(data) if (root := _root_of(live)) is not None})


def opt_out(data: Path, gone: list[Path]) -> None:
    """Remove live folders, and the folders above that held nothing else. Raises OSError."""
    import shutil  # here: hooks look for live folders, and remove none

    for live in gone:
        aside = live.with_name(f"{LEAF}-{os.getpid()}")
        live.rename(aside)  # at once: a hook that runs now puts nothing more into it
        shutil.rmtree(aside)
        for above in live.parents:
            if above == data or not above.is_relative_to(data) or any(above.iterdir()):
                break
            above.rmdir()


def _root_of(live: Path) -> Path | None:
    try:
        return Path(os.fsdecode((live / ROOT).read_bytes().strip()))
    except OSError:
        return None


def _below(folder: Path) -> Iterator[Path]:
    for place, names, _ in os.walk(folder):
        if LEAF in names:
            names.remove(LEAF)
            yield Path(place, LEAF)


# Of more a client shows the agent a preview only (`core/records/hook_events.py`); a token has 3 characters and more.
PAYLOAD_TOKENS_MAX: Final = 2000


def is_quiet(ports: Ports, event: HookEvent, settings: Settings, folder: str) -> bool:
    """Whether the session of `event`, with the live folder `folder`, is given nothing: it is a headless run that names
    no task, the setting `inject.on` is off, or somebody marked it as fresh.
    """
    return not settings.on("inject.on") or is_set_aside(folder) or not (event.attended or wanted_task(ports))


# A session's folder is of no use when nothing was done in it for so long.
SESSION_DAYS: Final = 14
# Without a process to look at, a session counts as live for so long after its last hook.
QUIET_S: Final = 600
# With one that still runs, for so long: somebody leaves a client open over night, and a daemon never ends.
IDLE_S: Final = 12 * 3600
_CLIENT: Final = "client"
STARTED: Final = "started"
_FRESH: Final = "fresh"
_SMALL_BYTES: Final = 64 << 10
_SESSIONS_MAX: Final = 200


class LiveSession(NamedTuple):
    """A session that runs now: its client's id, and the folder of the place where it was started. `sure`: its process
    was seen; else only that it did something lately.
    """

    session: str
    place: str
    sure: bool


def opened(data: str, location: ProjectLocation, place: str) -> str:
    """The live folder of `place`, a folder of the work tree at `location`; made if a person ran `clew init` for the
    work tree, or for another one of its repository. "" if nobody did.
    """
    live = live_folder(data, place)
    if not live:
        return ""
    if not is_opted_in(data, location):
        return ""
    with suppress(OSError):
        private_folder(Path(live))
        if not os.path.lexists(f"{live}/{ROOT}"):
            write_small(f"{live}/{ROOT}", str(location.root))
        return live
    return ""


def is_opted_in(data: str, location: ProjectLocation) -> bool:
    """Whether a person ran `clew init` for the work tree at `location`, or for another one of its repository."""
    found = (live_folder(data, str(top)) for top in tops(location))
    return any(live and os.path.lexists(f"{live}/{ROOT}") for live in found)


def tops(location: ProjectLocation) -> list[Path]:
    """The tops of the work trees that belong together, its own first.

    A folder whose `.git` file names a repository that does not know it stands alone: anybody can write such a file.
    """
    repository = location.repository
    if repository is None:
        return [location.root]
    nobody = repository.common_dir
    known = [top.resolve() for top in work_trees(repository._replace(top=nobody)) if top != nobody]
    if location.root not in known and repository.git_dir != location.root / ".git":
        return [location.root]
    return [location.root, *(top for top in known if top != location.root)]


def enter(live: str, session: str, pid: int, place: str = "") -> str:
    """The folder of a session in a live folder, made, with the process of its client noted; "" if it cannot be. Where
    that is a daemon, the process is noted, too, at which a person sits in the folder `place`.
    """
    folder = session_folder(live, session)
    if not folder:
        return ""
    with suppress(OSError):
        private_folder(Path(folder))
        pids = [pid, *filter(None, [_seat(pid, place)])]
        write_small(f"{folder}/{_CLIENT}", "".join(f"{one} {_started(one)}\n" for one in pids))
        return folder
    return ""


def leave(live: str, session: str) -> None:
    """Note that a session's client is gone: if the session is gone on with, that is a start of its own."""
    folder = session_folder(live, session)
    for name in (_CLIENT, STARTED) if folder else ():
        with suppress(OSError):
            Path(folder, name).unlink()


def session_of(live: str, pid: int) -> str:
    """The session in a live folder whose client is the process `pid`, the newest of several; "" for none."""
    for name, _ in _sessions(live):
        with suppress(OSError):
            if read_small(f"{live}/{SESSIONS}/{name}/{_CLIENT}").partition(" ")[0] == str(pid):
                return name
    return ""


def session_above(data: Path, pids: Iterable[int]) -> str:
    """The session of any place whose client is one of the processes `pids`, which are asked in turn; "" for none."""
    lives = list(map(str, all_lives(data)))
    return next((found for pid in pids for live in lives if (found := session_of(live, pid))), "")


def prune(live: str, now_s: float, *, but: str) -> None:
    """Remove the folders of sessions in which nothing happened for long; `but` is kept."""
    for name, changed in _sessions(live):
        if name != but and now_s - changed > SESSION_DAYS * 86_400:
            remove(live, name)


def remove(live: str, session: str) -> None:
    """Remove the folder of a session with the files in it."""
    folder = session_folder(live, session)
    if folder:
        import shutil  # here: few sessions' starts find an old folder

        shutil.rmtree(folder, ignore_errors=True)


def running(
    data: str,
    location: ProjectLocation,
    now_s: float,
    *,
    but: str,
    pid: int = 0,
    rests: Callable[[str], bool] = lambda _: False,
) -> list[LiveSession]:
    """The sessions that run now in the project's work trees, without `but` and others of the process `pid`, which has
    left them for that one.

    A process can outlive its sessions and serve several (a daemon, an app): what it did last is live while it runs, if
    that is not long ago; the others are told by what they did. One that `rests` (its last turn is complete) and whose
    terminal is gone is over, whatever the daemon keeps.
    """
    found = []
    served: set[str] = set()
    known = [(-changed, name, live) for live in live_folders(data, location) for name, changed in _sessions(live)]
    for since, name, live in sorted(known):
        if name == but:
            continue
        note = f"{live}/{SESSIONS}/{name}/{_CLIENT}"
        process, seat = _processes_of(note)
        alive, quiet_s = _is_running(process, but=pid), now_s + since
        if seat and alive and not _is_running(seat, but=0) and rests(name):
            continue
        if alive and (process in served or quiet_s > IDLE_S):
            alive = None
        served.add(process)
        if alive or (alive is None and quiet_s < QUIET_S):
            found.append(LiveSession(name, live.removeprefix(f"{data}/{FOLDER}").removesuffix(f"/{LEAF}"), bool(alive)))
    return found


def live_folders(data: str, location: ProjectLocation) -> list[str]:
    """The live folders of the project's places."""
    return list(map(str, lives(Path(data), tops(location))))


def set_aside(live: str, session: str) -> bool:
    """Mark a session as fresh: nothing more is given to it. Whether it could be marked."""
    folder = session_folder(live, session)
    if not folder:
        return False
    try:
        write_small(f"{folder}/{_FRESH}", "")
    except OSError:
        return False
    return True


def is_set_aside(folder: str) -> bool:
    """Whether the session with this folder was marked as fresh."""
    return os.path.lexists(f"{folder}/{_FRESH}")


def session_names(live: str) -> list[str]:
    """The ids of sessions with a folder in this live folder, those first in which something happened lately."""
    return [name for name, _ in _sessions(live)]


def _sessions(live: str) -> list[tuple[str, float]]:
    """Sessions with when something last happened in them (seconds since 1970), newest first."""
    names: list[str] = []
    with suppress(OSError), os.scandir(f"{live}/{SESSIONS}") as folders:
        names = sorted(one.name for one in folders if one.is_dir(follow_symlinks=False))[:_SESSIONS_MAX]
    found = []
    for name in names:
        with suppress(OSError):
            with os.scandir(f"{live}/{SESSIONS}/{name}") as entries:
                times = [entry.stat(follow_symlinks=False).st_mtime for entry in entries]
            found.append((name, max(times, default=0.0)))
    return sorted(found, key=lambda one: (-one[1], one[0]))[:_SESSIONS_MAX]


def process_of(folder: str) -> str:
    """The process of the session with this folder, as its start noted it; "" unknown."""
    process = _processes_of(f"{folder}/{_CLIENT}")[0]
    return "" if process.startswith("0 ") else process


def _processes_of(note: str) -> tuple[str, str]:
    """The process that a session's note names, and the one at which a person sits; "" for none."""
    try:
        lines = read_small(note).splitlines()
    except OSError:
        lines = []
    return tuple((*lines, "", "")[:2])  # type: ignore[return-value]


def _seat(pid: int, place: str) -> int:
    """Where a process has no terminal of its own: the one of the same program that has one and stands in the folder
    `place`. 0 if there is none, and where the system does not say.
    """
    try:
        program, folder = os.readlink(f"/proc/{pid}/exe"), os.path.realpath(place)  # noqa: PTH115
        others = [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208
    except OSError:
        return 0
    for other in sorted(others, reverse=True) if not _terminal(pid) else ():
        with suppress(OSError):
            same = os.readlink(f"/proc/{other}/exe") == program and os.readlink(f"/proc/{other}/cwd") == folder  # noqa: PTH115
            if same and _terminal(other):
                return other
    return 0


def _terminal(pid: int) -> int:
    """The number of a process's terminal, 0 for none."""
    fields = _stat(pid)
    return int(fields[4]) if len(fields) > 4 else 0


def _is_running(process: str, *, but: int) -> bool | None:
    """Whether a process, as a session's note names it, still runs and is not `but`; None if it names none, False if
    there is no note.
    """
    pid, _, started = process.partition(" ")
    try:
        number = int(pid)
    except ValueError:
        return False
    if number == but > 0:
        return False
    if number <= 0 or os.name == "nt":  # where asking would end it
        return None
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return None
    return not started or (_started(number) == started and _stat(number)[:1] != ["Z"])  # Z: ended, not waited for


def _started(pid: int) -> str:
    """When a process was started, in the system's own ticks, so that another one of the same id is told from it; ""
    where the system does not say.
    """
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else ""


def _stat(pid: int) -> list[str]:
    """What the system says of a process behind its name (proc(5)), [] where it does not."""
    try:
        return read_small(f"/proc/{pid}/stat").rpartition(")")[2].split()
    except OSError:
        return []


def read_small(path: str, *, most: int = _SMALL_BYTES) -> str:
    """The text of a file of a live folder, at most so many bytes of it. Raises `OSError`."""
    # Whatever lies there is not waited for (a pipe that nobody writes into).
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
        return (file.read(most) or b"").decode("utf-8", "surrogateescape")


def write_small(path: str, text: str) -> None:
    """Put a file in a live folder as a whole: hooks of one session run at the same time. Raises `OSError`, and does so
    where the folder is gone: what `clew uninstall` took away is not made again.
    """
    file = Path(path)
    file.parent.stat()
    replace(file, text.encode("utf-8", "surrogateescape"), mode=0o600, durable=False)

"""What other live sessions of this work tree wrote, by the lists that their hooks keep (`core/records/seen.py`).

Loaded where another one is live (`core/runtime_dir.py`: `PARALLEL`), and nowhere else. Imports nothing but names and
marks: the first step of a hook asks here.
"""

import time

from clew.core import runtime_dir as places
from clew.core.records import seen
from clew.interfaces.hook import marks

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.interfaces.hook.wire import Event

_LIST_BYTES = 16 << 20
_LABEL_BYTES = 400
# Of so many files it is asked whether git knows them changed; so many are named.
_FILES_MAX = 64
_NAMES_MAX = 3
_GIT_SECONDS = 1.0
# Of git, what may take in whatever was changed (`core/gate/guards.py`).
_GATHERING = (b"add", b"commit", b"stash")
_SECOND_NS = 1_000_000_000
_INTO = "The work tree holds edits of {0} that are not committed: {1}. This would take them {2}; name your own files."


def may_speak(event: "Event", live: str, words: "set[bytes]", targets: "Iterable[str]") -> bool:
    """Whether a call that has these `words` and writes the files `targets` could meet the work of another session."""
    if event.get("tool_name") == "Bash" and b"git" in words and not words.isdisjoint(_GATHERING):
        return True
    folder = marks.folder_of(event, live)
    return any(edited(live, folder, path)[0] for path in targets)


def edited(live: str, folder: str, path: str, *names: str) -> "tuple[int, str]":
    """When another session wrote the file at `path` (mtime_ns) after this one last saw it, and the folder of that one;
    0 and "" if none did. `names` are others by which this session may know it. What was written before it began, it
    cannot have seen otherwise.
    """
    others = _others(live, folder)[2] if folder else {}
    if not others or not marks.is_there(path):
        return 0, ""
    wrote = max((seen.last_ns(_list(other), path, wrote=True), other) for other in others)
    if not wrote[0]:
        return 0, ""
    own = _list(folder)
    looked = max(seen.last_ns(own, name) for name in (path, *names))
    return wrote if (looked or _begin_ns(folder)) < wrote[0] else (0, "")


def ran(live: str, folder: str, moment_ns: int) -> str:
    """The folder of another session that ran a command at a moment; "" for none."""
    return next((other for other in _others(live, folder)[2] if seen.ran(_list(other), moment_ns)), "")


def told(live: str, folder: str, other: str, since_ns: int) -> str:
    """How long ago another session wrote something, and who it is: a clause without its verb."""
    minutes = max(0, time.time_ns() - since_ns) // (60 * _SECOND_NS)
    ago = f"{minutes // 60} hours" if minutes >= 120 else f"{minutes} minutes" if minutes > 1 else "a minute"
    return f"{ago} ago by {told_of(live, folder, other)}"


def told_of(live: str, folder: str, other: str) -> str:
    """Who another session is."""
    label = marks.read(f"{other}/{places.LABEL}", most=_LABEL_BYTES).decode("utf-8", "replace").strip()
    label = label or _others(live, folder)[2].get(other, "")
    return f"another session ({label})" if label else "another session"


def looked(command: str, live: str, folder: str) -> bytes:
    """The lines for the list of what the session has seen, of a shell command that names files which another session
    wrote: so it has seen them now. One of git is noted, too: it shows where HEAD stands.
    """
    log, _, others = _others(live, folder)
    if "git" in command and (state := marks.state(log)):
        marks.replace(f"{folder}/{places.REFLOG_SIZE}", b"%d" % state[1])
    own, lines = _list(folder), b""
    for other in others:
        for path, wrote_ns in seen.written(_list(other)).items():
            if path.rpartition("/")[2] in command and seen.last_ns(own, path) < wrote_ns:
                now = marks.state(path)
                lines += seen.file_line(now[0], now[1], path, wrote=False) if now else b""
    return lines


def is_news(live: str, folder: str) -> bool:
    """Whether HEAD moved since the session last used git, or it was not asked yet who the session is."""
    log, size, others = _others(live, folder)
    state, known = marks.state(log), marks.read(f"{folder}/{places.REFLOG_SIZE}", most=32) or size.encode()
    moved = state is not None and known.isdigit() and state[1] != int(known)
    return bool(others) and (moved or not marks.is_there(f"{folder}/{places.LABEL}"))


def gathered(live: str, folder: str, root: str, kind: str, *, into: str) -> "tuple[str, str]":
    """The rule and the warning for a command that takes in what was changed below `root` ("tracked" files, "all"),
    where that is another session's work; "" and "" where none of it is.
    """
    log, _, others = _others(live, folder)
    moved_ns, own = (marks.state(log) or (0,))[0], seen.written(_list(folder))
    found: dict[str, str] = {}
    for other in others:
        for path, wrote_ns in seen.written(_list(other)).items():
            now = marks.state(path) if path.startswith(root + "/") else None
            # No commit came since, or nobody wrote the file since: what it holds is that session's.
            if now and (
                wrote_ns > moved_ns or (own.get(path, 0) < wrote_ns and now[0] <= wrote_ns + seen.FORMATTER_NS)
            ):
                found[path[len(root) + 1 :]] = other
    named = _uncommitted(root, list(found)[:_FILES_MAX], kind) if found else []
    if not named:
        return "", ""
    more = f" and {len(named) - _NAMES_MAX} more" if len(named) > _NAMES_MAX else ""
    writers = {found[name] for name in named}
    who = told_of(live, folder, *writers) if len(writers) == 1 else "other sessions"
    said = "".join(one if one.isprintable() else "?" for one in ", ".join(named[:_NAMES_MAX]))
    said = _INTO.format(who, said + more, into)
    return f"gather-{marks.digest(chr(10).join(named))}", said


def _uncommitted(root: str, paths: "list[str]", kind: str) -> "list[str]":
    """Which of these files git calls changed, in order. None where git cannot say at once: nothing is guessed."""
    import os
    from pathlib import Path

    from clew.core.errors import Unavailable
    from clew.workspace import git, repository

    found = repository.find(Path(root))
    if found is None:
        return []
    try:
        asked = git.Git(found, environment=os.environ, timeout_s=_GIT_SECONDS)
        options = ("--porcelain", "-z", "--no-renames", f"--untracked-files={'all' if kind == 'all' else 'no'}")
        rows = git.fields_of(asked.ask("status", *options, "--", *paths))
    except Unavailable:
        return []
    return sorted({row[3:] for row in rows}.intersection(paths))


def _others(live: str, folder: str) -> "tuple[str, str, dict[str, str]]":
    place = marks.holding(live, places.PARALLEL)
    mark = marks.read(f"{place}/{places.PARALLEL}") if place else b""
    return places.parse_parallel(mark.decode("utf-8", "surrogateescape"), folder)


def _list(folder: str) -> bytes:
    return marks.read(folder + "/seen", most=_LIST_BYTES)


def _begin_ns(folder: str) -> int:
    """When the session was first heard of; later than all there is where nothing tells."""
    found = [state[0] for name in (places.HEARD, "started") if (state := marks.state(f"{folder}/{name}"))]
    return min(found, default=1 << 63)

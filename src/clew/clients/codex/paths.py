"""Where Codex keeps its sessions: `<home>/sessions/YYYY/MM/DD/rollout-TIME-THREAD.jsonl`, and those that the user put
away in `<home>/archived_sessions/`. Old ones are compressed by the client: `….jsonl.zst`; their address stays the one
that they had, so that they are the same sessions.

The path tells the day and the thread, not the folder that the session ran in: that stands in the first line, so the
beginning of every file is read, once for each locator. Sources: docs/clients/codex.md, "Where".
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from clew.clients.codex.spec import SPEC
from clew.clients.packed import packed_size
from clew.clients.places import PACKED, entries, is_within, opened
from clew.clients.port import Transcript

# Patterns are compiled when a session is met: every start asks here for the settings' places.
_ROLLOUT: Final = r"rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-([0-9a-fA-F-]{8,64})\.jsonl(?:\.zst)?"
# What is looked for stands before the client's instructions, which make the line long. Should it not be found there,
# so much of the line is read that no instructions are longer.
_HEAD_BYTES: Final = 4 << 10
_LINE_BYTES_MAX: Final = 1 << 20
# What follows a name. A quote inside a JSON text is escaped, so no name in quotes can be found in one.
_TEXT: Final = rb'\s*:\s*("(?:[^"\\]|\\.)*")'
_SORT: Final = rb'\s*:\s*\{\s*"(\w+)"'
# The `source` of what is not a session of its own: what sub-agents do, and what the client does for itself.
NO_SESSION: Final = frozenset(("subagent", "internal"))


class CodexLocator:
    """Implements `clew.clients.port.Locator`. `home` is the client's folder, by default `~/.codex`."""

    name = "codex"
    problem = ""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._folders: dict[str, str] = {}  # rollout -> folder that it ran in, "" for what is no session

    def sessions_of(self, folder: Path) -> Iterator[Transcript]:
        for entry in self._rollouts():
            named = re.fullmatch(_ROLLOUT, entry.name)
            if named is not None and is_within(self._ran_in(entry.path), os.fspath(folder)):
                yield from _transcript(entry, named[1], quick=False)

    def usage_files(self) -> Iterator[Transcript]:
        for entry in self._rollouts():
            named = re.fullmatch(_ROLLOUT, entry.name)
            if named is not None:
                yield from _transcript(entry, named[1], quick=True)

    def _ran_in(self, path: str) -> str:
        """The folder in which the session of a rollout ran; "" for no session, and for what does not tell (yet)."""
        known = self._folders.get(path)
        if known is None:
            known = _ran_in(path)
            if known is not None:
                self._folders[path] = known
        return known or ""

    def _rollouts(self) -> Iterator[os.DirEntry[str]]:
        for year in entries(self._home / "sessions"):
            for month in entries(year.path):
                for day in entries(month.path):
                    yield from _each_once(entries(day.path))
        yield from _each_once(entries(self._home / "archived_sessions"))


def _each_once(found: list[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
    """The files of a folder; of one that is being compressed, so that it is there twice, the plain one."""
    names = {entry.name for entry in found}
    return (entry for entry in found if not (entry.name.endswith(PACKED) and entry.name[: -len(PACKED)] in names))


def _transcript(entry: os.DirEntry[str], session: str, *, quick: bool) -> Iterator[Transcript]:
    """The session of a rollout, at the address that it has uncompressed; none if it is gone. `quick`: of one that does
    not say how long it was the size on the disk counts.
    """
    path = Path(entry.path.removesuffix(PACKED))
    try:
        stat = entry.stat()
        size = stat.st_size
        if entry.name.endswith(PACKED):
            size = packed_size(Path(entry.path), quick=quick)
    except OSError:
        return
    yield Transcript("codex", session, path, size, stat.st_mtime_ns)


def locator(environment: Mapping[str, str], user: Path) -> CodexLocator:
    """For a user whose home folder is `user`."""
    return CodexLocator(SPEC.home(environment, user))


class _RolloutHead(NamedTuple):
    """What the beginning of a rollout tells: the folder as JSON text, b"" unknown; whether `source` was met."""

    cwd: bytes
    told: bool
    is_session: bool


def _ran_in(path: str) -> str | None:
    """The folder in which the session of a rollout ran; "" for what is no session, None for what does not tell."""
    try:
        with opened(Path(path)) if path.endswith(PACKED) else open(path, "rb", buffering=0) as file:  # noqa: PTH123 - a thousand of them
            data = file.read(_HEAD_BYTES)
            head = _head(data)
            if not (head.cwd and head.told) and b"\n" not in data:
                data += file.read(_LINE_BYTES_MAX)
                head = _head(data)
    except OSError:
        return None
    if not head.cwd or b'"session_meta"' not in data:
        return None
    if not head.is_session:
        return ""

    try:
        return msgspec.json.decode(head.cwd, type=str)
    except (ValueError, RecursionError):
        return None


def _head(data: bytes) -> _RolloutHead:
    end = data.find(b"\n")
    line = data if end < 0 else data[:end]
    cwd, parent = _after(line, b'"cwd"', _TEXT), _after(line, b'"parent_thread_id"', _TEXT)
    sort = _after(line, b'"source"', _SORT).decode()
    return _RolloutHead(cwd, b'"source"' in line, not parent and sort not in NO_SESSION)


def _after(line: bytes, name: bytes, value: bytes) -> bytes:
    """What the pattern catches behind a name of the line, b"" if the name or such a value is not there."""
    at = line.find(name)
    found = re.compile(value).match(line, at + len(name)) if at >= 0 else None
    return found[1] if found else b""

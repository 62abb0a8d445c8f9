"""Where Gemini CLI keeps its sessions: `<root>/tmp/PROJECT/chats/session-TIME-ID.jsonl` (or `.json`).

PROJECT is a short name of the folder that the client was started in; `<root>/projects.json` and the file
`.project_root` beside `chats` say which folder that is. Older versions called it by the SHA-256 of the folder's path.
Sub-agents' sessions lie one folder deeper. Sources: docs/clients/gemini.md, "Where".
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from clew.clients.gemini.spec import SPEC
from clew.clients.places import entries, is_within
from clew.clients.port import Transcript

CHATS: Final = "chats"
_OWNER: Final = ".project_root"
_REGISTRY: Final = "projects.json"
_PREFIX: Final = "session-"
_SUFFIXES: Final = (".jsonl", ".json")
_PATH_BYTES_MAX: Final = 32 << 10
_REGISTRY_BYTES_MAX: Final = 16 << 20
_HEADER_BYTES: Final = 1 << 10
# Compiled when a session is met: every start asks here for the settings' places.
_HASH: Final = r"[0-9a-f]{64}"
_SESSION: Final = rb'"sessionId"\s*:\s*"([\w-]{1,100})"'


def folder_of(session_file: Path, wanted_hash: str) -> str:
    """The folder that the client was started in for a session, by what lies around its file; "" unknown.

    `wanted_hash` is the SHA-256 of that folder's path, as the session itself says, "" if it does not.
    """
    for place in list(session_file.absolute().parents)[:3]:
        if place.name == CHATS:
            known = _registered(place.parent.parent.parent)
            owner = _owner(place.parent)
            named = (folder for folder, name in known.items() if name == place.parent.name)
            found = [folder for folder in (owner, *named, *known) if folder]
            hashed = next((one for one in found if _hash(one) == wanted_hash), "")
            return hashed or owner
    return ""


class GeminiLocator:
    """Implements `clew.clients.port.Locator`. `config_root` is the client's folder, by default `~/.gemini`."""

    name = "gemini"
    problem = ""

    def __init__(self, config_root: Path) -> None:
        self._root = config_root
        self._sessions: dict[str, str] = {}  # the ids of session files that were looked into
        self._owners: dict[str, str] = {}  # the folders of projects that say theirs

    def sessions_of(self, folder: Path) -> Iterator[Transcript]:
        """See `Locator.sessions_of`. Of a file its first KB is read: its name has only the beginning of the id."""
        wanted = os.fspath(folder).rstrip("/\\") or os.fspath(folder)
        names = {name: path for path, name in _registered(self._root).items()}
        for project in entries(self._root / "tmp"):
            owner = self._owner(project) or names.get(project.name, "")
            # A folder that is known by its hash alone may be any; the session inside says more.
            may_hold = is_within(owner, wanted) if owner else not _is_other(project.name, wanted)
            if may_hold:
                yield from self._sessions_in(Path(project.path, CHATS))

    def usage_files(self) -> Iterator[Transcript]:
        """See `UsageLocator.usage_files`. Sub-agents' files lie in a folder that is called by the session's id."""
        for project in entries(self._root / "tmp"):
            chats = Path(project.path, CHATS)
            yield from self._sessions_in(chats)
            for folder in entries(chats):
                for one in entries(folder.path) if folder.is_dir() else ():
                    if one.name.endswith(_SUFFIXES) and (stat := _stat(one)):
                        yield _transcript(folder.name, one.path, stat)

    def _sessions_in(self, folder: Path) -> Iterator[Transcript]:
        """Of each session the file that holds most: at a resume the client begins another that it never goes on with,
        and what an older version wrote as a document it copies into lines."""
        found: dict[str, tuple[tuple[bool, int], Transcript]] = {}
        for entry in entries(folder):
            if not entry.name.startswith(_PREFIX) or not entry.name.endswith(_SUFFIXES):
                continue
            if (stat := _stat(entry)) and (session := self._session(entry.path)):
                rank = entry.name.endswith(_SUFFIXES[0]), stat.st_size
                one = _transcript(session, entry.path, stat)
                found[session] = max(found.get(session, (rank, one)), (rank, one))
        yield from (one for _, one in found.values())

    def _owner(self, project: os.DirEntry[str]) -> str:
        if not self._owners.get(project.path):
            self._owners[project.path] = _owner(Path(project.path))
        return self._owners[project.path]

    def _session(self, path: str) -> str:
        """The id of a session; of one that does not say it, what its file's name has; "" for one that is not there."""
        if path not in self._sessions:
            try:
                with Path(path).open("rb") as file:
                    found = re.search(_SESSION, file.read(_HEADER_BYTES))
            except OSError:
                return ""
            if found is None:
                return Path(path).stem.removeprefix(_PREFIX)
            self._sessions[path] = found.group(1).decode("ascii", "replace")
        return self._sessions[path]


def locator(environment: Mapping[str, str], user: Path) -> GeminiLocator:
    """For a user whose home folder is `user`."""
    return GeminiLocator(SPEC.home(environment, user))


def _stat(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat() if entry.is_file() else None
    except OSError:
        return None


def _transcript(session: str, path: str, stat: os.stat_result) -> Transcript:
    """The client changes what it wrote before: only the time of a change goes forward always."""
    changed_ms = stat.st_mtime_ns // 1_000_000 if stat.st_size else 0
    return Transcript("gemini", session, Path(path), changed_ms, stat.st_mtime_ns)


def _is_other(name: str, wanted: str) -> bool:
    """Whether a project's folder of unknown owner is certainly not that of `wanted` or of a folder below it."""
    return False if wanted == os.sep else re.fullmatch(_HASH, name) is not None and name != _hash(wanted)


def _hash(folder: str) -> str:
    return sha256(folder.encode("utf-8", "surrogateescape")).hexdigest()


def _owner(project: Path) -> str:
    """The folder that a project's folder belongs to, "" if it does not say."""
    try:
        with (project / _OWNER).open("rb") as file:
            return file.read(_PATH_BYTES_MAX).decode("utf-8", "surrogateescape").strip()
    except OSError:
        return ""


def _registered(config_root: Path) -> dict[str, str]:
    """The names of projects by their folders, as the client keeps them; empty if that cannot be read."""
    try:
        with (config_root / _REGISTRY).open("rb") as file:
            found = json.loads(file.read(_REGISTRY_BYTES_MAX))
    except (OSError, ValueError, RecursionError):
        return {}
    projects = found.get("projects") if isinstance(found, dict) else None
    if not isinstance(projects, dict):
        return {}
    return {folder: name for folder, name in projects.items() if isinstance(name, str)}

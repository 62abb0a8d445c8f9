"""Where Claude Code keeps its sessions: `<root>/projects/<slug of the folder>/SESSION.jsonl`.

The slug is the folder's absolute path with every character but ASCII letters and digits as "-"; of a slug over 200
characters the first 200, "-", and a hash. Different folders can share a slug ("a.b" and "a-b"), so a session found
here is a candidate: its `cwd` inside says where it ran. Sources: docs/clients/claude-code.md, "Where".
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from clew.clients.claude_code.spec import SLUG_CHARS_MAX, SPEC, slug
from clew.clients.places import entries
from clew.clients.port import Transcript

_SUFFIX: Final = ".jsonl"
# Older versions put sub-agents' files beside the sessions.
_AGENT: Final = "agent-"
# Newer ones put them below a folder of the session's.
_AGENTS: Final = "subagents"
# Those of a workflow so many folders deeper: `subagents/workflows/RUN/`.
_AGENTS_DEPTH: Final = 2


class ClaudeCodeLocator:
    """Implements `clew.clients.port.Locator`. `config_root` is the client's folder, by default `~/.claude`."""

    name = "claude-code"
    problem = ""

    def __init__(self, config_root: Path) -> None:
        self._projects = config_root / "projects"

    def sessions_of(self, folder: Path) -> Iterator[Transcript]:
        wanted = slug(os.fspath(folder).rstrip("/\\") or os.fspath(folder))
        for project in entries(self._projects):
            if _may_hold(project.name, wanted):
                yield from _sessions_in(project.path)

    def usage_files(self) -> Iterator[Transcript]:
        for project in entries(self._projects):
            for entry in entries(project.path):
                if entry.name.endswith(_SUFFIX):
                    yield from _transcript(entry, entry.name.removesuffix(_SUFFIX))
                elif entry.is_dir():
                    yield from _agents_in(f"{entry.path}/{_AGENTS}", entry.name, _AGENTS_DEPTH)


def locator(environment: Mapping[str, str], user: Path) -> ClaudeCodeLocator:
    """For a user whose home folder is `user`."""
    return ClaudeCodeLocator(SPEC.home(environment, user))


def _may_hold(name: str, wanted: str) -> bool:
    """Whether the project folder `name` can belong to the folder with slug `wanted`, or to one below it."""
    if len(wanted) > SLUG_CHARS_MAX:
        # Cut names all begin alike; which hash is ours is not worth guessing, `cwd` inside the file decides.
        return name[:SLUG_CHARS_MAX] == wanted[:SLUG_CHARS_MAX]
    return name == wanted or name.startswith(wanted.rstrip("-") + "-")


def _sessions_in(folder: str) -> Iterator[Transcript]:
    for entry in entries(folder):
        if entry.name.endswith(_SUFFIX) and not entry.name.startswith(_AGENT):
            yield from _transcript(entry, entry.name.removesuffix(_SUFFIX))


def _agents_in(folder: str, session: str, depth: int) -> Iterator[Transcript]:
    for entry in entries(folder):
        if entry.name.endswith(_SUFFIX):
            yield from _transcript(entry, session)
        elif depth:
            yield from _agents_in(entry.path, session, depth - 1)


def _transcript(entry: os.DirEntry[str], session: str) -> Iterator[Transcript]:
    try:
        stat = entry.stat()
        is_file = entry.is_file()
    except OSError:
        return
    if is_file:
        yield Transcript("claude-code", session, Path(entry.path), stat.st_size, stat.st_mtime_ns)

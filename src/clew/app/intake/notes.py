"""Sentences for the person who asked: what could not be read or compared, where, and what to do about it."""

from __future__ import annotations

import os
from pathlib import Path

from clew.clients.registry import Readers
from clew.core.errors import Unavailable
from clew.sessions.capture import Captured
from clew.workspace.repository import find

_STRANGERS = "dubious ownership"


def unreadable_lines(path: Path, captured: Captured, readers: Readers) -> list[str]:
    """How many lines of the session file were skipped, where the first one is, and whether the last one is whole."""
    torn = ["The session file breaks off within a line: its client was stopped while it wrote, or writes just now."]
    torn = torn if captured.is_torn else []
    first = captured.first_unreadable
    if first is None:
        return torn
    lines = "1 line" if captured.unreadable == 1 else f"{captured.unreadable} lines"
    was = "was" if captured.unreadable == 1 else "were"
    number = line_number(path, first.at, readers)
    where = f"line {number}, byte {first.at}" if number else f"byte {first.at}"
    skipped = f"{lines} of the session file could not be read and {was} skipped (first: {where}: {first.why})."
    return [skipped, *torn]


def compared_elsewhere(folder: Path, root: Path) -> list[str]:
    """Which folder was compared, if it is not the one that we stand in."""
    here = find(folder)
    place = here.top if here else folder
    if os.path.realpath(root) == os.path.realpath(place):
        return []
    return [f"Files were compared in {root}, where the session ran, not in {place}."]


def git_missing(problem: Unavailable, root: Path) -> str:
    """What git could not tell and how to get it told."""
    hint = problem.hint or f"`git status` in {root} may say more."
    if _STRANGERS in problem.message:
        from shlex import quote

        hint = f"If you trust it: git config --global --add safe.directory {quote(str(root))}"
    told = f"Moves, commits and uncommitted files are not known: {problem.message.rstrip('.')} [{problem.code}]."
    return f"{told} {hint}".rstrip()


_BLOCK_BYTES = 1 << 20


def line_number(path: Path, at: int, readers: Readers) -> int:
    """The number (from 1) of the line that begins at byte `at` of the session at `path`, 0 if it cannot be read."""
    count = 1
    left = at
    try:
        reader = readers.of(path)
        if reader is None:
            return 0
        with reader.open(path) as file:
            while left > 0 and (block := file.read(min(left, _BLOCK_BYTES))):
                count += block.count(b"\n")
                left -= len(block)
    except OSError:
        return 0
    return count

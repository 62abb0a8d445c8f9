"""What clew notes of a work tree that it made, in git's own folder of that work tree: it goes when that goes.

A missing or broken note is None: then the work tree counts as one that was never finished, and nothing in it as ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from clew.workspace.atomic import replace
from clew.workspace.disk import clean
from clew.workspace.repository import read_small

_NAME: Final = "clew.json"


class WorktreeNote(NamedTuple):
    """`base` is the branch that the work is for. `copies` are the ignored files that were copied into it, by path
    relative to the top, each with the SHA-256 of what was written. Its servers listen `port_offset` above their ports.
    `ready`: all its files were checked out, and somebody was told of it.
    """

    base: str
    port_offset: int
    copies: Mapping[str, str] = MappingProxyType({})
    ready: bool = False


def read_note(git_dir: Path) -> WorktreeNote | None:
    """The note of the work tree whose own git folder is `git_dir`."""
    text = read_small(git_dir / _NAME)
    try:
        found = json.loads(text or "")
        base, offset, copies = found["base"], found["port_offset"], found["copies"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not (isinstance(base, str) and type(offset) is int and isinstance(copies, dict)):
        return None
    kept = {path: str(digest) for path, digest in copies.items() if clean(path) == path}
    return WorktreeNote(base, offset, kept, found.get("ready") is True)


def write_note(git_dir: Path, note: WorktreeNote) -> None:
    """Keep a note. Raises OSError."""
    replace(git_dir / _NAME, json.dumps({**note._asdict(), "copies": dict(note.copies)}).encode(), mode=0o600)

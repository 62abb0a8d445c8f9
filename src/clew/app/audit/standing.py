"""What stands in a session's first context and in no record: the rules files that its client reads, as they are now."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from clew.app.context.window import regular_bytes
from clew.app.ports import Ports
from clew.clients.registry import spec_of
from clew.core.audit.pieces import Piece
from clew.core.text.tokens import estimate
from clew.workspace.repository import find

_IMPORT: Final = re.compile(r"(?<![\w`@])@((?:~/|\.{0,2}/)?[\w.-]+(?:/[\w.-]+)*)")
_IMPORTS_DEEP: Final = 5
_FILES_MAX: Final = 500


def rules_standing(ports: Ports, client: str, cwd: str) -> list[Piece]:
    """The rules files of a session of `client` that ran in `cwd`: none of a client whose record holds them or
    where that folder is gone.
    """
    spec = spec_of(client)
    folder = Path(cwd) if cwd else None
    if not spec or spec.rules_recorded or folder is None or not folder.is_absolute() or not folder.is_dir():
        return []
    repository = find(folder)
    top = repository.top if repository is not None else folder
    places = [one for one in (folder, *folder.parents) if one.is_relative_to(top)]
    files = [place / name for place in reversed(places) for name in spec.rules]
    files += sorted((top / spec.rules_folder).glob("*.md")) if spec.rules_folder else []
    user = Path(ports.environment.get("HOME") or Path.home())
    files.append(spec.home(ports.environment, user) / spec.own_rules)
    found = _with_imports(files, user)
    return [Piece("rules", _shown(path, top, user), tokens) for path, tokens in found.items()]


def _with_imports(files: Sequence[Path], user: Path) -> dict[Path, int]:
    """The tokens of those that are there and of what they bring in, each once: files may name each other."""
    met: dict[Path, int] = {}
    for deep in range(_IMPORTS_DEEP + 1):
        following: list[Path] = []
        for file in files:
            path = Path(os.path.normpath(file.absolute()))
            data = regular_bytes(path) if path not in met and len(met) < _FILES_MAX else b""
            if not data:
                continue
            text = data.decode("utf-8", "replace")
            met[path] = estimate(text)
            named = (user / name[2:] if name.startswith("~/") else path.parent / name for name in _IMPORT.findall(text))
            following += (one for one in named if deep < _IMPORTS_DEEP and one.suffix in (".md", ".mdc", ".txt"))
        files = following
    return met


def _shown(path: Path, top: Path, user: Path) -> str:
    if path.is_relative_to(top):
        return path.relative_to(top).as_posix()
    return f"~/{path.relative_to(user).as_posix()}" if path.is_relative_to(user) else str(path)

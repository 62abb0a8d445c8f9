"""What stands in a session's first context and in no record: the rules files that its client reads, as they are now."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from clew.app.context.window import regular_bytes
from clew.app.ports import Ports
from clew.clients.registry import fact
from clew.core.audit.pieces import Piece
from clew.core.text.tokens import estimate
from clew.workspace.repository import find

# Which files a client reads from the folder of a session up to the top of its repository, and of the user's own.
_READ: Final[dict[str, tuple[tuple[str, ...], str]]] = {
    "claude-code": (("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"), "CLAUDE.md"),
    "gemini": (("GEMINI.md",), "GEMINI.md"),
    "opencode": (("AGENTS.md",), "AGENTS.md"),
}
_IMPORT: Final = re.compile(r"(?<![\w`@])@((?:~/|\.{0,2}/)?[\w.-]+(?:/[\w.-]+)*)")
_IMPORTS_DEEP: Final = 5
_FILES_MAX: Final = 500


def rules_standing(ports: Ports, client: str, cwd: str) -> list[Piece]:
    """The rules files of a session of `client` that ran in `cwd`: none of a client whose record holds them (Codex), or
    where that folder is gone.
    """
    names, own = _READ.get(client, ((), ""))
    folder = Path(cwd) if cwd else None
    if not names or folder is None or not folder.is_absolute() or not folder.is_dir():
        return []
    repository = find(folder)
    top = repository.top if repository is not None else folder
    places = [one for one in (folder, *folder.parents) if one.is_relative_to(top)]
    files = [place / name for place in reversed(places) for name in names]
    files += sorted((top / ".claude" / "rules").glob("*.md")) if client == "claude-code" else []
    user = Path(ports.environment.get("HOME") or Path.home())
    files.append(fact(client, "home_of")(ports.environment, user) / own)
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

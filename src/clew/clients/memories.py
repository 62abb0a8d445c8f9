"""Where clients keep the memory that they write themselves, and in which form. Looks; makes and changes nothing.

Claude Code: `<config>/projects/<slug of the repository's main work tree>/memory`, an index `MEMORY.md` and a page a
topic with front matter. Codex: `<home>/memories`, `MEMORY.md` beside `memory_summary.md`, one for all projects.
Sources: docs/reference/memory.md, "The clients' own".
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from clew.clients.claude_code import home_of as claude_home
from clew.clients.claude_code.paths import SLUG_CHARS_MAX, slug
from clew.clients.codex import home_of as codex_home

CLIENTS: Final = ("claude-code", "codex")


class ClientMemory(NamedTuple):
    """A client's memory: the folder, whether it is there or not, and whether it holds for all projects."""

    client: str
    folder: Path
    is_users: bool


def memories(environment: Mapping[str, str], user: Path, root: Path) -> dict[str, ClientMemory]:
    """The memories of clients for the project whose main work tree is `root`, by client."""
    name = slug(str(root))
    projects = claude_home(environment, user) / "projects"
    own = projects / name
    if len(name) > SLUG_CHARS_MAX:  # the client cuts it and adds a hash; the folder that is there tells which
        cut = sorted(path for path in projects.glob(f"{name[:SLUG_CHARS_MAX]}*") if path.is_dir())
        own = cut[0] if len(cut) == 1 else projects / name[:SLUG_CHARS_MAX]
    return {
        "claude-code": ClientMemory("claude-code", own / "memory", False),
        "codex": ClientMemory("codex", codex_home(environment, user) / "memories", True),
    }

"""Where clients keep the memory that they write themselves. Looks; makes and changes nothing.

Claude Code: an index `MEMORY.md` and a page a topic with front matter. Codex: `MEMORY.md` beside `memory_summary.md`,
one for all projects. Sources: docs/reference/memory.md, "The clients' own".
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from clew.clients.registry import specs


class ClientMemory(NamedTuple):
    """A client's memory: the folder, whether it is there or not, and whether it holds for all projects."""

    client: str
    folder: Path
    is_users: bool


def memories(environment: Mapping[str, str], user: Path, root: Path) -> dict[str, ClientMemory]:
    """The memories of clients for the project whose main work tree is `root`, by client."""
    return {
        spec.name: ClientMemory(spec.name, spec.memory(spec.home(environment, user), root), spec.memory_is_users)
        for spec in specs()
        if spec.memory
    }

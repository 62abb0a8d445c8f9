"""The window that a person told the client it has: what the client's settings and environment say of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from clew.clients.configured import Configured
from clew.core.pressure import Told

_BYTES_MAX: Final = 1 << 20


def told_window(clients: Sequence[Configured], root: Path, environment: Mapping[str, str], client: str) -> Told:
    """What holds for sessions of `client` in the project whose top is `root`; for "" the smallest of all windows."""
    asked = [one for one in clients if client in ("", one.name)]
    found = [one.read(settings_files(one, root), environment) for one in asked]
    sizes = [one.compact_window for one in found if one.compact_window]
    return Told(min(sizes, default=0), any(one.compacts for one in found) or not found)


def settings_files(client: Configured, root: Path) -> list[tuple[Path, bytes]]:
    """The client's settings files that hold in the project at `root`, as far as they can be read."""
    found = []
    for path in client.files(root):
        try:
            with path.open("rb") as file:
                found.append((path, file.read(_BYTES_MAX)))
        except OSError:
            continue
    return found

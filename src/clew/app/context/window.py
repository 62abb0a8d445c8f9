"""The window that a person told the client it has: what the client's settings and environment say of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from clew.clients.configured import ClientConfig
from clew.core.context.pressure import ToldWindow, window

_BYTES_MAX: Final = 1 << 20


def told_window(clients: Sequence[ClientConfig], root: Path, environment: Mapping[str, str], client: str) -> ToldWindow:
    """What holds for sessions of `client` in the project whose top is `root`; for "" the smallest of all windows."""
    asked = [one for one in clients if client in ("", one.name)]
    found = [one.read(settings_files(one, root), environment) for one in asked]
    unsaid = 0 if client else window("").tokens  # of a model that nobody knows
    sizes = [size for one in found if (size := one.compact_window or unsaid)]
    return ToldWindow(min(sizes, default=0), any(one.compacts for one in found) or not found)


def settings_files(client: ClientConfig, root: Path) -> list[tuple[Path, bytes]]:
    """The client's settings files that hold in the project at `root`, as far as they can be read."""
    return [(path, data) for path in client.files(root) if (data := regular_bytes(path)) is not None]


def regular_bytes(path: Path) -> bytes | None:
    """The bytes of a file, at most a MiB; None if it is none or cannot be read. A repository can hold anything by the
    name of a settings file: a pipe would keep us waiting for ever.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
            return file.read(_BYTES_MAX) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return None

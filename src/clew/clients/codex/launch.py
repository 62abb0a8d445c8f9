"""How Codex is started. Seen: the real client, `--help`."""

from __future__ import annotations

from typing import Final

from clew.clients.launching import Launcher

LAUNCHER: Final = Launcher("codex", "codex")

"""How Claude Code is started. Seen: docs/clients/claude-code.md."""

from __future__ import annotations

from typing import Final

from clew.clients.launching import Launcher

LAUNCHER: Final = Launcher("claude-code", "claude")

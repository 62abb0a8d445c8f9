"""The clients that clew has a family for, by the names that it knows them by."""

from __future__ import annotations

from typing import Final

CLIENTS: Final = ("claude-code", "codex", "gemini", "opencode")

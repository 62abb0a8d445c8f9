"""Codex CLI: where its sessions are and what they say. Format and doubts: docs/clients/codex.md.

What `clew.clients.registry` asks of every family. Imports nothing: every hook loads it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ASKING = "CODEX_THREAD_ID"
VARIABLES = ("CODEX_HOME",)
HANDSHAKE = "codex-mcp-client"


def home_of(environment: "Mapping[str, str]", user: "Path") -> "Path":
    """The client's folder: `CODEX_HOME` moves it."""
    return type(user)(environment.get("CODEX_HOME") or user / ".codex")


def sessions_of(environment: "Mapping[str, str]", user: "Path") -> "Path":
    """Where its sessions lie."""
    return home_of(environment, user) / "sessions"

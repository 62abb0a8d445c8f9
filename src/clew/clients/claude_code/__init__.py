"""Claude Code: where its sessions are and what they say. Format and doubts: docs/clients/claude-code.md.

What `clew.clients.registry` asks of every family. Imports nothing: every hook loads it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ASKING = "CLAUDE_CODE_SESSION_ID"
# Move what it keeps.
VARIABLES = ("CLAUDE_CONFIG_DIR",)
# Tells its hooks where it was started.
PLACE = "CLAUDE_PROJECT_DIR"
# By this file below its folder the client knows a plugin.
PLUGIN_MARK = (".claude-plugin", "plugin.json")
# What it calls itself to an MCP server.
HANDSHAKE = "claude-code"


def home_of(environment: "Mapping[str, str]", user: "Path") -> "Path":
    """The client's folder: `CLAUDE_CONFIG_DIR` moves it."""
    return type(user)(environment.get("CLAUDE_CONFIG_DIR") or user / ".claude")


def sessions_of(environment: "Mapping[str, str]", user: "Path") -> "Path":
    """Where its sessions lie."""
    return home_of(environment, user) / "projects"

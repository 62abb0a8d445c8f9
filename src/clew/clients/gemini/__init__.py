"""Gemini CLI: where its sessions are and what they say. Format and doubts: docs/clients/gemini.md.

What `clew.clients.registry` asks of every family. Imports nothing: every hook loads it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# It says that it runs a command, and not which session does: its process is one above.
ASKING, ANONYMOUS = "GEMINI_CLI", True
VARIABLES = ("GEMINI_CLI_HOME",)
PLACE = "GEMINI_PROJECT_DIR"
PLUGIN_MARK = ("gemini-extension.json",)
HANDSHAKE = "gemini-cli-mcp-client"


def home_of(environment: "Mapping[str, str]", user: "Path") -> "Path":
    """The client's folder: `GEMINI_CLI_HOME` moves the home below which it makes it."""
    return type(user)(environment.get("GEMINI_CLI_HOME") or user) / ".gemini"


def sessions_of(environment: "Mapping[str, str]", user: "Path") -> "Path":
    """Where its sessions lie."""
    return home_of(environment, user) / "tmp"

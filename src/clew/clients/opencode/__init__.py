"""OpenCode: where its sessions are and what they say. Format and doubts: docs/clients/opencode.md.

What `clew.clients.registry` asks of every family. Imports nothing: every hook loads it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Commands are told by our plugin which session asks.
ASKING = "OPENCODE_SESSION_ID"
VARIABLES = ("OPENCODE_DB", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
HANDSHAKE = "opencode"


def home_of(environment: "Mapping[str, str]", user: "Path") -> "Path":
    """The folder of the user's own settings, plugins and commands: below XDG's folder on every system."""
    return type(user)(environment.get("XDG_CONFIG_HOME") or user / ".config") / "opencode"


def database_of(environment: "Mapping[str, str]", user: "Path") -> "Path":
    """The file with the sessions. `OPENCODE_DB` names another, from the client's data on."""
    data = type(user)(environment.get("XDG_DATA_HOME") or user / ".local" / "share") / "opencode"
    return data / (environment.get("OPENCODE_DB") or "opencode.db")


def sessions_of(environment: "Mapping[str, str]", user: "Path") -> "Path":
    """Where its sessions lie."""
    return database_of(environment, user).parent

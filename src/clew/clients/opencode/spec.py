"""OpenCode as data. Sources: docs/clients/opencode.md."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from clew.clients.spec import ClientFolder, ClientSpec, Hook

# The client reads both; our plugin it finds by itself.
SETTINGS: Final = ("opencode.json", "opencode.jsonc")
PLUGIN: Final = "plugin/clew.js"


def database_of(environment: Mapping[str, str], user: Path) -> Path:
    """The file with the sessions. `OPENCODE_DB` names another, from the client's data on."""
    data = ClientFolder("XDG_DATA_HOME", ".local/share", "opencode").at(environment, user)
    return data / (environment.get("OPENCODE_DB") or "opencode.db")


SPEC: Final = ClientSpec(
    name="opencode",
    title="OpenCode",
    program="opencode",
    home=ClientFolder("XDG_CONFIG_HOME", ".config", "opencode").at,  # on every system
    sessions=lambda environment, user: database_of(environment, user).parent,
    folder=".opencode",
    settings=(*SETTINGS, PLUGIN),
    project_settings=(*SETTINGS, *(f".opencode/{name}" for name in SETTINGS)),
    # As in the plugin, which knows them by its own constants. Nobody waits for the last two.
    hooks=(
        Hook("SessionStart", 15),
        Hook("UserPromptSubmit", 15),
        Hook("PreToolUse", 5),
        Hook("PostToolUse", 5),
        Hook("PreCompact", 15),
        Hook("Stop", 60),
        Hook("SessionEnd", 60),
    ),
    always=("SessionStart",),
    variables=("OPENCODE_DB", "XDG_CONFIG_HOME", "XDG_DATA_HOME"),
    asking="OPENCODE_SESSION_ID",  # commands are told by our plugin which session asks
    marks=("OPENCODE", "OPENCODE_PID"),
    own_variables=("OPENCODE", "AGENT"),
    handshake="opencode",
    servers="mcp",
    server_files=SETTINGS,
    project_servers=SETTINGS,
    rules=("AGENTS.md",),
    own_rules="AGENTS.md",
    unattended=("run", "serve", "github"),
)

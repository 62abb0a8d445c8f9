"""GitHub Copilot CLI as data. Sources: docs/clients/copilot.md."""

from typing import Final

from clew.clients.spec import ClientFolder, ClientSpec, Hook

# A file of our own among the user's hooks: nothing is merged, and taking clew out deletes it.
HOOKS: Final = "hooks/clew.json"
# Below the client's folder, one folder a session.
SESSIONS: Final = "session-state"
RECORD: Final = "events.jsonl"

SPEC: Final = ClientSpec(
    name="copilot",
    title="GitHub Copilot CLI",
    program="copilot",
    home=ClientFolder("COPILOT_HOME", ".copilot").at,
    sessions=ClientFolder("COPILOT_HOME", ".copilot", SESSIONS).at,
    folder=".github",
    settings=("settings.json", HOOKS),
    project_settings=(*(".github/copilot/settings.json", ".github/copilot/settings.local.json"), f".github/{HOOKS}"),
    # There is none for a session's start: the client runs it beside that of the first prompt, and keeps what it says
    # neither through a compaction nor when the session is resumed. Every tool is asked about, also one that only reads:
    # in the client's patterns nothing can say "all but these".
    hooks=(
        Hook("UserPromptSubmit", 15),
        Hook("PreToolUse", 5),
        Hook("PostToolUse", 5),
        Hook("PostToolUseFailure", 5),
        Hook("PreCompact", 15),
        Hook("Stop", 60),
        Hook("SessionEnd", 10),
    ),
    always=("UserPromptSubmit",),
    variables=("COPILOT_HOME",),
    asking="COPILOT_AGENT_SESSION_ID",
    marks=("COPILOT_CLI", "COPILOT_AGENT", "COPILOT_HOOK_DIR", "COPILOT_PROJECT_DIR"),
    place="COPILOT_PROJECT_DIR",
    own_variables=("COPILOT_", "CLAUDE_PROJECT_DIR"),
    handshake="copilot-cli",
    servers="mcpServers",
    server_files=("mcp-config.json",),
    project_servers=(".mcp.json", ".github/mcp.json"),
    server_session="COPILOT_AGENT_SESSION_ID",
    rules=("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"),
    rules_folder=".github/instructions",
    own_rules="copilot-instructions.md",
    rules_recorded=True,
    terminal_rule=True,
)

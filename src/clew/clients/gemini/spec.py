"""Gemini CLI as data. Sources: docs/clients/gemini.md."""

from typing import Final

from clew.clients.spec import ClientFolder, ClientSpec, Hook

# All but what only reads and is called most (`core/gate/reading_table.py` has them all): that need not wait for us.
_ASKED: Final = "^(?!(?:read_file|read_many_files|list_directory|glob|grep_search|search_file_content|write_todos)$)"

SPEC: Final = ClientSpec(
    name="gemini",
    title="Gemini CLI",
    program="gemini",
    home=ClientFolder(
        "GEMINI_CLI_HOME", below=".gemini"
    ).at,  # it moves the home below which the client makes its folder
    sessions=ClientFolder("GEMINI_CLI_HOME", below=".gemini/tmp").at,
    folder=".gemini",
    settings=("settings.json",),
    project_settings=(".gemini/settings.json",),
    # There is none for a session's start, because what it says makes the user's prompts vanish when the session is
    # resumed, and none before a compaction, because it fires at every request.
    hooks=(
        Hook("BeforeAgent", 15),
        Hook("BeforeTool", 5, _ASKED),
        Hook("AfterTool", 5),
        Hook("AfterAgent", 15),
        Hook("SessionEnd", 10),
    ),
    always=("BeforeAgent",),
    variables=("GEMINI_CLI_HOME",),
    # It says that it runs a command, and not which session does: its process is one above.
    asking="GEMINI_CLI",
    anonymous=True,
    marks=("GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR", "GEMINI_CWD"),
    place="GEMINI_PROJECT_DIR",
    own_variables=("GEMINI_", "GOOGLE_", "CLAUDE_PROJECT_DIR"),
    plugin_mark=("gemini-extension.json",),
    handshake="gemini-cli-mcp-client",
    servers="mcpServers",
    server_files=("settings.json",),
    project_servers=(".gemini/settings.json",),
    wants_prompt=True,
    rules=("GEMINI.md",),
    own_rules="GEMINI.md",
    terminal_rule=True,
)

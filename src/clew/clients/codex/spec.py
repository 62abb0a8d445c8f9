"""Codex CLI as data. Sources: docs/clients/codex.md."""

from typing import Final

from clew.clients.spec import ClientFolder, ClientSpec, Hook

SPEC: Final = ClientSpec(
    name="codex",
    title="Codex",
    program="codex",
    home=ClientFolder("CODEX_HOME", ".codex").at,
    sessions=ClientFolder("CODEX_HOME", ".codex", "sessions").at,
    folder=".codex",
    settings=("config.toml", "hooks.json"),
    project_settings=(".codex/config.toml", ".codex/hooks.json"),
    # The client asks again for a hook that has changed: no time-out is changed without need.
    hooks=(
        Hook("SessionStart", 15),
        Hook("UserPromptSubmit", 10),
        Hook("PreToolUse", 5),
        Hook("PostToolUse", 5),
        Hook("PreCompact", 15),
        Hook("Stop", 60),
        Hook("SessionEnd", 3),  # a longer one is cut to that; without one it would be killed after a second
    ),
    variables=("CODEX_HOME",),
    asking="CODEX_THREAD_ID",
    marks=("CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_CI"),
    own_variables=("CODEX_", "OPENAI_"),
    handshake="codex-mcp-client",
    servers="mcp_servers",
    server_files=("config.toml",),
    project_servers=(".codex/config.toml",),
    session_in_calls=True,
    rules=("AGENTS.md",),
    rules_recorded=True,
    unattended=("exec", "e"),
    memory=lambda home, _: home / "memories",
    memory_is_users=True,
)

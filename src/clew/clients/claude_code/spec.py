"""Claude Code as data. Sources: docs/clients/claude-code.md."""

from pathlib import Path
from typing import Final

from clew.clients.spec import ClientFolder, ClientSpec, Hook

SLUG_CHARS_MAX: Final = 200
_KEPT: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
# All but what only reads and is called most (`core/gate/reading_table.py` has them all): that need not wait for us.
_ASKED: Final = (
    "^(?!(?:Read|Grep|Glob|LS|TodoWrite|TaskCreate|TaskUpdate|TaskList|TaskGet|BashOutput|AskUserQuestion)$)"
)


def slug(folder: str) -> str:
    """The name for a folder's path, before the client cuts it.

    The client counts UTF-16 units, so a character outside the BMP gives two dashes.
    """
    return "".join(c if c in _KEPT else "-" if c <= "\uffff" else "--" for c in folder)


def memory_of(home: Path, root: Path) -> Path:
    """Where the client keeps its memory of the project whose main work tree is `root`."""
    name, projects = slug(str(root)), home / "projects"
    if len(name) > SLUG_CHARS_MAX:  # the client cuts it and adds a hash; the folder that is there tells which
        name = name[:SLUG_CHARS_MAX]
        there = [path.name for path in projects.glob(f"{name}*") if path.is_dir()]
        name = there[0] if len(there) == 1 else name
    return projects / name / "memory"


SPEC: Final = ClientSpec(
    name="claude-code",
    title="Claude Code",
    program="claude",
    home=ClientFolder("CLAUDE_CONFIG_DIR", ".claude").at,
    sessions=ClientFolder("CLAUDE_CONFIG_DIR", ".claude", "projects").at,
    folder=".claude",
    settings=("settings.json", "settings.local.json"),
    project_settings=(".claude/settings.json", ".claude/settings.local.json"),
    # Without a time-out of its own the client would cancel the hook of a session's end after a second or two.
    hooks=(
        Hook("SessionStart", 15),
        Hook("UserPromptSubmit", 10),
        Hook("PreToolUse", 5, _ASKED),
        Hook("PostToolUse", 5),
        Hook("PostToolUseFailure", 5),
        Hook("SubagentStop", 5, "^$"),  # no sub-agent: this one has the summary of a compaction
        # After a compaction by hand the client names each hook of this event to the model; after an automatic one none.
        # What a compaction by hand drops is taken in at the session's start behind it.
        Hook("PreCompact", 15, "auto"),
        Hook("Stop", 60),
        Hook("SessionEnd", 10),
    ),
    shell_hooks=False,
    variables=("CLAUDE_CONFIG_DIR",),
    asking="CLAUDE_CODE_SESSION_ID",
    marks=(
        *("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR", "CLAUDE_PID"),
        *("CLAUDE_ENV_FILE", "CLAUDE_PLUGIN_ROOT"),
    ),
    place="CLAUDE_PROJECT_DIR",
    own_variables=("CLAUDE", "AI_AGENT", "ANTHROPIC_", "DISABLE_"),
    plugin_mark=(".claude-plugin", "plugin.json"),
    handshake="claude-code",
    servers="mcpServers",
    # They stand beside the client's folder, or in the one that it was told to use instead.
    server_files=(".claude.json",),
    server_home=ClientFolder("CLAUDE_CONFIG_DIR").at,
    project_servers=(".mcp.json",),
    # It tells a server when it starts it.
    server_session="CLAUDE_CODE_SESSION_ID",
    server_place="CLAUDE_PROJECT_DIR",
    rules=("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
    rules_folder=".claude/rules",
    own_rules="CLAUDE.md",
    unattended=("-p", "--print"),
    memory=memory_of,
)

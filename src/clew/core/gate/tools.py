"""Which tools of the clients only read, by the names that clients give them. What is not here is refused.

A person can say of another tool, one of an MCP server mostly, that it only reads (`clew gate allow`).
"""

from __future__ import annotations

from collections.abc import Collection

# They read, ask, plan, or start what is asked itself (a sub-agent's tools). Sources: docs/clients.
READING = frozenset(
    (
        # Claude Code
        "Read Grep Glob LS NotebookRead WebFetch WebSearch TodoWrite TodoRead Task Agent ExitPlanMode EnterPlanMode "
        "AskUserQuestion Skill SlashCommand BashOutput KillShell KillBash TaskCreate TaskUpdate TaskList TaskGet "
        "TaskOutput TaskStop ToolSearch ListMcpResourcesTool ReadMcpResourceTool StructuredOutput SendMessage LSP "
        # Codex
        "update_plan view_image spawn_agent wait_agent wait close_agent send_input resume_agent list_mcp_resources "
        "list_mcp_resource_templates read_mcp_resource request_user_input web_search tool_search list_dir grep_files "
        # Gemini CLI
        "read_file read_many_files list_directory glob search_file_content grep_search google_web_search web_fetch "
        "write_todos ask_user enter_plan_mode exit_plan_mode codebase_investigator get_internal_docs activate_skill "
        "delegate_to_agent complete_task "
        # OpenCode
        "read grep list task todowrite todoread webfetch websearch codesearch skill question lsp plan_enter plan_exit "
        "invalid"
    ).split()
)
_OURS = ("mcp__clew__", "mcp_clew_", "clew_")


def refusal(tool: str, allowed: Collection[str]) -> str:
    """Why a tool that is neither a shell nor an editing tool is not known to only read; "" if it is. `allowed` are
    those of which a person said so.
    """
    if tool in READING or tool in allowed or tool.startswith(_OURS):
        return ""
    return f"nobody said yet that `{tool[:80]}` only reads (a person can: `clew gate allow {tool[:80]}`)"

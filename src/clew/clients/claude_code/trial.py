"""A made-up session, as the client would tell its hooks of it: for `clew doctor`, which runs the installed ones. Pure.

The fields are those that 2.1.330 sends (docs/clients/claude-code.md, "Hooks").
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from clew.clients.claude_code.paths import slug
from clew.clients.configured import Trial

_FILE: Final = "trial.txt"
_TIME: Final = "2026-01-01T09:00:0{}.000Z"
_VARIABLES: Final = ("CLAUDE", "AI_AGENT", "ANTHROPIC_", "CLEW_", "DISABLE_")


def trial(event: str, *, session: str, place: Path, config: Path) -> Trial:
    """See `Configured.trial`."""
    told: dict[str, Any] = {
        "session_id": session,
        "transcript_path": str(transcript(session, place, config)),
        "cwd": str(place),
        "hook_event_name": event,
        **_fields(event, place),
    }
    environment = {
        "CLAUDECODE": "1",
        "CLAUDE_CODE_ENTRYPOINT": "cli",
        "CLAUDE_CODE_SESSION_ATTENDED": "1",
        "CLAUDE_CODE_SESSION_ID": session,
        "CLAUDE_CONFIG_DIR": str(config),
        "CLAUDE_PROJECT_DIR": str(place),
    }
    return Trial(json.dumps(told).encode(), environment)


def recorded(*, session: str, place: Path, config: Path) -> tuple[Path, bytes]:
    """See `Configured.recorded`."""
    usage = {"input_tokens": 5, "cache_creation_input_tokens": 400, "cache_read_input_tokens": 20_000}
    answer = {"type": "text", "text": "The trial is done."}
    lines: list[dict[str, Any]] = [
        {"type": "user", "message": {"role": "user", "content": "Try whether the hooks of clew run."}},
        {
            "type": "assistant",
            "requestId": "req_trial",
            "message": {
                "id": "msg_trial",
                "role": "assistant",
                "model": "claude-trial",
                "content": [answer],
                "usage": {**usage, "output_tokens": 10},
            },
        },
    ]
    common = {"isSidechain": False, "cwd": str(place), "sessionId": session, "version": "0", "gitBranch": ""}
    rows = [
        json.dumps({**common, "uuid": f"trial-{at}", "timestamp": _TIME.format(at), **line}, sort_keys=True)
        for at, line in enumerate(lines)
    ]
    return transcript(session, place, config), "".join(f"{row}\n" for row in rows).encode()


def transcript(session: str, place: Path, config: Path) -> Path:
    """Where the client would keep the session."""
    return config / "projects" / slug(str(place)) / f"{session}.jsonl"


def is_own(variable: str) -> bool:
    """See `Configured.is_own`; clew's own settings among them."""
    return variable.startswith(_VARIABLES)


def _fields(event: str, place: Path) -> dict[str, Any]:
    edit = {"file_path": str(place / _FILE), "old_string": "a", "new_string": "b", "replace_all": False}
    call = {"tool_name": "Edit", "tool_input": edit, "tool_use_id": "toolu_trial"}
    told: dict[str, dict[str, Any]] = {
        "SessionStart": {"source": "startup"},
        "UserPromptSubmit": {"prompt": "Go on."},
        "PreToolUse": call,
        "PostToolUse": {**call, "tool_response": {"filePath": str(place / _FILE)}, "duration_ms": 5},
        "PostToolUseFailure": {**call, "error": "a made-up error", "is_interrupt": False, "duration_ms": 5},
        "SubagentStop": {
            "agent_id": "trial",
            "agent_type": "",
            "stop_hook_active": False,
            "last_assistant_message": "<summary>The hooks of clew are tried.</summary>",
        },
        "PreCompact": {"trigger": "auto", "custom_instructions": None},
        "Stop": {"stop_hook_active": False, "last_assistant_message": "The trial is done."},
        "SessionEnd": {"reason": "other"},
    }
    return told.get(event, {})

"""A made-up session, as the client would tell its hooks of it: for `clew doctor`, which runs the installed ones. Pure.

The fields are those that 0.61.0 sends (docs/clients/gemini.md, "Hooks").
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from clew.clients.configured import Trial

_FILE: Final = "trial.txt"
_TIME: Final = "2026-01-01T09:00:0{}.000Z"
_PROJECT: Final = "clew-trial"
_VARIABLES: Final = ("GEMINI_", "GOOGLE_", "CLAUDE_PROJECT_DIR", "CLEW_")


def trial(event: str, *, session: str, place: Path, config: Path) -> Trial:
    """See `Configured.trial`. `config` is taken for the home below which the client makes its folder."""
    told: dict[str, Any] = {
        "session_id": session,
        "transcript_path": str(transcript(session, config)),
        "cwd": str(place),
        "hook_event_name": event,
        "timestamp": _TIME.format(9),
        **_fields(event, place),
    }
    environment = {
        "GEMINI_CLI_HOME": str(config),
        "GEMINI_SESSION_ID": session,
        "GEMINI_PROJECT_DIR": str(place),
        "GEMINI_CWD": str(place),
        "CLAUDE_PROJECT_DIR": str(place),
    }
    return Trial(json.dumps(told).encode(), environment)


def recorded(*, session: str, place: Path, config: Path) -> tuple[Path, bytes]:
    """See `Configured.recorded`. The session says where it runs, as there is no list of projects beside it."""
    folder = str(place)
    tokens = {"input": 20_405, "output": 10, "cached": 20_000, "thoughts": 0, "tool": 0, "total": 20_415}
    around = f"<session_context>\n- **Workspace Directories:**\n  - {folder}\n</session_context>"
    lines: list[dict[str, Any]] = [
        {
            "sessionId": session,
            "projectHash": sha256(folder.encode("utf-8", "surrogateescape")).hexdigest(),
            "startTime": _TIME.format(0),
            "lastUpdated": _TIME.format(0),
            "kind": "main",
        },
        {"$set": {"messages": [_message(0, "user", [{"text": around}])], "lastUpdated": _TIME.format(0)}},
        _message(1, "user", [{"text": "Try whether the hooks of clew run."}]),
        {**_message(2, "gemini", "The trial is done."), "tokens": tokens, "model": "gemini-trial"},
    ]
    return transcript(session, config), "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def transcript(session: str, config: Path) -> Path:
    """Where the client would keep the session."""
    return config / ".gemini" / "tmp" / _PROJECT / "chats" / f"session-2026-01-01T09-00-{session[:8]}.jsonl"


def is_own(variable: str) -> bool:
    """See `Configured.is_own`; clew's own settings among them."""
    return variable.startswith(_VARIABLES)


def _message(at: int, kind: str, content: Any) -> dict[str, Any]:
    return {"id": f"trial-{at}", "timestamp": _TIME.format(at), "type": kind, "content": content}


def _fields(event: str, place: Path) -> dict[str, Any]:
    edit = {"file_path": str(place / _FILE), "old_string": "a", "new_string": "b", "instruction": "trial"}
    call = {"tool_name": "replace", "tool_input": edit}
    told: dict[str, dict[str, Any]] = {
        "BeforeAgent": {"prompt": "Go on."},
        "BeforeTool": call,
        "AfterTool": {**call, "tool_response": {"llmContent": "Successfully modified file.", "returnDisplay": ""}},
        "AfterAgent": {"prompt": "Go on.", "prompt_response": "The trial is done.", "stop_hook_active": False},
        "SessionEnd": {"reason": "exit"},
    }
    return told.get(event, {})

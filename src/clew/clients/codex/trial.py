"""A made-up session, as the client would tell its hooks of it: for `clew doctor`, which runs the installed ones. Pure.

The fields are those that 0.169.0 sends (docs/clients/codex.md, "Hooks").
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from clew.clients.configured import Trial

_FILE: Final = "trial.txt"
_TIME: Final = "2026-01-01T09:00:0{}.000Z"
_VARIABLES: Final = ("CODEX_", "OPENAI_", "CLEW_")
_MODEL: Final = "codex-trial"
_TURN: Final = "trial-turn"


def trial(event: str, *, session: str, place: Path, config: Path) -> Trial:
    """See `Configured.trial`."""
    told: dict[str, Any] = {
        "session_id": session,
        "turn_id": _TURN,
        "transcript_path": str(transcript(session, config)),
        "cwd": str(place),
        "hook_event_name": event,
        "model": _MODEL,
        "permission_mode": "default",
        **_fields(event),
    }
    for name in _LEFT_OUT.get(event, ()):
        told.pop(name, None)
    # The client starts hooks in the session's folder and names it in no variable; a trial is started elsewhere.
    return Trial(json.dumps(told).encode(), {"CODEX_HOME": str(config), "CLEW_PLACE": str(place)})


def recorded(*, session: str, place: Path, config: Path) -> tuple[Path, bytes]:
    """See `Configured.recorded`."""
    used = {"input_tokens": 20_405, "cached_input_tokens": 20_000, "output_tokens": 10, "total_tokens": 20_415}
    begun = {"turn_id": _TURN, "turn_attribution": {"turn_trigger": "user"}}
    told = [{"type": "output_text", "text": "The trial is done."}]
    lines: list[tuple[str, dict[str, Any]]] = [
        (
            "session_meta",
            {
                "id": session,
                "timestamp": _TIME.format(0),
                "cwd": str(place),
                "originator": "codex-tui",
                "cli_version": "0",
                "source": "cli",
            },
        ),
        ("event_msg", {"type": "task_started", **begun}),
        ("turn_context", {"turn_id": _TURN, "cwd": str(place), "model": _MODEL}),
        ("event_msg", {"type": "user_message", "message": "Try whether the hooks of clew run."}),
        ("response_item", {"type": "message", "role": "assistant", "content": told}),
        ("event_msg", {"type": "token_count", "info": {"total_token_usage": used, "last_token_usage": used}}),
    ]
    rows = [
        json.dumps({"timestamp": _TIME.format(at), "type": kind, "payload": payload})
        for at, (kind, payload) in enumerate(lines)
    ]
    return transcript(session, config), "".join(f"{row}\n" for row in rows).encode()


def transcript(session: str, config: Path) -> Path:
    """Where the client would keep the session."""
    return config / "sessions" / "2026" / "01" / "01" / f"rollout-2026-01-01T09-00-00-{session}.jsonl"


def is_own(variable: str) -> bool:
    """See `Configured.is_own`; clew's own settings among them."""
    return variable.startswith(_VARIABLES)


_LEFT_OUT: Final = {"SessionStart": ("turn_id",), "SessionEnd": ("turn_id", "model", "permission_mode")}


def _fields(event: str) -> dict[str, Any]:
    patch = f"*** Begin Patch\n*** Update File: {_FILE}\n@@\n-a\n+b\n*** End Patch"
    call = {"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_use_id": "call_trial"}
    told: dict[str, dict[str, Any]] = {
        "SessionStart": {"source": "startup"},
        "UserPromptSubmit": {"prompt": "Go on."},
        "PreToolUse": call,
        "PostToolUse": {**call, "tool_response": f"Exit code: 0\nOutput:\nSuccess.\nM {_FILE}\n"},
        "PreCompact": {"trigger": "auto"},
        "Stop": {"stop_hook_active": False, "last_assistant_message": "The trial is done."},
        "SessionEnd": {"reason": "other"},
    }
    return told.get(event, {})

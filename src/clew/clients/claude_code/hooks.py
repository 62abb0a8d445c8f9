"""Claude Code's hooks: what comes by stdin as a neutral event, and an answer as the JSON that it reads.

What the client sends and does with the answer: docs/clients/claude-code.md, "Hooks". Nothing here raises: whatever the
client sends, a hook must never stand in its way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clew.core.hooks import CONTEXT_UNITS_MAX, START_SOURCES, Answer, HookEvent, HookName, StartSource, units

CLIENT: Final = "claude-code"

_NAMES: Final[Mapping[str, HookName]] = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before_tool",
    "PostToolUse": "after_tool",
    "PostToolUseFailure": "after_tool",
    "PreCompact": "before_compaction",
    "Stop": "stop",
    "SessionEnd": "session_end",
}
# Of these the client puts `additionalContext` before the model. For Stop it would do so too, and go on with the turn.
_TAKES_CONTEXT: Final = frozenset(("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"))


def parse(event: Mapping[str, Any], environment: Mapping[str, str]) -> HookEvent:
    """The neutral event of a hook's input. `environment` is the hook's: it tells whether a person sits there, and where
    the client was started (`cwd` in the input moves when the agent changes its folder).
    """
    source: StartSource = next((one for one in START_SOURCES if one == event.get("source")), "")
    pid = environment.get("CLAUDE_PID", "")
    return HookEvent(
        client=CLIENT,
        name=_NAMES.get(_text(event, "hook_event_name"), "other"),
        session=_text(event, "session_id"),
        transcript=_text(event, "transcript_path"),
        folder=environment.get("CLAUDE_PROJECT_DIR") or _text(event, "cwd"),
        agent=_text(event, "agent_id"),
        attended=_is_attended(environment),
        source=source,
        idle_s=_count(event, "seconds_since_last_response"),
        trigger=_text(event, "trigger") or _text(event, "reason"),
        stop_hook_active=event.get("stop_hook_active") is True,
        pid=int(pid) if pid.isascii() and pid.isdigit() and len(pid) < 10 else 0,
    )


def answer(event: Mapping[str, Any], said: Answer) -> str:
    """`said` as the client reads it on stdout of the hook that got `event`; "" for silence.

    A context that is too long for the client is left out: half a document is worse than none.
    """
    name = _text(event, "hook_event_name")
    told: dict[str, Any] = {}
    if said.context and name in _TAKES_CONTEXT and units(said.context) < CONTEXT_UNITS_MAX:
        told["additionalContext"] = said.context
    if said.deny and name == "PreToolUse":
        told["permissionDecision"] = "deny"
        told["permissionDecisionReason"] = said.deny
    out: dict[str, Any] = {}
    if told:
        out["hookSpecificOutput"] = {"hookEventName": name, **told}
    if said.message:
        out["systemMessage"] = said.message
    if not out:
        return ""
    import msgspec  # here: `json` costs a hook as much as the interpreter

    return msgspec.json.encode(out).decode()


def _is_attended(environment: Mapping[str, str]) -> bool:
    told = environment.get("CLAUDE_CODE_SESSION_ATTENDED", "")
    return told != "0" if told else not environment.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk-")


def _text(event: Mapping[str, Any], name: str) -> str:
    value = event.get(name)
    return value if isinstance(value, str) else ""


def _count(event: Mapping[str, Any], name: str) -> int:
    value = event.get(name)
    return int(value) if isinstance(value, int | float) and 0 <= value < 1 << 31 else -1

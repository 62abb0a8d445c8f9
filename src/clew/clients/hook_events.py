"""Hooks in the canonical form, which is Claude Code's: an event as a neutral one, and an answer as JSON values.

Each client's `dialect.py` turns what that client sends into this form and back. What Claude Code sends and does with
the answer: docs/clients/claude-code.md, "Live". Nothing here raises: whatever a client sends, a hook must never stand
in its way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clew.clients.registry import spec_of
from clew.core.records.hook_events import (
    CONTEXT_UNITS_MAX,
    START_SOURCES,
    Answer,
    HookEvent,
    HookName,
    StartSource,
    units,
)
from clew.core.runtime_dir import CANONICAL

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
# The tool that has a person look at a plan; in this mode a client asks nobody.
_PLAN_DIALOG: Final = "ExitPlanMode"
_UNASKED: Final = "bypassPermissions"
# Of these the client puts `additionalContext` before the model. For Stop it would do so too, and go on with the turn.
_TAKES_CONTEXT: Final = frozenset(("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"))


def place_variable(client: str) -> str:
    """What `client` sets for its hooks to where it was started; `cwd` of an event may move with the agent.

    Only its own: a client that another one runs has the variables of both. The shim (`interfaces/hook/clewhook.py`)
    asks for the same.
    """
    spec = spec_of(client)
    return spec.place if spec else "CLEW_PLACE"


def parse(client: str, event: Mapping[str, Any], environment: Mapping[str, str]) -> HookEvent:
    """The neutral event of a hook's input in the canonical form. `environment` is the hook's: it tells where the client
    was started, and of Claude Code its process and whether a person sits there. Of others the event says so; where it
    does not, nobody sits there.
    """
    source: StartSource = next((one for one in START_SOURCES if one == event.get("source")), "")
    is_canonical = client == CANONICAL
    pid = environment.get("CLAUDE_PID", "") if is_canonical else ""
    return HookEvent(
        client=client,
        name=_NAMES.get(_text(event, "hook_event_name"), "other"),
        session=_text(event, "session_id"),
        transcript=_text(event, "transcript_path"),
        folder=environment.get(place_variable(client)) or _text(event, "cwd"),
        agent=_text(event, "agent_id"),
        attended=_is_attended(environment) if is_canonical else event.get("attended") is True,
        source=source,
        idle_s=_count(event, "seconds_since_last_response"),
        trigger=_text(event, "trigger") or _text(event, "reason"),
        stop_hook_active=event.get("stop_hook_active") is True,
        pid=int(pid) if pid.isascii() and pid.isdigit() and len(pid) < 10 else max(0, _count(event, "pid")),
        unseen=event.get("unseen") is True,
        tool=_text(event, "tool_name"),
        command=_text(given, "command") if isinstance(given := event.get("tool_input"), dict) else "",
        began_ns=began if isinstance(began := event.get("began_ns"), int) else 0,
        plan=_text(event, "plan"),
        accepted=is_canonical
        and event.get("agreed") is True
        and event.get("tool_name") == _PLAN_DIALOG
        and _is_attended(environment)
        and _text(event, "permission_mode") != _UNASKED,
        prompt=_text(event, "prompt"),
    )


def answer(event: Mapping[str, Any], said: Answer) -> dict[str, Any]:
    """`said` in the canonical form, as the answer to the hook that got `event`; {} for silence.

    A context that is too long for a client is left out: half a document is worse than none.
    """
    name = _text(event, "hook_event_name")
    told: dict[str, Any] = {}
    if said.context and name in _TAKES_CONTEXT and units(said.context) < CONTEXT_UNITS_MAX:
        told["additionalContext"] = said.context
    if said.deny and name == "PreToolUse":
        told["permissionDecision"] = "deny"
        told["permissionDecisionReason"] = said.deny
    out: dict[str, Any] = {}
    if said.block and name == "Stop":
        out.update(decision="block", reason=said.block)
    if told:
        out["hookSpecificOutput"] = {"hookEventName": name, **told}
    if said.message:
        out["systemMessage"] = said.message
    return out


def _is_attended(environment: Mapping[str, str]) -> bool:
    told = environment.get("CLAUDE_CODE_SESSION_ATTENDED", "")
    return told != "0" if told else not environment.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk-")


def _text(event: Mapping[str, Any], name: str) -> str:
    value = event.get(name)
    return value if isinstance(value, str) else ""


def _count(event: Mapping[str, Any], name: str) -> int:
    value = event.get(name)
    return int(value) if isinstance(value, int | float) and 0 <= value < 1 << 31 else -1

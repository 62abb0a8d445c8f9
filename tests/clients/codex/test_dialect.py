"""How Codex speaks with hooks, by its own recorded inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.clients.codex import dialect
from clew.clients.hook_events import answer, parse
from clew.core.records.hook_events import Answer

RECORDED = Path(__file__).parents[2] / "recordings" / "codex" / "hooks"
ROLLOUT = "/home/dev/.codex/sessions/2026/11/21/rollout-x.jsonl"


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    return found


def line(kind: str, **payload: Any) -> bytes:
    """A line of a rollout."""
    outer = kind if kind in ("compacted", "session_meta", "turn_context") else "event_msg"
    inner = payload if outer == kind else {"type": kind, **payload}
    return json.dumps({"timestamp": "2026-11-21T20:48:46.744Z", "type": outer, "payload": inner}).encode() + b"\n"


def parsed(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


class Near:
    """What lies beside a hook: a rollout that ends in `data`, and the client's command line."""

    def __init__(self, data: bytes, *argv: str) -> None:
        self.data = data
        self.argv = argv
        self.parse = parsed

    def tail(self, path: str, size: int) -> bytes:
        assert path.endswith(".jsonl")
        return self.data[-size:]


@pytest.mark.parametrize(
    ("name", "neutral", "told"),
    [
        ("SessionStart", "session_start", {"source": "startup"}),
        ("SessionStart.resume", "session_start", {"source": "resume"}),
        ("SessionStart.compact", "session_start", {"source": "compact"}),
        ("UserPromptSubmit", "prompt", {"agent": ""}),
        ("UserPromptSubmit.in-subagent", "prompt", {"agent": "01a1ffc9-fc40-7791-8e56-7ff29fb5b14d"}),
        ("PreToolUse.apply_patch", "before_tool", {}),
        ("PostToolUse", "after_tool", {}),
        ("PreCompact", "before_compaction", {"trigger": "auto"}),
        ("Stop.active", "stop", {"stop_hook_active": True}),
        ("SessionEnd", "session_end", {"trigger": "other"}),
    ],
)
def test_what_the_client_sends_is_understood(name: str, neutral: str, told: dict[str, Any]) -> None:
    """A field that is read wrongly gives a session another one's state, or none."""
    given = recorded(name)
    given["hook_event_name"] = dialect.heard(given["hook_event_name"], given, Near(b"").tail, parsed)
    event = parse("codex", given, {})
    assert ("codex", neutral, given["session_id"], "/repo") == (event.client, event.name, event.session, event.folder)
    assert told == {field: getattr(event, field) for field in told}


def test_the_summary_of_a_compaction_is_in_the_record() -> None:
    """Without it everything counts as lost, and is said again at the price of its tokens."""
    words = "Another language model started to solve this problem … of its own summary:\nThe goal is\nthe tide."
    rollout = line("compacted", message="old") + line("compacted", message=words) + line("turn_context", model="m")
    event = recorded("SessionStart.compact")
    dialect.heard("SessionStart", event, Near(rollout).tail, parsed)
    assert "The goal is\nthe tide." == event["summary"]
    event = recorded("SessionStart.compact")
    dialect.heard("SessionStart", event, Near(b'{"torn "compacted"').tail, parsed)
    assert "summary" not in event


def test_who_sits_there_is_told_by_what_began_the_turn() -> None:
    """A session of a person's can be gone on with by a script, and the other way round. In doubt nobody is there."""
    by_script = line("task_started", turn_attribution={"turn_trigger": "exec"})
    by_person = line("task_started", turn_attribution={"turn_trigger": "user"})
    for rollout, attended in (
        (line("session_meta", originator="codex-tui") + by_script, False),
        (line("session_meta", originator="codex_exec") + by_script + by_person, True),
        (line("session_meta", originator="codex_exec"), False),
        (line("session_meta", originator="codex-tui"), True),
        (b'"task_started" is only a word here\n', False),
        (b"", False),
    ):
        assert attended == dialect.attended({"transcript_path": ROLLOUT}, Near(rollout)), rollout
    assert not dialect.attended({"transcript_path": None}, Near(b""))


@pytest.mark.parametrize(
    ("command", "attended"),
    [
        ("codex", True),
        ("codex -m gpt-5 resume --last", True),
        ("codex -- exec", True),
        ("codex exec resume --last", False),
        ("node /usr/bin/codex -m gpt-5 -c a=b exec x", False),
        ("codex e x", False),
    ],
)
def test_who_resumes_by_a_script_is_nobody(command: str, attended: bool) -> None:
    """The newest turn in the record may still be the person's of yesterday."""
    by_person = line("task_started", turn_attribution={"turn_trigger": "user"})
    assert attended == dialect.attended({"transcript_path": ROLLOUT}, Near(by_person, *command.split()))


def test_the_context_is_what_the_client_counts() -> None:
    """Also right after a compaction, when it was asked nothing yet."""
    info = {"last_token_usage": {"input_tokens": 0, "total_tokens": 6096}, "model_context_window": 95_000}
    assert (6096, "", 95_000) == dialect.usage(parsed(line("token_count", info=info)))
    assert dialect.usage(parsed(line("token_count", info=None))) is None
    assert dialect.usage(parsed(line("task_started", info=info))) is None


def test_no_answer_has_a_key_that_the_client_does_not_know() -> None:
    """It drops the whole answer then, and the tool runs."""
    for name in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "Stop.active", "SessionEnd"):
        said = answer(recorded(name), Answer("context", "message", "deny"))
        assert said.keys() <= {"hookSpecificOutput", "systemMessage"}
        known = {"hookEventName", "additionalContext", "permissionDecision", "permissionDecisionReason"}
        assert said.get("hookSpecificOutput", {}).keys() <= known
    assert "hookSpecificOutput" not in answer(recorded("Stop"), Answer("go on")), "it would go on for ever"

"""What each client says when it is asked headless, as its program prints it."""

from __future__ import annotations

import json

import pytest

from clew import wiring
from clew.clients.launching import HeadlessAnswer

CLAUDE = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "the text",
    "total_cost_usd": 0.0042,
    "usage": {"input_tokens": 1000, "cache_read_input_tokens": 20, "output_tokens": 10},
}
CODEX = [
    {"type": "thread.started", "thread_id": "01a2"},
    {"type": "item.completed", "item": {"type": "reasoning", "text": "I think."}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": "the text"}},
    {"type": "turn.completed", "usage": {"input_tokens": 1000, "output_tokens": 10}},
]
FAILED = [
    {"type": "error", "message": "Reconnecting... 1/5"},
    {"type": "turn.failed", "error": {"message": "unexpected status 401 Unauthorized"}},
]
COPILOT = [
    {"type": "assistant.message", "data": {"content": "A sub-agent's."}, "agentId": "a1"},
    {"type": "assistant.message", "data": {"content": "the text"}},
    {"type": "result", "sessionId": "5e", "exitCode": 0},
]
GEMINI = [
    {"type": "init", "session_id": "c18f"},
    {"type": "message", "role": "assistant", "content": "the ", "delta": True},
    {"type": "message", "role": "assistant", "content": "text", "delta": True},
    {"type": "result", "status": "success", "stats": {"input_tokens": 1000, "output_tokens": 10}},
]
OPENCODE = [
    {"type": "step_start", "part": {}},
    {"type": "text", "part": {"text": "the text"}},
    {"type": "step_finish", "part": {"tokens": {"input": 1000, "output": 10, "cache": {"read": 0}}}},
]


def lines(rows: list[dict[str, object]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


@pytest.mark.parametrize(
    ("client", "out", "said"),
    [
        ("claude-code", json.dumps(CLAUDE), HeadlessAnswer("the text", "", 1020, 10, 0.0042)),
        ("claude-code", json.dumps({**CLAUDE, "is_error": True, "result": "Invalid API key"}), "Invalid API key"),
        ("claude-code", json.dumps({**CLAUDE, "result": "", "subtype": "error_max_turns"}), "error max turns"),
        ("codex", lines(CODEX), HeadlessAnswer("the text", "", 1000, 10)),
        ("codex", lines(FAILED), "unexpected status 401 Unauthorized"),
        ("copilot", lines(COPILOT), HeadlessAnswer("the text")),
        ("copilot", lines([{"type": "session.error", "data": {"message": "401 no"}}]), "401 no"),
        ("gemini", lines(GEMINI), HeadlessAnswer("the text", "", 1000, 10)),
        ("gemini", lines([{"type": "result", "error": {"message": "quota exceeded"}}]), "quota exceeded"),
        ("opencode", lines(OPENCODE), HeadlessAnswer("the text", "", 1000, 10)),
        ("opencode", lines([{"type": "error", "error": {"name": "APIError"}}]), "APIError"),
    ],
)
def test_the_answer_or_why_there_is_none(client: str, out: str, said: HeadlessAnswer | str) -> None:
    """A failure that is taken for an answer would be kept as a hand-off."""
    found = wiring.launchers()[client].headless.said(out)
    if isinstance(said, str):
        assert ("", said) == (found.text, found.error)
    else:
        assert said == found


@pytest.mark.parametrize("client", wiring.launchers())
@pytest.mark.parametrize("out", ["", "{", "[1]", '{"type": 3}', '{"response": [], "stats": {"models": {"m": null}}}'])
def test_nonsense_is_no_answer(client: str, out: str) -> None:
    """Whatever a program prints."""
    found = wiring.launchers()[client].headless.said(out)
    assert not found.text and found.error

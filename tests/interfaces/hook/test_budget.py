"""Budgets: a session that has used up what it may use changes nothing more, until a person raises it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from .hooks import SESSION, SILENCE, Hooks, called, installed, prompted
from .test_before import rule

EDIT = {"file_path": "new.py", "new_string": "x"}
PRICES = [[{"equals": "claude-tide-1"}, [["", 0, 10, 50, 1, 12, 20]]]]


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    """A place with gates, and a session that has not used anything."""
    made = installed(tmp_path)
    rule(made)
    made.session.mkdir(parents=True)
    (tmp_path / "transcript.jsonl").touch()
    return made


def budget(hooks: Hooks, *, phase: dict[str, Any] | None = None, **limits: tuple[int, int]) -> None:
    """What `clew settings set` leaves: tokens and microdollars. Two tasks are open, the first is bound to the place."""
    (hooks.data / "spent").mkdir(exist_ok=True)
    titles = {"T-tide1": "Fix the tide", "T-moon1": "Fix the moon"}
    tasks = [
        {"name": name, "short": name[:4], "title": title, "whole": title.casefold(), "phase": None}
        for name, title in titles.items()
    ]
    tasks[0]["phase"] = phase  # type: ignore[assignment]
    held = {scope: limits.get(scope, (0, 0)) for scope in ("session", "day", "task")}
    prices = {"own": {"models": PRICES}, "tables": [str(hooks.data / "none.json")]}
    told = {"v": 2, **held, "bound": "T-tide1", "tasks": tasks, **prices}
    (hooks.live / "budget.json").write_text(json.dumps(told))


def used(
    hooks: Hooks, message: str, output: int, *, file: str = "transcript.jsonl", when: str = "", **more: Any
) -> None:
    """A line is appended to a record: a response that used ten tokens beside its `output`."""
    told = {
        "type": "assistant",
        "timestamp": when or time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
        "requestId": "r",
        "message": {
            "id": message,
            "model": "claude-tide-1",
            "usage": {
                "input_tokens": 1,
                "cache_creation_input_tokens": 2,
                "cache_read_input_tokens": 7,
                "output_tokens": output,
                "cache_creation": {"ephemeral_1h_input_tokens": 2},
            },
        },
        **more,
    }
    path = hooks.project.parent / file
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as record:
        record.write(json.dumps(told) + "\n")


def ask(hooks: Hooks, tool: str = "Edit", **more: Any) -> tuple[str, str]:
    """The decision ("" none) and what is said with it."""
    said = hooks.run("PreToolUse", called(hooks, tool, {"command": "ls"} if tool == "Bash" else EDIT, **more))
    assert (0, "") == (said.code, said.err)
    if not said.out:
        return "", ""
    told = json.loads(said.out)["hookSpecificOutput"]
    return told.get("permissionDecision", "warn"), told.get("permissionDecisionReason") or told["additionalContext"]


def test_it_warns_once_then_stops_everything_but_the_person(hooks: Hooks) -> None:
    """Given a budget of 1000 tokens, at 800 one line is said, from 1000 on every tool is denied, and prompts never."""
    budget(hooks, session=(1000, 0))
    used(hooks, "m1", 780)
    assert ("", "") == ask(hooks)
    used(hooks, "m1", 790)  # the same response, told of again
    decision, said = ask(hooks)
    assert ("warn", True) == (decision, "80 % of the budget of this session is used (800 tokens of 1,000" in said)
    assert ("", "") == ask(hooks)
    used(hooks, "m2", 190)
    for tool in ("Edit", "Bash", "Task"):
        decision, said = ask(hooks, tool)
        assert "deny" == decision
        assert "1,000 tokens of 1,000 tokens" in said and f"clew budget raise --session {SESSION[:8]}" in said
        assert "\n" not in said
    assert SILENCE == hooks.run("UserPromptSubmit", prompted(hooks))


def test_its_sub_agents_count(hooks: Hooks) -> None:
    """What a sub-agent used is the session's, and it is stopped like it."""
    budget(hooks, session=(1000, 0))
    used(hooks, "m1", 500)
    used(hooks, "m2", 490, file="transcript/subagents/agent-a1.jsonl", agentId="a1")
    assert "deny" == ask(hooks, agent_id="a1")[0]


def test_money(hooks: Hooks) -> None:
    """Given prices, each kind of token costs what it costs: 1 x 10 + 2 x 20 + 7 x 1 + 10 x 50 microdollars."""
    budget(hooks, session=(0, 557))
    used(hooks, "m1", 10)
    assert "deny" == ask(hooks)[0]
    budget(hooks, session=(0, 800))
    assert ("", "") == ask(hooks)
    assert [20, 557, 13, 0] == json.loads((hooks.session / "tokens.json").read_text())["session"]


def test_a_day_is_all_sessions_of_today(hooks: Hooks) -> None:
    """What another session used today counts; what this one used yesterday does not."""
    budget(hooks, day=(1000, 0))
    used(hooks, "m0", 5000, when="2020-01-01T00:00:00.000Z")
    assert ("", "") == ask(hooks)
    today = hooks.data / "spent" / time.strftime("%Y-%m-%d")
    (today / "other").write_text(f"{990:15} {0:15} {0:15}\n")
    used(hooks, "m1", 5)
    decision, said = ask(hooks)
    assert ("deny", True) == (decision, "clew budget raise --day" in said)


@pytest.mark.parametrize("event", ["Stop", "SessionEnd"])
def test_what_comes_behind_the_last_tool_is_counted_at_the_end(hooks: Hooks, event: str) -> None:
    """Nothing else looks at it: the answer to the last result, and all of a turn that calls no tool."""
    budget(hooks, session=(10_000, 0))
    used(hooks, "m1", 90)
    assert ("", "") == ask(hooks)
    used(hooks, "m2", 40)
    hooks.run(event, {**called(hooks, "Edit", EDIT), "hook_event_name": event})
    until = time.monotonic() + 20
    while 150 != (found := json.loads((hooks.session / "tokens.json").read_text())["session"][0]):
        assert time.monotonic() < until, found
        time.sleep(0.05)


def test_agents_of_a_workflow_count(hooks: Hooks) -> None:
    """Their records lie two folders deeper than those of other sub-agents."""
    budget(hooks, session=(1000, 0))
    used(hooks, "m1", 500)
    used(hooks, "m2", 490, file="transcript/subagents/workflows/wf_1/agent-a1.jsonl", agentId="a1")
    assert "deny" == ask(hooks)[0]


def test_what_a_person_raised_lets_it_go_on(hooks: Hooks) -> None:
    """Nothing is lost, and nothing has to be started again."""
    budget(hooks, session=(1000, 0))
    used(hooks, "m1", 2000)
    assert "deny" == ask(hooks)[0]
    (hooks.data / "spent" / "raised.json").write_text(json.dumps({f"session:{SESSION}": [9000, 0]}))
    assert ("", "") == ask(hooks)


@pytest.mark.parametrize("broken", ["", "{", '{"v": 9}', '{"v": 2, "session": [0, 0]}'])
def test_a_broken_budget_breaks_no_session(hooks: Hooks, broken: str) -> None:
    """It is as if there was none."""
    budget(hooks, session=(1, 0))
    (hooks.live / "budget.json").write_text(broken)
    used(hooks, "m1", 1000)
    assert ("", "") == ask(hooks)
    old = called(hooks, "Edit", {"file_path": str(hooks.project / "old.py"), "new_string": "x"})
    assert "off limits" in hooks.run("PreToolUse", old).out, "the gates hold all the same"


def rollout(*parts: int | str) -> str:
    """Lines of Codex: what a response used, or a kind of event."""
    lines, total = [], 0
    for part in parts:
        payload: dict[str, Any] = {"type": part}
        if isinstance(part, int):
            total += part
            used = {"input_tokens": part - 10, "cached_input_tokens": 0, "output_tokens": 10}
            all_ = {"input_tokens": total, "cached_input_tokens": 0, "output_tokens": 0}
            payload = {"type": "token_count", "info": {"last_token_usage": used, "total_token_usage": all_}}
        lines.append(json.dumps({"timestamp": "2026-11-25T10:00:00Z", "type": "event_msg", "payload": payload}))
    return "".join(f"{line}\n" for line in lines for _ in range(2))


def test_codex_is_stopped_as_well(hooks: Hooks) -> None:
    """Its record tells what each response used; the event names the model."""
    budget(hooks, session=(1000, 0))
    (hooks.project.parent / "transcript.jsonl").write_text(rollout(1000))
    codex = hooks._replace(client="codex")
    assert "deny" in codex.run("PreToolUse", called(codex, "Bash", {"command": "touch x"})).out


def test_of_a_sub_agent_of_codex_its_own_part_counts(hooks: Hooks) -> None:
    """Its record begins with a copy of its parent's."""
    budget(hooks, session=(1000, 0))
    codex = hooks._replace(client="codex")
    helper = hooks.project.parent / "helper.jsonl"
    helper.write_text(rollout("task_started", 700, "task_started", 400))
    event = called(codex, "Bash", {"command": "touch x"}, agent_id="h", transcript_path=str(helper))
    assert "" == codex.run("PreToolUse", event).out
    assert 400 == json.loads((hooks.session / "tokens.json").read_text())["session"][0]
    helper.write_text(rollout("task_started", 700, "task_started", 400, 600))
    assert "deny" in codex.run("PreToolUse", event).out


def test_a_task_is_all_its_sessions(hooks: Hooks) -> None:
    """Given a session that used something before a budget was set, and another one of the task, both count; the line
    names the command. Who is started for another task counts for that.
    """
    used(hooks, "m1", 90)
    budget(hooks, task=(1000, 0))
    assert ("", "") == ask(hooks)
    other = hooks.data / "spent" / "T-tide1" / "other"
    other.write_text(f"{880:15} {0:15} {0:15}\n")
    used(hooks, "m2", 20)
    decision, said = ask(hooks)
    assert ("deny", True) == (decision, "clew budget raise --task T-ti`" in said and "Fix the tide" in said)
    raised = hooks.data / "spent" / "raised.json"
    raised.write_text(json.dumps({"task:T-tide1": [1000, 0]}))
    assert ("", "") == ask(hooks)
    raised.unlink()
    moon = hooks.run(
        "PreToolUse", called(hooks, "Edit", EDIT), environment={**hooks.environment(), "CLEW_TASK": "T-moon"}
    )
    assert "" == moon.out
    used(hooks, "m3", 5)
    hooks.run(
        "PreToolUse", called(hooks, "Edit", EDIT), environment={**hooks.environment(), "CLEW_TASK": " Fix the  Moon"}
    )
    amounts = json.loads((hooks.session / "tokens.json").read_text())["scopes"]
    assert [130, 15] == [amounts["T-tide1"][0], amounts["T-moon1"][0]]


def test_a_phase_counts_from_its_start_without_the_cache(hooks: Hooks) -> None:
    """Given a phase that began in the middle of a session, what was used before does not count, and what came from the
    cache never; nor does what another attempt used.
    """
    used(hooks, "m1", 5000, when="2026-11-25T10:00:00.000Z")
    used(hooks, "m2", 80, when="2026-11-25T10:10:00.000Z")
    phase = {"number": 2, "title": "Tell", "since": "2026-11-25T10:05:00.000Z", "limit": [100, 0]}
    budget(hooks, phase={**phase, "name": "P-tell.1"})
    decision, said = ask(hooks)
    assert ("warn", True) == (
        decision,
        "83 % of the budget of phase 2 (Tell) is used (83 tokens of 100 tokens)" in said,
    )
    used(hooks, "m3", 20, when="2026-11-25T10:11:00.000Z", file="transcript/subagents/agent-a1.jsonl")
    decision, said = ask(hooks, agent_id="a1")
    assert ("deny", True) == (decision, "clew budget raise --phase 2`" in said)
    budget(hooks, phase={**phase, "name": "P-tell.2", "since": "2026-11-25T10:20:00.000Z"})
    assert ("", "") == ask(hooks)


@pytest.mark.parametrize(
    ("line", "passes"),
    [
        ("clew checkpoint -m 'as far as that'", True),
        ("/usr/bin/clew phase done", True),
        ("clew note 'a' && clew checkpoint", True),
        ("clew run", False),
        ("clew resume --ask codex", False),
        ("clew checkpoint; touch x", False),
        ("clew checkpoint > x", False),
        ("clew note $(touch x)", False),
        ("clew-like checkpoint", False),
    ],
)
def test_it_may_hand_over(hooks: Hooks, line: str, passes: bool) -> None:
    """Nothing is lost: what only records still passes."""
    budget(hooks, session=(1000, 0))
    used(hooks, "m1", 2000)
    said = hooks.run("PreToolUse", called(hooks, "Bash", {"command": line})).out
    assert passes == ("clew budget raise" not in said)
    assert "" == hooks.run("PreToolUse", called(hooks, "mcp__clew__checkpoint", {"text": "x"})).out


def test_gemini_is_stopped_as_well(hooks: Hooks) -> None:
    """Its record tells what each response used, those of sub-agents lie in the session's folder."""
    budget(hooks, session=(1000, 0))
    gemini = hooks._replace(client="gemini")
    told = {"id": "g1", "timestamp": "2026-11-25T10:00:00Z", "type": "gemini", "model": "claude-tide-1"}
    tokens = {"input": 400, "cached": 300, "output": 10, "thoughts": 5, "tool": 0, "total": 415}
    record = hooks.project.parent / "transcript.jsonl"
    record.write_text(json.dumps(told) + "\n" + (json.dumps({**told, "tokens": tokens}) + "\n") * 2)
    event = called(gemini, "write_file", {"file_path": "x", "content": "y"})
    assert "" == gemini.run("BeforeTool", event).out
    helper = record.parent / SESSION / "helper.jsonl"
    helper.parent.mkdir()
    helper.write_text(json.dumps({**told, "id": "g2", "tokens": {**tokens, "input": 600}}) + "\n")
    said = json.loads(gemini.run("BeforeTool", event).out)
    assert ("deny", True) == (said["decision"], "clew budget raise --session" in said["reason"])
    state = json.loads((hooks.session / "tokens.json").read_text())
    assert [1030, 0, 430] == [state["session"][0], 0, state["session"][2]]


def test_opencode_is_stopped_as_well(hooks: Hooks) -> None:
    """Its plugin adds up what the session and its sub-agents used, from zero each time that the client starts."""
    budget(hooks, session=(1000, 0))
    opencode = hooks._replace(client="opencode")

    def ask(run: str, *tokens: int) -> str:
        one = {"since": "2026-11-25T10:00:00.000Z", "at": "2026-11-25T10:01:00.000Z", "tokens": tokens}
        event = called(opencode, "write", {"filePath": "x", "content": "y"}, used={run: one})
        return opencode.run("PreToolUse", event).out

    assert "" == ask("1 a", 100, 0, 300, 10)
    assert "" == ask("1 a", 150, 0, 400, 20)
    assert "clew budget raise" in ask("2 a", 400, 0, 20, 10)
    assert "clew budget raise" in ask("2 a", -5, 0, 20, 10)  # nonsense takes nothing back

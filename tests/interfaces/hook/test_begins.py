"""How sessions of the other clients begin, and go on after a compaction, through the hooks that they have for it."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from clew.app.hooks.receipts import receipts
from tests.clients.gemini.test_dialect import rewritten, said
from tests.interfaces.hook.hooks import SESSION, SILENCE, Hooks, Said
from tests.interfaces.hook.test_full import EARLIER, Place

SUMMARY = "<state_snapshot>We fix the tide.</state_snapshot>"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def run(place: Place, client: str, name: str, *, variables: dict[str, str] | None = None, **fields: Any) -> Said:
    """A hook of a client."""
    hooks = place.hooks._replace(client=client)
    event = {"session_id": SESSION, "transcript_path": str(record(place)), "cwd": str(place.world.top), **fields}
    environment = hooks.environment() | {"HOME": str(place.world.home)} | (variables or {})
    return hooks.run(name, event, environment=environment)


def record(place: Place) -> Path:
    return place.world.home / "record.jsonl"


def by(place: Place, trigger: str) -> None:
    """The newest turn in Codex's record was begun so."""
    turn = {"type": "task_started", "turn_attribution": {"turn_trigger": trigger}}
    with record(place).open("a") as file:
        file.write(json.dumps({"type": "event_msg", "payload": turn}) + "\n")


def sources(place: Place) -> list[str]:
    with place.world.desk(write=False) as at:
        return [f"{one.client} {one.source}" for one in receipts(at)]


def test_codex_is_given_what_a_killed_session_of_another_client_left(place: Place) -> None:
    """Through its own event; whether a person sits there its record tells."""
    by(place, "user")
    text = place.context(run(place, "codex", "SessionStart", source="startup"))
    assert text.startswith("clew: the task “Fix the tide”") and "sleep 100" in text
    assert ["codex startup"] == sources(place) and "" == place.broken()


def test_opencode_is_given_it_by_its_plugin(place: Place) -> None:
    """The event says that a person is there."""
    text = place.context(run(place, "opencode", "SessionStart", source="startup", attended=True, pid=1))
    assert "Never change the public API" in text
    assert ["opencode startup"] == sources(place)


@pytest.mark.parametrize("client", ["codex", "gemini", "opencode"])
def test_a_headless_run_sees_nothing(place: Place, client: str) -> None:
    """Not one byte, and what was left is taken in all the same; with a task it is given that."""
    by(place, "exec")
    name = "BeforeAgent" if client == "gemini" else "SessionStart"
    assert SILENCE == run(place, client, name, source="startup")
    with place.world.desk(write=False) as at:
        assert EARLIER in at.ledger.taken()
    (place.hooks.session / "started").unlink()
    text = place.context(run(place, client, name, source="startup", variables={"CLEW_TASK": "Fix the tide"}))
    assert "Never change the public API" in text and "" == place.broken()


def test_gemini_begins_with_its_first_prompt_also_in_a_folder_below(place: Place) -> None:
    """No hook of its session's start may say anything; and a sub-folder has no live folder yet."""
    below = place.world.top / "src"
    variables = {"CLEW_TASK": "Fix the tide", "GEMINI_PROJECT_DIR": str(below)}
    said = run(place, "gemini", "BeforeAgent", cwd=str(below), variables=variables)
    assert "BeforeAgent" == json.loads(said.out)["hookSpecificOutput"]["hookEventName"]
    assert "Never change the public API" in place.context(said)
    assert SILENCE == run(place, "gemini", "BeforeAgent", cwd=str(below), variables=variables)
    elsewhere = place.world.home / "elsewhere"
    elsewhere.mkdir()
    before = {*place.hooks.data.rglob("*")}
    assert SILENCE == run(place, "gemini", "BeforeAgent", variables={**variables, "GEMINI_PROJECT_DIR": str(elsewhere)})
    assert before == {*place.hooks.data.rglob("*")}


def test_gemini_is_told_what_a_compaction_lost_once(place: Place) -> None:
    """No hook tells of it, and the client writes it into its record again at every resume."""
    task = {"CLEW_TASK": "Fix the tide"}
    record(place).write_bytes(said(900))
    run(place, "gemini", "BeforeAgent", variables=task)
    with record(place).open("ab") as file:
        file.write(rewritten("context", SUMMARY) + said(300))
    text = place.context(run(place, "gemini", "BeforeAgent", variables=task))
    assert text.startswith("clew: compaction 1 of this session. The summary above leaves this out")
    assert "Never change the public API" in text
    with record(place).open("ab") as file:
        file.write(rewritten("context", SUMMARY) * 2 + said(400))
    assert SILENCE == run(place, "gemini", "BeforeAgent", variables=task)
    assert ["gemini compact", "gemini startup"] == sources(place)


def test_gemini_is_told_of_it_behind_a_tool_if_that_comes_first(place: Place) -> None:
    """A turn goes on after a compaction, and the next prompt may be an hour away."""
    task = {"CLEW_TASK": "Fix the tide"}
    record(place).write_bytes(said(900))
    run(place, "gemini", "BeforeAgent", variables=task)
    with record(place).open("ab") as file:
        file.write(rewritten("context", SUMMARY, "x" * (40 << 10)))
    tool = {"tool_name": "run_shell_command", "tool_input": {"command": "ls"}}
    found = run(place, "gemini", "AfterTool", variables=task, **tool)
    assert "AfterTool" == json.loads(found.out)["hookSpecificOutput"]["hookEventName"]
    assert "compaction 1 of this session" in place.context(found)
    assert SILENCE == run(place, "gemini", "AfterTool", variables=task, **tool)


def test_of_hooks_that_see_a_compaction_at_one_time_one_tells_it(place: Place) -> None:
    """The client runs tools side by side: each would tell it, and all but the first without the summary. A summary may
    hold anything that a model can write.
    """
    task = {"CLEW_TASK": "Fix the tide"}
    record(place).write_bytes(said(900))
    run(place, "gemini", "BeforeAgent", variables=task)
    with record(place).open("ab") as file:
        file.write(rewritten("context", SUMMARY.replace("tide", "tide \ud83d"), "x" * (40 << 10)))
    tool = {"tool_name": "run_shell_command", "tool_input": {"command": "ls"}}
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: run(place, "gemini", "AfterTool", variables=task, **tool), range(3)))
    [one] = [one for one in found if one != SILENCE]
    assert "compaction 1 of this session" in place.context(one) and "" == place.broken()
    assert ["gemini compact", "gemini startup"] == sources(place)


def test_codex_s_own_summary_is_read_from_its_record(place: Place) -> None:
    """What it holds is not said again."""
    by(place, "user")
    run(place, "codex", "SessionStart", source="startup")
    summary = "Another language model started …:\nNever change the public API. Fix the tide."
    with record(place).open("a") as file:
        file.write(json.dumps({"type": "compacted", "payload": {"message": summary}}) + "\n")
    text = place.context(run(place, "codex", "SessionStart", source="compact"))
    assert text.startswith("clew: compaction 1 of this session. The summary above leaves this out")
    assert not (place.hooks.session / "summary").exists()


@pytest.mark.parametrize("client", ["codex", "gemini", "opencode"])
def test_an_end_says_nothing(place: Place, client: str) -> None:
    """Codex and Gemini CLI would go on with the turn for ever."""
    stops = ["AfterAgent"] * 2 if client == "gemini" else ["PreCompact", "Stop", "Stop"]
    by(place, "user")
    hooks: Hooks = place.hooks
    run(place, client, "BeforeAgent" if client == "gemini" else "SessionStart", source="startup", attended=True)
    assert hooks.session.is_dir()
    for number, name in enumerate([*stops, "SessionEnd"]):
        again = name == stops[-1] and number == len(stops) - 1
        assert SILENCE == run(place, client, name, stop_hook_active=again, attended=True)
    assert "" == place.broken() and not (hooks.session / "client").exists()


def test_gemini_that_was_ended_begins_again_when_it_is_gone_on_with(place: Place) -> None:
    """What others changed meanwhile is news to it; a compaction of its last turn comes first."""
    task = {"CLEW_TASK": "Fix the tide"}
    record(place).write_bytes(said(900))
    run(place, "gemini", "BeforeAgent", variables=task)
    assert (place.hooks.session / "started").exists()
    with record(place).open("ab") as file:
        file.write(rewritten("context", SUMMARY) + said(300))
    run(place, "gemini", "SessionEnd", variables=task)
    assert not (place.hooks.session / "started").exists()
    assert "compaction 1" in place.context(run(place, "gemini", "BeforeAgent", variables=task))
    assert (place.hooks.session / "started").exists()

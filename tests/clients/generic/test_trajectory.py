"""What trajectories of mini-SWE-agent tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.core.records import Call, Context, Interruption, Model, Prompt, Reply, Result, Run, Usage

from .recordings import BATCH, TOOLS, TRAJECTORY, line_of, of


def _saved(folder: Path, value: Any) -> Path:
    path = folder / "run.traj.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_the_task_comes_without_the_templates_words() -> None:
    """Else every session's goal would be the template's: how to use a shell."""
    assert of(Prompt, TOOLS, TRAJECTORY)[0].text == "The tide is nine, and has to be ten."
    assert of(Prompt, BATCH, TRAJECTORY)[0].text == "The moon must not rise."


def test_commands_and_what_they_gave_back() -> None:
    """Given tool calls, two in one answer: each result belongs to its own."""
    calls, results = of(Call, TOOLS, TRAJECTORY), of(Result, TOOLS, TRAJECTORY)
    assert [one.action for one in calls[:3]] == [Run("cat src/tide.py"), Run("pytest -q"), Run("git push")]
    assert [(one.call, one.outcome, one.exit_code) for one in results[:3]] == [
        ("call_1", "ok", 0),
        ("call_2", "error", 1),
        ("call_3", "rejected", None),
    ]
    assert results[2].reason == "not on a Friday"
    assert results[0].text == "TIDE = 9\n"
    assert (calls[0].time, results[0].time) == ("2026-03-02T09:00:01.500Z", "2026-03-02T09:00:02.000Z")


def test_commands_in_text_are_found() -> None:
    """Version 1 writes the command into the answer and the outcome into the next message; two at once are refused."""
    assert [one.action for one in of(Call, BATCH, TRAJECTORY)] == [
        Run("grep -rn rise src"),
        Run("sed -i /rise/d src/moon.py"),
    ]
    results = of(Result, BATCH, TRAJECTORY)
    assert [(one.exit_code, one.text) for one in results] == [(0, "src/moon.py:9:rise(MOON)"), (0, "")]
    assert of(Reply, BATCH, TRAJECTORY)[0].text == "THOUGHT: I look for it."
    assert [one.text for one in of(Prompt, BATCH, TRAJECTORY)] == ["The moon must not rise."]


def test_a_person_who_stops_it_is_heard() -> None:
    """What somebody typed in between is the user's word; the program's own complaints are nobody's."""
    assert [one.text for one in of(Prompt, TOOLS, TRAJECTORY)][1:] == ["leave the moon alone"]
    assert len(of(Interruption, TOOLS, TRAJECTORY)) == 1


def test_where_and_by_what_it_ran() -> None:
    """Folder, model and id come from the configuration that the run saved."""
    first = of(Context, TOOLS, TRAJECTORY)[0]
    assert (first.cwd, first.attended) == ("/home/dev/tide", True)
    assert of(Model, TOOLS, TRAJECTORY)[0].name == "vendor/large-9"
    batch = of(Context, BATCH, TRAJECTORY)[0]
    assert (batch.session, batch.cwd, batch.attended) == ("sky__moon-12", "/testbed", False)
    assert [(one.input, one.cache_read, one.output) for one in of(Usage, TOOLS, TRAJECTORY)] == [
        (400, 600, 20),
        (1100, 0, 30),
    ]


def test_a_run_that_was_submitted_ended(tmp_path: Path) -> None:
    """Else the next session would be told to go on where nothing is left; one that met its limit did not end."""
    assert of(Reply, TOOLS, TRAJECTORY)[-1].text == "The run ended: Submitted."
    assert not [one for one in of(Reply, BATCH, TRAJECTORY) if "ended" in one.text]
    value = json.loads(TOOLS.read_text(encoding="utf-8"))
    bare = value["messages"][:4]
    path = _saved(tmp_path, bare)
    assert not [one for one in of(Reply, path, TRAJECTORY) if "ended" in one.text]


def test_the_bare_list_of_messages_is_known(tmp_path: Path) -> None:
    """Older versions save nothing else; what tells them is the agent's own way to run a command."""
    value: list[Any] = json.loads(BATCH.read_text(encoding="utf-8"))["messages"]
    path = _saved(tmp_path, value)
    assert TRAJECTORY.recognises(path.read_bytes())
    assert len(of(Call, path, TRAJECTORY)) == 2
    (session,) = {one.session for one in of(Context, path, TRAJECTORY)}
    grown = _saved(tmp_path, [*value, {"role": "user", "content": "more"}])
    assert {one.session for one in of(Context, grown, TRAJECTORY)} == {session}


def test_a_long_configuration_does_not_hide_it() -> None:
    """Given a patch of megabytes before the messages, the beginning still tells."""
    value = json.loads(BATCH.read_text(encoding="utf-8"))
    value["info"]["submission"] = "+" * 200_000
    assert TRAJECTORY.recognises(json.dumps(value, indent=2).encode()[: 64 << 10])


def test_responses_of_the_newer_api(tmp_path: Path) -> None:
    """Its answers have no role, and results come as objects of their own."""
    answer = {
        "object": "response",
        "id": "r1",
        "output": [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
            {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": '{"command": "ls"}'},
        ],
        "usage": {"input_tokens": 10, "output_tokens": 2},
        "extra": {"actions": [{"command": "ls", "tool_call_id": "c1"}]},
    }
    gave = {
        "type": "function_call_output",
        "call_id": "c1",
        "output": "x",
        "extra": {"returncode": 0, "raw_output": "x"},
    }
    task = {"role": "user", "content": "Please solve this issue: Look.\n\nYou can execute bash commands and more"}
    path = _saved(tmp_path, {"info": {"exit_status": ""}, "messages": [task, answer, gave]})
    assert of(Prompt, path, TRAJECTORY)[0].text == "Look."
    assert of(Reply, path, TRAJECTORY)[0].text == "I look."
    assert (of(Call, path, TRAJECTORY)[0].action, of(Result, path, TRAJECTORY)[0].call) == (Run("ls"), "c1")
    assert of(Usage, path, TRAJECTORY)[0].input == 10


def test_a_message_is_found_by_its_number() -> None:
    """A JSON file has lines of its own; of what stands there the number of the message is told."""
    assert [line_of(one, TOOLS, TRAJECTORY) for one in of(Result, TOOLS, TRAJECTORY)] == [4, 6, 7, 11]


def test_a_cut_file_is_an_error(tmp_path: Path) -> None:
    """Half a trajectory is no trajectory: whoever named it is told, and not given half a state."""
    path = tmp_path / "run.traj.json"
    path.write_bytes(TOOLS.read_bytes()[:2000])
    assert TRAJECTORY.recognises(path.read_bytes())
    with pytest.raises(OSError, match="cut or damaged"):
        TRAJECTORY.open(path)


def test_other_json_is_none() -> None:
    """Settings, package files and other clients' sessions have objects called `info` or `messages`, too."""
    values: tuple[Any, ...] = (
        {"info": {"version": 1}},
        {"info": {"id": "ses_1"}, "messages": []},
        {"messages": []},
        [],
        1,
    )
    for value in values:
        assert not TRAJECTORY.recognises(json.dumps(value).encode())

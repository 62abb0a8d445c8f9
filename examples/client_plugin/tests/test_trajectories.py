"""The reader against the suite that clew ships, and what trajectories tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

import pytest

from clew import wiring
from clew.clients.files import read_file
from clew.core.cost.uses import Totals
from clew.core.records.transcript import Call, Context, Interruption, Model, Prompt, Record, Reply, Result, Run, Usage
from clew.testing.readers import ReaderContract
from clew_mini_swe_agent.reader import READER

FOLDER = Path(__file__).parent / "recordings"
TOOLS, BATCH = FOLDER / "made-tools.traj.json", FOLDER / "made-batch.traj.json"

R = TypeVar("R", bound=Record)


def of(kind: type[R], path: Path) -> list[R]:
    return [one for batch in read_file(path, READER) for one in batch.records if isinstance(one, kind)]


class TestReader(ReaderContract):
    """Version 2 with tool calls, at a terminal; and version 1 as text, in a batch. The figures are the recording's own:
    1,000 tokens of which 600 came from the cache, and 1,100; 20 and 30 put out.
    """

    reader = READER
    others = tuple(one for one in wiring.ports({"HOME": "/nonexistent"}, plugins=False).readers if one.name != "chat")
    recordings = (TOOLS, BATCH)
    usage = {TOOLS.name: Totals(2, 1_500, 0, 600, 50)}
    headless = (BATCH.name,)
    # Its context only grows, and it is alone.
    untold = frozenset({"compacted", "apart", "injected", "started", "strangers"})

    def planted(self, folder: Path, secret: str) -> Path:
        value = json.loads(TOOLS.read_text(encoding="utf-8"))
        value["messages"][1]["content"] = f"Please solve this issue: Use {secret}.\n\nYou can execute bash commands."
        value["messages"][3]["extra"]["raw_output"] = f"TOKEN={secret}"
        path = folder / "run.traj.json"
        path.write_text(json.dumps(value), encoding="utf-8")
        return path


def test_the_task_comes_without_the_templates_words() -> None:
    """Else every session's goal would be the template's: how to use a shell."""
    assert of(Prompt, TOOLS)[0].text == "The tide is nine, and has to be ten."
    assert [one.text for one in of(Prompt, BATCH)] == ["The moon must not rise."]


def test_commands_and_what_they_gave_back() -> None:
    """Given tool calls, two in one answer: each result belongs to its own."""
    calls, results = of(Call, TOOLS), of(Result, TOOLS)
    assert [one.action for one in calls[:3]] == [Run("cat src/tide.py"), Run("pytest -q"), Run("git push")]
    assert [(one.call, one.outcome, one.exit_code) for one in results[:3]] == [
        ("call_1", "ok", 0),
        ("call_2", "error", 1),
        ("call_3", "rejected", None),
    ]
    assert results[2].reason == "not on a Friday"
    assert results[0].text == "TIDE = 9\n"


def test_commands_in_text_are_found() -> None:
    """Version 1 writes the command into the answer and the outcome into the next message; two at once are refused."""
    assert [one.action for one in of(Call, BATCH)] == [Run("grep -rn rise src"), Run("sed -i /rise/d src/moon.py")]
    assert [(one.exit_code, one.text) for one in of(Result, BATCH)] == [(0, "src/moon.py:9:rise(MOON)"), (0, "")]
    assert of(Reply, BATCH)[0].text == "THOUGHT: I look for it."


def test_a_person_who_stops_it_is_heard() -> None:
    """What somebody typed in between is the user's word; the program's own complaints are nobody's."""
    assert [one.text for one in of(Prompt, TOOLS)][1:] == ["leave the moon alone"]
    assert len(of(Interruption, TOOLS)) == 1


def test_where_and_by_what_it_ran() -> None:
    """Folder, model and id come from the configuration that the run saved."""
    first, batch = of(Context, TOOLS)[0], of(Context, BATCH)[0]
    assert (first.cwd, first.attended) == ("/home/dev/tide", True)
    assert (batch.session, batch.cwd, batch.attended) == ("sky__moon-12", "/testbed", False)
    assert [one.name for one in of(Model, TOOLS)] == ["vendor/large-9"]
    assert [(one.input, one.cache_read, one.output) for one in of(Usage, TOOLS)] == [(400, 600, 20), (1100, 0, 30)]


def test_a_run_that_was_submitted_ended() -> None:
    """Else the next session would be told to go on where nothing is left; one that met its limit did not end."""
    assert of(Reply, TOOLS)[-1].text == "The run ended: Submitted."
    assert not [one for one in of(Reply, BATCH) if "ended" in one.text]


def test_the_bare_list_of_messages_is_known(tmp_path: Path) -> None:
    """Older versions save nothing else; what tells them is the agent's own way to run a command."""
    path = tmp_path / "run.traj.json"
    path.write_text(json.dumps(json.loads(BATCH.read_text(encoding="utf-8"))["messages"]), encoding="utf-8")
    assert READER.recognises(path.read_bytes())
    assert len(of(Call, path)) == 2


def test_a_cut_file_is_an_error(tmp_path: Path) -> None:
    """Half a trajectory is no trajectory: whoever named it is told, and not given half a state."""
    path = tmp_path / "run.traj.json"
    path.write_bytes(TOOLS.read_bytes()[:2000])
    assert READER.recognises(path.read_bytes())
    with pytest.raises(OSError, match="cut or damaged"):
        READER.open(path)


def test_other_json_is_none() -> None:
    """Settings, package files and other clients' sessions have objects called `info` or `messages`, too."""
    values: tuple[Any, ...] = ({"info": {"version": 1}}, {"info": {"id": "ses_1"}, "messages": []}, [], 1)
    assert not [value for value in values if READER.recognises(json.dumps(value).encode())]

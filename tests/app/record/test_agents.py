"""Saving and giving back an agent's own state."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.app.library import Project, open_library
from clew.app.record.agents import STATE_BYTES_MAX, Agents, Saved
from clew.core.state.events import Recorded
from clew.ledger.port import Ledger
from tests.app.projects import World
from tests.app.worlds import named_secret, private_key, secrets
from tests.interfaces.cli.binary import environment

STATE = {"goal": "Fix the refunds", "step": 1, "plan": ["read", "mend", "test"], "notes": "x" * 2000}


def opened(world: World) -> Project:
    return open_library(world.ports, world.top)


def restored(project: Project, agent: str, at: str | None = None) -> Saved:
    saved = project.restore(agent, at)
    assert saved is not None
    return saved


def test_what_was_saved_comes_back_in_the_next_process(tmp_path: Path) -> None:
    """The point of it: the process is gone, the agent goes on."""
    world = World(tmp_path)
    messages = [{"role": "user", "content": "Fix it."}]
    with opened(world) as project:
        assert project.restore("planner") is None
        name = project.save("planner", STATE, messages=messages, name="before the merge")
        project.save("reviewer", {"step": 7})
    with opened(world) as project:
        saved = restored(project, "planner")
        assert (name, "planner", "before the merge") == (saved.id, saved.agent, saved.name)
        assert (STATE, messages) == (saved.state, saved.messages)
        assert ({"step": 7}, None) == restored(project, "reviewer")[4:]


def test_killed_right_after_save_returned_it_is_there(tmp_path: Path) -> None:
    """`kill -9` at any later moment: what was acknowledged is kept."""
    world = World(tmp_path)
    program = (
        "import clew, os, signal, sys\n"
        f"project = clew.open({str(world.top)!r})\n"
        "for step in range(40):\n"
        "    project.save('worker', {'step': step, 'text': 'y' * 500})\n"
        "print(step, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(world.home), capture_output=True, text=True, timeout=60
    )
    assert (-signal.SIGKILL, "39\n", "") == (done.returncode, done.stdout, done.stderr)
    with opened(world) as project:
        assert {"step": 39, "text": "y" * 500} == restored(project, "worker").state


def test_an_older_save_is_found_by_id_name_and_checkpoint(tmp_path: Path) -> None:
    """Going back to where it still went well."""
    world = World(tmp_path)
    with opened(world) as project:
        first = project.save("a", {"step": 1})
        world.clock.tick()
        project.save("a", {"step": 2}, name="two")
        project.checkpoint("green")
        project.save("a", {"step": 3})
        for at, step in ((None, 3), (first, 1), (first[:9].upper(), 1), ("two", 2), ("green", 2), ("last", 2)):
            assert {"step": step} == restored(project, "a", at).state
        assert project.restore("b", "green") is None
        with pytest.raises(clew.NotFound, match="no checkpoint nonesuch"):
            project.restore("a", "nonesuch")


def test_what_has_not_changed_is_not_kept_again(tmp_path: Path) -> None:
    """A loop that saves each turn adds nothing while nothing happens. A name is a reason to keep it, as is another
    program's save in between.
    """
    world = World(tmp_path)
    with opened(world) as project, opened(world) as other:
        first = project.save("a", STATE)
        assert first == project.save("a", dict(STATE))
        assert first == other.save("a", STATE)
        assert first != project.save("a", STATE, name="done")
        other.save("a", {"step": 99})
        again = project.save("a", STATE)
        assert (again, STATE) == (restored(other, "a").id, restored(other, "a").state)
        assert 4 == len(project.log())


def size_of(world: World) -> int:
    folder = world.top / ".git" / "clew"
    return sum(path.stat().st_size for path in folder.iterdir())


def test_a_growing_conversation_costs_its_growth(tmp_path: Path) -> None:
    """Kept whole each turn, 150 turns would take 75 times the conversation."""
    world = World(tmp_path)
    before = size_of(world)
    messages: list[dict[str, str]] = []
    with opened(world) as project:
        for turn in range(150):
            messages.append({"role": "user", "content": f"turn {turn}: {os.urandom(400).hex()}"})
            project.save("a", {"turn": turn}, messages=messages)
        assert messages == restored(project, "a").messages
        assert messages[:3] == restored(project, "a", project.log()[2].event.data["checkpoint"]).messages  # type: ignore[arg-type]
    assert size_of(world) - before < 4 * len(json.dumps(messages))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=15,
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("shared"))


@given(states=st.lists(JSON, min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_any_json_comes_back_as_it_was(shared: World, states: list[Any]) -> None:
    """Whatever characters and numbers: what comes back is what was saved, each time, also in a new process."""
    with opened(shared) as project:
        names = [project.save("a", state) for state in states]
    with opened(shared) as project:
        for name, state in zip(names, states, strict=True):
            assert json.dumps(state, sort_keys=True) == json.dumps(restored(project, "a", name).state, sort_keys=True)


def test_no_secret_reaches_the_file(tmp_path: Path) -> None:
    """Agents' states are full of what tools printed. Shape and all else of the state stay."""
    world = World(tmp_path)
    named, key = named_secret(), private_key()
    state = {"log": [f"export TOKEN={value}" for value in secrets().values()], "api_key": named, "pem": key, "n": 1}
    with opened(world) as project:
        project.save("a", {})
        project.save("a", state, messages=[{"role": "user", "content": f"my key is\n{key}"}])
        saved = restored(project, "a")
    assert 1 == saved.state["n"] and "[redacted:" in saved.state["api_key"] and 5 == len(saved.state["log"])
    told = json.dumps([saved.state, saved.messages])
    for value in (*secrets().values(), named, key.splitlines()[3]):
        assert value not in told
        for path in (world.top / ".git" / "clew").iterdir():
            assert value.encode() not in path.read_bytes()


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ({"at": object()}, "E-state-invalid"),
        ({"n": float("nan")}, "E-state-invalid"),
        ({1: "a"}, "E-state-invalid"),
        ({"s": {1, 2}}, "E-state-invalid"),
        ({"text": "x" * STATE_BYTES_MAX}, "E-state-large"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is_written(tmp_path: Path, state: object, code: str) -> None:
    """A state that came back changed would be worse than an error now."""
    world = World(tmp_path)
    with opened(world) as project:
        with pytest.raises(clew.InputError) as caught:
            project.save("a", state)
        assert code == caught.value.code and caught.value.hint
        assert () == project.log() and project.restore("a") is None


def test_agents_have_names(tmp_path: Path) -> None:
    """An empty id would be everybody's."""
    with opened(World(tmp_path)) as project, pytest.raises(clew.InputError, match="1 to 200 characters"):
        project.save(" ", {})


class Message:
    """A message as an SDK gives it."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def model_dump(self, *, exclude_none: bool) -> dict[str, Any]:
        return {name: value for name, value in self.fields.items() if value is not None or not exclude_none}


def test_an_sdks_messages_come_back_as_json(tmp_path: Path) -> None:
    """`messages.append(response.choices[0].message)` is what everybody writes."""
    with opened(World(tmp_path)) as project:
        project.save("a", None, messages=[Message(role="assistant", content="Done.", refusal=None)])
        assert [{"role": "assistant", "content": "Done."}] == restored(project, "a").messages


def test_one_agent_among_many_is_found_without_reading_all_of_them(tmp_path: Path) -> None:
    """Four hundred agents of one harness: the first save of each would read the states of all others."""
    world = World(tmp_path)
    read = 0

    class Counting:
        def __init__(self, ledger: Ledger) -> None:
            self.ledger = ledger

        def __getattr__(self, name: str) -> Any:
            return getattr(self.ledger, name)

        def events(self, **which: Any) -> list[Recorded]:
            nonlocal read
            found = list(self.ledger.events(**which))
            read += len(found)
            return found

    with world.desk() as at:
        at.ledger = cast("Ledger", Counting(at.ledger))
        for agents in (Agents(), Agents()):  # the second one is the next process
            read = 0
            for step in range(3):
                for number in range(50):
                    agents.save(at, f"agent-{number}", {"step": step}, messages=None, name="", task="")
            assert {"step": 2} == agents.restore(at, "agent-7", None).state  # type: ignore[union-attr]
            assert read < 1000


def test_a_save_that_builds_on_one_that_is_not_here_says_so(tmp_path: Path) -> None:
    """Part of another ledger was imported: an error, never a state with holes. Saving again makes it whole."""
    world = World(tmp_path)
    with world.desk() as at:
        data = {"agent": "a", "checkpoint": "K-2222222222222222", "base": "K-1111111111111111", "state": '["=", 1]'}
        at.append([at.event("agent.saved", data, task="")])
    with opened(world) as project:
        with pytest.raises(clew.NotFound) as caught:
            project.restore("a")
        assert "E-state-incomplete" == caught.value.code
        project.save("a", {"step": 1})
        assert {"step": 1} == restored(project, "a").state

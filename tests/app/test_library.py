"""A project as programs use it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import clew
from clew.app.library import Project, open_library
from clew.app.project.opening import ProjectHandle
from clew.app.record.item import pin
from clew.app.record.note import NewNote, note
from clew.app.tasks.lifecycle import task_new
from tests.app.projects import World


def opened(world: World, *, create: bool = False, task: str | None = None, actor: str = "") -> Project:
    return open_library(world.ports, world.top, create=create, task=task, actor=actor)


def texts(project: Project) -> list[str]:
    return [item.text for item in project.state().items]


def test_a_program_is_an_agent_whoever_started_it(tmp_path: Path) -> None:
    """A person typed `python agent.py` at a terminal: what the program then records is not the person's word."""
    world = World(tmp_path)
    with opened(world) as project, opened(world, actor="planner") as planner:
        project.record("constraint", "No network in tests")
        planner.record("goal", "Fix the refunds")
        told = [(item.text, item.provenance, item.actor) for item in project.state().items]
    assert [("Fix the refunds", "agent", "planner"), ("No network in tests", "agent", "program")] == told


def test_what_a_person_said_a_program_does_not_change(tmp_path: Path) -> None:
    """The library is no way round the rules that hold for an agent's shell."""
    world = World(tmp_path)
    said = note(ProjectHandle(world.ports, world.top), NewNote("constraint", "Never touch the API"))
    assert said.item is not None
    with opened(world) as project:
        own = project.record("decision", "Use Decimal")
        pin(ProjectHandle(world.ports, world.top), own)
        for deed in (
            lambda: project.retract(said.item.short_id),
            lambda: project.supersede(said.item.short_id, "Touch it"),
            lambda: project.retract(own),
        ):
            with pytest.raises(clew.NotAllowed) as caught:
                deed()
            assert "E-not-a-person" == caught.value.code
            assert "a program records it through the library" in caught.value.message


def test_an_items_life(tmp_path: Path) -> None:
    """Each method calls the use case of the command of that name."""
    world = World(tmp_path)
    with opened(world) as project:
        decision = project.record("decision", "Use floats", why="they are quick", files=["src/a.py:3"])
        assert decision == project.record("decision", "Use floats", why="they are quick", files=["src/a.py:3"])
        question = project.record("question", "Which rounding?")
        project.answer(question, "half even")
        better = project.supersede(decision, "Use Decimal", why="floats lost a cent")
        risk = project.record("risk", "Old invoices differ")
        project.resolve(risk[:6], "they do not")
        wrong = project.record("finding", "The cache is cold")
        project.retract(wrong, "it was the network")
        project.pin(better)
        left = {item.id: item for item in project.state().items}
        assert {better, question} == set(left)
        assert left[better].pinned and left[better].files == ("src/a.py",)
        assert "half even" in left[question].answer
        with pytest.raises(clew.InputError):
            project.record("validation", "make test passed")
        with pytest.raises(clew.NotFound):
            project.resolve("D-zzzz")


def test_a_checkpoint_and_what_came_after(tmp_path: Path) -> None:
    """The state as it was, the disk as it is."""
    world = World(tmp_path)
    with opened(world) as project:
        with pytest.raises(clew.NotFound, match="no checkpoint"):
            project.drift("last")
        with pytest.raises(clew.NotFound):
            project.payload()
        project.record("decision", "Use Decimal in a", files=["src/a.py"])
        taken = project.checkpoint("green", context_tokens=41_000)
        assert ("green", 41_000, "program", world.repo.git("rev-parse", "HEAD").strip()) == (
            taken.name, taken.context_tokens, taken.by, taken.head,
        )  # fmt: skip
        assert ["unchanged"] == [file.status for file in project.drift().files]
        world.clock.tick(60_000)
        project.record("next", "Fix b")
        world.repo.write("src/a.py", "a = 2\n")
        assert ["changed"] == [file.status for file in project.drift("green").files]
        assert ["Use Decimal in a"] == [item.text for item in project.state(taken.id).items]
        now, then = project.payload(300).text, project.payload(at="green").text
        assert "Fix b" in now and "Fix b" not in then
        assert "(verify first) Use Decimal in a" in now and "src/a.py: changed" in then
        assert project.payload(300).tokens <= 300
        assert ["item.stated", "checkpoint.taken", "item.stated"] == [one.event.kind for one in project.log()]
        assert [taken.seq] == [one.seq for one in project.log(kind="checkpoint")]
        assert ["item.stated"] == [one.event.kind for one in project.log(limit=1)]


def test_which_task_is_meant(tmp_path: Path) -> None:
    """Named by title or id, else the one that is bound to this work tree; what is recorded goes there only."""
    world = World(tmp_path)
    bound = task_new(ProjectHandle(world.ports, world.top), "Fix the tide").task
    assert bound is not None
    with opened(world) as project, opened(world, task="Second", create=True) as second:
        assert project.task.startswith(bound.short_id) and second.task != project.task
        project.record("finding", "of the first")
        second.record("finding", "of the second")
        assert (["of the first"], ["of the second"]) == (texts(project), texts(second))
        assert second.checkpoint("there").task == second.task
        with opened(world, task="second", create=True) as again:
            assert second.task == again.task
        project.work_on(second.task[:6])
        assert ["of the second"] == texts(project)
        project.work_on("")
        assert ([], "") == (texts(project), project.task)
        project.work_on(None)
        assert ["of the first"] == texts(project)
        with pytest.raises(clew.NotFound, match="no task Third"):
            opened(world, task="Third")


def test_nothing_is_made_unless_it_is_asked_for(tmp_path: Path) -> None:
    """A library that makes folders on its own litters."""
    world = World(tmp_path, ledger=False)
    before = set(os.walk(world.top).__next__()[1])
    with pytest.raises(clew.NotFound) as caught:
        opened(world)
    assert "E-no-ledger" == caught.value.code and "create=True" in caught.value.hint
    assert before == set(os.walk(world.top).__next__()[1])
    with opened(world, create=True) as project:
        assert project.record("goal", "Fix it") and project.root == world.top
    with opened(world, create=True) as project:
        assert ["Fix it"] == texts(project)


def test_where_nothing_can_be_written_reading_works(tmp_path: Path) -> None:
    """In a sandbox the state is there to read, what is recorded waits for another process, and `save` says no."""
    world = World(tmp_path)
    with opened(world) as project:
        project.record("goal", "Fix it")
    open_ledger = world.ports.open_ledger

    def refusing(path: Path, *, project: str, write: bool) -> clew.LedgerError:
        if write:
            raise clew.LedgerError("read-only", code="E-ledger-readonly")
        return open_ledger(path, project=project, write=write)  # type: ignore[return-value]

    with open_library(world.ports._replace(open_ledger=refusing), world.top) as project:  # type: ignore[arg-type]
        assert ["Fix it"] == texts(project)
        with pytest.raises(clew.LedgerError) as caught:
            project.save("a", {})
        assert "E-ledger-readonly" == caught.value.code
        project.record("finding", "it waits")
        assert ["Fix it"] == texts(project)
    with opened(world) as project:
        project.record("finding", "it came in")
        assert {"it waits", "it came in"} <= set(texts(project))


def test_several_programs_at_once(tmp_path: Path) -> None:
    """Two agents on one ledger see each other's words and lose none."""
    world = World(tmp_path)
    with opened(world, actor="one") as one, opened(world, actor="two") as two:
        for number in range(10):
            one.record("finding", f"one {number}")
            two.record("finding", f"two {number}")
        assert 20 == len(texts(one)) == len(texts(two))

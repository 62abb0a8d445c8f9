"""Adopting: what is found, what each file would bring, and who may import what."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.app.importing.adopt import AdoptionOffer, adopt, offers, title_for
from clew.app.project.opening import ProjectHandle
from clew.app.resume.catchup import catch_up
from clew.app.resume.payload import resume
from clew.app.tasks.lifecycle import task_new
from tests.app.projects import World, open_task
from tests.recordings.sessions import Recorder

PLAN = "# Plan\n\n## Phase 1: Parser\n\n- [x] read the grammar\n- [ ] write the parser\n"
HANDOFF = "# Handoff\n\n## Next action\n\nMend `src/a.py`.\n\n## Decisions\n\n- Use SQLite because it is one file.\n"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def found(world: World) -> dict[str, AdoptionOffer]:
    return {one.name: one for one in offers(ProjectHandle(world.ports, world.top)).found}


def test_usual_places_are_looked_at(world: World) -> None:
    """Whatever people and tools use to keep the thread."""
    for name in (
        "HANDOFF.md",
        "docs/session_handoff.md",
        "PLAN.md",
        "TODO.txt",
        "memory/MEMORY.md",
        ".claude/memory/facts.md",
        "memory-bank/progress.md",
        "specs/001-tides/tasks.md",
        "backlog/tasks/task-1 - Moon.md",
    ):
        world.repo.write(name, PLAN)
    world.repo.write(".beads/issues.jsonl", '{"id":"b-1","title":"Fix it","issue_type":"task","status":"open"}\n')
    for name in ("src/plan.py", "docs/architecture.md", "specs/001-tides/spec.md", "node_modules/x/TODO.md"):
        world.repo.write(name, PLAN)
    told = found(world)
    assert 10 == len(told)
    assert ("plan", "issues") == (told["PLAN.md"].sort, told[".beads/issues.jsonl"].sort)
    assert {"step": 2, "phase": 1} == dict(told["PLAN.md"].new)
    assert all(one.brings for one in told.values())


def test_looking_records_nothing_and_what_is_taken_in_is_offered_no_more(world: World) -> None:
    """An offer is a dry run; twice is once, and the second time says so."""
    world.repo.write("PLAN.md", PLAN)
    with world.desk(write=False) as at:
        before = at.ledger.position()
    told = list(found(world).values())
    with world.desk(write=False) as at:
        assert before == at.ledger.position()
    taken = adopt(ProjectHandle(world.ports, world.top), told)
    assert taken.taken is not None
    assert ["PLAN.md"] == [reading.file for reading in taken.taken.documents]
    assert not found(world)["PLAN.md"].brings
    assert adopt(ProjectHandle(world.ports, world.top), list(found(world).values())).taken is None


def test_the_newest_file_has_the_last_word(world: World) -> None:
    """Of two hand-offs the later one knows what is next."""
    for name, seconds in (("HANDOFF.md", 2_000), ("docs/handoff.md", 1_000)):
        os.utime(world.repo.write(name, HANDOFF), (seconds, seconds))
    assert ["docs/handoff.md", "HANDOFF.md"] == [
        one.name for one in offers(ProjectHandle(world.ports, world.top)).found
    ]


def test_what_came_with_the_repository_is_a_person_s_to_take_in(world: World) -> None:
    """A hostile clone brings a HANDOFF.md; an agent with --yes must not make it part of the next payload."""
    world.repo.write("HANDOFF.md", HANDOFF)
    world.repo.commit("Hand over", seconds=1_772_450_000)
    world.repo.write("PLAN.md", PLAN)
    told = found(world)
    assert (True, False) == (told["HANDOFF.md"].brought, told["PLAN.md"].brought)
    by_agent = adopt(ProjectHandle(world.as_agent, world.top), list(told.values()))
    assert by_agent.taken is not None
    assert (["PLAN.md"], ["HANDOFF.md"]) == (
        [reading.file for reading in by_agent.taken.documents],
        [one.name for one in by_agent.left],
    )
    by_person = adopt(ProjectHandle(world.ports, world.top), list(found(world).values()))
    assert by_person.taken is not None
    assert "HANDOFF.md" in [reading.file for reading in by_person.taken.documents]
    with world.desk(write=False) as at:
        assert {"unattributed"} == {one.item.provenance for one in at.known(at.task()).values()}


def test_without_a_task_one_is_opened_for_it(world: World) -> None:
    """What belongs to no task no session is given: everything would be imported, and nothing ever said."""
    os.utime(world.repo.write("docs/handoff.md", f"# Old\n\n## Goal\n\nOld words.\n\n{HANDOFF}"), (1_000, 1_000))
    world.repo.write("HANDOFF.md", f"# New\n\n## Goal\n\nTide tables for Brest, {'and so on, ' * 20}.\n")
    told = list(found(world).values())
    done = adopt(ProjectHandle(world.ports, world.top), told)
    assert done.opened is not None and done.opened.task is not None
    assert done.opened.task.title.startswith("Tide tables for Brest, and so on")
    assert 80 >= len(done.opened.task.title)
    with world.desk(write=False) as at:
        assert done.opened.task.id == at.task()
        assert {"goal", "decision", "next"} <= {one.item.kind for one in at.known(at.task()).values()}
        assert {} == at.known("")
    assert any("Use SQLite" in one.text for one in resume(ProjectHandle(world.ports, world.top)).state.items)


def test_a_task_that_is_bound_gets_it(world: World) -> None:
    """Nothing is opened beside it."""
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
    world.repo.write("PLAN.md", PLAN)
    done = adopt(ProjectHandle(world.ports, world.top), list(found(world).values()))
    assert (None, task) == (done.opened, done.taken and done.taken.task and done.taken.task.id)


def test_without_a_goal_the_task_is_called_like_the_folder(world: World) -> None:
    """And not like one that is open already: two could not be told apart."""
    world.repo.write("PLAN.md", PLAN)
    told = list(found(world).values())
    assert "tide" == title_for(ProjectHandle(world.ports, world.top), told)
    task_new(ProjectHandle(world.ports, world.top), "Tide", bind=False)
    assert "tide (2)" == title_for(ProjectHandle(world.ports, world.top), told)


def test_an_agent_opens_no_task_for_what_only_a_person_takes_in(world: World) -> None:
    """Nothing was imported, so there is nothing to open one for."""
    world.repo.write("HANDOFF.md", HANDOFF)
    world.repo.commit("Hand over", seconds=1_772_450_000)
    done = adopt(ProjectHandle(world.as_agent, world.top), list(found(world).values()))
    assert (None, None, 1) == (done.taken, done.opened, len(done.left))


def test_outside_of_git_nobody_can_tell_where_a_file_came_from(tmp_path: Path) -> None:
    """An unpacked archive is somebody else's word, too."""
    from clew.app.install.init import init

    world = World(tmp_path, ledger=False)
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "PLAN.md").write_text(PLAN)
    init(ProjectHandle(world.ports, folder))
    [one] = offers(ProjectHandle(world.ports, folder)).found
    assert one.brought


def test_links_are_not_followed(world: World, tmp_path: Path) -> None:
    """A link named HANDOFF.md can lead to anybody's private file."""
    (tmp_path / "private.md").write_text(HANDOFF)
    (world.top / "HANDOFF.md").symlink_to(tmp_path / "private.md")
    (world.top / "memory").symlink_to(tmp_path)
    told = found(world)
    assert ["HANDOFF.md"] == list(told)
    assert ("it is a symbolic link", False) == (told["HANDOFF.md"].problem, told["HANDOFF.md"].brings)


def test_what_cannot_be_read_as_text_says_why(world: World) -> None:
    """And the rest is offered all the same."""
    (world.top / "PLAN.md").write_bytes(b"\x00\x01\x02")
    world.repo.write("TODO.md", PLAN)
    told = found(world)
    assert "is not text" in told["PLAN.md"].problem
    assert told["TODO.md"].brings


def test_notes_that_the_client_keeps_beside_its_sessions_are_found(world: World) -> None:
    """Its own memory of this project, which nobody looks for. Of other projects' folders nothing is read."""
    file = Recorder(world.top).user("Go").write("src/b.py", "b = 1\n").reply("It is written now.").save(world.home)
    (file.parent / "memory").mkdir()
    (file.parent / "memory" / "MEMORY.md").write_text("# Memory\n\n- The tide API wants UTC.\n")
    other = world.home / ".claude" / "projects" / f"{file.parent.name}-other" / "memory"
    other.mkdir(parents=True)
    (other / "MEMORY.md").write_text("# Other\n\n- Nothing of ours.\n")
    assert {} == found(world)  # not before the session is known to be this project's
    with world.desk() as at:
        catch_up(world.ports, at)
    assert [str(file.parent / "memory" / "MEMORY.md")] == list(found(world))


def test_before_there_is_a_ledger_files_are_named_only(tmp_path: Path) -> None:
    """`clew init --adopt --dry-run` in a new project."""
    world = World(tmp_path, ledger=False)
    world.repo.write("PLAN.md", PLAN)
    one = found(world)["PLAN.md"]
    assert (None, True) == (one.reading, one.brings)

"""Ada works two sessions and hands over; Bea, with another home and clone, resumes, and her answer reaches Ada."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.app.handoff.make import make
from clew.app.handoff.takeover import resume_received
from clew.app.project.lookup import find_item
from clew.app.record.item import answer
from clew.app.resume.catchup import catch_up
from clew.app.resume.payload import resume
from clew.app.tasks.lifecycle import task_bind, task_new
from clew.app.team.hub_client import join_hub
from tests.app.projects import World, state_item
from tests.app.team.hubs import served
from tests.app.team.test_story import of, question_of, synced
from tests.recordings.sessions import Recorder

SECOND = "5e551020-0000-4000-8000-000000000002"


@pytest.fixture
def bea(bea: World) -> World:
    bea.ports = bea.ports._replace(actor="bea")
    return bea


@pytest.fixture(params=["folder", "hub"])
def exchange(request: pytest.FixtureRequest, tmp_path: Path, ada: World, bea: World) -> Iterator[Callable[..., object]]:
    """Exchanges a machine's project, by a shared folder or by a hub that both have joined."""
    if request.param == "folder":
        (tmp_path / "stick").mkdir()
        yield lambda world: synced(world, tmp_path / "stick")
        return
    with served(tmp_path / "hub.db") as hub:
        join_hub(ada.ports, ada.top, f"{hub.url}#{hub.code}", past=True)
        hub.synced(ada)
        hub.lets_in(bea, "Bea")
        yield hub.synced


def works_on(ada: World) -> str:
    """Ada's second session: an edit, a test that fails, a commit, a stub, and what is next; the task's id."""
    made = Recorder(ada.top, session=SECOND, start="2026-03-03T09:00:00").user("Spring tides now, and mail the harbour")
    made.edit("src/a.py", "1", "10", original="a = 1\n").write("src/mail.py", "def send(): ...\n")
    made.run("pytest tests/test_a.py", "FAILED tests/test_a.py::test_spring - AssertionError: 9 != 10", code=1)
    made.reply("The tide is ten; the mail is a stub.").save(ada.home)
    ada.repo.write("src/a.py", "a = 10\n")
    ada.repo.write("src/mail.py", "def send(): ...\n")
    ada.repo.commit("Tide ten", seconds=1772530000)
    with ada.desk() as at:
        catch_up(ada.ports, at)
        task = at.task()
        state_item(at, "file", "src/mail.py", task=task, status="stubbed", why="sends nothing", files=["src/mail.py"])
        state_item(at, "failed", "Reading the moon's phase off the clock", task=task, why="it is in local time")
        state_item(at, "next", "Let test_spring pass", task=task, files=["src/a.py"])
    return task


def test_a_task_is_handed_over_by_one_command_on_each_side(
    ada: World, bea: World, exchange: Callable[[World], object]
) -> None:
    task = works_on(ada)
    made = make(of(ada), profile="team", receiver="bea")
    assert made is not None
    exchange(ada)
    exchange(bea)

    found = resume_received(of(bea))
    text = found.document.text
    assert (found.task and found.task.id, found.profile) == (task, "team")
    (note,) = found.notes
    assert "handed this over" in note
    assert "From ada (20" in text.replace("Ada", "ada") and ") to bea." in text
    locked = text.partition("## Architecture decisions locked in\n")[2].partition("\n## ")[0]
    asked = text.partition("## Open questions with owners\n")[2].partition("\n## ")[0]
    stubs = text.partition("## Stubbed\n")[2].partition("\n## ")[0]
    apart = text.partition("## Changed on disk since\n")[2].partition("\n## ")[0]
    assert "Ten it is" in locked
    assert "Spring tides as well?" in asked and "bea" in asked
    assert "src/mail.py" in stubs and "sends nothing" in stubs
    assert "is not in this clone (`git fetch`)" in text
    assert "src/a.py: changed" in apart and "src/mail.py: gone" in apart
    assert "Let test_spring pass" in text and "the moon's phase" in text
    assert "test_spring" in text.partition("## Warnings\n")[2]  # what only Ada's session tells came with the hand-off

    answer(of(bea), question_of(bea), "Only at new moon")
    exchange(bea)
    exchange(ada)
    with ada.desk(write=False) as at:
        assert find_item(at, question_of(ada)).entry.item.answer == "Only at new moon"
    assert "Only at new moon" in resume(of(ada)).document.text
    assert str(bea.top) not in resume(of(ada), profile="team").document.text


def test_once_a_session_went_on_from_it_the_payload_is_the_usual_one(ada: World, bea: World, tmp_path: Path) -> None:
    works_on(ada)
    make(of(ada), profile="team", receiver="Bea")
    (tmp_path / "stick").mkdir()
    synced(ada, tmp_path / "stick")
    synced(bea, tmp_path / "stick")
    assert resume_received(of(bea)).profile == "team"
    Recorder(bea.top, start="2026-12-04T09:00:00").user("Go on").reply("Looked at src/a.py.").save(bea.home)
    found = resume_received(of(bea))
    assert (found.profile, found.notes) == ("rehydrate", ())
    assert "Ten it is" in found.document.text


def test_a_task_that_somebody_chose_stays(ada: World, bea: World, tmp_path: Path) -> None:
    """The note says how to go over; nothing is bound, and nothing is taken in."""
    works_on(ada)
    make(of(ada), profile="team", receiver="bea")
    (tmp_path / "stick").mkdir()
    synced(ada, tmp_path / "stick")
    task_new(of(bea), "Harbour lights")
    with bea.desk() as at:
        state_item(at, "goal", "Lights at dusk", task=at.task())
    synced(bea, tmp_path / "stick")
    found = resume_received(of(bea))
    assert (found.task and found.task.title, found.profile) == ("Harbour lights", "rehydrate")
    assert "clew task switch" in found.notes[0]
    task_bind(of(bea), "Tides", switch=True)
    assert resume_received(of(bea)).profile == "team"


def test_what_is_for_somebody_else_or_over_is_not_taken_over(ada: World, bea: World, tmp_path: Path) -> None:
    works_on(ada)
    make(of(ada), profile="team", receiver="cyd")
    (tmp_path / "stick").mkdir()
    synced(ada, tmp_path / "stick")
    synced(bea, tmp_path / "stick")
    assert resume_received(of(bea)).profile == "rehydrate"
    with bea.desk(write=False) as at:
        assert at.task() == ""

"""Going on with a ledger: what sessions left and what people said, together, now or as it was."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from clew.app.intake.ingest import ingest
from clew.app.look.status import status
from clew.app.project.opening import ProjectHandle, open_project
from clew.app.project.session import ProjectSession
from clew.app.results import to_json
from clew.app.resume.payload import Resumption, resume
from clew.app.tasks import lifecycle as clew_task
from clew.core.errors import ClewError, InputError, NotFound
from tests.app.projects import World, open_task, state_item
from tests.app.worlds import secrets, snapshot
from tests.recordings.sessions import Recorder


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def story(world: World, number: int = 1, *, start: str = "2026-11-22T01:00:00", cwd: Path | None = None) -> Recorder:
    """A session that mended something in a file and decided something about it."""
    session = f"5e55101{number}-0000-4000-8000-000000000001"
    made = Recorder(cwd or world.top, session=session, start=start).user(f"Fix tide {number}")
    made.edit("src/a.py", "a = 1", f"a = {number}", original="a = 1\n")
    return made.reply(f"Decision: keep `moon_{number}()` in src/a.py because loader {number} needs it.")


def resumed(world: World, **options: Any) -> Resumption:
    return resume(ProjectHandle(world.ports, options.pop("folder", world.top)), **options)


def taken_in(at: ProjectSession, world: World) -> None:
    ingest(world.ports, at)


# Which state


def test_what_people_said_and_what_the_session_left_are_one_text(world: World) -> None:
    """The reason to keep a ledger: the next session gets both."""
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
        state_item(at, "constraint", "Never change the public API", task=task)
    path = story(world).save(world.home)
    found = resumed(world)
    assert found.task is not None and found.task.id == task and found.transcript == path
    assert "Never change the public API" in found.document.text
    assert "moon_1()" in found.document.text
    assert found.ids is not None and set(found.ids) == {task, *(item.id for item in found.state.items)}
    assert found.captured.facts.usage.total().responses > 0 and found.captured.facts.size == path.stat().st_size


def test_a_task_is_named_by_its_id_or_title(world: World) -> None:
    """From any branch: what was bound elsewhere is a name away."""
    with world.desk() as at:
        first = open_task(at, "Fix the tide")
        state_item(at, "decision", "Keep the tide low", task=first)
        second = open_task(at, "Fix the moon")
        state_item(at, "decision", "Keep the moon round", task=second)
    assert "Keep the moon round" in resumed(world).document.text
    for name in (first, first[:8].lower(), "fix the TIDE"):
        found = resumed(world, task=name)
        assert "Keep the tide low" in found.document.text and "moon round" not in found.document.text
    assert not any("bound" in note for note in found.notes)  # it is bound nowhere
    other = world.home / "other"
    world.repo.git("worktree", "add", "-q", "-b", "ebb", str(other))
    clew_task.task_bind(ProjectHandle(world.ports, other), second, switch=False)
    world.repo.git("checkout", "-q", "-b", "third")
    [told] = [note for note in resumed(world, task=second).notes if "bound" in note]
    assert (f"{other} (ebb)" in told, f"{world.top} (main)" in told) == (True, True)
    assert not any("bound" in note for note in resumed(world).notes)
    with pytest.raises(NotFound) as caught:
        resumed(world, task="nonesuch")
    assert "E-no-task" == caught.value.code


def test_where_nobody_bound_anything_the_sessions_of_the_place_add_up(world: World) -> None:
    """What the first of them decided is dear to the third, and what holds in the project holds there."""
    story(world, 1, start="2026-11-21T01:00:00").save(world.home, modified=1_795_100_000)
    story(world, 2).save(world.home, modified=1_795_200_000)
    with world.desk() as at:
        state_item(at, "constraint", "Never change the public API")
    found = resumed(world)
    text = found.document.text
    assert found.task is not None and found.task.thread
    assert "moon_2()" in text and "public API" in text and "moon_1()" in text


def test_where_nothing_is_bound_the_task_that_was_worked_on_last_goes_on(world: World) -> None:
    """Asked from the main work tree while the work goes on in another one."""
    other = world.top.parent / "tide-fix"
    world.repo.git("worktree", "add", "-q", "-b", "fix", str(other))
    with world.desk() as at:
        task = at.new_id("T")
        place = {"worktree": str(other.resolve()), "branch": "fix", "task": task}
        at.append(
            [
                at.event("task.opened", {"task": task, "title": "Fix it there"}, task=""),
                at.event("place.bound", place, task=""),
            ]
        )
    made = story(world, 3, cwd=other)
    made.lines = [line.replace('"gitBranch": "main"', '"gitBranch": "fix"') for line in made.lines]
    made.save(world.home)
    found = resumed(world)
    assert found.task is not None and found.task.id == task


def test_the_newest_session_goes_on_though_its_task_is_closed(world: World) -> None:
    """Without a task there is still a session, as there is without a ledger."""
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
    story(world).save(world.home)
    resumed(world)
    world.clock.tick(1000)
    with world.desk() as at:
        at.append([at.event("task.closed", {"task": task}, task="")])
    found = resumed(world)
    assert found.task is None and "moon_1()" in found.document.text


def test_sessions_of_one_task_add_up_and_the_newest_tells_where_it_stands(world: World) -> None:
    """What was decided yesterday holds; what was to be done next is the newest session's to say."""
    with world.desk() as at:
        open_task(at, "Fix the tide")
    story(world, 1, start="2026-11-22T01:00:00").save(world.home)
    story(world, 2, start="2026-11-22T03:00:00").save(world.home)
    found = resumed(world)
    assert "5e551012" == found.state.origin.session[:8]
    decided = [item.text for item in found.state.items if "moon_" in item.text]
    assert ["moon_1()" in decided[0], "moon_2()" in decided[-1]] == [True, True]
    asked = {item.place.session[:8] for item in found.state.items if item.kind == "file"}
    assert {"5e551012"} == asked
    # The first one is picked up again: now it is the one to go on from.
    more = story(world, 1, start="2026-11-22T01:00:00")
    more._clock += 4 * 3600
    more.reply("Decided to leave `saver()` alone because of the lock.").save(world.home)
    assert "5e551011" == resumed(world).state.origin.session[:8]


def test_the_session_that_asks_is_taken_in_but_not_gone_on_from(world: World) -> None:
    """An agent that runs `clew resume` would else be handed what it has just said itself."""
    with world.desk() as at:
        open_task(at, "Fix the tide")
    story(world, 1, start="2026-11-22T01:00:00").save(world.home)
    asking = story(world, 2, start="2026-11-22T03:00:00")
    asking.save(world.home)
    found = resume(ProjectHandle(world.ports._replace(asking_session=asking.session), world.top))
    assert "5e551011" == found.state.origin.session[:8] and "moon_2()" not in found.document.text
    with world.desk() as at:
        assert 2 == len(at.ledger.extracts())


def test_a_task_of_which_nothing_is_known_says_so(world: World) -> None:
    """An empty text would look like a failure of clew's."""
    with world.desk() as at:
        task = at.new_id("T")
        at.append([at.event("task.opened", {"task": task, "title": "Later"}, task="")])
    with pytest.raises(NotFound) as caught:
        resumed(world, task="Later")
    assert "E-task-empty" == caught.value.code and "Later" in caught.value.message
    with pytest.raises(NotFound) as nothing:
        resumed(world)
    assert "E-task-empty" == nothing.value.code


def test_without_a_ledger_there_is_no_task_to_name(tmp_path: Path) -> None:
    """And nothing is written: it is as if ledgers did not exist."""
    world = World(tmp_path, ledger=False)
    story(world).save(world.home)
    before = snapshot(tmp_path)
    assert "moon_1()" in resumed(world).document.text
    for options in ({"task": "x"}, {"at": "last"}):
        with pytest.raises(NotFound) as caught:
            resumed(world, **options)
        assert "E-no-ledger" == caught.value.code
    assert before == snapshot(tmp_path)


def test_a_named_session_file_needs_no_ledger_and_writes_nothing(world: World) -> None:
    """`--from` is a look at one record, whatever is kept."""
    path = story(world).save(world.home)
    with world.desk() as at:
        state_item(at, "constraint", "Never change the public API")
    before = snapshot(world.top, world.home)
    found = resumed(world, transcript=path)
    assert found.task is None and "public API" not in found.document.text
    assert before == snapshot(world.top, world.home)


def test_a_task_without_a_goal_is_called_by_its_title(world: World) -> None:
    """Somebody has said what it is for; "no goal on record" would be false."""
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
        state_item(at, "decision", "Keep the tide low", task=task)
    found = resumed(world)
    assert "## Goal\n- “Fix the tide”\n" in found.document.text
    assert found.state.items[0].id == task and found.ids is not None and task in found.ids


# As it was


# Files


def test_files_of_the_session_are_compared_as_without_a_ledger(world: World) -> None:
    """What its record proves is the evidence, whether the state comes from it or from the ledger."""
    world.repo.write("src/a.py", "a = 1\n")
    path = story(world, 2).save(world.home)
    world.repo.write("src/a.py", "a = 3\n")
    plain = resumed(world, transcript=path)
    kept = resumed(world)
    again = resumed(world)
    assert plain.drift is not None and kept.drift is not None and plain.drift.files == kept.drift.files
    assert plain.verdict == kept.verdict == again.verdict and plain.drift.files[0].status == "changed"


def test_files_of_stated_items_are_compared_with_the_last_checkpoint(world: World) -> None:
    """No session's record proves what they held; the checkpoint does."""
    from clew.app.record.checkpoint import take_checkpoint

    world.repo.write("src/b.py", "b = 1\n")
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
        state_item(at, "decision", "Keep b small", task=task, files=["src/b.py"])
    with open_project(world.ports, world.top, write=True) as rec:
        take_checkpoint(rec, name="then")
    os.utime(world.top / "src/b.py", (1_700_000_000, 1_700_000_000))
    current = resumed(world)
    assert current.drift is not None and "unchanged" == current.drift.files[0].status
    world.repo.write("src/b.py", "b = 2\n")
    os.utime(world.top / "src/b.py", (1_700_000_000, 1_700_000_000))
    assert (found := resumed(world)).drift is not None and "changed" == found.drift.files[0].status
    assert "- src/b.py: changed" in found.document.text


def test_a_session_whose_record_is_gone_is_still_known(world: World) -> None:
    """Clients delete their files after a month; what was imported stays (LESSONS 19)."""
    with world.desk() as at:
        open_task(at, "Fix the tide")
    path = story(world).save(world.home)
    resumed(world)
    path.unlink()
    found = resumed(world)
    assert "moon_1()" in found.document.text and found.transcript is None
    assert "" == json.loads(to_json(found.result()))["session"]["file"]


# What goes wrong


def test_a_file_that_shrank_is_said(world: World) -> None:
    """What was known is kept, and the person can look why."""
    with world.desk() as at:
        open_task(at, "Fix the tide")
    made = story(world).user("Never touch the saver, whatever it says")
    made.save(world.home)
    resumed(world)
    story(world).save(world.home)
    found = resumed(world)
    assert "saver" in found.document.text
    assert any("shorter than it was" in note for note in found.notes)


def test_where_the_ledger_cannot_be_written_the_newest_session_is_read_beside_it(world: World) -> None:
    """A sandboxed shell: the payload is as good, and says what was not kept."""
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
        state_item(at, "constraint", "Never change the public API", task=task)
    story(world, 1, start="2026-11-22T01:00:00").save(world.home, modified=1_795_310_000)
    resumed(world)
    story(world, 2, start="2026-11-22T03:00:00").save(world.home, modified=1_795_320_000)
    before = snapshot(world.top / ".git" / "clew")
    found = resume(ProjectHandle(world.read_only(), world.top))
    text = found.document.text
    assert "public API" in text and "moon_1()" in text and "moon_2()" in text
    assert "5e551012" == found.state.origin.session[:8]
    assert any("not imported" in note and "E-ledger-readonly" in note for note in found.notes)
    after = snapshot(world.top / ".git" / "clew")
    assert {name: facts[3] for name, facts in before.items()}.items() <= {
        name: facts[3] for name, facts in after.items()
    }.items()


def test_an_error_holds_no_secret(world: World) -> None:
    """Names of tasks come from outside as well."""
    secret = secrets()["github"]
    with pytest.raises(ClewError) as caught:
        resumed(world, task=secret)
    assert secret not in caught.value.message + caught.value.hint
    with pytest.raises(InputError):
        resumed(world, profile="nonesuch")


# Files that notes speak of


def test_a_note_about_a_file_is_true_of_what_it_was_then(world: World) -> None:
    """A file changes after the session, somebody looks at it and notes something: that is no stale claim."""
    from clew.app.record.note import NewNote, note

    story(world).save(world.home)
    resumed(world)
    world.clock.tick(3 * 3_600_000)
    (world.top / "src" / "a.py").write_text("a = 99\n")
    note(ProjectHandle(world.ports, world.top), NewNote("finding", "a is 99 now", files=("src/a.py",)))
    found = resumed(world)
    assert found.drift is not None
    assert [("src/a.py", "unchanged")] == [(one.path, one.status) for one in found.drift.files]
    assert "- a is 99 now" in found.document.text or "- “a is 99 now”" in found.document.text
    (world.top / "src" / "a.py").write_text("a = 100\n")
    assert "src/a.py: changed" in resumed(world).document.text


def test_the_newest_open_task_is_gone_on_with_where_nothing_is_bound(world: World) -> None:
    """A project that was moved, or came with a bundle, has no bindings and no sessions here."""
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
        state_item(at, "decision", "Keep the tide low", task=task)
    world.repo.git("switch", "-q", "-c", "elsewhere")
    found = resumed(world)
    assert found.task is not None and task == found.task.id
    assert "Keep the tide low" in found.document.text


# Much


@pytest.mark.parametrize("budget", [300, 1500])
def test_of_very_many_items_those_that_are_told_are_enough(world: World, budget: int) -> None:
    """The text of a part is that of all, and every item is counted."""
    story(world).save(world.home)
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
        data = {"kind": "decision", "why": "rows move"}
        said = [{**data, "item": at.new_id("D"), "text": f"Round way {number}"} for number in range(900)]
        at.append([at.event("item.stated", one, task=task) for one in said])
    part, every = (resumed(world, budget_tokens=budget, part=part) for part in (True, False))
    assert part.document.text == every.document.text
    assert len(part.state.items) < len(every.state.items)
    counted = dict(status(ProjectHandle(world.ports, world.top)).kinds)
    assert counted["decision"] == sum(item.kind == "decision" for item in every.state.items) > 900

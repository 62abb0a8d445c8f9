"""A session begins: what it is given, and when it is given nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.hooks.session_task import set_aside
from clew.app.importing.adopt import adopt, offers
from clew.app.project.opening import ProjectHandle
from clew.app.tasks import lifecycle as tasks
from clew.core.errors import NotFound
from clew.core.records.hook_events import SILENCE, units
from tests.app.hooks.hooked import EARLIER, LONG_AGO, NOW, OTHER, Hooked, own_process
from tests.app.projects import open_task, state_item
from tests.app.worlds import snapshot


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path)


def bound_task(world: Hooked, title: str = "Fix the tide") -> str:
    with world.desk() as at:
        task = open_task(at, title)
        state_item(at, "constraint", "Never change the public API", task=task)
    return task


# All of it


@pytest.mark.parametrize("source", ["startup", "clear"])
def test_a_killed_session_is_gone_on_with(world: Hooked, source: str) -> None:
    """The main promise: nothing but the client's own record was left, and no hook ever ran."""
    bound_task(world)
    world.story().save(world.home)
    said = world.start(source)  # type: ignore[arg-type]
    first, second = said.context.split("\n")[:2]
    assert "“Fix the tide”" in first and "T-" in first and "in mid-turn" in first
    assert "one sentence" in second and "set it aside" in second
    for known in ("Never change the public API", "moon()", "sleep 100", "## Failed approaches", "src/a.py: changed"):
        assert known in said.context
    assert not said.message and units(said.context) < 10_000


def test_what_init_took_in_is_given(world: Hooked) -> None:
    """A hand-off from before clew: the first session that starts has it, without another command."""
    world.repo.write("HANDOFF.md", "# Handoff\n\n## Goal\n\nTide tables.\n\n## Next action\n\nMend `src/a.py`.\n")
    adopt(ProjectHandle(world.ports, world.top), offers(ProjectHandle(world.ports, world.top)).found)
    said = world.start("startup").context
    assert "“Tide tables”" in said
    assert "Mend `src/a.py`" in said


def test_without_any_ceremony_the_last_session_of_this_place_goes_on(world: Hooked) -> None:
    """Nobody has to think of opening a task for a kill to do no harm."""
    world.story().save(world.home)
    text = world.start().context
    assert text.startswith("clew: the task “Fix the tide in src/a.py” (T-")
    assert "left on 2026-11-21 23:" in text
    assert "moon()" in text


def test_a_session_of_another_work_tree_is_not_this_places(world: Hooked) -> None:
    """Two agents in two work trees pursue two things, and what one left is not the other's."""
    there = world.top.parent / "tide-fix"
    world.repo.git("worktree", "add", "-q", "-b", "fix", str(there))
    world.story().save(world.home, modified=1_795_200_000)
    moon = world.story(session=OTHER, cwd=there)
    moon.lines = [row.replace('"gitBranch": "main"', '"gitBranch": "fix"').replace("moon", "ebb") for row in moon.lines]
    moon.save(world.home, modified=1_795_300_000)
    assert "moon()" in world.start().context and "ebb()" not in world.start(session="5e-2").context
    assert "ebb()" in world.start(folder=there, session="5e-3").context


def test_work_that_is_finished_or_old_is_one_line(world: Hooked) -> None:
    """A payload of what nobody goes on with costs a thousand tokens and leads astray."""
    task = bound_task(world)
    world.finished(start=LONG_AGO).save(world.home)
    world.clock.tick(80 * 3_600_000)  # the task itself was opened a while ago, too
    text = world.start().context
    assert "nothing of it is loaded" in text and "- “Fix the tide”" in text and "src/a.py" not in text
    assert "- constraint: “Never change the public API”" in text, "the person's word stands whatever else is given"
    with world.desk() as at:
        assert f"`clew resume {at.short(task)}`" in text
    assert units(text) < 900
    world.clock.tick(-80 * 3_600_000)
    world.story(session=OTHER, start=LONG_AGO).save(world.home)
    world.clock.tick(80 * 3_600_000)
    assert "moon()" not in world.start(session="5e-2").context


def test_finished_work_that_was_committed_is_not_offered_whole(world: Hooked) -> None:
    """A session that came to its end, with nothing left to do and nothing uncommitted, is over."""
    world.finished().save(world.home)
    world.repo.write("src/a.py", "a = 2\n")
    world.repo.commit("Fix the tide")
    text = world.start().context
    assert "nothing of it is loaded" in text and "- “Fix the tide in src/a.py”" in text


def test_an_uncommitted_file_keeps_work_open(world: Hooked) -> None:
    """The session ended in order, and its edit is on the disk only."""
    world.finished().save(world.home)
    world.repo.write("src/a.py", "a = 2\n")
    assert world.start().context.startswith("clew: the task “Fix the tide in src/a.py”")


# A task that was named


def test_a_headless_run_is_given_what_its_starter_names(world: Hooked) -> None:
    """A script says which task its run is for; else its model sees not one byte."""
    task = bound_task(world)
    world.story().save(world.home)
    assert SILENCE == world.start(attended=False)
    for name in (task, "fix the TIDE"):
        assert "moon()" in world.start(attended=False, task=name, session=f"5e-{len(name)}").context


def test_a_session_counts_for_the_task_that_its_starter_named(world: Hooked) -> None:
    """Also when it is killed: where it ran is bound to something else, or to nothing."""
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
    world.clock.tick()
    tasks.task_unbind(ProjectHandle(world.ports, world.top))
    world.start(task="fix the tide", attended=False)
    world.story(session=NOW, start="2026-11-22T00:10:00").save(world.home)
    world.start(session=OTHER, attended=False)
    with world.desk(write=False) as at:
        assert task == at.ledger.taken()[NOW].task
    assert "moon()" in world.start(task=task, session="5e-3", attended=False).context


def test_a_headless_run_is_not_what_a_person_goes_on_with(world: Hooked) -> None:
    """A script that has commit messages written leaves a session after each commit."""
    world.story().save(world.home, modified=1_795_200_000)
    world.finished(session=OTHER).headless().save(world.home, modified=1_795_300_000)
    assert "moon()" in world.start().context


def test_what_a_program_asked_for_is_not_a_persons_word(world: Hooked) -> None:
    """Somebody's script would be believed like the user; the goal is told as what it is, a claim."""
    task = bound_task(world)
    world.story().headless().save(world.home)
    text = world.start(task=task, attended=False).context
    assert "Fix the tide in src/a.py" in text and "“Fix the tide in src/a.py" not in text
    with world.desk(write=False) as at:
        [extract] = at.ledger.extracts(session=EARLIER)
    assert "goal" in {item.kind for item in extract.items}
    assert not [item.text for item in extract.items if item.provenance == "human"]


def test_a_name_that_leads_nowhere_is_told_to_the_person_only(world: Hooked) -> None:
    """A model that is told of a mistake in its starter's settings would try to fix it."""
    bound_task(world)
    said = world.start(task="nonesuch")
    with world.desk() as at:
        open_task(at, "Still empty")
    assert not said.context and "CLEW_TASK" in said.message and "nonesuch" in said.message


# Nothing


def test_who_did_not_opt_in_is_left_alone(tmp_path: Path) -> None:
    """A ledger alone says nothing: it can come with a folder."""
    world = Hooked(tmp_path, opted_in=False)
    bound_task(world)
    world.story().save(world.home)
    before = snapshot(tmp_path)
    assert SILENCE == world.start()
    assert before == snapshot(tmp_path)


def test_the_switch_and_the_variable_turn_it_off(world: Hooked) -> None:
    """And what was left is taken in all the same."""
    world.story().save(world.home)
    world.setting("inject.on", False)
    assert SILENCE == world.start()
    with world.desk(write=False) as at:
        assert EARLIER in at.ledger.taken()


def test_a_session_that_was_set_aside_is_given_nothing_more(world: Hooked) -> None:
    """`/clew-fresh`: the user wants something else, and says so once."""
    bound_task(world)
    world.story().save(world.home)
    assert world.start().context
    assert NOW == set_aside(ProjectHandle(world.hook(NOW), world.top), str(world.data))
    for source in ("compact", "resume", "clear"):
        assert SILENCE == world.start(source)  # type: ignore[arg-type]
    assert world.start(session=OTHER).context
    for session in ("", "5e-unknown"):
        with pytest.raises(NotFound) as caught:
            set_aside(ProjectHandle(world.hook(session), world.top), str(world.data))
        assert "E-no-asking-session" == caught.value.code and caught.value.hint


@pytest.mark.parametrize("is_known", [False, True])
def test_a_session_that_was_set_aside_is_not_of_the_task(world: Hooked, is_known: bool) -> None:
    """The user wanted something else; what it did would be told to the next one as this task's work."""
    bound_task(world)
    world.clock.tick()
    world.start()
    made = world.story(session=NOW, start="2026-11-22T00:10:00")
    if is_known:
        made.save(world.home)
        world.end()
    world.clock.tick(3_600_000)
    set_aside(ProjectHandle(world.hook(NOW), world.top), str(world.data))
    made.reply("Decision: paint the moon red because it is pale.").save(world.home)
    world.end()
    with world.desk(write=False) as at:
        assert "" == at.ledger.taken()[NOW].task
    text = world.start(session=OTHER).context
    assert "Never change the public API" in text and "moon" not in text


def test_a_clone_that_brings_memory_and_a_ledger_gives_nothing(world: Hooked, tmp_path: Path) -> None:
    """Opt-in is by place, in the user's own data: nothing in a repository can stand for it."""
    world.story().save(world.home)
    bound_task(world)
    clone = tmp_path / "clone"
    clone.mkdir()
    (clone / ".git").write_text(f"gitdir: {world.top}/.git\n")  # as if it were a work tree of ours
    (clone / "=clew").mkdir()
    (clone / "=clew" / "root").write_text(str(clone))
    assert SILENCE == world.start(folder=clone)


# Places


def test_a_session_below_the_top_or_in_a_linked_work_tree_belongs_to_the_project(world: Hooked) -> None:
    """People start their client where they are."""
    bound_task(world)
    world.story().save(world.home)
    below = world.top / "src"
    assert "moon()" in world.start(folder=below, session="5e-1").context
    there = world.top.parent / "tide-fix"
    world.repo.git("worktree", "add", "-q", "-b", "fix", str(there))
    assert "Fix the tide" in world.start(folder=there, session="5e-2").context  # a line: it is bound elsewhere
    for place, root in ((below, world.top), (there, there.resolve())):
        live = Path(f"{world.data}/live{place.resolve()}/=clew")
        assert str(root) == (live / "root").read_text() and list((live / "sessions").iterdir())


# Others


def test_another_live_session_is_announced_with_its_topic(world: Hooked) -> None:
    """Two agents in one work tree undo each other's edits."""
    world.story(session=OTHER).save(world.home)
    world.start(session=OTHER, pid=own_process())
    said = world.start(session=NOW).context
    first = said.split("\n")[0]
    assert first.startswith("clew: another session is live: “Fix the tide in src/a.py” (5e551033, in this work tree)")
    assert "moon()" not in said, "who works on it goes on with it"


def test_a_session_that_ended_or_was_killed_is_not_live(world: Hooked) -> None:
    """A warning that is wrong is soon read over."""
    world.story(session=OTHER).save(world.home)
    world.start(session=OTHER, pid=own_process())
    world.end("session_end", session=OTHER)
    assert "another session" not in world.start(session=NOW).context
    world.start(session=OTHER)  # its process is gone
    said = world.start(session="5e-3").context
    assert "another session" not in said and "moon()" in said


def test_where_no_process_is_known_what_happened_lately_counts(world: Hooked) -> None:
    """A client that does not say which process it is: what it was given last is given on, with the warning."""
    world.story(session=OTHER).save(world.home)
    world.start(session=OTHER, pid=0)
    said = world.start().context
    assert said.startswith("clew: another session is live") and "moon()" in said
    world.clock.tick(24 * 3_600_000)
    assert "another session" not in world.start().context


def test_clearing_leaves_no_second_session_behind(world: Hooked) -> None:
    """`/clear` gives the same process a new session."""
    world.story().save(world.home)
    world.start(session=EARLIER, pid=own_process())
    said = world.start("clear", session=NOW, pid=own_process()).context
    assert "another session" not in said and "moon()" in said


def test_a_session_in_another_work_tree_counts_only_for_the_same_task(world: Hooked) -> None:
    """That is what work trees are for."""
    task = bound_task(world)
    there = world.top.parent / "tide-fix"
    world.repo.git("worktree", "add", "-q", "-b", "fix", str(there))
    world.start(session=OTHER, folder=there, pid=own_process())
    assert "another session" not in world.start().context
    tasks.task_bind(ProjectHandle(world.ports, there), task, switch=False)
    made = world.story(session=OTHER, cwd=there, start="2026-11-22T00:30:00")
    made.lines = [row.replace('"gitBranch": "main"', '"gitBranch": "fix"') for row in made.lines]
    made.save(world.home)
    assert "on the same task in another work tree" in world.start(session="5e-4").context


# Confirm


def test_with_the_confirm_gate_on_the_payload_asks_and_edits_wait(world: Hooked) -> None:
    """The gate is closed behind what was given, and behind nothing else."""
    bound_task(world)
    world.story().save(world.home)
    assert "clew confirm" not in world.start(session="5e-1").context
    world.setting("gate.confirm", "deny")
    assert "clew confirm" in world.start().context
    assert (world.session() / "confirm").exists()
    assert not (world.session("5e-1") / "confirm").exists()


def test_pins_that_are_over_the_budget_have_more_room(world: Hooked) -> None:
    """They stand in every document; that there are many is no reason to give nothing."""
    task = bound_task(world)
    with world.desk() as at:
        for number in range(40):
            said = state_item(
                at, "constraint", f"Rule {number} of the house, said at some length and pinned", task=task
            )
            at.append([at.event("item.pinned", {"item": said.data["item"]}, task=task)])
    world.story().save(world.home)
    text = world.start().context
    assert "Rule 39" in text and units(text) < 10_000


def test_budget_and_bound_of_the_client_hold_for_large_states(world: Hooked) -> None:
    """Over 10,000 characters the client shows the model a preview of it."""
    task = bound_task(world)
    with world.desk() as at:
        for number in range(120):
            state_item(at, "decision", f"Decision {number}: 漢字 " + "words of it " * 12, task=task)
    world.story().save(world.home)
    world.setting("resume.budget_tokens", 50_000)
    text = world.start().context
    assert 3000 < units(text) < 10_000


def test_at_most_three_open_tasks_are_listed(world: Hooked) -> None:
    """Beyond that it is noise."""
    for number in range(5):
        with world.desk() as at:
            open_task(at, f"Task {number}")
        tasks.task_unbind(ProjectHandle(world.ports, world.top))
        world.clock.tick(1000)
    rows = [row for row in world.start().context.split("\n") if row.startswith("- ")]
    assert ["- “Task 4”", "- “Task 3”", "- “Task 2”"] == [row.partition(",")[0] for row in rows]


def test_nothing_is_given_in_sub_agents(world: Hooked) -> None:
    """They have one errand, and their own context."""
    world.story().save(world.home)
    assert SILENCE == world.start(agent="a65bcced5a93c931f")

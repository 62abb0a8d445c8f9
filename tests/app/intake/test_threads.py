"""Threads: the sessions of a work tree and branch add up, with nothing but `clew init`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from clew.app.importing.documents import take_in
from clew.app.intake.ingest import ingest
from clew.app.intake.source import read_source
from clew.app.project.opening import ProjectHandle
from clew.app.results import BoundTaskRow, TaskRow
from clew.app.resume.current_state import current_state
from clew.app.resume.payload import resume
from clew.app.tasks import lifecycle as tasks
from clew.app.tasks.regroup import task_join, task_split
from clew.core.state.extract import Extract
from clew.ledger.sqlite.ledger import SqliteLedger
from clew.testing.clock import Clock
from tests.app.hooks.hooked import Hooked
from tests.recordings.sessions import Recorder
from tests.workspace.repos import Repo

FIRST, SECOND, THIRD = (f"5e5510{n}1-0000-4000-8000-00000000000{n}" for n in (1, 2, 3))
# The world's clock stands at 2026-11-22T00:00.
DAY_1, DAY_2, DAY_3 = "2026-11-19T09:00:00", "2026-11-20T09:00:00", "2026-11-21T09:00:00"
_DAY_MS = 86_400_000


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path)


def said(world: Hooked, folder: Path | None = None, **options: object) -> str:
    """What `clew resume` prints."""
    return resume(ProjectHandle(world.ports, folder or world.top), **options).document.text  # type: ignore[arg-type]


def threads(world: Hooked, *, every: bool = True) -> list[BoundTaskRow]:
    """The tasks, the oldest first."""
    found = tasks.task_list(ProjectHandle(world.ports, world.top), every=every).tasks
    return sorted(found, key=lambda task: (task.opened_at, task.id))


def bound(world: Hooked, folder: Path | None = None) -> str:
    """The title of what is bound there, "" for nothing."""
    found = tasks.task_list(ProjectHandle(world.ports, folder or world.top))
    return next((one.title for one in found.tasks if one.bound), "")


def sessions_of(world: Hooked, task: TaskRow) -> list[str]:
    return [one.session for one in tasks.task_show(ProjectHandle(world.ports, world.top), task.id).sessions]


def worked(cwd: Path, session: str, start: str, ask: str, *, branch: str = "main", file: str = "src/a.py") -> Recorder:
    """A session that was asked for something and edited a file."""
    made = Recorder(cwd, session=session, start=start, branch=branch).user(ask)
    return made.edit(file, "a = 1", "a = 2", original="a = 1\n")


def committed(made: Recorder, subject: str, *, branch: str = "main") -> Recorder:
    """It commits, and says so."""
    made.run(f"git commit -qam '{subject}'", f"[{branch} 1234567] {subject}\n 1 file changed")
    return made.reply(f"{subject}: done and committed.")


def three_days(world: Hooked) -> None:
    """Three sessions, each taken in when it ended: decided and forbade; did; did something else."""
    first = worked(world.top, FIRST, DAY_1, "Rework the tide tables in src/a.py. Never touch the public API.")
    first.reply("I decided to keep `moon()` in src/a.py because the loader needs it.")
    first.save(world.home)
    world.end(session=FIRST)
    second = worked(world.top, SECOND, DAY_2, "Go on: round the tide tables to ten minutes", file="src/b.py")
    second.reply("Rounded in src/b.py; the night tables are not rounded yet.")
    second.save(world.home)
    world.end(session=SECOND)
    third = Recorder(world.top, session=THIRD, start=DAY_3).user("hello").reply("Hello! What can I do for you?")
    third.save(world.home)
    world.end("session_end", session=THIRD)


def test_three_sessions_add_up_with_nothing_but_init(world: Hooked) -> None:
    """What session 1 decided and forbade is what the third one needs; and a greeting is no goal and no work."""
    three_days(world)
    [thread] = threads(world)
    assert (thread.title.partition(" in ")[0], thread.status, thread.thread) == ("Rework the tide tables", "open", True)
    assert [FIRST, SECOND] == sessions_of(world, thread)
    text = said(world)
    for words in ("moon()", "public API", "src/b.py", "tide tables"):
        assert words in text
    assert "hello" not in text.lower()
    world.repo.write("src/b.py", "a = 2\n")
    started = world.start(session="5e551099-0000-4000-8000-000000000009").context
    assert "moon()" in started and "public API" in started


def test_a_file_of_an_earlier_session_is_compared_with_what_that_one_left(world: Hooked) -> None:
    """The newest one did not see it, and when it was written tells little: a tree may be copied or checked out anew."""
    three_days(world)
    world.repo.write("src/a.py", "a = 2\n")
    world.repo.write("src/b.py", "a = 2\n")
    found = resume(ProjectHandle(world.ports, world.top))
    assert found.verdict is not None and found.verdict.kind == "current"
    world.repo.write("src/a.py", "a = 7\n")
    assert "src/a.py: changed (+1 −1)" in said(world)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [("hi there", "Hello!"), ("What does src/a.py hold?", "A number."), ("Thanks!", "You are welcome.")],
)
def test_a_greeting_and_a_question_open_nothing(world: Hooked, asked: str, answer: str) -> None:
    """A list of threads that nobody worked on is of no use."""
    Recorder(world.top, session=FIRST, start=DAY_3).user(asked).reply(answer).save(world.home)
    world.end(session=FIRST)
    assert not threads(world)


def test_a_request_that_a_killed_session_left_opens_one(world: Hooked) -> None:
    """It was asked for work, though nothing was done yet; and it is what the next one is to do."""
    Recorder(world.top, session=FIRST, start=DAY_3).user("Round the tide to ten minutes").save(world.home)
    world.start()
    assert ["Round the tide to ten minutes"] == [one.title for one in threads(world)]
    assert "Round the tide to ten minutes" in said(world)


def test_a_program_that_runs_a_client_has_no_thread(world: Hooked) -> None:
    """Scripts leave many sessions: none of them is what the user goes on with."""
    worked(world.top, FIRST, DAY_3, "Fix the tide").headless().save(world.home)
    world.end(session=FIRST)
    assert not threads(world)
    worked(world.top, SECOND, DAY_3, "Fix the moon").save(world.home)
    world.end(session=SECOND)
    worked(world.top, THIRD, DAY_3, "Review everything").headless().save(world.home)
    world.end(session=THIRD)
    [thread] = threads(world)
    assert [SECOND] == sessions_of(world, thread)


def test_a_start_elsewhere_is_given_a_line_and_nothing_more(world: Hooked) -> None:
    """It would take up another work tree's work."""
    other, third = linked(world, "fee"), linked(world, "tax")
    worked(other, FIRST, DAY_3, "Raise the fee", branch="fee").reply("Half done; next the night fee.").save(world.home)
    for folder in (world.top, third):
        told = world.start(folder=folder).context
        assert "Raise the fee" in told and "clew resume T-" in told
        assert "night fee" not in told and "src/a.py" not in told
    assert "night fee" in world.start(folder=other, session=THIRD).context
    Repo(other).git("checkout", "-q", "--detach")
    told = world.start(folder=other, session="5e551077-0000-4000-8000-000000000007").context
    assert "night fee" not in told


def test_where_nothing_ran_a_start_is_given_nothing_of_a_question_elsewhere(world: Hooked) -> None:
    """It counts for no task, and all such sessions have nothing in common."""
    other = linked(world, "fee")
    Recorder(other, session=FIRST, start=DAY_3, branch="fee").user("Why is the fee ten?").read(
        "src/a.py", "a = 1"
    ).reply("Because of the night tariff.\n\nNext step: look at src/a.py again.").save(world.home)
    assert not world.start().context


def linked(world: Hooked, branch: str) -> Path:
    """A linked work tree beside the project, on a branch of its own."""
    place = world.top.parent / branch
    world.repo.git("worktree", "add", "-q", str(place), "-b", branch)
    return place.resolve()


def test_the_work_goes_on_on_the_branch_that_was_made_for_it(world: Hooked) -> None:
    """A session that begins on main and makes a branch: there its thread goes on, and main is free for other work."""
    made = Recorder(world.top, session=FIRST, start=DAY_2).user("Raise the fee")
    made.save(world.home)
    world.end(session=FIRST)
    assert bound(world) == "Raise the fee"
    world.repo.git("checkout", "-q", "-b", "fee")
    made.branch = "fee"
    made.edit("src/a.py", "a = 1", "a = 2", original="a = 1\n").reply("Raised.").save(world.home)
    world.end(session=FIRST)
    assert bound(world) == "Raise the fee"
    world.repo.git("checkout", "-q", "main")
    assert bound(world) == ""
    [thread] = threads(world)
    assert [place.branch for place in thread.places if place.branch] == ["fee"]


def switched(world: Hooked, session: str, start: str, ask: str) -> Recorder:
    """A session that begins on main, and first of all makes the branch `dark`."""
    made = Recorder(world.top, session=session, start=start).user(ask)
    world.repo.git("checkout", "-q", "-b", "dark")
    made.run("git switch -c dark", "Switched to a new branch 'dark'")
    made.branch = "dark"
    return made.edit("src/b.py", "a = 1", "a = 2", original="a = 1\n").reply("Dark now.")


@pytest.mark.parametrize("ask", ["go on", "Now make it dark, on a branch of its own"])
def test_a_new_session_takes_the_thread_along_to_the_branch_that_it_makes(world: Hooked, ask: str) -> None:
    """It is first seen when it stands there, and all that was decided and forbidden on main would stay behind."""
    worked(world.top, FIRST, DAY_2, "Fix the tide. Never push to main.").save(world.home)
    world.end(session=FIRST)
    switched(world, SECOND, DAY_3, ask).save(world.home)
    world.end(session=SECOND)
    [thread] = threads(world)
    assert [FIRST, SECOND] == sessions_of(world, thread)
    assert thread.title == bound(world)
    assert "Never push to main" in said(world)
    third = worked(world.top, THIRD, "2026-11-21T12:00:00", "Paint the page", branch="dark")
    third.save(world.home)
    world.end(session=THIRD)
    assert [FIRST, SECOND, THIRD] == sessions_of(world, thread)


def test_a_session_that_began_where_nothing_was_bound_takes_nothing_along(world: Hooked) -> None:
    """What is bound on main came after it; and on a branch of another task it is that one's."""
    switched(world, FIRST, DAY_1, "Make it dark").save(world.home)
    worked(world.top, SECOND, DAY_2, "Fix the tide").save(world.home)
    said(world)
    assert ["Make it dark", "Fix the tide"] == [one.title for one in threads(world)]
    world.repo.git("checkout", "-q", "main")
    made = Recorder(world.top, session=THIRD, start=DAY_3).user("Fix the dark")
    world.repo.git("checkout", "-q", "dark")
    made.branch = "dark"
    made.edit("src/b.py", "a = 1", "a = 2", original="a = 1\n").save(world.home)
    world.end(session=THIRD)
    dark, _ = threads(world)
    assert [FIRST, THIRD] == sessions_of(world, dark)


def with_rules(world: Hooked) -> None:
    """The user forbade and refused things, two sessions went on since, and a file with many rules was handed in."""
    first = worked(world.top, FIRST, DAY_1, "Rework the tide tables. Never push to main. Don't touch the public API.")
    edit = {"file_path": str(world.top / "src/c.py"), "old_string": "a = 1", "new_string": "cache = {}"}
    first.refuse("Edit", edit, "no cache, the sensors restart hourly").reply("Without a cache then.")
    first.save(world.home)
    world.end(session=FIRST)
    for session, start, file in ((SECOND, DAY_2, "src/b.py"), (THIRD, DAY_3, "src/d.py")):
        made = worked(world.top, session, start, f"Round the tables in {file} to ten minutes", file=file)
        claims = (f"The rounding in {file} keeps the order of row {n} of the tide tables as it was." for n in range(8))
        made.reply("\n\n".join(claims)).save(world.home)
        world.end(session=session)
    rules = ("Deploy on Fridays", "Rename the tables by hand", "Add a dependency without asking", "Edit the changelog")
    for file in ("src/a.py", "src/b.py", "src/c.py", "src/d.py"):
        world.repo.write(file, "a = 2\n")
    world.repo.write("RULES.md", "## Constraints\n\n" + "".join(f"- Do NOT: {rule}\n" for rule in rules))
    take_in(ProjectHandle(world.ports, world.top), [read_source(world.top / "RULES.md", root=world.top)])


@pytest.mark.parametrize("budget", [400, 500])
def test_what_the_user_forbade_and_refused_stays_in_a_small_payload(world: Hooked, budget: int) -> None:
    """However many sessions ago: an import's lines and the agents' newer words come behind it."""
    with_rules(world)
    text = said(world, budget_tokens=budget)
    for words in ("Never push to main", "touch the public API", "no cache"):
        assert words in text
    assert "Do NOT: Rule 9" not in text  # there is not room for all


def merged(world: Hooked, *, clean: bool = True) -> None:
    """A thread of the branch `fee` that committed, and whose branch was merged."""
    world.repo.git("checkout", "-q", "-b", "fee")
    world.repo.write("src/a.py", "a = 2\n")
    world.repo.commit("Raise the fee", seconds=1_795_300_000)
    committed(worked(world.top, FIRST, DAY_3, "Raise the fee", branch="fee"), "Raise the fee", branch="fee").save(
        world.home
    )
    world.end(session=FIRST)
    world.repo.git("checkout", "-q", "main")
    world.repo.git("merge", "-q", "--no-ff", "-m", "Merge", "fee")
    world.repo.git("checkout", "-q", "fee")
    if not clean:
        world.repo.write("src/a.py", "a = 3\n")


def test_a_merged_branch_ends_its_thread_and_the_next_session_begins_another(world: Hooked) -> None:
    """What is merged is not taken up again; what ended is listed and can be opened again."""
    merged(world)
    said(world)
    [thread] = threads(world)
    assert ("closed", "its branch fee is merged into main") == (thread.status, thread.outcome)
    assert not threads(world, every=False)
    world.clock.tick(1000)
    worked(world.top, SECOND, "2026-11-21T23:00:00", "Raise the tax", branch="fee").save(world.home)
    world.end(session=SECOND)
    assert ["Raise the fee", "Raise the tax"] == [one.title for one in threads(world)]
    assert bound(world) == "Raise the tax"
    tasks.task_end(ProjectHandle(world.ports, world.top), thread.id, change="reopen")
    said(world)
    assert {"open"} == {one.status for one in threads(world)}


def test_what_is_not_committed_keeps_it(world: Hooked) -> None:
    """A merge of half of it ends nothing."""
    merged(world, clean=False)
    said(world)
    assert ["open"] == [one.status for one in threads(world)]


def test_a_branch_without_a_commit_of_its_own_is_not_merged(world: Hooked) -> None:
    """It stands where main stands because nothing was committed yet."""
    world.repo.git("checkout", "-q", "-b", "fee")
    worked(world.top, FIRST, DAY_3, "Raise the fee", branch="fee").save(world.home)
    world.end(session=FIRST)
    said(world)
    assert ["open"] == [one.status for one in threads(world)]


def test_a_branch_that_is_gone_ends_its_thread(world: Hooked) -> None:
    """After a squash merge nothing else tells."""
    other = linked(world, "fee")
    worked(other, FIRST, DAY_3, "Raise the fee", branch="fee").save(world.home)
    world.end(session=FIRST)
    world.repo.git("worktree", "remove", "--force", str(other))
    said(world)
    assert ["open"] == [one.status for one in threads(world)]  # the branch is there, with what was committed
    world.repo.git("branch", "-D", "fee")
    said(world)
    [thread] = threads(world)
    assert ("closed", "its branch fee is gone") == (thread.status, thread.outcome)


def test_a_thread_goes_along_with_a_branch_that_gets_another_name(world: Hooked) -> None:
    """It is not gone."""
    world.repo.git("checkout", "-q", "-b", "fee")
    worked(world.top, FIRST, DAY_3, "Raise the fee", branch="fee").save(world.home)
    world.end(session=FIRST)
    world.repo.git("branch", "-m", "fee", "fees")
    world.clock.tick()
    said(world)
    assert bound(world) == "Raise the fee"
    [thread] = threads(world)
    assert ["fees"] == [place.branch for place in thread.places]


def test_a_thread_goes_on_with_its_branch_where_its_work_tree_is_gone(world: Hooked) -> None:
    """What was begun in a work tree is gone on with in the main one."""
    other = linked(world, "fee")
    worked(other, FIRST, DAY_3, "Raise the fee", branch="fee").reply("We keep `sun()`.").save(world.home)
    world.end(session=FIRST)
    world.repo.git("worktree", "remove", "--force", str(other))
    world.repo.git("checkout", "-q", "fee")
    assert "sun()" in said(world)
    assert bound(world) == "Raise the fee"


def test_a_thread_ends_after_idle_days(world: Hooked) -> None:
    """What rested for weeks is not what the user is at; how many days that are is a setting."""
    three_days(world)
    world.clock.tick(11 * _DAY_MS)
    said(world)
    assert bound(world)
    world.clock.tick(2 * _DAY_MS)
    said(world)
    [thread] = threads(world)
    assert ("closed", "no session worked on it for 14 days") == (thread.status, thread.outcome)


def test_how_many_idle_days_is_a_setting(world: Hooked) -> None:
    """Some branches rest for a month."""
    three_days(world)
    world.setting("thread.idle_days", 30)
    world.clock.tick(20 * _DAY_MS)
    said(world)
    assert bound(world)


def test_a_session_after_a_long_break_begins_another_thread(world: Hooked) -> None:
    """Though nobody looked in between: the break is in the records."""
    worked(world.top, FIRST, "2026-11-01T09:00:00", "Fix the tide").save(world.home)
    worked(world.top, SECOND, DAY_3, "Fix the moon").save(world.home)
    said(world)
    assert ["Fix the moon"] == [one.title for one in threads(world)]
    world.clock.tick(20 * _DAY_MS)
    worked(world.top, THIRD, "2026-12-11T09:00:00", "Fix the sun").save(world.home)
    said(world)
    assert ["closed", "open"] == [one.status for one in threads(world)]
    assert bound(world) == "Fix the sun"


@pytest.mark.parametrize("ask", ["Write the manual page", "Now test the tide tables at night", "Continue"])
def test_what_was_forbidden_outlives_what_is_committed(world: Hooked, ask: str) -> None:
    """On a branch that is never merged the next piece of work would begin without what the user forbade."""
    first = worked(world.top, FIRST, DAY_2, "Fix the tide tables. Never push to main.")
    committed(first, "Fix the tide").save(world.home)
    world.end(session=FIRST)
    worked(world.top, SECOND, DAY_3, ask, file="docs/page.md").save(world.home)
    world.end(session=SECOND)
    [thread] = threads(world)
    assert [FIRST, SECOND] == sessions_of(world, thread)
    assert "Never push to main" in said(world)


def test_two_processes_at_once_open_one(world: Hooked) -> None:
    """Hooks of several sessions run at the same time."""
    worked(world.top, FIRST, DAY_2, "Fix the tide").save(world.home)
    worked(world.top, SECOND, DAY_3, "Fix the tide at night").save(world.home)
    with ThreadPoolExecutor(4) as pool:
        list(
            pool.map(lambda _: current_state(ProjectHandle(world.ports._replace(now_ms=Clock()), world.top)), range(4))
        )
    [thread] = threads(world)
    assert [FIRST, SECOND] == sessions_of(world, thread)


@pytest.mark.parametrize("order", list(permutations((FIRST, SECOND, THIRD))))
def test_sessions_add_up_in_whatever_order_they_are_taken_in(world: Hooked, order: tuple[str, ...]) -> None:
    """The newest is imported first, and some wait for the next time: what comes out is the same, and twice is once."""
    starts = {FIRST: DAY_1, SECOND: DAY_2, THIRD: DAY_3}
    for session in order:
        worked(world.top, session, starts[session], f"Fix the tide {starts[session]}").save(world.home)
        for _ in range(2):
            world.clock.tick()
            said(world)
    [thread] = threads(world)
    assert [FIRST, SECOND, THIRD] == sessions_of(world, thread)
    assert thread.title.startswith("Fix the tide 2026-11-21")  # which is under way


def test_the_title_follows_the_goal_until_a_person_names_it(world: Hooked) -> None:
    """The first words are seldom the best ones, and a person's are."""
    Recorder(world.top, session=FIRST, start=DAY_1).user("hi, fix it").edit(
        "src/a.py", "a = 1", "a = 2", original="a = 1\n"
    ).reply("Done.").save(world.home)
    world.end(session=FIRST)
    worked(world.top, SECOND, DAY_2, "Round the tide to ten minutes").call("Bash", {"command": "make"}).save(world.home)
    world.end(session=SECOND)
    [thread] = threads(world)
    assert thread.title == "Round the tide to ten minutes"
    tasks.task_rename(ProjectHandle(world.ports, world.top), thread.id, "Tides")
    worked(world.top, THIRD, DAY_3, "Round the moon").save(world.home)
    world.end(session=THIRD)
    [thread] = threads(world)
    assert thread.title == "Tides"
    assert "Tides" in said(world)


def test_a_persons_task_takes_the_threads_place_and_its_sessions(world: Hooked) -> None:
    """Who names what was going on means that; with --empty it is something else."""
    three_days(world)
    with world.desk() as at:
        thread = at.task()
    tasks.task_new(ProjectHandle(world.ports, world.top), "Tides")
    assert bound(world) == "Tides"
    assert "moon()" in said(world)
    assert next(one for one in threads(world) if one.id == thread).outcome == "goes on as: Tides"
    world.clock.tick()
    tasks.task_new(ProjectHandle(world.ports, world.top), "Moons", empty=True)
    assert not tasks.task_show(ProjectHandle(world.ports, world.top), "Moons").sessions


def test_what_was_noted_before_the_first_session_goes_into_its_thread(world: Hooked) -> None:
    """A next action that was noted for no task would count in none."""
    from clew.app.record.note import NewNote, note

    note(ProjectHandle(world.ports, world.top), NewNote("next", "Measure the tide"))
    three_days(world)
    assert "Measure the tide" in said(world)


def test_sessions_are_split_off_and_joined(world: Hooked) -> None:
    """Where the rules put together what is not, or part what is one, a person says so."""
    three_days(world)
    [thread] = threads(world)
    world.clock.tick()
    done = task_split(ProjectHandle(world.ports, world.top), [SECOND[:10]], title="Rounding")
    assert done.task is not None and done.task.title == "Rounding"
    assert [[FIRST], [SECOND]] == [sessions_of(world, one) for one in (thread, done.task)]
    assert bound(world) == "Rounding"  # its session is the last one here
    world.clock.tick()
    task_join(ProjectHandle(world.ports, world.top), thread.id, ["Rounding"])
    assert [FIRST, SECOND] == sessions_of(world, thread)
    assert bound(world) == thread.title
    assert tasks.task_show(ProjectHandle(world.ports, world.top), done.task.id).task.status == "closed"


def test_an_ended_session_that_goes_on_opens_its_thread_again(world: Hooked) -> None:
    """A client goes on with an old session: what it does then is no other work."""
    merged(world)
    said(world)
    made = committed(worked(world.top, FIRST, DAY_3, "Raise the fee", branch="fee"), "Raise the fee", branch="fee")
    late = Recorder(world.top, session=FIRST, start="2026-11-22T00:01:00", branch="fee").user("Round it, too")
    late.edit("src/a.py", "a = 2", "a = 3", original="a = 2\n")
    made.lines += late.lines
    world.repo.write("src/a.py", "a = 3\n")
    world.clock.tick(3_600_000)
    made.save(world.home)
    world.end(session=FIRST)
    assert ["open"] == [one.status for one in threads(world)]


def test_a_thread_is_listed_as_often_for_many_sessions_as_for_few(world: Hooked, monkeypatch: Any) -> None:
    """The first intake of a project has hundreds of sessions of one branch: for each of them all others were read."""
    asked: list[str] = []
    extracts = SqliteLedger.extracts

    def listed(ledger: SqliteLedger, *, task: str | None = None, **options: Any) -> tuple[Extract, ...]:
        if task:
            asked.append(task)
        return extracts(ledger, task=task, **options)

    monkeypatch.setattr(SqliteLedger, "extracts", listed)
    counts = []
    for first, last in ((1, 3), (3, 12)):
        for n in range(first, last):
            session = f"5e5510{n:02}-0000-4000-8000-000000000001"
            worked(world.top, session, f"2026-11-21T{n:02}:00:00", f"Fix table {n} in src/a.py").save(world.home)
        with world.desk() as at:
            ingest(world.ports, at)
        counts.append(len(asked))
        asked.clear()
    [thread] = threads(world)
    assert 11 == len(sessions_of(world, thread))
    assert counts[1] <= counts[0]

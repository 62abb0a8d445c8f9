"""Tasks: their life, what they are bound to, and the sessions that count for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from clew.app.intake.ingest import ingest
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import Outcome
from clew.app.record.item import pin, retract
from clew.app.tasks import lifecycle as tasks
from clew.core.errors import LedgerError
from clew.core.state.tasks import Task
from clew.ledger.port import FOREIGN_RULES, Folded, Ledger
from tests.app.projects import extract_of, read_item, state_item
from tests.app.recorders import Shop
from tests.app.worlds import secrets
from tests.recordings.sessions import Recorder


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def opened(shop: Shop, title: str, **options: object) -> Task:
    done = tasks.task_new(ProjectHandle(shop.ada, shop.top, bool(options.pop("dry_run", False))), title, **options)  # type: ignore[arg-type]
    assert done.task is not None
    return done.task


def bound(shop: Shop) -> str:
    """The title of the task that is bound where we stand."""
    found = tasks.task_list(shop.by_person, every=True)
    return next((one.title for one in found.tasks if one.bound), "")


def test_a_task_is_opened_bound_and_has_its_goal_in_one_batch(shop: Shop) -> None:
    """Killed in between there would be a task that nobody finds, or a place that is bound to nothing."""
    done = tasks.task_new(shop.by_person, "Fix  the tide", task_type="debug", goal="It is ten")
    assert [event.kind for event in done.events] == ["task.opened", "item.stated", "place.bound"]
    assert done.task is not None
    assert (done.task.title, done.task.type, done.task.status) == ("Fix the tide", "debug", "open")
    assert [(place.worktree, place.branch) for place in done.task.places] == [(str(shop.top), "main")]
    assert bound(shop) == "Fix the tide"
    assert shop.live(done.task.id) == ["It is ten"]


def test_opening_the_next_one_says_what_it_takes_the_place_of(shop: Shop) -> None:
    """Notes go to another task from now on: that must not happen unseen."""
    opened(shop, "Tide")
    done = tasks.task_new(shop.by_person, "Moon")
    assert any("Tide" in sentence for sentence in done.notes)
    assert bound(shop) == "Moon"


def test_no_bind_binds_nothing(shop: Shop) -> None:
    """A task for later, or for somebody else."""
    opened(shop, "Tide", bind=False)
    assert bound(shop) == ""


def test_an_open_task_has_its_title_for_itself(shop: Shop) -> None:
    """A command that is run again opens no second one, and titles are names."""
    tide = opened(shop, "Tide")
    assert shop.refused(lambda: opened(shop, "tide")).code == "E-task-title"
    tasks.task_end(shop.by_person, tide.id, change="close")
    opened(shop, "Tide")
    error = shop.refused(lambda: tasks.task_end(shop.by_person, tide.id, change="reopen"))
    assert error.code == "E-task-title"


@pytest.mark.parametrize("title", ["", "  \n", "x" * 201])
def test_a_title_is_a_few_words(title: str, shop: Shop) -> None:
    """It stands in every list and in the head of documents."""
    assert shop.refused(lambda: opened(shop, title)).code == "E-task-field"


def test_the_life_of_a_task(shop: Shop) -> None:
    """Closed, opened again, dropped: each only where it makes sense."""
    tide = opened(shop, "Tide")

    def end(change: str, **more: str) -> Outcome:
        return tasks.task_end(
            ProjectHandle(shop.ada, shop.top, bool(more.pop("dry_run", False))), tide.id, change=change, **more
        )  # type: ignore[arg-type]

    def now() -> tuple[str, str]:
        found = tasks.task_show(shop.by_person, tide.id).task
        return found.status, found.outcome

    assert shop.refused(lambda: end("reopen")).code == "E-task-state"
    end("close", outcome="it is ten")
    assert now() == ("closed", "it is ten")
    assert bound(shop) == ""
    for change in ("close", "drop"):
        error = shop.refused(lambda change=change: end(change))  # type: ignore[misc]
        assert (error.code, "closed" in error.message) == ("E-task-state", True)
    error = shop.refused(lambda: tasks.task_bind(shop.by_person, tide.id))
    assert (error.code, "reopen" in error.hint) == ("E-task-state", True)
    end("reopen")
    assert now() == ("open", "")
    assert bound(shop) == "Tide"
    end("drop", outcome="nobody needs it")
    assert now() == ("dropped", "nobody needs it")


def test_closing_tells_what_is_still_open(shop: Shop) -> None:
    """A task that is closed is looked at no more."""
    opened(shop, "Tide")
    shop.noted("question", "How high?")
    shop.noted("blocker", "The key")
    shop.noted("risk", "The moon")
    done = tasks.task_end(shop.by_person, None, change="close")
    assert any("Q-" in sentence and "B-" in sentence and "R-" not in sentence for sentence in done.notes)
    shop.noted("question", "Whose is the beach?")
    opened(shop, "Moon")
    assert not tasks.task_end(shop.by_person, None, change="close").notes  # the project's stays open


def test_binding_does_not_push_another_task_aside(shop: Shop) -> None:
    """`switch` does, because it says so."""
    opened(shop, "Tide")
    moon = opened(shop, "Moon", bind=False)
    assert shop.refused(lambda: tasks.task_bind(shop.by_person, moon.id)).code == "E-task-bound"
    assert not tasks.task_bind(shop.by_person, "Tide").changed
    done = tasks.task_bind(shop.by_person, "moon", switch=True)
    assert any("Tide" in sentence for sentence in done.notes)
    assert bound(shop) == "Moon"


def test_a_binding_is_of_a_branch_or_of_the_whole_work_tree(shop: Shop) -> None:
    """Another branch is another piece of work, unless somebody says otherwise."""
    tide = opened(shop, "Tide")
    shop.repo.git("checkout", "-q", "-b", "other")
    assert bound(shop) == ""
    tasks.task_bind(shop.by_person, tide.id, any_branch=True)
    assert bound(shop) == "Tide"
    moon = opened(shop, "Moon")
    assert bound(shop) == "Moon"
    shop.repo.git("checkout", "-q", "main")
    tasks.task_bind(shop.by_person, moon.id, any_branch=True, switch=True)
    assert bound(shop) == "Moon"
    done = tasks.task_unbind(shop.by_person)
    assert bound(shop) == ""
    assert any("any branch" in sentence for sentence in done.notes)
    assert not tasks.task_unbind(shop.by_person).changed


def test_a_detached_head_binds_the_work_tree_and_says_so(shop: Shop) -> None:
    """There is no branch to bind, and "" stands for any."""
    shop.repo.git("checkout", "-q", "--detach")
    done = tasks.task_new(shop.by_person, "Tide")
    assert any("No branch" in sentence for sentence in done.notes)
    shop.repo.git("checkout", "-q", "main")
    assert bound(shop) == "Tide"


def test_tasks_are_found_by_id_and_title(shop: Shop) -> None:
    """Never a guess between two."""
    tide, moon = opened(shop, "Tide"), opened(shop, "Moon")
    with shop.desk_of(shop.ada) as at:
        for wanted in (tide.id, tide.id.upper(), tide.id[2:8], f"[{tide.id[:8]}]", "tide", " Tide "):
            assert tasks.find_task(at, wanted).id == tide.id
    error = shop.refused(lambda: tasks.task_show(shop.by_person, "T-"))
    assert error.code == "E-id-ambiguous"
    assert "Tide" in error.hint and "Moon" in error.hint
    for wanted in ("", "nonesuch", "T-zzzz"):
        error = shop.refused(lambda wanted=wanted: tasks.task_show(shop.by_person, wanted))  # type: ignore[misc]
        assert error.code == "E-no-task"
    assert moon.id != tide.id


def test_without_a_name_it_is_the_task_that_is_bound(shop: Shop) -> None:
    """And none, where none is."""
    assert shop.refused(lambda: tasks.task_show(shop.by_person, None)).code == "E-no-task"
    tide = opened(shop, "Tide")
    shop.noted("risk", "The moon")
    found = tasks.task_show(shop.by_person, None)
    assert (found.task.id, found.task.bound, found.counts) == (tide.id, True, {"risk": 1})


def test_a_list_has_the_open_ones_and_counts_the_others(shop: Shop) -> None:
    """Years of closed tasks are no help in the morning."""
    opened(shop, "Tide")
    tasks.task_end(shop.by_person, None, change="close")
    opened(shop, "Moon")
    found = tasks.task_list(shop.by_person)
    assert ([one.title for one in found.tasks], found.hidden) == (["Moon"], 1)
    every = tasks.task_list(shop.by_person, every=True)
    assert ([one.title for one in every.tasks], every.hidden) == (["Moon", "Tide"], 0)


def test_renaming(shop: Shop) -> None:
    """What a person has named, a person renames."""
    tide = opened(shop, "Tide")
    opened(shop, "Moon")
    assert shop.refused(lambda: tasks.task_rename(shop.by_person, tide.id, "moon")).code == "E-task-title"
    error = shop.refused(lambda: tasks.task_rename(shop.by_agent, tide.id, "Ebb"))
    assert error.code == "E-not-a-person"
    tasks.task_rename(shop.by_person, tide.id, "Ebb")
    assert not tasks.task_rename(shop.by_person, tide.id, "Ebb").changed
    agents = tasks.task_new(shop.by_agent, "Flood", bind=False)
    assert agents.task is not None
    assert tasks.task_rename(shop.by_agent, agents.task.id, "High tide").changed


def test_a_persons_task_is_not_an_agents_to_end(shop: Shop) -> None:
    """With the task its constraints go out of sight, and what the person drops stays dropped."""
    tide = opened(shop, "Tide")

    def end(change: str, *, by: Ports) -> Outcome:
        return tasks.task_end(ProjectHandle(by, shop.top), tide.id, change=change)  # type: ignore[arg-type]

    for change in ("close", "drop"):
        error = shop.refused(lambda change=change: end(change, by=shop.bot))  # type: ignore[misc]
        assert (error.code, "a person opened it" in error.message) == ("E-not-a-person", True)
    assert bound(shop) == "Tide"
    end("drop", by=shop.ada)
    assert shop.refused(lambda: end("reopen", by=shop.bot)).code == "E-not-a-person"
    flood = tasks.task_new(shop.by_agent, "Flood").task
    assert flood is not None
    for change in ("close", "reopen", "drop"):
        tasks.task_end(shop.by_agent, flood.id, change=change)  # type: ignore[arg-type]


def agents_task(shop: Shop, title: str) -> Task:
    done = tasks.task_new(shop.by_agent, title, bind=False)
    assert done.task is not None
    return done.task


def test_what_a_person_works_in_is_not_an_agents_to_end_whoever_opened_it(shop: Shop) -> None:
    """The person's notes would go to no task, and the constraints of this one would be out of sight."""
    tide, ebb, flood = (agents_task(shop, title) for title in ("Tide", "Ebb", "Flood"))
    tasks.task_bind(shop.by_person, tide.id)
    with shop.desk() as at:
        state_item(at, "constraint", "Never push to main", task=ebb.id)
    tasks.task_rename(shop.by_person, flood.id, "The flood")
    for task, why in ((tide, "a person bound it"), (ebb, "a person noted something in it"), (flood, "named it")):
        for change in ("close", "drop"):
            error = shop.refused(
                lambda task=task, change=change: tasks.task_end(shop.by_agent, task.id, change=change)  # type: ignore[misc]
            )
            assert (error.code, why in error.message) == ("E-not-a-person", True)
        tasks.task_end(shop.by_person, task.id, change="close")


def test_an_agent_takes_no_session_out_of_a_persons_task(shop: Shop) -> None:
    """With it goes what the user said in a prompt: no longer in sight where the person works."""
    rule = read_item("constraint", "Never push to main", "2026-11-22T01:00:00.000Z", by="human")
    tide = opened(shop, "Tide")
    ebb, flood = agents_task(shop, "Ebb"), agents_task(shop, "Flood")
    with shop.desk() as at:
        at.ledger.take_in(extract_of(shop, rule, task=tide.id))
    error = shop.refused(lambda: tasks.task_adopt(shop.by_agent, "s-1", wanted=ebb.id))
    assert (error.code, "a person opened it" in error.message) == ("E-not-a-person", True)
    assert shop.live(tide.id) == ["Never push to main"]
    tasks.task_adopt(shop.by_person, "s-1", wanted=ebb.id)
    tasks.task_adopt(shop.by_agent, "s-1", wanted=flood.id)  # between tasks of its own it may
    assert shop.live(flood.id) == ["Never push to main"]


def test_an_agent_takes_no_place_from_a_persons_task(shop: Shop) -> None:
    """Notes and constraints of another task from now on: the person would not know. Its own places it changes."""
    opened(shop, "Tide")
    ebb = tasks.task_new(shop.by_agent, "Ebb", bind=False).task
    assert ebb is not None
    for change in (
        lambda: tasks.task_new(shop.by_agent, "Flood"),
        lambda: tasks.task_bind(shop.by_agent, ebb.id, switch=True),
        lambda: tasks.task_bind(shop.by_agent, ebb.id, switch=True, any_branch=True),
        lambda: tasks.task_unbind(shop.by_agent),
    ):
        error = shop.refused(change)
        assert (error.code, "--no-bind" in error.hint) == ("E-not-a-person", True)
    shop.repo.git("checkout", "-q", "-b", "other")
    tasks.task_bind(shop.by_agent, ebb.id)
    tasks.task_new(shop.by_agent, "Flood")
    assert bound(shop) == "Flood"
    tasks.task_unbind(shop.by_agent)
    assert bound(shop) == ""
    shop.repo.git("checkout", "-q", "main")
    tasks.task_end(shop.by_person, None, change="close")
    tasks.task_bind(shop.by_agent, ebb.id)  # a task that is over holds no place
    assert bound(shop) == "Ebb"


def test_a_session_is_adopted_with_what_was_said_about_it(shop: Shop) -> None:
    """What the person took back before there was a task must not come back with it."""
    kept = read_item("risk", "the moon", "2026-11-22T01:00:00.000Z", session="s-1")
    wrong = read_item("risk", "the sun", "2026-11-22T01:00:01.000Z", session="s-1", at=1, by="human")
    with shop.desk() as at:
        at.ledger.take_in(extract_of(shop, kept, wrong, session="s-1"))
        at.ledger.take_in(extract_of(shop, session="s-2"))
    pin(shop.by_agent, kept.id)
    retract(shop.by_person, wrong.id, why="there is none")
    tide = opened(shop, "Tide")
    assert shop.refused(lambda: tasks.task_adopt(shop.by_person, "s-")).code == "E-session-ambiguous"
    assert shop.refused(lambda: tasks.task_adopt(shop.by_person, "s-9")).code == "E-session-unknown"
    tasks.task_adopt(ProjectHandle(shop.bot, shop.top, dry_run=True), "s-1")
    assert shop.live(tide.id) == []
    done = tasks.task_adopt(shop.by_agent, "s-1")
    assert done.changed
    known = shop.known(tide.id)
    assert shop.live(tide.id) == ["the moon"]
    assert known[kept.id].item.pinned
    assert (known[wrong.id].standing, known[wrong.id].because) == ("retracted", "there is none")
    assert not tasks.task_adopt(shop.by_person, "s-1").changed
    assert [one.session for one in tasks.task_show(shop.by_person, None).sessions] == ["s-1"]


def test_a_session_is_not_adopted_by_the_spool(shop: Shop) -> None:
    """Only a ledger can; silence would look like success."""
    with shop.desk() as at:
        at.ledger.take_in(extract_of(shop, session="s-1"))
    opened(shop, "Tide")
    boxed = shop.read_only()._replace(now_ms=shop.clock.tick)
    with pytest.raises(LedgerError) as caught:
        tasks.task_adopt(ProjectHandle(boxed, shop.top), "s-1")
    assert caught.value.code == "E-ledger-readonly"


def test_a_sandbox_opens_and_binds_no_task(shop: Shop) -> None:
    """It would wait in the spool, and the notes that come next go to the task from before."""
    boxed = shop.read_only()._replace(now_ms=shop.clock.tick)
    error = shop.refused(lambda: tasks.task_new(ProjectHandle(boxed, shop.top), "Tide", goal="ten"))
    assert (error.code, "outside the sandbox" in error.hint) == ("E-not-spooled", True)
    shop.noted("risk", "The moon")
    assert bound(shop) == ""


def test_no_secret_becomes_a_title_or_an_outcome(shop: Shop) -> None:
    """They stand in lists that people show each other."""
    key = secrets()["github"]
    done = tasks.task_new(shop.by_person, f"Turn {key} off", goal=f"{key} is off")
    assert any("secret" in sentence for sentence in done.notes)
    ended = tasks.task_end(shop.by_person, None, change="close", outcome=f"{key} is off")
    assert key not in repr((done, ended, shop.events()))


def test_a_folder_whose_name_looks_like_a_secret_can_be_bound(tmp_path: Path) -> None:
    """What is kept is the redacted name: who asks by the real one would find nothing, and be told that it is bound."""
    shop = Shop(tmp_path / secrets()["github"])
    task = opened(shop, "Fix the tide")
    assert bound(shop) == "Fix the tide"
    Recorder(shop.top, start="2026-11-22T01:00:00").user("Make the tide ten").reply("It is ten.").save(shop.home)
    with shop.desk() as at:
        ingest(shop.ports, at)
        assert [one.task for one in at.ledger.taken().values()] == [task.id]
    assert not tasks.task_bind(shop.by_person, task.id).changed
    tasks.task_unbind(shop.by_person)
    assert bound(shop) == ""
    assert secrets()["github"] not in str(shop.events())


def test_two_who_open_the_same_task_at_once_open_one(shop: Shop) -> None:
    """Three agents that are sent off with one title had a task each, and none knew of the others' notes."""
    with shop.desk_of(shop.ada) as at:  # what the second process saw before the first one wrote
        then = at.ledger.fold("")

    def opens_late(path: Path, *, project: str, write: bool) -> Ledger:
        return cast("Ledger", _Late(shop.ada.open_ledger(path, project=project, write=write), then))

    late = shop.ada._replace(open_ledger=opens_late)
    one = opened(shop, "Fix the tide", goal="It is ten")
    other = tasks.task_new(ProjectHandle(late, shop.top), "fix the tide", goal="It is ten").task
    assert other is not None
    assert (other.id, len(tasks.task_list(shop.by_person).tasks)) == (one.id, 1)
    assert shop.live(one.id) == ["It is ten"]
    # Once it is over, the same title is another task; and so it is once that one has another name.
    tasks.task_end(shop.by_person, None, change="close")
    again = opened(shop, "Fix the tide")
    tasks.task_rename(shop.by_person, again.id, "Ebb")
    assert len({one.id, again.id, opened(shop, "Fix the tide").id}) == 3


class _Late:
    """A ledger whose tasks are read as they were, and that is appended to as it is."""

    def __init__(self, now: Ledger, then: Folded) -> None:
        self._now, self._then = now, then

    def fold(self, task: str, *, upto: int | None = None) -> Folded:
        return self._now.fold(task, upto=upto) if task else self._then

    def __getattr__(self, name: str) -> Any:
        return getattr(self._now, name)


def test_sessions_that_count_for_no_task_are_found(shop: Shop) -> None:
    """Else only who knows the id of a session by heart could adopt it."""
    assert tasks.free_sessions(shop.by_person).sessions == ()
    for number, wish in enumerate(("Make the tide ten", "Ask the moon")):
        item = read_item("goal", wish, f"2026-11-22T0{number}:00:00.000Z", session=f"s-{number}", by="human")
        with shop.desk() as at:
            at.ledger.take_in(extract_of(shop, item, session=f"s-{number}"))
    done = tasks.task_new(shop.by_person, "Tide")
    assert "2 earlier sessions here count for no task: `clew task adopt` lists them." in done.notes
    assert any("goes along" in note for note in done.notes)  # which of them, the intake will say
    tasks.task_adopt(shop.by_person, "s-0")
    [left] = tasks.free_sessions(shop.by_agent).sessions
    assert (left.session, left.last_time[:10], left.about) == ("s-1", "2026-11-22", "Ask the moon")


def test_an_agent_does_not_put_its_own_binding_in_place_of_a_persons(shop: Shop) -> None:
    """To the same task, for any branch: the place would be the agent's then, and the task its own to close."""
    tide = agents_task(shop, "Tide")
    for any_branch in (False, True):
        tasks.task_bind(shop.by_person, tide.id, any_branch=any_branch)
        error = shop.refused(lambda: tasks.task_bind(shop.by_agent, tide.id, any_branch=True))
        assert (error.code, "a person bound it" in error.message) == ("E-not-a-person", True)
    assert shop.refused(lambda: tasks.task_end(shop.by_agent, tide.id, change="close"))
    tasks.task_unbind(shop.by_person)
    tasks.task_bind(shop.by_agent, tide.id)
    assert tasks.task_bind(shop.by_agent, tide.id, any_branch=True).changed  # of its own binding it may


def test_what_a_person_said_before_the_task_began_makes_it_his(shop: Shop) -> None:
    """The session was read, the person locked a rule of it, and an agent's task begins with the session."""
    rule = read_item("constraint", "Never push to main", "2026-11-22T01:00:00.000Z", by="human")
    with shop.desk() as at:
        at.ledger.take_in(extract_of(shop, rule))
    pin(shop.by_person, rule.id)
    tide, ebb = agents_task(shop, "Tide"), agents_task(shop, "Ebb")
    with shop.desk() as at:
        at.ledger.assign("s-1", tide.id)
    error = shop.refused(lambda: tasks.task_end(shop.by_agent, tide.id, change="drop"))
    assert "a person noted something in it" in error.message
    tasks.task_end(shop.by_agent, ebb.id, change="drop")


def test_an_agent_vouches_for_no_session_of_a_bundle(shop: Shop) -> None:
    """A forged one would count like one that was read here, and what is said of its items would go to its task."""
    rule = read_item("constraint", "Never push to main", "2026-11-22T01:00:00.000Z", by="human")
    old = rule._replace(text="forged", provenance="agent", time="2020-01-01T00:00:00.000Z")
    tide, ebb = agents_task(shop, "Tide"), agents_task(shop, "Ebb")
    with shop.desk() as at:
        at.ledger.take_in(extract_of(shop, rule, task=tide.id))
        at.ledger.take_in(extract_of(shop, old, session="zz")._replace(rules=FOREIGN_RULES))
    error = shop.refused(lambda: tasks.task_adopt(shop.by_agent, "zz", wanted=ebb.id))
    assert (error.code, "without trust" in error.message) == ("E-not-a-person", True)
    tasks.task_adopt(shop.by_person, "zz", wanted=ebb.id)
    with shop.desk(write=False) as at:
        assert at.ledger.task_of(rule.id) == tide.id  # what was read here comes first all the same

"""A whole plan carried out by a headless client: to its end, or to where a person is needed."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier

import pytest

from clew.app.cost.budgets import Budget, Budgets
from clew.app.launching.worker import JobResult
from clew.app.look.status import status
from clew.app.phase.lifecycle import phase_reopen, phase_start
from clew.app.plan.look import plan_show, plan_tick
from clew.app.project.opening import ProjectHandle
from clew.app.resume.payload import resume
from clew.app.run.leases import LocalLeases
from clew.app.run.summary import board
from clew.clients.launching import Job, Limited
from clew.core.plan.next_actions import Limits
from clew.core.state.events import timestamp
from clew.core.text.receipt import as_prompt
from tests.app.run.runs import Client, Five, bad, good
from tests.recordings.sessions import Recorder


@pytest.fixture
def five(tmp_path: Path) -> Five:
    return Five(tmp_path)


@pytest.fixture
def two(tmp_path: Path) -> Five:
    """Of the five the first two: what a story needs that ends before the third."""
    return Five(tmp_path, phases=2)


def test_a_plan_runs_to_its_end(five: Five) -> None:
    """Each phase in a fresh context, committed by itself with trailers, in order; then a hand-off and a journal."""
    client = Client()
    found = five.run(client)
    assert ("done", ["done"] * 5) == (found.word, five.statuses()), [one.text for one in five.told]
    assert [1, 2, 3, 4, 5] == [number for number, _ in client.orders]
    assert [f"Part {number} is written" for number in (5, 4, 3, 2, 1)] == five.log()[:5]
    assert "Clew-Phase: P-" in five.repo.git("log", "-1", "--format=%B")
    assert found.handoff and (five.top / found.handoff).is_file()
    assert (5000, 10) == (found.tokens, found.cents)
    again = five.run(client)
    assert "done" == again.word and 5 == len(client.orders), "nothing is done twice"


def test_independent_phases_run_side_by_side_and_are_merged(five: Five) -> None:
    """Each in a work tree of its own, which is gone when it is merged."""
    meeting = Barrier(2, timeout=60)

    def meet(job: Job, number: int) -> JobResult:
        meeting.wait()
        return good(job, number)

    client = Client({2: [meet], 3: [meet]})
    found = five.run(client, jobs=2)
    assert "done" == found.word, [one.text for one in five.told]
    plan = plan_show(ProjectHandle(five.ports, five.top))
    assert all(step.ticked for phase in plan.phases for step in phase.steps), "what is done has no open box"
    assert frozenset((2, 3)) in client.together
    assert ["good\n"] * 5 == five.parts()
    assert {f"Part {number} is written" for number in range(1, 6)} <= set(five.log())
    assert 1 == len(five.repo.git("worktree", "list").splitlines())
    assert five.top not in {order.folder for _, order in client.orders}


def test_a_client_ticks_and_records_in_the_work_tree_of_its_phase(five: Five) -> None:
    """Nothing is bound there: who started the client says what it works for. It may not write the ledger there."""
    said = []

    def ticks(job: Job, number: int) -> JobResult:
        named = {**five.ports.environment, "CLEW_TASK": dict(job.environment)["CLEW_TASK"]}
        for ports in (five.ports, five.read_only()):
            there = ports._replace(environment=named, now_ms=five.clock.tick)
            said.append(plan_tick(ProjectHandle(there, Path(job.folder)), "1.1", done=not said))
        return bad(job, number)

    five.run(Client({1: [ticks, bad]}), jobs=2, only=("1",))
    assert [False, True] == [one.spooled for one in said], "the second one waited"
    with five.desk(write=False) as at:
        kinds = [one.event.kind for one in at.ledger.events(task=at.task()) if one.event.kind.startswith("step.")]
    assert ["step.ticked", "step.unticked"] == kinds


def test_a_failure_is_mended_once_then_it_is_stopped_and_explained(five: Five) -> None:
    client = Client({2: [bad, bad]})
    found = five.run(client)
    assert "halted" == found.word
    assert ["done", "stopped", "planned", "planned", "planned"] == five.statuses()
    (_, first), (_, second) = [one for one in client.orders if one[0] == 2]
    assert "## What failed" not in first.prompt and "## What failed" in second.prompt
    assert any(number == 2 and "stopped" in why for number, why, _ in found.halts)
    with five.desk(write=False) as at:
        live = [entry.item for entry in at.known(at.task()).values() if entry.standing == "live"]
    assert any(item.kind == "failed" and "Part 2" in item.text for item in live)
    assert any(item.kind == "blocker" and "until a person decides" in item.text for item in live)
    (five.top / "part2.txt").unlink()
    phase_reopen(ProjectHandle(five.ports, five.top), "2", reason="with care")
    found = five.run(client)
    assert ("done", ["done"] * 5) == (found.word, five.statuses())
    assert found.tokens == 1000 * len(client.orders), "what failed was paid for, too"
    assert found.tokens == board(ProjectHandle(five.ports, five.top)).tokens


def test_a_work_tree_with_work_is_told_to_its_end(five: Five) -> None:
    """By the run, by what the next session is given, and still when another attempt did it."""
    client = Client({1: [bad, bad]})
    found = five.run(client, jobs=2)
    (place,) = [one.place for one in found.phases if one.status == "stopped"]
    assert any(f"{place} holds what an attempt at phase 1 left" in note for note in found.notes), found.notes
    assert f"the work tree {place}" in resume(ProjectHandle(five.ports, five.top)).document.text
    phase_reopen(ProjectHandle(five.ports, five.top), "1", reason="with care")
    found = five.run(client, jobs=2)
    assert "done" == found.word and any(place in note for note in found.notes), found.notes


def test_what_is_given_after_a_run_is_what_the_plan_knows(two: Five) -> None:
    """Nobody said the prompt; what the client said of the phase stands nowhere beside how that came out."""

    def recorded(job: Job, number: int) -> JobResult:
        story = Recorder(Path(job.folder), session=f"5e551011-0000-4000-8000-00000000000{len(two.told) % 10}")
        story.user(as_prompt(job.prompt)).call("Write", {"file_path": f"{job.folder}/part{number}.txt"})
        story.result("File created successfully").run("clew plan tick 1.1", "Step 1.1 is done")
        story.reply(f"Phase {number} is done: `part{number}.txt` is written.\n\nOUTCOME: Part {number} is there")
        story.headless().save(two.home)
        return bad(job, number)

    two.run(Client({1: [recorded, recorded]}))
    text = resume(ProjectHandle(two.ports, two.top)).document.text
    assert "- “Five parts”\n" in text and "phase: “Phase 1 of 2: Part 1” — stopped" in text
    assert not [one for one in ("it began with", "# Phase", "OUTCOME", "Phase 1 is done") if one in text], text


def test_status_names_what_takes_a_run_on(two: Five) -> None:
    """While it is under way, and when it was cut off; once it is over the plan tells."""
    seen: list[str] = []

    def then() -> str:
        return status(ProjectHandle(two.ports, two.top), runs=lambda ledger: LocalLeases(ledger).runs()).next[0]

    def looks(job: Job, number: int) -> JobResult:
        seen.append(then())
        return good(job, number)

    two.run(Client({1: [looks]}), only=("1",))
    assert ["clew run --watch"] == seen
    assert "clew phase start 2" == then()
    with two.desk() as at:
        at.append([at.event("run.started", {"run": "cut-off", "client": "scripted", "jobs": 1}, task=at.task())])
    assert "clew run" == then()


def test_a_failure_that_is_mended_goes_on(two: Five) -> None:
    client = Client({1: [bad, good]})
    assert "done" == two.run(client).word
    assert 3 == len(client.orders)


def test_a_spent_budget_halts_and_a_person_raises_it(two: Five) -> None:
    """It fails nothing: what was done stays, and the same attempt goes on."""

    def dear(job: Job, number: int) -> JobResult:
        (Path(job.folder) / "part1.txt").write_text("goo", encoding="utf-8")
        return JobResult(False, stopped="budget: all is spent", tokens=60_000, session="s-1")

    client = Client({1: [dear]})
    found = two.run(client)
    assert "halted" == found.word and "60,000 of its 50,000 tokens" in found.halts[0][1]
    assert ["started", "planned"] == two.statuses()
    phase_start(ProjectHandle(two.ports, two.top), "1", budget=100_000)
    assert "done" == two.run(client).word
    assert "Another session worked at this phase before you" in client.orders[1][1].prompt


def test_a_limit_is_waited_for_and_the_same_session_goes_on(two: Five) -> None:
    def limited(job: Job, number: int) -> JobResult:
        limit = Limited("usage limit", datetime.fromtimestamp(two.clock() / 1000 + 3600, UTC).isoformat())
        return JobResult(False, error="usage limit", limited=limit, session="s-limited")

    def offline(job: Job, number: int) -> JobResult:
        return JobResult(False, error="fetch failed", offline=True)

    client = Client({1: [limited, good], 2: [offline, offline, good]})
    assert "done" == two.run(client).word
    waited = sum(two.slept)
    assert 3600 <= waited <= 3600 + 60 + 120 + 30, waited
    assert "s-limited" == client.orders[1][1].session
    said = [one.text for one in two.told if one.event == "waits"]
    assert f"until {timestamp(two.clock())[:4]}" in said[0] and "usage limit" in said[0]


def test_a_context_that_is_outgrown_goes_on_in_new_ones_a_bounded_number_of_times(two: Five) -> None:
    def full(job: Job, number: int) -> JobResult:
        return JobResult(False, error="prompt is too long")

    client = Client({1: [full, good], 2: [full, full, full]})
    found = two.run(client, limits=Limits(contexts=3))
    assert ["done", "stopped"] == two.statuses()
    assert "outgrew 3 contexts" in found.halts[0][1]


def test_a_person_looks_through_each_diff(two: Five) -> None:
    said = [("changes", "Write it better."), *[("accepted", "")] * 2]
    shown = []

    def ask(number: int, title: str, diff: str) -> object:
        shown.append((number, diff))
        return said.pop(0)

    client = Client()
    assert "done" == two.run(client, ask=ask).word  # type: ignore[arg-type]
    assert [1, 1, 2] == [number for number, _ in shown]
    assert "+good" in shown[0][1]
    assert "> Write it better." in client.orders[1][1].prompt


def test_a_person_who_answers_nothing_ends_the_run_there(two: Five) -> None:
    """And nothing is committed."""
    assert "done" == two.run(Client()).word
    phase_reopen(ProjectHandle(two.ports, two.top), "2")
    (two.top / "part2.txt").write_text("", encoding="utf-8")
    two.repo.git("commit", "-qam", "empty")
    before = two.log()
    found = two.run(Client(), ask=lambda *_: None)
    assert (before, "halted") == (two.log(), found.word)


def test_what_an_agent_asks_stops_the_phase(two: Five) -> None:
    def asks(job: Job, number: int) -> JobResult:
        return JobResult(True, "I looked.\n\n**BLOCKED:** Which currency is meant?")

    found = two.run(Client({1: [asks]}))
    assert any("Which currency is meant?" in why for _, why, _ in found.halts)


def test_what_conflicts_becomes_a_persons_and_no_side_is_lost(tmp_path: Path) -> None:
    five = Five(tmp_path)

    def both(job: Job, number: int) -> JobResult:
        (Path(job.folder) / "shared.txt").write_text(f"by {number}\n", encoding="utf-8")
        return good(job, number)

    client = Client({2: [both], 3: [both]})
    found = five.run(client, jobs=2)
    assert "halted" == found.word
    assert any("both changed shared.txt" in why for _, why, _ in found.halts), found.halts
    with five.desk(write=False) as at:
        live = [entry.item for entry in at.known(at.task()).values() if entry.standing == "live"]
    assert any(item.kind == "blocker" and "clew worktree merge" in item.text for item in live)
    heads = five.repo.git("for-each-ref", "--format=%(refname)", "refs/heads").split()
    texts = {five.repo.git("show", f"{head}:shared.txt", check=False) for head in heads}
    assert {"by 2\n", "by 3\n"} <= {f"{text.strip()}\n" for text in texts}
    again = five.run(client, jobs=2)
    assert "halted" == again.word and 3 == len(client.orders), "nobody works at it again"
    loser = next(head for head in heads if head.startswith("refs/heads/clew/p"))
    five.repo.git("merge", "-q", "-X", "ours", loser.removeprefix("refs/heads/"), "-m", "Both")
    assert "done" == five.run(client, jobs=2).word


def test_uncommitted_work_of_a_person_is_not_taken_along(two: Five) -> None:
    (two.top / "src").mkdir(exist_ok=True)
    two.write("src/a.py", "a = 2\n")
    found = two.run(Client())
    assert "halted" == found.word and "not committed" in found.halts[0][1]
    two.repo.git("checkout", "-q", "--", ".")
    assert "done" == two.run(Client()).word


def test_a_budget_for_all_lets_no_client_begin(two: Five) -> None:
    """Given a day that cost what it may: nothing is begun, nothing failed, and it goes on when the budget is raised."""
    client = Client()
    with pytest.MonkeyPatch.context() as patched:
        spent = Budget("day", "2026-11-22", "", "", 900, 1.0, 0, 500, 0.0, "stopped")
        patched.setattr("clew.app.run.working.budgets", lambda *_: Budgets((spent,), True))
        found = two.run(client)
    assert "halted" == found.word and "the budget of today is spent (900 tokens" in found.halts[0][1]
    assert not client.orders and ["planned"] * 2 == two.statuses()
    assert "done" == two.run(client).word


def test_a_branch_that_is_switched_meanwhile_gets_no_commit(two: Five) -> None:
    """Given somebody who checks out another branch while a client works: the phase waits until they are back."""

    def switching(job: Job, number: int) -> JobResult:
        two.repo.git("switch", "-q", "-c", "other")
        return good(job, number)

    found = two.run(Client({1: [switching]}), only=("1",))
    assert "halted" == found.word and "began on main" in found.halts[0][1]
    assert "Part 1 is written" not in two.log()
    two.repo.git("switch", "-q", "main")
    assert "started" == two.statuses()[0]
    client = Client()
    assert "done" == two.run(client, only=("1",)).word
    assert [] == client.orders, "what was done stands"
    assert "Part 1 is written" == two.log()[0]


def test_a_work_tree_that_was_deleted_is_told(two: Five) -> None:
    def deleted(job: Job, number: int) -> JobResult:
        shutil.rmtree(job.folder)
        return JobResult(True, "OUTCOME: Gone")

    found = two.run(Client({1: [deleted]}), jobs=2)
    assert "halted" == found.word and "is not there" in found.halts[0][1]
    client = Client()
    found = two.run(client, jobs=2)
    assert "is not there" in found.halts[0][1] and [] == client.orders

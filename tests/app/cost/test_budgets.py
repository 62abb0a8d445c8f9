"""Budgets: set by a person, kept for hooks, raised by a person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew import wiring
from clew.app.cost.budgets import budgets, count_before, raise_budget
from clew.app.phase.lifecycle import phase_start, phase_stop
from clew.app.plan.look import plan_show
from clew.app.ports import runtime_dir
from clew.app.project.budgets import keep
from clew.app.project.gates import refresh
from clew.app.project.opening import ProjectHandle
from clew.app.project.settings import change
from clew.core.errors import InputError, NotAllowed, NotFound
from tests.app.cost.test_phases import Tide
from tests.app.cost.used import line, save
from tests.app.projects import AGENT, PERSON, World, extract_of

DAY = "2026-11-25"
SESSION = "ed70fd5f-82b4"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project in which hooks work, with a session that used 900 tokens."""
    made = World(tmp_path)
    live = Path(runtime_dir(made.ports, made.top))
    used = live / "sessions" / SESSION / "tokens.json"
    used.parent.mkdir(parents=True)
    used.write_text(json.dumps({"v": 3, "session": [900, 1200, 500, 0]}))
    return made


def set_to(world: World, name: str, value: str) -> None:
    """A person sets a budget."""
    environment = {"HOME": str(world.home)}
    files = wiring.settings_files(world.top, environment)
    change(files, name, value, project=False, said=PERSON, reload=lambda: wiring.settings(world.top, environment))


def test_hooks_are_told_of_a_budget_while_there_is_one(world: World) -> None:
    """The folder that makes hooks look is made with the first budget; prices are named, for what is shown in money."""
    live = Path(runtime_dir(world.ports, world.top))
    spent = world.ports.trust_store.parent / "spent"
    with world.desk() as at:
        refresh(world.ports, at)
        assert not (live / "budget.json").exists() and not spent.exists()
        set_to(world, "budget.session_tokens", "1000")
        refresh(world.ports, at)
        told = json.loads((live / "budget.json").read_text())
        assert ([1000, 0], [0, 0]) == (told["session"], told["day"]) and told["tables"]
        assert spent.is_dir()
        set_to(world, "budget.session_cents", "250")
        refresh(world.ports, at)
        told = json.loads((live / "budget.json").read_text())
        assert [1000, 2_500_000] == told["session"]
        for name in ("tokens", "cents"):
            set_to(world, f"budget.session_{name}", "0")
        refresh(world.ports, at)
    assert not (live / "budget.json").exists()


def test_only_a_person_sets_and_raises(world: World) -> None:
    """An agent that is stopped cannot let itself go on."""
    set_to(world, "budget.session_tokens", "1000")
    environment = {"HOME": str(world.home)}
    with pytest.raises(NotAllowed):
        change(
            wiring.settings_files(world.top, environment),
            "budget.session_tokens",
            "9",
            project=False,
            said=AGENT,
            reload=lambda: wiring.settings(world.top, environment),
        )
    with pytest.raises(NotAllowed):
        raise_budget(ProjectHandle(world.as_agent, world.top), DAY, "session", SESSION[:4])
    assert 1000 == budgets(world.by_person, DAY).budgets[1].most_tokens


def test_raising_adds_as_much_again_or_what_is_said(world: World) -> None:
    """Twice raised is twice as much more; the day is another budget."""
    set_to(world, "budget.session_tokens", "1000")
    day, session = budgets(world.by_person, DAY).budgets
    assert (("session", 900, 1000, "warned"), "day") == (
        (session.scope, session.used_tokens, session.most_tokens, session.stands),
        day.scope,
    )
    assert 2000 == raise_budget(world.by_person, DAY, "session", SESSION[:4]).after.most_tokens
    done = raise_budget(world.by_person, DAY, "session", SESSION, tokens=5)
    assert (2005, "") == (done.after.most_tokens, done.after.stands)
    with pytest.raises(InputError) as caught:
        raise_budget(world.by_person, DAY, "day")
    assert "E-budget-none" == caught.value.code
    with pytest.raises(InputError, match="no budget in cents is set for a session"):
        raise_budget(world.by_person, DAY, "session", SESSION, cents=5)
    with pytest.raises(NotFound):
        raise_budget(world.by_person, DAY, "session", "ffff")


def test_a_price_that_cannot_be_used_keeps_the_budget(world: World) -> None:
    """The tokens are counted all the same."""
    config = world.home / ".config" / "clew" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[budget]\nsession_cents = 100\n[prices."m"]\ninput = "much"\n', encoding="utf-8")
    live = Path(runtime_dir(world.ports, world.top))
    with world.desk() as at:
        keep(world.ports, at, live, world.ports.settings(world.top), "")
    assert [0, 1_000_000] == json.loads((live / "budget.json").read_text())["session"]


def told(world: World) -> dict[str, Any]:
    """What hooks are told of budgets."""
    found: dict[str, Any] = json.loads((Path(runtime_dir(world.ports, world.top)) / "budget.json").read_text())
    return found


@pytest.fixture
def tide(tmp_path: Path) -> Tide:
    """A project in which hooks work, with a phase under way whose plan says no budget."""
    made = Tide(tmp_path)
    Path(runtime_dir(made.ports, made.top)).mkdir(parents=True)
    made.later()
    phase_start(ProjectHandle(made.ports, made.top), "1", with_baseline=False)
    return made


def test_hooks_are_told_of_the_task_and_the_phase_that_is_under_way(tide: Tide) -> None:
    """By the settings where the plan says nothing; when the phase has ended, no more."""
    set_to(tide, "budget.phase_tokens", "5000")
    set_to(tide, "budget.task_cents", "300")
    with tide.desk() as at:
        refresh(tide.ports, at)
    (task,) = told(tide)["tasks"]
    phase = task["phase"]
    assert (told(tide)["bound"], [0, 3_000_000], "Fix the tide") == (task["name"], told(tide)["task"], task["title"])
    assert (1, "Add up", [5000, 0]) == (phase["number"], phase["title"], phase["limit"])
    tide.later()
    phase_start(tide.by_person, "1", budget=4000)
    assert [4000, 0] == told(tide)["tasks"][0]["phase"]["limit"]
    tide.later()
    phase_stop(tide.by_person, "1", cause="The tide is out")
    assert told(tide)["tasks"][0]["phase"] is None


def test_what_was_used_before_a_budget_was_set_counts(tide: Tide) -> None:
    """Of the task's sessions that no hook counted, each once; of the phase what came since it began."""
    task = told_task(tide)
    save(tide, "s-1.jsonl", line("m1", (5, 0, 0, 0), tide.top, time="2026-01-01T00:00:00.000Z"))
    save(tide, "s-2.jsonl", line("m2", (70, 0, 30, 0), tide.top, session="s-2", time=tide.later()))
    with tide.desk() as at:
        for session in ("s-1", "s-2"):
            at.ledger.take_in(extract_of(tide, session=session, task=task))
    set_to(tide, "budget.task_tokens", "1000")
    set_to(tide, "budget.phase_tokens", "80")
    with tide.desk() as at:
        refresh(tide.ports, at)
    for _ in range(2):
        count_before(tide.by_person)
        found = {one.scope: (one.used_tokens, one.stands) for one in budgets(tide.by_person, DAY).budgets}
        assert {"day": (0, ""), "task": (105, ""), "phase": (70, "warned")} == found
        save(tide, "s-2.jsonl", line("m3", (9999, 0, 0, 0), tide.top, session="s-2", time=tide.later()))


def test_a_task_and_a_phase_are_raised(tide: Tide) -> None:
    """Tokens of a phase in the plan, for everybody who reads it; by a person only, whoever set the budget."""
    set_to(tide, "budget.task_tokens", "1000")
    set_to(tide, "budget.phase_tokens", "5000")
    set_to(tide, "budget.phase_cents", "100")
    with tide.desk() as at:
        refresh(tide.ports, at)
    task = told_task(tide)
    tide.later()
    assert 2000 == raise_budget(tide.by_person, DAY, "task", task[:6]).after.most_tokens
    tide.later()
    done = raise_budget(tide.by_person, DAY, "phase", "1", tokens=700, cents=50)
    assert (5700, 1.5, "1 Add up") == (
        done.after.most_tokens,
        done.after.most_usd,
        f"{done.after.called} {done.after.title}",
    )
    assert 5700 == plan_show(tide.by_person).phases[0].budget_tokens
    for scope, name in (("task", task), ("phase", "1")):
        with pytest.raises(NotAllowed):
            raise_budget(ProjectHandle(tide.as_agent, tide.top), DAY, scope, name)
        with pytest.raises(NotFound):
            raise_budget(tide.by_person, DAY, scope, "nothing")


def test_no_agent_gets_round_the_budget_of_the_settings(tide: Tide) -> None:
    """It may set less than that for its phase, not more."""
    set_to(tide, "budget.phase_tokens", "5000")
    with pytest.raises(NotAllowed):
        phase_start(ProjectHandle(tide.as_agent, tide.top), "1", budget=6000)
    assert 4000 == phase_start(ProjectHandle(tide.as_agent, tide.top), "1", budget=4000).phase.budget_tokens


def test_a_phase_that_was_stopped_says_so(tide: Tide) -> None:
    """Its budget is still there, with what was used of it; no session is held against it."""
    phase_start(tide.by_person, "1", budget=4000)
    name = told(tide)["tasks"][0]["phase"]["name"]
    kept = tide.ports.trust_store.parent / "spent" / name
    kept.mkdir()
    (kept / "s-1").write_text(f"{900:15} {0:15} {700:15}\n")  # as versions wrote it that did not tell what is unpriced
    tide.later()
    phase_stop(tide.by_person, "1", cause="The tide is out")
    found = budgets(tide.by_person, DAY)
    phase = found.budgets[-1]
    assert (True, "phase", "1", 700, 4000, "idle") == (
        found.is_set,
        phase.scope,
        phase.called,
        phase.used_tokens,
        phase.most_tokens,
        phase.stands,
    )


@pytest.mark.parametrize(("money", "unpriced", "is_priced"), [(0, 900, False), (5, 400, True), (0, 0, True)])
def test_what_has_no_price_is_not_free(world: World, money: int, unpriced: int, is_priced: bool) -> None:
    """Money is told where any of it is known; else there is none, and not nothing."""
    set_to(world, "budget.session_tokens", "1000")
    counted = Path(runtime_dir(world.ports, world.top)) / "sessions" / SESSION / "tokens.json"
    counted.write_text(json.dumps({"v": 3, "session": [900, money, 500, unpriced]}))
    session = budgets(world.by_person, DAY).budgets[1]
    assert (unpriced, is_priced) == (session.unpriced_tokens, session.used_usd is not None)


def told_task(world: World) -> str:
    """The task that is bound."""
    with world.desk() as at:
        task = at.task()
        assert task
        return task

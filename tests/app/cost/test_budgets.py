"""Budgets: set by a person, kept for hooks, raised by a person."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew import wiring
from clew.app.cost.budgets import budgets, raise_budget
from clew.app.ports import runtime_dir
from clew.app.project.budgets import keep
from clew.app.project.gates import refresh
from clew.app.project.settings import change
from clew.core.errors import InputError, NotAllowed, NotFound
from tests.app.projects import AGENT, PERSON, World

DAY = "2026-11-25"
SESSION = "ed70fd5f-82b4"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project in which hooks work, with a session that used 900 tokens."""
    made = World(tmp_path)
    live = Path(runtime_dir(made.ports, made.top))
    used = live / "sessions" / SESSION / "tokens.json"
    used.parent.mkdir(parents=True)
    used.write_text(json.dumps({"v": 1, "session": [900, 1200]}))
    return made


def set_to(world: World, name: str, value: str) -> None:
    """A person sets a budget."""
    environment = {"HOME": str(world.home)}
    files = wiring.settings_files(world.top, environment)
    change(files, name, value, project=False, said=PERSON, reload=lambda: wiring.settings(world.top, environment))


def test_hooks_are_told_of_a_budget_while_there_is_one(world: World) -> None:
    """The folder that makes hooks look is made with the first budget; prices are named only where money counts."""
    live = Path(runtime_dir(world.ports, world.top))
    spent = world.ports.trust_store.parent / "spent"
    with world.desk() as at:
        refresh(world.ports, at)
        assert not (live / "budget.json").exists() and not spent.exists()
        set_to(world, "budget.session_tokens", "1000")
        refresh(world.ports, at)
        told = json.loads((live / "budget.json").read_text())
        assert ([1000, 0], [0, 0], []) == (told["session"], told["day"], told["tables"])
        assert spent.is_dir()
        set_to(world, "budget.session_cents", "250")
        refresh(world.ports, at)
        told = json.loads((live / "budget.json").read_text())
        assert [1000, 2_500_000] == told["session"] and told["tables"]
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
        raise_budget(world.as_agent, world.top, DAY, session=SESSION[:4])
    assert 1000 == budgets(world.ports, world.top, DAY).budgets[1].most[0]


def test_raising_adds_as_much_again_or_what_is_said(world: World) -> None:
    """Twice raised is twice as much more; the day is another budget."""
    set_to(world, "budget.session_tokens", "1000")
    day, session = budgets(world.ports, world.top, DAY).budgets
    assert (("session", (900, 1200), (1000, 0), "warned"), "day") == (
        (session.scope, session.used, session.most, session.stands),
        day.scope,
    )
    assert (2000, 0) == raise_budget(world.ports, world.top, DAY, session=SESSION[:4]).after.most
    done = raise_budget(world.ports, world.top, DAY, session=SESSION, tokens=5)
    assert ((2005, 0), "") == (done.after.most, done.after.stands)
    with pytest.raises(InputError) as caught:
        raise_budget(world.ports, world.top, DAY)
    assert "E-budget-none" == caught.value.code
    with pytest.raises(NotFound):
        raise_budget(world.ports, world.top, DAY, session="ffff")


def test_a_price_that_cannot_be_used_keeps_the_budget(world: World) -> None:
    """The tokens are counted all the same."""
    config = world.home / ".config" / "clew" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[budget]\nsession_cents = 100\n[prices."m"]\ninput = "much"\n', encoding="utf-8")
    live = Path(runtime_dir(world.ports, world.top))
    keep(world.ports, live, world.ports.settings(world.top))
    assert [0, 1_000_000] == json.loads((live / "budget.json").read_text())["session"]

"""The model of the phase that is under way, from the settings of project and user."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.phase.lifecycle import phase_start
from clew.app.phase.route import routed, routing
from clew.app.plan.lifecycle import plan_approve, plan_new, plan_write
from clew.core.errors import InputError
from tests.app.projects import World

PLAN = """\
# Mend the total

## Phase 1: Add up

- [ ] Let `total` add up all prices
- tier: chore

## Phase 2: Tell

- [ ] Write it down
- depends: 1
"""
CONFIG = '\n[route.chore]\ncodex = "mini"\n\n[route.plan]\ncodex = "large"\n'


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A plan that waits for approval, and a project that routes two tiers in one client."""
    world = World(tmp_path)
    world.ports = world.ports._replace(now_ms=world.clock.tick)
    config = world.top / ".clew" / "config.toml"
    config.write_text(config.read_text() + CONFIG)
    plan_new(world.by_person, "Mend the total")
    plan_write(world.by_person, PLAN)
    return world


def test_while_planning_and_in_a_phase_the_work_has_its_tier_s_model(world: World) -> None:
    """Given no phase yet, then one under way: what is started follows."""
    assert "large" == routed(world.by_person, "codex").model
    plan_approve(world.by_person)
    assert ("", "no phase is under way, so codex chooses") == routed(world.by_person, "codex")
    phase_start(world.by_person, "", with_baseline=False)
    assert ("mini", "route.chore.codex says so") == routed(world.by_person, "codex")
    assert "" == routed(world.by_person, "claude-code").model


def test_it_is_explained_for_any_phase(world: World) -> None:
    """Before it is begun: which tier, from where, which model, and what happens without."""
    found = routing(world.by_person, "2", ["codex", "gemini"])
    assert found.phase is not None and (2, "build", "phase 2 says no tier") == (
        found.phase.number, found.tier, found.tier_by,
    )  # fmt: skip
    assert [("codex", "", ""), ("gemini", "", "")] == [(one.client, one.model, one.place) for one in found.routes]
    assert "there is one for chore, plan" in found.routes[0].why
    (one,) = routing(world.by_person, "1", ["codex"]).routes
    assert ("mini", ".clew/config.toml") == (one.model, one.place)
    with pytest.raises(InputError):
        routing(world.by_person, "7", ["codex"])

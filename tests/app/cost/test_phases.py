"""What phases cost: between their beginning and their end, attempt by attempt."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from clew.app.cost.cost import CostRequest, cost
from clew.app.cost.phases import Attempt, Phases
from clew.app.cost.spent import Spend, spent
from clew.app.phase.lifecycle import phase_reopen, phase_start, phase_stop
from clew.app.plan.lifecycle import plan_approve, plan_new, plan_write
from clew.core.cost.prices import override
from tests.app.cost.used import KNOWN, MODEL, line, save
from tests.app.projects import World

PLAN = """\
# Fix the tide

## Phase 1: Add up

- [ ] Add up
- validate: `true`

## Phase 2: Tell

- [ ] Tell
- validate: `true`
"""


class Tide(World):
    """A project with an approved plan of two phases."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        plan_new(self.by_person, "Fix the tide")
        self.later()
        plan_write(self.by_person, PLAN)
        self.later()
        plan_approve(self.by_person)

    def later(self, seconds: int = 10) -> str:
        """Time goes on; the time then."""
        self.clock.tick(seconds * 1000)
        return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(self.clock.now_ms // 1000))


@pytest.fixture
def tide(tmp_path: Path) -> Tide:
    """A project with an approved plan of two phases."""
    return Tide(tmp_path)


def by_phase(world: World) -> dict[tuple[str, str], int]:
    """The tokens of input by phase."""
    asked = CostRequest("phase", lambda at: time.strftime("%Y-%m-%d", time.gmtime(at)))
    found = cost(world.by_person, asked, KNOWN)
    assert found.total.input == sum(one.input for one in found.parts)
    return {(one.name, one.about.partition(",")[2].strip()): one.input for one in found.parts}


def test_a_phase_costs_what_was_used_while_it_was_under_way(tide: Tide) -> None:
    """Given two attempts at one phase with a pause between them, both count for it, and nothing besides."""
    used = [line("m1", (1, 0, 0, 0), tide.top, time=tide.later())]
    tide.later()
    phase_start(tide.by_person, "1", with_baseline=False)
    used.append(line("m2", (10, 0, 0, 0), tide.top, time=tide.later()))
    used.append(line("m3", (20, 0, 0, 0), tide.top / "src", time=tide.later()))
    tide.later()
    phase_stop(tide.by_person, "1", cause="The tide is out")
    used.append(line("m4", (100, 0, 0, 0), tide.top, time=tide.later()))
    phase_reopen(tide.by_person, "1")
    tide.later()
    phase_start(tide.by_person, "1", with_baseline=False)
    used.append(line("m5", (1000, 0, 0, 0), tide.top, time=tide.later()))
    save(tide, "s-1.jsonl", *used)
    assert {("1 Add up", "2 attempts"): 1030, ("(no phase)", ""): 101} == by_phase(tide)


def test_without_a_ledger_there_is_no_phase(tmp_path: Path) -> None:
    """Then all is of none."""
    world = World(tmp_path, ledger=False)
    save(world, "s-1.jsonl", line("m1", (3, 0, 0, 0), world.top))
    assert {("(no phase)", ""): 3} == by_phase(world)


def test_phases_side_by_side_are_told_apart_by_work_tree_and_task() -> None:
    """The work tree says more than the task; where neither fits it is none's."""
    here, there = Attempt("P-1", "T-1", "/w/a", 10, 99, "1"), Attempt("P-2", "T-1", "/w/b", 20, 99, "2")
    phases = Phases([here, there], {"s-1": "T-1"})
    assert (here, there) == (phases.of("", "/w/a/src", 30), phases.of("s-1", "/w/b", 30))
    assert there == phases.of("s-1", "/elsewhere", 30)  # the newest of the task
    assert [None, None, None] == [phases.of("", "/w/ab", 30), phases.of("s-1", "/w/a", 9), phases.of("s-1", "/w/a", 99)]


def test_spent(tide: Tide) -> None:
    """What sessions used since a moment, with their sub-agents; tokens without a price are told."""
    own = override({MODEL: {"input": 10, "output": 50, "cache_read": 1}})
    ports = tide.ports._replace(price_tables=lambda: (own, ()))
    before, after = tide.later(), tide.later()
    save(
        tide,
        "s-1.jsonl",
        line("m1", (5, 0, 0, 0), tide.top, time=before),
        line("m2", (6, 0, 100, 2), tide.top, time=after),
    )
    agent = line("m3", (7, 0, 0, 0), tide.top, time=after, agentId="a7", model="nobody-9")
    save(tide, "s-1/subagents/agent-a7.jsonl", agent)
    save(tide, "s-2.jsonl", line("m4", (9000, 0, 0, 0), tide.top, session="s-2", time=after))
    assert Spend(115, (60 + 100 + 100) / 1e4, 7, 15) == spent(ports, {"s-1"}, after)
    assert 120 == spent(ports, ["s-1"]).tokens
    assert Spend() == spent(ports, [])
    assert Spend() == spent(ports, ["s-9"])


def test_a_phase_is_told_the_same_figure_by_all(tide: Tide) -> None:
    """What `clew phase stop` records is what `clew cost --by phase` adds up, sub-agents' tokens among it."""
    phase_start(tide.by_person, "1", with_baseline=False)
    save(tide, "s-1.jsonl", line("m1", (5, 40, 1000, 1), tide.top, time=tide.later()))
    save(tide, "s-1/subagents/agent-a.jsonl", line("m2", (70, 0, 9, 2), tide.top, time=tide.later(), agentId="a"))
    tide.later()
    moved = phase_stop(tide.by_person, "1", cause="The tide is out")
    assert 5 + 40 + 1 + 70 + 2 == moved.spent_tokens
    told = cost(tide.by_person, CostRequest("phase", lambda _at: ""), KNOWN).parts
    assert [118] == [one.total - one.cache_read for one in told if one.name.startswith("1 ")]


def test_where_nothing_can_be_kept_a_phase_is_counted_all_the_same(tide: Tide) -> None:
    """In a sandbox the index has no place: what was written since the phase began is counted without it."""
    phase_start(tide.by_person, "1", with_baseline=False)
    at = tide.later()
    save(tide, "s-1.jsonl", line("m1", (5, 40, 1000, 1), tide.top, time=at), mtime_s=tide.clock.now_ms // 1000)
    tide.ports.cache_folder.parent.mkdir(parents=True, exist_ok=True)
    tide.ports.cache_folder.write_text("no folder")
    assert 46 == phase_stop(tide.by_person, "1", cause="The tide is out").spent_tokens

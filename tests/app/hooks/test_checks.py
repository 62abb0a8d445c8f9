"""Hooks and a phase's checks: a claim is held once, quick checks come back once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from clew.app.hooks.turn_end import ended
from clew.app.phase.lifecycle import completed_since, phase_done, phase_start, phase_stop, ticks
from clew.app.plan.lifecycle import plan_approve, plan_new, plan_write
from clew.app.plan.look import plan_show
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.project.trust import project_at, standings, trust
from clew.core.records.hook_events import Answer, HookEvent
from clew.core.state.items import Authority
from tests.app.hooks.hooked import NOW, Hooked
from tests.app.projects import PERSON
from tests.recordings.sessions import Recorder

PLAN = f"""\
# Tide

## Phase 1: Build

- [ ] Let `moon` be two in `src/a.py`
- validate: `{sys.executable} -c "import sys; sys.path.insert(0, 'src'); import a; assert a.a == 2, a.a"`
- budget: 2k
"""
LATER = "2026-11-22T00:10:00"
LATER_S = 1_795_306_200.0
DONE = "Everything is implemented. All checks pass."


class Guarded(Hooked):
    """A world with a phase under way; time goes on from deed to deed."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        plan_new(ProjectHandle(self.ports, self.top), "Tide")
        plan_write(ProjectHandle(self.ports, self.top), PLAN)
        plan_approve(ProjectHandle(self.ports, self.top))
        phase_start(ProjectHandle(self.ports, self.top), "1", with_baseline=False)
        self.start()

    def ports_of(self, authority: Authority) -> Ports:
        ports = super().ports_of(authority)
        environment = {**ports.environment, "PYTHONDONTWRITEBYTECODE": "1"}
        return ports._replace(now_ms=self.clock.tick, environment=environment)

    def says(self, words: str) -> Recorder:
        """The session works, and ends its turn with these words."""
        made = Recorder(self.top, session=NOW, start=LATER).user("Build it").reply(words)
        made.save(self.home, modified=LATER_S)
        return made

    def turn_ends(self, **environment: str) -> Answer:
        event = HookEvent("claude-code", "stop", NOW, folder=str(self.top))
        return ended(self.hook(NOW, **environment), event, self.live)

    def edits(self, value: int) -> None:
        (self.top / "src/a.py").write_text(f"a = {value}\n", encoding="utf-8")


@pytest.fixture
def world(tmp_path: Path) -> Guarded:
    return Guarded(tmp_path)


def test_a_claim_is_held_once_for_these_files(world: Guarded) -> None:
    """Whether the checks were not run or fail; the next state of the files is another claim."""
    world.says(DONE)
    first = world.turn_ends()
    assert "phase 1 (Build) is not done: its checks were not run" in first.block
    assert "" == world.turn_ends().block, "never a loop"
    world.edits(3)
    phase_done(ProjectHandle(world.as_agent, world.top), "1", outcome="two it is")
    held = world.turn_ends()
    assert "its checks fail" in held.block and "AssertionError: 3" in held.block


def test_a_run_is_not_held(world: Guarded) -> None:
    """Its prompt asks for one last line, and the checks come behind it: another turn would take the line's place."""
    world.says(DONE)
    assert Answer() == world.turn_ends(CLEW_JOB="T-1:P-1:1:1")
    assert world.turn_ends().block


def test_who_claims_nothing_or_passed_is_left_alone(world: Guarded) -> None:
    """An honest end of a turn is one; so is one on files that passed."""
    world.says("I stopped half-way: the tide is not done.")
    assert "" == world.turn_ends().block
    world.says(DONE)
    world.edits(2)
    assert phase_done(ProjectHandle(world.as_agent, world.top), "1", outcome="two it is").done
    assert "" == world.turn_ends().block


def test_a_person_can_be_told_instead_or_nobody(world: Guarded) -> None:
    """`warn` tells the person at the screen, `off` nobody."""
    world.says(DONE)
    config = world.home / ".config/clew/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[gate]\nstop = "warn"\n', encoding="utf-8")
    told = world.turn_ends()
    assert ("", True) == (told.block, "is not done" in told.message)


def test_without_a_phase_nothing_is_held(world: Guarded) -> None:
    """There is nothing that was to be proved."""
    phase_stop(ProjectHandle(world.ports, world.top), "1", cause="another way")
    world.says(DONE)
    assert "" == world.turn_ends().block


def test_quick_checks_come_back_once(world: Guarded) -> None:
    """Given `validate.auto = stop`: the first failure of a trusted quick command, once for a state of the files."""
    line = f"{sys.executable} check.py"
    config = world.top / ".clew/config.toml"
    text = config.read_text(encoding="utf-8")
    table = f"[[validate.commands]]\nname = 'quick'\nrun = '''{line}'''\nquick = true\n"
    config.write_text(f"{text}\n[validate]\nauto = 'stop'\n\n{table}", encoding="utf-8")
    (world.top / "check.py").write_text("raise ValueError('the tide is out')\n", encoding="utf-8")
    world.says("I go on.")
    assert "" == world.turn_ends().block, "nobody trusted it"
    project = project_at(world.top)
    things = [one.thing for one in standings(world.ports.trust_store, project)]
    trust(world.ports.trust_store, project, things, said=PERSON, time="2026-11-22T00:00:00.000Z")
    (world.top / "b.py").write_text("b = 1\n", encoding="utf-8")
    failed = world.turn_ends()
    assert "the check quick failed" in failed.block and "the tide is out" in failed.block
    assert "" == world.turn_ends().block


def test_steps_are_ticked_from_the_clients_to_dos(world: Guarded) -> None:
    """By their words, when they are completed."""
    made = world.says("I list it.")
    made.todos([("Let moon be two in src/a.py", "completed"), ("Write the docs", "pending")])
    made.save(world.home, modified=LATER_S)
    phase = plan_show(ProjectHandle(world.ports, world.top)).phases[0]
    completed = completed_since(world.ports, _at(world), "2026-11-22T00:05:00.000Z")
    assert ("Let moon be two in src/a.py",) == completed
    assert [phase.steps[0].id] == [tick.step for tick in ticks(phase, completed)]


def _at(world: Guarded):  # type: ignore[no-untyped-def]
    with world.desk(write=False) as at:
        return at

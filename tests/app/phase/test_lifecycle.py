"""A phase from its beginning to its end: measured, validated, mended once, stopped, accepted by a person."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from clew.app.phase.checking import validate_here
from clew.app.phase.lifecycle import (
    PhaseOutcome,
    phase_claim,
    phase_diff,
    phase_done,
    phase_finish,
    phase_reopen,
    phase_start,
    phase_stop,
)
from clew.app.plan.lifecycle import plan_approve, plan_new, plan_write
from clew.app.plan.look import plan_show
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.validate.validation import ValidationRequest
from clew.core.errors import ClewError, InputError, NotAllowed
from clew.core.state.items import Authority
from tests.app.projects import World
from tests.workspace.repos import Repo

TEST = """\
import unittest
from shop import total


class Total(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
"""
PLAN = f"""\
# Mend the total

## Phase 1: Add up

- [ ] Let `total` add up all prices in `shop.py`
- validate: `{sys.executable} -m unittest -q test_shop`
- budget: 50k

## Phase 2: Tell

- [ ] Write it down
- validate: `{sys.executable} -c "import shop"`
- budget: 10k
- depends: 1
"""
BROKEN = "def total(prices):\n    return sum(prices[1:])\n"
MENDED = "def total(prices):\n    return sum(prices)\n"


class Shop(World):
    """A project whose total is wrong, with an approved plan; time goes on from deed to deed."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.write("shop.py", BROKEN)
        self.write("test_shop.py", TEST)
        self.write(".gitignore", "__pycache__/\n.clew/\n")
        self.repo.commit("the shop")
        plan_new(self.by_person, "Mend the total")
        plan_write(self.by_person, PLAN)
        plan_approve(self.by_person)

    def ports_of(self, authority: Authority) -> Ports:
        ports = super().ports_of(authority)
        return ports._replace(now_ms=self.clock.tick, environment={**ports.environment, "PYTHONDONTWRITEBYTECODE": "1"})

    def write(self, path: str, text: str) -> None:
        (self.top / path).write_text(text, encoding="utf-8")

    def start(self, wanted: str = "1") -> PhaseOutcome:
        return phase_start(self.by_agent, wanted)

    def done(self, cause: str = "", **more: bool) -> PhaseOutcome:
        return phase_done(self.by_agent, "", outcome="The total adds up", cause=cause, **more)

    def status(self, number: int = 1) -> str:
        return plan_show(self.by_person).phases[number - 1].status


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def code_of(deed: object) -> str:
    assert callable(deed)
    with pytest.raises(ClewError) as raised:
        deed()
    return raised.value.code


def test_a_phase_is_done_when_its_check_passes_on_this_tree(shop: Shop) -> None:
    """Given a failing test: it is known from the start, mended, committed alone with trailers, and the next waits."""
    (shop.top / "notes.txt").write_text("mine, from before", encoding="utf-8")
    begun = shop.start()
    assert begun.validation is not None and "TEST_FAILURE" == begun.validation.word
    shop.write("shop.py", MENDED)
    assert "+    return sum(prices)" in phase_diff(shop.by_person, "1")
    moved = shop.done(commits=True)
    assert moved.done and ("done", "The total adds up") == (moved.phase.status, moved.phase.outcome)
    assert moved.next is not None and 2 == moved.next.number
    assert moved.checkpoint.startswith("K-")
    said = subprocess.run(
        ["git", "log", "-1", "--format=%B", "--name-only"], cwd=shop.top, capture_output=True, text=True
    ).stdout
    assert (
        said.startswith("The total adds up\n") and f"Clew-Phase: {moved.phase.id}" in said and "Clew-Task: T-" in said
    )
    assert "shop.py" in said and "notes.txt" not in said


def test_a_commit_goes_into_its_own_repository(shop: Shop, tmp_path: Path) -> None:
    """Given what git sets for its hooks in another repository, that one gets nothing."""
    other = Repo(tmp_path / "other")
    other.write("a.txt", "a")
    other.commit("theirs")
    before = other.git("rev-parse", "HEAD")
    shop.start()
    shop.write("shop.py", MENDED)
    told = {**shop.as_agent.environment, "GIT_DIR": str(other.top / ".git"), "GIT_WORK_TREE": str(other.top)}
    moved = phase_done(
        ProjectHandle(shop.as_agent._replace(environment=told), shop.top), "", outcome="It adds up", commits=True
    )
    assert moved.commit == shop.repo.git("rev-parse", "HEAD").strip()
    assert before == other.git("rev-parse", "HEAD")


def test_a_commit_waits_for_another_git_and_is_found_again(shop: Shop) -> None:
    """Given a killed run whose git still commits, and a commit that nobody recorded: it waits, and makes no second."""
    shop.start()
    shop.write("shop.py", MENDED)
    assert phase_claim(shop.by_agent, "1", outcome="It adds up").validation is not None
    lock = shop.top / ".git" / "index.lock"
    lock.touch()
    release = threading.Timer(0.5, lock.unlink)
    release.start()
    with pytest.MonkeyPatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("clew.app.phase.lifecycle.take_checkpoint", _killed)
        phase_finish(shop.by_agent, "1", outcome="It adds up")
    release.join()
    made = shop.repo.git("rev-parse", "HEAD").strip()
    assert "It adds up" == shop.repo.git("log", "-1", "--format=%s").strip()
    moved = phase_finish(shop.by_agent, "1", outcome="It adds up")
    assert (made, True) == (moved.commit, moved.done)
    assert made == shop.repo.git("rev-parse", "HEAD").strip()


@pytest.mark.parametrize(("script", "why"), [("echo no ticket", "no ticket"), ("true", "ended with status 1")])
def test_a_hook_that_refuses_is_told_with_what_it_said(shop: Shop, tmp_path: Path, script: str, why: str) -> None:
    """Of `core.hooksPath` as well; many print on stdout, and some print nothing."""
    hook = tmp_path / "hooks" / "pre-commit"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\n{script}\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    shop.repo.git("config", "core.hooksPath", str(hook.parent))
    shop.start()
    shop.write("shop.py", MENDED)
    with pytest.raises(InputError, match=f"git did not commit: .*{why}"):
        phase_done(shop.by_agent, "", outcome="It adds up", commits=True)


def _killed(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_there_is_no_way_to_done_without_a_pass(shop: Shop) -> None:
    """Not before it is begun, not without a word on what it did, not on files that changed since."""
    assert "E-phase-state" == code_of(shop.done)
    shop.start()
    no_outcome = lambda: phase_done(shop.by_agent, "1", outcome=" ")  # noqa: E731
    assert "E-phase-no-outcome" == code_of(no_outcome)
    shop.write("shop.py", MENDED)
    assert "VALIDATION_OK" == validate_here(shop.by_agent, ValidationRequest()).word
    shop.write("shop.py", "def total(prices):\n    return 0\n")
    assert not shop.done().done
    assert "started" == shop.status()


def test_one_retry_with_a_cause_then_it_is_stopped_and_explained(shop: Shop) -> None:
    """The second failure ends it; why is a dead end and a blocker for the next session, and a person decides."""
    shop.start()
    shop.write("shop.py", "def total(prices):\n    return 1 + sum(prices)\n")
    first = shop.done()
    assert first.validation is not None and "4 != 3" in "\n".join(first.validation.failure)
    assert "E-phase-no-cause" == code_of(shop.done)
    shop.write("shop.py", "def total(prices):\n    return 2 + sum(prices)\n")
    second = shop.done(cause="it added one too many")
    assert ("stopped", "it added one too many") == (second.phase.status, second.phase.cause)
    with shop.desk(write=False) as at:
        live = [entry.item for entry in at.known(at.task()).values() if entry.standing == "live"]
    dead_end = next(item for item in live if item.kind == "failed")
    assert "it added one too many" in dead_end.why and "5 != 3" in dead_end.why
    assert any(item.kind == "blocker" and "until a person decides" in item.text for item in live)
    assert "E-phase-state" == code_of(lambda: shop.done(cause="again"))
    assert "E-not-a-person" == code_of(lambda: phase_reopen(shop.by_agent, "1"))
    phase_reopen(shop.by_person, "1", reason="another way")
    assert ("planned", 2) == (shop.status(), shop.start().phase.attempt)
    with shop.desk(write=False) as at:
        left = [entry.item.kind for entry in at.known(at.task()).values() if entry.standing == "live"]
    assert "blocker" not in left and "failed" in left


def test_the_same_files_fail_once(shop: Shop) -> None:
    """To run it again without having changed anything is no second attempt."""
    shop.start()
    shop.done()
    again = shop.done(cause="nothing was changed")
    assert "started" == again.phase.status


def test_a_weaker_check_is_no_pass_but_for_a_person(shop: Shop) -> None:
    """An agent that has the test expect what comes is told; a person may take it, and nobody else."""
    shop.start()
    shop.write("test_shop.py", TEST.replace("), 3)", "), 2)"))
    moved = shop.done()
    assert moved.validation is not None and ("CHECKS_WEAKENED", "started") == (
        moved.validation.word,
        moved.phase.status,
    )
    assert "expects another value" in moved.validation.weakened[0].what
    assert "E-not-a-person" == code_of(lambda: shop.done(accepts=True))
    taken = phase_done(shop.by_person, "1", outcome="Two it is", accepts=True)
    assert taken.done


def test_a_phase_is_given_up(shop: Shop) -> None:
    """With why, which the next session is told."""
    shop.start()
    stopped = phase_stop(shop.by_agent, "1", cause="the prices are wrong at their source")
    assert ("stopped", "the prices are wrong at their source") == (stopped.phase.status, stopped.phase.cause)


def test_what_is_refused_leaves_no_checkpoint_and_says_what_may_be_run(shop: Shop) -> None:
    """Given a phase that was begun again and not started: stopping it is refused, and nothing is kept of that."""
    shop.start()
    phase_stop(shop.by_agent, "1", cause="the prices are wrong at their source")
    phase_reopen(shop.by_person, "1")
    with shop.desk(write=False) as at:
        before = len(list(at.ledger.events()))
    with pytest.raises(ClewError) as raised:
        phase_stop(shop.by_agent, "1", cause="again")
    assert ("E-phase-state", "`clew phase start 1` begins it.") == (raised.value.code, raised.value.hint)
    with shop.desk(write=False) as at:
        assert before == len(list(at.ledger.events()))


def test_the_difference_of_a_phase_that_ended_is_in_its_commit(shop: Shop) -> None:
    """What it began with is thrown away then, and the error says where to look."""
    shop.write("notes.txt", "mine, in no commit")
    shop.start()
    shop.write("shop.py", MENDED)
    made = shop.done(commits=True).commit
    with pytest.raises(ClewError) as raised:
        phase_diff(shop.by_person, "1")
    assert "E-phase-no-tree" == raised.value.code and f"git show {made[:10]}" in raised.value.hint


def test_a_file_that_was_never_added_and_is_gone_holds_up_no_commit(shop: Shop) -> None:
    """A scratch file lay there when the phase began, and was cleared away in it."""
    shop.write("scratch.txt", "for a while")
    shop.start()
    (shop.top / "scratch.txt").unlink()
    shop.write("shop.py", MENDED)
    assert shop.done(commits=True).commit


def test_lines_of_a_plan_that_nobody_approved_are_not_run(shop: Shop) -> None:
    """A plan that was changed after its approval runs nothing."""
    shop.start()
    plan_write(shop.by_person, PLAN.replace("Write it down", "Write it down well"))
    found = validate_here(shop.by_agent, ValidationRequest())
    assert ("NOT_RUN", "not trusted") == (found.word, found.reason)


def test_a_budget_is_raised_without_loss(shop: Shop) -> None:
    """The same attempt goes on. Raising it is a person's: it stands in the plan that a person approved."""
    shop.start()
    with pytest.raises(NotAllowed):
        phase_start(shop.by_agent, "1", budget=90_000)
    phase_start(shop.by_agent, "1", budget=20_000)
    moved = phase_start(shop.by_person, "1", budget=90_000)
    assert ("started", 1, 90_000) == (moved.phase.status, moved.phase.attempt, moved.phase.budget_tokens)


def test_behind_a_plan_that_is_done_an_agent_opens_the_next_one(shop: Shop) -> None:
    """What was approved is done: only a person lets the next one begin."""
    shop.start()
    shop.write("shop.py", MENDED)
    assert phase_done(shop.by_person, "1", outcome="it adds up").done
    phase_start(shop.by_person, "2")
    assert phase_done(shop.by_person, "2", outcome="it is told").done
    plan_new(shop.by_agent, "Another")
    assert "planning" == plan_show(shop.by_person).mode

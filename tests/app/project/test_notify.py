"""A person is told when something begins to wait for them, by a command of theirs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from clew import wiring
from clew.app.plan.lifecycle import plan_new, plan_write
from clew.app.ports import Ports
from clew.app.project.notify import notices, notify_test
from clew.app.project.opening import ProjectHandle
from clew.app.record.note import NewNote, note
from clew.core.errors import InputError
from tests.app.recorders import Shop

PLAN = "# Refunds\n\n## Phase 1: Read\n\n- [ ] Read it\n\nValidate: `true`\n"
SECONDS = 20


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def told_by(shop: Shop, ports: Ports, command: str) -> Ports:
    """The same adapters for a user who set a command."""
    file = shop.home / ".config" / "clew" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"[notify]\ncommand = '''{command}'''\n", encoding="utf-8")
    return ports._replace(settings=lambda root: wiring.settings(root, ports.environment))


def lines_in(log: Path, count: int) -> list[str]:
    """What the command wrote, once there are so many lines: nobody waits for its end."""
    limit = time.monotonic() + SECONDS
    while not (log.exists() and log.read_text("utf-8").count("\n") >= count):
        assert time.monotonic() < limit
        time.sleep(0.01)
    return log.read_text("utf-8").splitlines()


def test_what_begins_to_wait_is_told_in_a_sentence(shop: Shop, tmp_path: Path) -> None:
    """A question that blocks, a plan; nothing a person said, and nothing that waits for nobody."""
    log = tmp_path / "told"
    bot = told_by(shop, shop.bot, f'echo "$CLEW_NOTICE_KIND: $CLEW_NOTICE ($CLEW_PROJECT)" >> {log}')
    ada = ProjectHandle(told_by(shop, shop.ada, bot.settings(shop.top).text("notify.command")), shop.top)
    agent = ProjectHandle(bot, shop.top)
    note(agent, NewNote("decision", "Page by cursor"))
    note(agent, NewNote("question", "Which colour?"))
    note(ada, NewNote("question", "Mine?", blocking=True))
    note(agent, NewNote("question", "May I drop $(touch hit) `all` tables?", blocking=True))
    first = lines_in(log, 1)
    plan_new(agent, "Refunds")
    plan_write(agent, PLAN)
    found = lines_in(log, 2)
    assert [f"question: A question waits for you: May I drop $(touch hit) `all` tables? ({shop.top})"] == first
    assert f"plan: A plan waits for your approval: Refunds ({shop.top})" == found[1]
    assert 2 == len(found) and not (shop.top / "hit").exists()


def test_phases_and_runs(shop: Shop) -> None:
    """A phase that stops, a run that halts, one that is finished."""
    with shop.desk() as at:
        phase = {"phase": "P-1", "attempt": 1, "cause": "it\nfailed twice"}
        made = [
            at.event("phase.stopped", phase, task=""),
            at.event("run.ended", {"run": "R-1", "word": "halted", "reason": "1 of 3 phases are done"}, task=""),
            at.event("run.ended", {"run": "R-1", "word": "done"}, task=""),
        ]
        found = list(notices(at, made))
    assert [
        ("phase", "A phase stopped: it failed twice"),
        ("run", "A run halted and needs you: 1 of 3 phases are done"),
        ("done", "A run is finished"),
    ] == found


def test_the_command_is_tried(shop: Shop) -> None:
    """It says how it ended; without one, how to set one. A project's file does not set it."""
    (shop.top / ".clew").mkdir(exist_ok=True)
    (shop.top / ".clew" / "config.toml").write_text("[notify]\ncommand = 'touch hit'\n", encoding="utf-8")
    plain = shop.ada._replace(settings=lambda root: wiring.settings(root, shop.ada.environment))
    with pytest.raises(InputError, match="not set"):
        notify_test(plain, shop.top)
    done = notify_test(told_by(shop, shop.ada, 'echo "$CLEW_NOTICE_KIND"; exit 3'), shop.top)
    assert (3, b"test\n") == (done.code, done.out)


def test_a_command_that_fails_holds_nothing_up(shop: Shop) -> None:
    """What was recorded is recorded."""
    bot = told_by(shop, shop.bot, "exec /nowhere/program")
    note(ProjectHandle(bot, shop.top), NewNote("question", "Which?", blocking=True))
    assert ["Which?"] == shop.live()

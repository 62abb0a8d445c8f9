"""`clew worker` and `clew run --on-workers` as they are typed."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path

import pytest

from clew import wiring
from clew.app.project.location import locate
from clew.queue.port import Order
from tests.interfaces.cli.conftest import Clew
from tests.ledger.postgres.server import server
from tests.workspace.repos import Repo

PLAN = "# Tides\n\n## Phase 1: Write\n\n- [ ] Write it\n- validate: `true`\n- tags: gpu\n"


@pytest.fixture
def client(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client is installed."""
    programs = home / "bin"
    programs.mkdir()
    (programs / "claude").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (programs / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(programs), os.environ["PATH"])))


def test_without_a_server_there_are_no_workers(clew: Clew, repo: Repo, client: None, person: None) -> None:
    """The message says what does the same on one machine; what does not go together is said before."""
    clew("init", "--client", "none")
    repo.git("remote", "add", "origin", str(repo.top))
    for command in (["worker"], ["worker", "--status"]):
        refused = clew(*command)
        assert 1 == refused.code and "E-worker-ledger" in refused.err and "clew run --jobs K" in refused.err
    for option in ("--review", "--dry-run"):
        assert "E-usage" in clew("run", "--on-workers", option).err
    assert "E-worker-remote" in clew("worker", "--remote", "--upload-pack=x").err


def test_who_looks_on_sees_who_works_on_what(clew: Clew, repo: Repo, person: None) -> None:
    """A name that a worker gave itself is shown as text."""
    address = server().empty("looking")
    server().sql("DROP SCHEMA IF EXISTS absurd CASCADE", "looking")
    clew("init", "--client", "none", "--ledger", address)
    clew("plan", "new", "Tides")
    (repo.top / "PLAN.md").write_text(PLAN, encoding="utf-8")
    clew("plan", "import", "PLAN.md")
    assert "No phase of this plan is in the queue." in clew("worker", "--status").out
    told = json.loads(clew("plan", "show", "--json").out)
    task, phase = str(told["task"]), str(told["phases"][0]["id"])
    with closing(wiring.open_queue(locate(repo.top).ledger, make=True)) as queue:
        queue.put(Order(task, phase, 1, "Write", "run-1", "a" * 40, ("gpu",)))
        assert "1  Write  waiting (gpu)  0 times" in clew("worker", "--status").out
        assert queue.claim("mia@box \x1b[2J", ("gpu",), 60) is not None
    ((row),) = json.loads(clew("worker", "--status", "--json").out)["jobs"]
    assert (1, "working", ["gpu"], 1) == (row["phase"], row["state"], row["tags"], row["attempts"])
    assert row["worker"].startswith("mia@box") and "\x1b" not in row["worker"] and row["since"] < row["until"]

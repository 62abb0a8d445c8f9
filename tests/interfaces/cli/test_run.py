"""`clew run` as it is typed: what it would do, what it does, looking on, a person who looks through the diffs."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.app.run.kills import Project
from tests.people import typed

HALTED = 6


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "p", 2)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()


def clew(project: Project, *words: str, code: int = 0, **more: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [Path(sys.executable).with_name("clew"), *words],
        cwd=project.five.top, env={**project.environment, **more}, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=120,
    )  # fmt: skip
    assert code == done.returncode, f"{done.returncode}: {done.stdout}{done.stderr}"
    return done


def test_a_dry_run_says_what_would_be_done_and_does_nothing(project: Project) -> None:
    said = clew(project, "run", "--dry-run", "--jobs", "2").stdout
    assert "claude-code on main: 2 phases, 2 at a time, each in a work tree of its own" in said
    assert "model: its own; 50,000 tokens" in said and "All else is denied. Nothing is pushed." in said
    told = json.loads(clew(project, "run", "--dry-run", "--json").stdout)
    assert [(1, [], False), (2, [1], False)] == [(one["number"], one["after"], one["apart"]) for one in told["phases"]]
    assert told["phases"][0]["edit"] is True and "git status" in told["phases"][0]["commands"]
    assert "git commit" not in str(told["phases"][0]["commands"])
    assert ["planned", "planned"] == project.five.statuses()
    assert "none" == json.loads(clew(project, "run", "--status", "--json").stdout)["word"]


def test_it_is_told_in_lines_or_in_json_and_looked_on_at(project: Project) -> None:
    rows = [json.loads(row) for row in clew(project, "run", "--json", "--phase", "1").stdout.splitlines()]
    assert ["run", "phase", "work"] == [row["event"] for row in rows[:3]]
    assert ("summary", "done") == (rows[-1]["event"], rows[-1]["word"])
    done = clew(project, "run")
    assert "DONE" == done.stdout.splitlines()[-1]
    assert "phase 2: is done: Part 2 is written (commit" in done.stderr
    watched = clew(project, "run", "--watch").stdout
    assert "2 of 2 phases" in watched and "the run is done" in watched


def test_an_agent_starts_no_run(project: Project) -> None:
    refused = clew(project, "run", code=1, CLAUDECODE="1")
    assert "E-run-agent" in refused.stderr
    assert ["planned", "planned"] == project.five.statuses()


def test_what_cannot_be_begun_is_said(project: Project) -> None:
    assert "E-client-missing" in clew(project, "run", "--client", "codex", code=1).stderr
    assert "E-phase-no-phase" in clew(project, "run", "--phase", "9", code=1).stderr
    assert "E-client-unknown" in clew(project, "run", "--client", "nobody", code=1).stderr
    clew(project, "run", "--status", "--dry-run", code=64)


def test_a_person_looks_through_each_diff(project: Project, tmp_path: Path) -> None:
    """Given somebody at a terminal: what they want is done again, what they accept is committed."""
    done = typed(
        [str(Path(sys.executable).with_name("clew")), "run", "--review", "--phase", "1"],
        cwd=project.five.top,
        folder=tmp_path / "terminal",
        environment={**project.environment, "PAGER": "cat"},
        answers="Say it better.\na\n",
    )
    assert 0 == done.code, done.out
    assert "+good" in done.out and "Part 1 is written (commit" in done.out
    assert ["DID 1", "DID 1"] == project.log.read_text(encoding="utf-8").splitlines()


def test_without_a_person_a_review_ends_the_run_there(project: Project) -> None:
    done = clew(project, "run", "--review", code=HALTED)
    assert "waits for somebody to look through it" in done.stdout
    assert ["started", "planned"] == project.five.statuses()
    assert "DONE" == clew(project, "run").stdout.splitlines()[-1]


def test_what_a_person_has_to_do_is_told_once_with_the_command_for_it(project: Project) -> None:
    """Given changes that nobody committed: the run does nothing, says what to look at, and hands nothing over."""
    (project.five.top / ".gitignore").write_text("__pycache__/\n.clew/\n*.log\n", encoding="utf-8")
    done = clew(project, "run", code=HALTED)
    assert 1 == (done.stdout + done.stderr).count("that are not committed")
    assert "phase 2 comes after phase 1, not done yet" in done.stdout
    assert "next: git status" in done.stderr
    assert "Handed over" not in done.stderr


def test_a_run_that_is_over_is_not_handed_over_again(project: Project) -> None:
    assert "Handed over" in clew(project, "run").stderr
    again = clew(project, "run")
    assert "DONE" == again.stdout.splitlines()[-1] and "Handed over" not in again.stderr


def test_a_run_that_is_told_to_end_ends_in_order(project: Project) -> None:
    """Given a run in the midst of a phase: SIGTERM ends its client, and what became of it is recorded."""
    run = project.begin()
    try:
        limit = time.monotonic() + 60
        while not project.clients():
            assert run.poll() is None and time.monotonic() < limit
            time.sleep(0.01)
        run.send_signal(signal.SIGTERM)
        assert 130 == run.wait(60)
    finally:
        run.kill()
    assert [] == project.clients()
    assert "halted" == json.loads(clew(project, "run", "--status", "--json").stdout)["word"]
    assert "DONE" == clew(project, "run").stdout.splitlines()[-1]


def test_without_trust_no_client_is_started_and_with_it_the_run_goes_on(project: Project) -> None:
    """Given a command of the project that nobody trusts, first before a run, then as a claim was to be checked."""
    config = project.five.top / ".clew" / "config.toml"
    before = config.read_text(encoding="utf-8") if config.is_file() else ""
    config.parent.mkdir(exist_ok=True)
    config.write_text(before + '[[validate.commands]]\nname = "test"\nrun = "true"\n', encoding="utf-8")
    done = clew(project, "run", code=HALTED)
    assert "nobody trusted test" in done.stdout and "clew trust" in done.stdout
    assert not project.log.exists()
    config.write_text(before, encoding="utf-8")
    assert "DONE" == clew(project, "run").stdout.splitlines()[-1]

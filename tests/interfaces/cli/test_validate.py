"""`clew validate` and `clew phase` as programs: last lines, exit codes, JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interfaces.cli.binary import clew
from tests.workspace.repos import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "shop")
    made.write(".gitignore", ".clew/\n")
    made.write("check.sh", "#!/bin/sh\nexec test -f good\n").chmod(0o755)
    made.commit("first")
    made.write(".clew/config.toml", "[[validate.commands]]\nname = 'shape'\nrun = './check.sh'\n")
    return made


def last(out: bytes) -> str:
    return out.decode().rstrip("\n").rpartition("\n")[2]


def test_the_last_line_and_the_exit_code_are_for_programs(repo: Repo, tmp_path: Path) -> None:
    """Not trusted, failed, passed, a wrong line; never 2."""
    untrusted = clew("validate", home=tmp_path, cwd=repo.top)
    assert (4, "NOT_RUN: not trusted") == (untrusted.returncode, last(untrusted.stdout))
    assert b"a person lets it run: `clew trust`" in untrusted.stdout
    failed = clew("validate", "--ci", home=tmp_path, cwd=repo.top)
    assert (3, "TEST_FAILURE: shape") == (failed.returncode, last(failed.stdout))
    repo.write("good", "")
    passed = clew("validate", "--ci", home=tmp_path, cwd=repo.top)
    assert (0, "VALIDATION_OK") == (passed.returncode, last(passed.stdout))
    assert 64 == clew("validate", "--nonsense", home=tmp_path, cwd=repo.top).returncode
    assert 64 == clew("validate", "--yes", home=tmp_path, cwd=repo.top).returncode


def test_an_agent_does_not_pass_for_a_ci(repo: Repo, tmp_path: Path) -> None:
    """What nobody trusted is not run for it, whatever it says."""
    done = clew("validate", "--ci", home=tmp_path, cwd=repo.top, CLAUDECODE="1")
    assert 1 == done.returncode and b"E-validate-trust" in done.stderr


def test_a_command_that_validates_itself_is_stopped(repo: Repo, tmp_path: Path) -> None:
    """It would never end."""
    done = clew("validate", "--ci", home=tmp_path, cwd=repo.top, CLEW_VALIDATING="1")
    assert 1 == done.returncode and b"E-validate-nested" in done.stderr


def test_as_json(repo: Repo, tmp_path: Path) -> None:
    """All that the text tells."""
    told = json.loads(clew("validate", "--ci", "--json", home=tmp_path, cwd=repo.top).stdout)
    assert ("TEST_FAILURE", 3, "failed") == (told["word"], told["exit_code"], told["results"][0]["status"])
    proposed = json.loads(clew("validate", "--init", "--json", home=tmp_path, cwd=repo.top).stdout)
    assert [] == proposed["commands"] and proposed["written"] is False


def test_a_phase_needs_a_plan(repo: Repo, tmp_path: Path) -> None:
    """And a ledger before that; a budget is a number."""
    assert b"E-no-ledger" in clew("phase", "start", home=tmp_path, cwd=repo.top).stderr
    assert 64 == clew("phase", "start", "--budget", "much", home=tmp_path, cwd=repo.top).returncode
    assert b"reopen" in clew("phase", home=tmp_path, cwd=repo.top).stdout

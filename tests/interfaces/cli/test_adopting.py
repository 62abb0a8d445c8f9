"""`clew init --adopt`: what is said and asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interfaces.cli.binary import CLEW
from tests.interfaces.cli.conftest import Clew
from tests.people import typed
from tests.workspace.repos import Repo

PLAN = "# Plan\n\n- [x] read the grammar\n- [ ] write the parser\n"


def test_without_a_terminal_it_only_tells(repo: Repo, clew: Clew) -> None:
    """A script must say --yes; what lies around is named with what it would bring."""
    repo.write("PLAN.md", PLAN)
    done = clew("init", "--client", "none", "--adopt")
    assert 0 == done.code
    assert "Found PLAN.md (plan, 54 bytes): 2 steps" in done.out
    assert f"No task is bound here: a task “{repo.top.name}” would be opened for it." in done.out
    assert "Nothing was imported" in done.err
    assert "2 steps" in clew("init", "--client", "none", "--adopt").out


def test_with_yes_it_is_taken_in(repo: Repo, clew: Clew) -> None:
    """And the second time there is nothing left."""
    repo.write("PLAN.md", PLAN)
    done = clew("init", "--client", "none", "--adopt", "--yes")
    assert "Imported PLAN.md: 2 items." in done.out
    assert f": {repo.top.name}; {repo.top.resolve()}, branch main, is bound to it.\nImported" in done.out
    again = clew("init", "--client", "none", "--adopt", "--yes").out
    assert "Nothing else to import: 1 file known already." in again


def test_a_dry_run_takes_nothing_in(repo: Repo, clew: Clew) -> None:
    """Not even with --yes."""
    repo.write("PLAN.md", PLAN)
    done = clew("init", "--client", "none", "--adopt", "--yes", "--dry-run")
    assert "Found PLAN.md" in done.out
    assert "would be opened for it" in done.out
    assert not (repo.top / ".git" / "clew").exists()


def test_as_json(repo: Repo, clew: Clew) -> None:
    """One object, with what was found in it."""
    repo.write("PLAN.md", PLAN)
    told = json.loads(clew("init", "--client", "none", "--adopt", "--yes", "--json").out)
    assert [{"step": 2}] == [one["new"] for one in told["adopt"]]
    assert told["opened"].startswith("T-")
    assert ("PLAN.md", 54, False, True) == tuple(told["adopt"][0][key] for key in ("name", "bytes", "brought", "taken"))
    assert "adopt" not in json.loads(clew("init", "--client", "none", "--json").out)


def test_yes_alone_takes_nothing_in(repo: Repo, clew: Clew) -> None:
    """It leaves hand-offs as they are built in, and is no yes to what lies around."""
    repo.write("HANDOFF.md", "# Hand-off\n\n## Next\n- Fix the tide\n")
    assert 0 == clew("init", "--yes").code
    assert "Fix the tide" not in clew("show").out


@pytest.mark.slow
def test_at_a_terminal_a_person_is_asked(repo: Repo, home: Path, tmp_path: Path) -> None:
    """Only a yes imports what came with the repository."""
    repo.write("PLAN.md", PLAN)
    repo.commit("Plan", seconds=1_772_450_000)
    command = [str(CLEW), "init", "--client", "none", "--adopt"]
    no = typed(command, cwd=repo.top, folder=tmp_path / "t1", environment={"HOME": str(home)}, answers="n\n")
    assert "came with the repository" in no.out
    assert "Imported PLAN.md" not in no.out
    yes = typed(command, cwd=repo.top, folder=tmp_path / "t2", environment={"HOME": str(home)}, answers="y\n")
    assert "Imported PLAN.md: 2 items." in yes.out

"""`clew worktree` as a program: from a new work tree to a merged branch."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from clew.app.project.trust import project_at, standings, trust
from clew.core.state.items import Authority
from clew.wiring import trust_store
from tests.interfaces.cli.binary import clew
from tests.workspace.repos import Repo

PERSON = Authority("human", "")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "shop")
    made.write(".gitignore", ".clew/\n")
    made.write("check.sh", "#!/bin/sh\nexec test -f good\n").chmod(0o755)
    made.commit("first")
    made.write(".clew/config.toml", "[[validate.commands]]\nname = 'shape'\nrun = './check.sh'\n")
    return made


def worktree(repo: Repo, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return clew("worktree", *arguments, home=repo.top.parent, cwd=repo.top, GIT_CONFIG_SYSTEM=os.devnull)


def test_from_new_to_removed(repo: Repo) -> None:
    """What each says, and what stands in the way of the next."""
    assert b"There are no work trees" in worktree(repo, "list").stderr
    assert b"Made " in worktree(repo, "new", "fee").stdout
    place = Path(worktree(repo, "open", "fee").stdout.decode().strip())
    assert place == repo.top / ".clew/worktrees/fee"
    ran = worktree(repo, "open", "fee", "--", "sh", "-c", "echo $CLEW_PORT_OFFSET; pwd")
    assert f"100\n{place}\n" == ran.stdout.decode()
    assert b"E-worktree-command" in worktree(repo, "open", "fee", "--", "no-such-program").stderr

    (place / "good").touch()
    kept = worktree(repo, "remove", "fee")
    assert 1 == kept.returncode and b"E-worktree-kept" in kept.stderr and b"(good)" in kept.stderr
    unclean = worktree(repo, "merge", "fee")
    assert 1 == unclean.returncode and b"E-worktree-unclean" in unclean.stderr
    Repo(place, make=False).commit("good")
    assert b"1 commit is in no other branch" in worktree(repo, "list").stdout
    untrusted = worktree(repo, "merge", "fee")
    assert 1 == untrusted.returncode and b"E-worktree-invalid" in untrusted.stderr and b"NOT_RUN" in untrusted.stdout
    repo.git("merge", "-q", "clew/fee")
    assert b"has all of fee already" in worktree(repo, "merge", "fee").stdout
    assert b"It would remove" in worktree(repo, "remove", "fee", "--dry-run").stdout
    gone = worktree(repo, "remove", "fee")
    assert 0 == gone.returncode and not place.exists()
    assert b"E-worktree-unknown" in worktree(repo, "open", "fee").stderr


def test_what_the_checks_pass_is_merged_and_a_conflict_is_told(repo: Repo) -> None:
    """With a command that a person trusted once for the repository, whichever work tree it is run in."""
    home = repo.top.parent
    project = project_at(repo.top)
    things = tuple(one.thing for one in standings(trust_store({"HOME": str(home)}), project))
    trust(trust_store({"HOME": str(home)}), project, things, said=PERSON, time="2026-11-25T10:00:00.000Z")
    place = Path(json.loads(worktree(repo, "new", "fee", "--json").stdout)["path"])
    here = Repo(place, make=False)
    here.commit("empty")
    failed = worktree(repo, "merge", "fee")
    assert 1 == failed.returncode and b"TEST_FAILURE" in failed.stdout and b"E-worktree-invalid" in failed.stderr
    here.write("good", "")
    here.commit("good")
    merged = json.loads(worktree(repo, "merge", "fee", "--json").stdout)
    assert ("merged", "VALIDATION_OK") == (merged["outcome"], merged["validation"]["word"])
    assert merged["commit"] == repo.git("rev-parse", "main")
    for side in (repo, here):
        side.write("good", side.top.name)
        side.commit("both")
    conflict = worktree(repo, "merge", "fee")
    assert 1 == conflict.returncode and b"changed the same lines: good" in conflict.stderr


def test_a_folder_that_was_deleted_by_hand_is_told_with_the_way_out(repo: Repo) -> None:
    assert 0 == worktree(repo, "new", "fee").returncode
    shutil.rmtree(repo.top / ".clew/worktrees/fee")
    for deed in ("open", "merge", "remove"):
        assert b"`git worktree prune`" in worktree(repo, deed, "fee").stderr
    repo.git("worktree", "prune")
    assert 0 == worktree(repo, "new", "fee").returncode


def test_as_json(repo: Repo) -> None:
    """What scripts read."""
    made = json.loads(worktree(repo, "new", "fee", "--json").stdout)
    assert ("fee", "clew/fee", "main", 100) == tuple(made[n] for n in ("name", "branch", "base", "port_offset"))
    assert made == json.loads(worktree(repo, "open", "fee", "--json").stdout)
    [listed] = json.loads(worktree(repo, "list", "--json").stdout)["worktrees"]
    assert {**made, "on": "clew/fee", "reasons": []} == listed
    Path(made["path"], "note").touch()
    merged = worktree(repo, "merge", "fee", "--json")
    assert (1, "not clean") == (merged.returncode, json.loads(merged.stdout)["outcome"])
    kept = worktree(repo, "remove", "fee", "--json")
    told = json.loads(kept.stdout)
    assert (1, False, ["note"]) == (kept.returncode, told["removed"], told["reasons"][0]["paths"])

"""Validation without a ledger: what runs, what does not, and what it comes to."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.validate.configured import configured, propose
from clew.app.validate.validation import Validation, ValidationRequest, validate
from clew.core.errors import ClewError
from clew.workspace.streaming import run_command
from tests.app.worlds import ports as plain_ports
from tests.workspace.repos import Repo

CI = ValidationRequest(unattended=True)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "shop")
    made.write("shop.py", "def total(prices):\n    return sum(prices)\n")
    made.write(".gitignore", ".clew/\n__pycache__/\n")
    made.commit("first")
    return made


def configure(top: Path, text: str) -> None:
    (top / ".clew").mkdir(exist_ok=True)
    (top / ".clew/config.toml").write_text(text, encoding="utf-8")


def command(name: str, run: str, more: str = "") -> str:
    return f"[[validate.commands]]\nname = '{name}'\nrun = '''{run}'''\n{more}\n"


def run(top: Path, tmp_path: Path, request: ValidationRequest = CI) -> Validation:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return validate(ProjectHandle(ports(home), top), request)


def ports(home: Path) -> Ports:
    plain = plain_ports(home)
    return plain._replace(environment={**os.environ, **plain.environment, "PATH": os.environ["PATH"]})


def test_nothing_runs_that_nobody_trusted(repo: Repo, tmp_path: Path) -> None:
    """Not for an agent, and not for a person: `clew trust` comes first. A CI has nobody to ask."""
    configure(repo.top, command("mark", "touch ran"))
    found = run(repo.top, tmp_path, ValidationRequest())
    assert ("NOT_RUN", "not trusted") == (found.word, found.reason)
    assert not (repo.top / "ran").exists()
    run(repo.top, tmp_path)
    assert (repo.top / "ran").exists()


def test_the_first_failure_ends_it(repo: Repo, tmp_path: Path) -> None:
    """What stands behind it is not run, unless one keeps going."""
    configure(repo.top, command("a", "./ok.sh") + command("b", "./no.sh") + command("c", "./ok.sh"))
    for name, line in (("ok.sh", "exit 0"), ("no.sh", "echo 'error: the till is shut'; exit 3")):
        repo.write(name, f"#!/bin/sh\n{line}\n")
        (repo.top / name).chmod(0o755)
    found = run(repo.top, tmp_path)
    assert ["passed", "failed", "not-run"] == [one.status for one in found.results]
    assert ("TEST_FAILURE", "b", 3) == (found.word, found.reason, found.exit_code)
    assert "error: the till is shut" in found.failure
    kept = run(repo.top, tmp_path, ValidationRequest(unattended=True, keep_going=True))
    assert "passed" == kept.results[2].status


def test_a_module_that_is_not_installed_is_no_failure_of_a_test(repo: Repo, tmp_path: Path) -> None:
    """`python -m NAME` ends with 1 then, as a test that fails does. One that the code itself lacks is a failure."""
    configure(repo.top, command("test", f"{sys.executable} -m nonesuch -q"))
    found = run(repo.top, tmp_path)
    assert "NOT_RUN" == found.word and found.reason.endswith("No module named nonesuch")
    configure(repo.top, command("test", f"{sys.executable} -c 'import nonesuch'"))
    assert "TEST_FAILURE" == run(repo.top, tmp_path).word


def test_a_precondition_that_is_not_met_is_no_pass(repo: Repo, tmp_path: Path) -> None:
    """`NOT_RUN`, with what is missing."""
    configure(repo.top, command("a", "./ok.sh", "requires = 'test -f nonesuch'"))
    found = run(repo.top, tmp_path)
    assert "NOT_RUN" == found.word and "test -f nonesuch" in found.reason


def test_commands_are_about_what_was_touched(repo: Repo, tmp_path: Path) -> None:
    """Globs choose them, `{files}` hands the files over, and what no command is about is named."""
    configure(
        repo.top, command("py", "cp {files} seen", "files = ['*.py']") + command("js", "false", "files = ['*.js']")
    )
    repo.write("shop.py", "def total(prices):\n    return 0\n")
    repo.write("data.sql", "select 1\n")
    found = run(repo.top, tmp_path)
    assert ["passed", "skipped"] == [one.status for one in found.results]
    assert "return 0" in (repo.top / "seen").read_text()
    assert ("data.sql",) == found.uncovered


def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    """Its children, too; what it said by then is kept."""
    line = f"echo begun; {sys.executable} -c 'import time; time.sleep(60)' & echo $! > child; wait"
    ended = run_command(line, folder=tmp_path, environment=os.environ, timeout_s=0.7)
    assert ended.timed_out and b"begun" in ended.output
    child = int((tmp_path / "child").read_text())
    for _ in range(100):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            break
        if Path(f"/proc/{child}/stat").exists() and ") Z" in Path(f"/proc/{child}/stat").read_text():
            break
        time.sleep(0.05)
    else:
        pytest.fail("the child goes on")


def test_what_a_command_leaves_running_does_not_hold_it_up(tmp_path: Path) -> None:
    """A server that was started in the background is ended."""
    begun = time.monotonic()
    ended = run_command("sleep 60 & echo done", folder=tmp_path, environment=os.environ, timeout_s=30)
    assert 0 == ended.code and b"done" in ended.output and time.monotonic() - begun < 20


def test_the_tree_holds_untracked_files_and_nothing_is_written_to_the_repository(repo: Repo, tmp_path: Path) -> None:
    """It is another one after any change, the same after none, and git sees nothing of it."""
    configure(repo.top, command("a", "./ok.sh"))
    before = subprocess.run(["git", "count-objects"], cwd=repo.top, capture_output=True, text=True).stdout
    one, same = run(repo.top, tmp_path), run(repo.top, tmp_path)
    repo.write("new.txt", "new")
    other = run(repo.top, tmp_path)
    assert one.tree and one.tree == same.tree != other.tree
    assert before == subprocess.run(["git", "count-objects"], cwd=repo.top, capture_output=True, text=True).stdout


def test_a_secret_in_an_output_is_not_told(repo: Repo, tmp_path: Path) -> None:
    """What fails may print the environment."""
    secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    repo.write("no.sh", f"#!/bin/sh\necho error: token {secret}\nexit 1\n")
    (repo.top / "no.sh").chmod(0o755)
    configure(repo.top, command("a", "./no.sh"))
    assert secret not in repr(run(repo.top, tmp_path))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[validate]\ncommands = 3\n", "[[validate.commands]] was expected"),
        ("[[validate.commands]]\nname = 'a'\n", "missing required field `run`"),
        (command("a", "x", "tiemout_s = 3"), "`tiemout_s`"),
        (command("a", "x {files}"), "takes {files}"),
        (command("a", "x") + command("a", "y"), "two commands"),
        (command("a", "x", "folder = '../x'"), "outside"),
    ],
)
def test_a_wrong_table_is_an_error_that_names_it(repo: Repo, text: str, why: str) -> None:
    """Nothing is run of half of what was meant."""
    configure(repo.top, text)
    with pytest.raises(ClewError) as raised:
        configured(repo.top)
    assert "E-validate-config" == raised.value.code and why in raised.value.message


def test_what_the_project_has_is_proposed_and_written_once(repo: Repo) -> None:
    """As a diff first; what stands there already is left as it is."""
    repo.write("Makefile", "test:\n\tpython -m pytest\n\nlint:\n\truff check .\n")
    repo.write("package.json", '{"scripts": {"test": "jest", "typecheck": "tsc --noEmit"}}')
    repo.write("go.mod", "module x\n")
    seen = propose(repo.top, write=False)
    assert ["make test", "make lint", "npm run typecheck", "go vet ./..."] == [one.run for one in seen.commands]
    assert "+[[validate.commands]]" in seen.diff and not seen.file.exists()
    assert propose(repo.top, write=True).written
    assert ["test", "lint", "typecheck", "vet"] == [one.name for one in configured(repo.top)]
    assert () == propose(repo.top, write=True).commands


def test_what_a_check_leaves_behind_is_no_change_of_the_work(repo: Repo, tmp_path: Path) -> None:
    """A cache that nobody told git to ignore: the pass holds for the files as they are afterwards."""
    configure(repo.top, command("a", "echo made > report.txt"))
    first = run(repo.top, tmp_path)
    second = run(repo.top, tmp_path)
    assert first.tree == second.tree and () == first.notes
    configure(repo.top, command("a", "echo 'x = 1' >> shop.py"))
    assert "changed files of the project" in run(repo.top, tmp_path).notes[0]

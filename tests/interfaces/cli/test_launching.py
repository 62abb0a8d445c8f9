"""`clew resume --launch`: a client starts where the last session stopped."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from clew.core.text.receipt import as_prompt
from tests.workspace.repos import Repo

# A client that tells how it was started, a line each: the variable, then its arguments.
CLIENT = """#!/bin/sh
printf 'task %s\\n' "$CLEW_TASK"
for one in "$@"; do printf 'argument %s\\n' "$one"; done
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A folder of programs, the first on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def clew(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command as a person runs it: the process becomes the client."""
    environment = {**os.environ, "PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("CLEW_TASK", None)
    program = Path(sys.executable).with_name("clew")
    return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=60)


def installed(path: Path, name: str) -> None:
    file = path / name
    file.write_text(CLIENT)
    file.chmod(0o755)


def test_without_hooks_the_text_is_the_first_prompt(repo: Repo, path: Path) -> None:
    """Given a client that nothing was installed in, the next session still begins where the last one stopped."""
    installed(path, "claude")
    told = clew(path, "resume").stdout
    done = clew(path, "resume", "--launch", "claude-code")
    assert (done.returncode, done.stdout) == (0, f"task \nargument {as_prompt(told)}\n")
    assert done.stderr.startswith("Starting claude-code: the text is its first prompt (")


def test_with_hooks_they_bring_the_text_of_the_task(repo: Repo, path: Path) -> None:
    """Given `clew init`, the client is told which task is meant, and its own hooks do the rest with a receipt."""
    installed(path, "claude")
    assert 0 == clew(path, "init").returncode
    assert 0 == clew(path, "task", "new", "Mind the tide").returncode
    done = clew(path, "resume", "--launch", "claude-code")
    assert done.returncode == 0 and done.stdout.startswith("task T-") and "argument" not in done.stdout
    # What no hook would bring, such as another budget, comes as the prompt.
    assert "argument <clew-data" in clew(path, "resume", "--budget", "300", "--launch", "claude-code").stdout
    # A document for people goes to an agent between delimiters, too.
    assert "argument <clew-data" in clew(path, "resume", "--profile", "handoff", "--launch", "claude-code").stdout


def test_a_client_that_is_not_there_is_named(repo: Repo, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing starts, and what to do is said."""
    found = shutil.which("git")
    assert found is not None
    monkeypatch.setenv("PATH", str(path))
    (path / "git").symlink_to(found)
    done = clew(path, "resume", "--launch", "claude-code")
    assert done.returncode == 1 and "[E-client-missing]" in done.stderr and "clew resume --copy" in done.stderr
    unknown = clew(path, "resume", "--launch", "nonesuch")
    assert unknown.returncode == 1 and "[E-client-unknown]" in unknown.stderr
    (repo.top / "claude").write_text(CLIENT)
    (repo.top / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", ".")
    theirs = clew(path, "resume", "--launch", "claude-code")
    assert theirs.returncode == 1 and "whole path" in theirs.stderr, "a repository can bring such a program"
    both = clew(path, "resume", "--launch", "claude-code", "--json")
    assert both.returncode == 64


def test_no_file_is_named_to_the_client_by_what_somebody_wrote(repo: Repo, path: Path) -> None:
    """Given words with `@path` in what goes into the prompt, the client would put that file in their place, and send it
    to the model unasked.
    """
    installed(path, "gemini")
    assert 0 == clew(path, "init", "--client", "none").returncode
    assert 0 == clew(path, "task", "new", "Mind the tide").returncode
    assert 0 == clew(path, "note", "decision", 'See (@.env) and me@home, @"a b"').returncode
    done = clew(path, "resume", "--launch", "gemini")
    assert "See (@ .env) and me@ home" in done.stdout and "argument --prompt-interactive" in done.stdout
    assert not re.search(r"@[^ \n]", done.stdout)


PLAN = """\
# Fix the tide

## Phase 1: Look

- [ ] Who calls `moon()` in `src/a.py`
- tier: build
"""


def test_planning_and_phases_have_the_model_of_their_tier(repo: Repo, path: Path) -> None:
    """Given a route in the project's file, the client is started with that model, and it says why."""
    installed(path, "claude")
    assert 0 == clew(path, "init").returncode
    config = repo.top / ".clew" / "config.toml"
    config.write_text(config.read_text() + '\n[route.plan]\nclaude-code = "opus"\n')
    assert 0 == clew(path, "plan", "new", "Fix the tide").returncode
    (repo.top / "plan.md").write_text(PLAN)
    assert 0 == clew(path, "plan", "import", "plan.md").returncode
    done = clew(path, "resume", "--launch", "claude-code")
    assert done.stdout.endswith("\nargument --model\nargument opus\n")
    assert "\nStarting claude-code with opus (route.plan.claude-code says so): " in done.stderr


def test_a_stack_is_the_first_prompt_and_so_is_a_tasks(repo: Repo, path: Path) -> None:
    """A task's stack no hook brings, so the whole text is the prompt; without it they bring their own again."""
    installed(path, "claude")
    for words in (("init",), ("task", "new", "Mind the tide"), ("stack", "new", "tide")):
        assert 0 == clew(path, *words).returncode
    clew(path, "stack", "add", "tide", "files", "README.md")
    done = clew(path, "stack", "build", "tide", "--launch", "claude")
    assert done.returncode == 0 and done.stdout.startswith("task \nargument <clew-data ")
    assert "# Stack: tide" in done.stdout and "A project." in done.stdout
    clew(path, "stack", "use", "tide")
    started = clew(path, "resume", "--launch", "claude").stdout
    assert 2 == started.count("<clew-data ") and "# Stack: tide" in started
    assert clew(path, "resume", "--no-stack", "--launch", "claude").stdout.startswith("task T-")

"""Which branch a session was on at its end."""

from __future__ import annotations

import pytest

from clew.core.gate.shell.git_output import branch_after
from tests.builders import ROOT, prompt, reply, run, session

DONE = reply("It is done.")


def test_the_branch_is_that_of_the_end() -> None:
    """Codex names the branch once, when it starts: work that went on elsewhere would be looked for there."""
    assert session(prompt("Fix the sum"), DONE).branch == "main"
    switched = run("git switch -c fix/sum", "Switched to a new branch 'fix/sum'\n")
    assert session(prompt("Fix the sum"), switched, DONE).branch == "fix/sum"
    back = run("git status", "On branch main\nnothing to commit, working tree clean\n")
    assert session(prompt("Fix the sum"), switched, back, DONE).branch == "main"


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("git status --short --branch", "## fix/sum...origin/fix/sum [ahead 1]\n M sum.py\n"),
        ("git branch --show-current", "fix/sum\n"),
        ("git checkout fix/sum", "Already on 'fix/sum'\n"),
        ("git checkout -q -b fix/sum", ""),
        ("gh pr checkout 12", "Switched to branch 'fix/sum'\n"),
        ("git commit -qm x && git branch -M fix/sum", "[main (root-commit) 1a2b3c4] x\n"),
        (f"cd {ROOT} && git status", "On branch fix/sum\n"),
    ],
)
def test_git_tells_it_in_many_ways(command: str, printed: str) -> None:
    """Agents ask in whatever way comes to their mind."""
    assert branch_after(command, "", printed, root=ROOT) == "fix/sum"


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("git status", "HEAD detached at 1a2b3c4\n"),
        ("git branch", "* main\n  fix/sum\n"),
        ("cd ../other && git status", "On branch fix/sum\n"),
        ("cat notes.md", "On branch fix/sum\n"),
        ("git checkout -- sum.py", ""),
        ("git status --short && cat README.md", " M sum.py\n## Install\n"),
        ("git status; git -C ../other status", "On branch main\nOn branch fix/sum\n"),
        ("GIT_DIR=../other/.git git status", "On branch fix/sum\n"),
        ("git checkout -q -b $BRANCH", ""),
        ('git checkout -q -b "fix-$(date +%s)"', ""),
    ],
)
def test_what_is_no_branch_of_this_folder_is_not_taken_for_it(command: str, printed: str) -> None:
    """A wrong branch sends the next session to other people's work."""
    assert branch_after(command, "", printed, root=ROOT) == ""


def test_a_command_that_ran_elsewhere_tells_nothing_of_this_folder() -> None:
    """Some clients name a command's folder beside it."""
    printed = "On branch fix/sum\n"
    assert branch_after("git status", ROOT, printed, root=ROOT) == "fix/sum"
    assert branch_after("git status", "/somewhere/else", printed, root=ROOT) == ""

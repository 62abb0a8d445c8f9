"""`clew draft`, `clew checkpoint --draft`: hand-offs as they are typed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from clew.documents.draft import REQUEST
from tests.interfaces.cli.binary import CLEW
from tests.interfaces.cli.conftest import Clew
from tests.people import typed
from tests.workspace.repos import Repo

DRAFT = """## Goal
- Make the tide ten, and leave the moon alone
## Decisions
- The tide in src/a.py is ten now
## State
- Commit 1234abc was pushed to origin
"""
# A client that answers with the file beside it, and keeps what it was given.
CLIENT = """#!/bin/sh
printf '%s\\n' "$CLEW_ASKED" "$@" > "$0.arguments"
cat > "$0.prompt"
echo x >> "$0.runs"
cat "$0.answer"
"""


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The client's program, first on the PATH."""
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(CLIENT)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    answer = {
        "type": "result",
        "subtype": "success",
        "result": DRAFT,
        "usage": {"input_tokens": 900, "output_tokens": 70},
    }
    Path(f"{program}.answer").write_text(json.dumps({**answer, "total_cost_usd": 0.0123}))
    return program


def runs(claude: Path) -> int:
    file = Path(f"{claude}.runs")
    return len(file.read_text().split()) if file.exists() else 0


def test_a_hand_off_comes_with_a_checkpoint(clew: Clew, repo: Repo, tmp_path: Path) -> None:
    """For agents without tools, and for people who have read one: what was struck is told at once."""
    clew("init")
    file = tmp_path / "hand-off.md"
    file.write_text(DRAFT)
    done = clew("checkpoint", "evening", "--draft", str(file))
    assert 0 == done.code, done.err
    first, kept, again, struck = done.out.splitlines()
    assert first.startswith("Took K-")
    assert ": 2 of 3 entries stand" in kept and "Send the whole draft again" in again
    assert struck.startswith("Struck: line 6 ") and "1234abc" in struck
    shown = clew("draft")
    assert "✗ step: Commit 1234abc was pushed to origin (" in shown.out
    assert "goal: Make the tide ten" in shown.out
    name = shown.out.splitlines()[0].split()[1]
    assert shown.out == clew("show", name).out
    goal = next(row.split()[0] for row in clew("show").out.splitlines() if "  goal        Make" in row)
    assert f"draft    {name}" in (claim := clew("show", goal).out) and "verdict  " in claim
    assert json.loads(clew("show", goal, "--json").out)["item"]["verdict"] in ("proved", "anchored")
    told = json.loads(clew("draft", "--json").out)["draft"]
    assert json.loads(clew("show", name, "--json").out)["draft"] == told
    assert [True, True, False] == [claim["stands"] for claim in told["claims"]]
    assert f"{name}  agent  wrote a hand-off: 3 entries (" in clew("log").out
    assert "The tide in src/a.py is ten" in clew("resume").out
    assert "1234abc" not in clew("resume").out
    clew("task", "new", "The tide")
    assert "[E-no-draft]" in clew("draft").err, "the session counts for no task"
    assert 0 == clew("task", "adopt", "5e551011").code
    assert shown.out == clew("draft").out


def test_a_client_is_asked_once_and_told_what_it_cost(clew: Clew, repo: Repo, claude: Path) -> None:
    """Tokens before, tokens and price afterwards; the second time nothing."""
    clew("init")
    done = clew("draft", "--ask", "claude-code", "--yes", "--model", "sonnet")
    assert 0 == done.code, done.err
    assert "tokens beside its own instructions" in done.err and "The price is not known to clew." in done.err
    assert "970 tokens, 0.0123 USD by its own count" in done.err
    assert "✗ step: Commit 1234abc was pushed to origin" in done.out
    arguments = Path(f"{claude}.arguments").read_text().split("\n")
    assert "1" == arguments[0] and "sonnet" == arguments[arguments.index("--model") + 1]
    assert "leave the moon alone" in Path(f"{claude}.prompt").read_text()
    again = clew("draft", "--ask", "claude-code", "--yes", "--model", "sonnet")
    assert again.out == done.out and "costs nothing again" in again.err
    assert 1 == runs(claude)


def test_what_would_be_sent_can_be_read_first(clew: Clew, repo: Repo, claude: Path) -> None:
    """It leaves the machine, so whoever sends it may want to see it."""
    clew("init")
    done = clew("draft", "--ask", "claude-code", "--dry-run")
    assert 0 == done.code and REQUEST in done.out and "leave the moon alone" in done.out
    assert 0 == runs(claude) and 1 == clew("draft").code


def test_nothing_is_spent_where_nobody_can_say_yes(clew: Clew, repo: Repo, claude: Path) -> None:
    """A script, or an agent, has to say it on purpose."""
    clew("init")
    done = clew("draft", "--ask", "claude-code")
    assert 64 == done.code and "add --yes" in done.err
    assert 0 == runs(claude)


def test_a_person_is_asked(clew: Clew, repo: Repo, claude: Path, home: Path, tmp_path: Path) -> None:
    """And "no" is what return means."""
    clew("init", "--client", "none")
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    command = [str(CLEW), "draft", "--ask", "claude-code"]
    no = typed(command, cwd=repo.top, folder=tmp_path / "t1", environment=environment, answers="\n")
    assert "Ask it? [y/N]" in no.out and 0 == runs(claude)
    typed(command, cwd=repo.top, folder=tmp_path / "t2", environment=environment, answers="y\n")
    assert 1 == runs(claude)


def test_a_client_that_fails_says_why(clew: Clew, repo: Repo, claude: Path) -> None:
    """Most often nobody is logged in."""
    clew("init")
    Path(f"{claude}.answer").unlink()
    done = clew("draft", "--ask", "claude-code", "--yes")
    assert 1 == done.code and "[E-draft-failed]" in done.err and "No such file" in done.err
    assert 1 == clew("draft").code


def test_a_person_is_asked_at_init_when_agents_are_to_be_asked(
    clew: Clew, repo: Repo, home: Path, tmp_path: Path
) -> None:
    """It costs tokens of theirs, so they say so, once; what they say holds for all projects."""
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    command = [str(CLEW), "init", "--client", "claude-code"]
    said = typed(command, cwd=repo.top, folder=tmp_path / "t1", environment=environment, answers="\ny\n")
    assert "about 900 tokens" in said.out
    rows = {row["name"]: row for row in json.loads(clew("settings", "--json").out)["settings"]}
    assert (True, "user") == (rows["draft.at_threshold"]["value"], rows["draft.at_threshold"]["source"])
    assert (True, "user") == (rows["draft.at_stop"]["value"], rows["draft.at_stop"]["source"])
    [gates] = (home / ".local/share/clew/live").rglob("gates.json")
    assert json.loads(gates.read_text())["at_stop"] is True, "the hooks go by it at once"
    clew("settings", "set", "draft.at_stop", "off")
    assert json.loads(gates.read_text())["at_stop"] is False
    again = typed(command, cwd=repo.top, folder=tmp_path / "t2", environment=environment, answers="")
    assert "[Y/n]" not in again.out

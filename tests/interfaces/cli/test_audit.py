"""`clew audit`, `clew audit rules` and `clew rules init` as they are typed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clew.interfaces.cli import audit as command
from tests.interfaces.cli.conftest import Clew
from tests.workspace.repos import Repo


def test_the_bill_adds_up_as_lines_and_as_json(repo: Repo, clew: Clew) -> None:
    """What a pipe reads is whole numbers, without bars."""
    done = clew("audit")
    assert 0 == done.code
    head, figures, _, *rows = done.out.split("\n")
    assert head.startswith("claude-code ") and "input tokens" in figures and "explained" in figures
    told = json.loads(clew("audit", "--json").out)
    assert sum(one["tokens"] for one in told["lines"]) == pytest.approx(told["input_tokens"], abs=len(told["lines"]))
    assert f"{told['input_tokens']:,} input tokens" in figures
    assert f"{told['lines'][0]['tokens']:,}" == rows[0].split()[1]
    assert "█" not in done.out
    assert "`--mcp` asks them" in done.err


def test_at_a_terminal_there_are_bars(repo: Repo, clew: Clew, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as the share, and what is not nothing shows."""
    assert ["", "▏", "██████████", "████████████████████"] == [command.bar(one, 20) for one in (0, 1e-6, 0.5, 1)]
    shown: dict[str, Any] = {}
    monkeypatch.setattr("clew.interfaces.cli.audit.is_screen", lambda _: True)
    monkeypatch.setattr("clew.interfaces.cli.audit.show_table", lambda heads, rows, **_: shown.update(rows=rows))
    clew("audit")
    assert "█" in shown["rows"][0][1]


def test_what_cannot_be_audited(repo: Repo, clew: Clew) -> None:
    """With a code that has its page."""
    (repo.top / "notes.md").write_text("# Notes\n")
    assert "E-transcript-unknown" in clew("audit", "--session", "notes.md").err
    assert "E-transcript-missing" in clew("audit", "--session", "ffffffff").err


def test_rules_are_linted_with_the_exit_codes_of_lint(repo: Repo, clew: Clew) -> None:
    """0 where nothing was found, 1 where something was, or a file cannot be read."""
    good = "# Tide\n\n## Hard constraints\n\n- Never push.\n\n## Checks\n\n```sh\npytest -q\n```\n"
    repo.write("AGENTS.md", good)
    assert (0, "") == clew("audit", "rules", "AGENTS.md")[:2]
    repo.write("AGENTS.md", f"{good}\nSee `src/none.py`.\n")
    done = clew("audit", "rules")
    assert (1, "AGENTS.md:13: dead-path: src/none.py does not exist") == (done.code, done.out.split("\n")[0])
    assert "1 finding in 1 rules file of " in done.err
    told = json.loads(clew("audit", "rules", "--json").out)
    assert ("AGENTS.md", "dead-path") == (told["files"][0]["file"], told["files"][0]["findings"][0]["rule"])
    assert 1 == clew("audit", "rules", "none.md").code
    assert "E-lint-rule" in clew("audit", "rules", "--rule", "moon").err
    assert 0 == clew("audit", "rules", "--rule", "order").code


def test_rules_are_proposed_as_a_diff(repo: Repo, clew: Clew) -> None:
    """Nothing is written, and an agent may not have it written."""
    done = clew("rules", "init")
    assert (0, True) == (done.code, done.out.startswith("--- a/AGENTS.md\n+++ b/AGENTS.md\n"))
    assert "Nothing was written" in done.err
    assert "E-not-a-person" in clew("rules", "init", "--write").err
    assert "Nothing was written" in clew("rules", "init", "--write", "--dry-run").err
    assert not (repo.top / "AGENTS.md").exists()
    told = json.loads(clew("rules", "init", "--json").out)
    assert (False, ["Hard constraints", "How changes are made"]) == (told["written"], told["added"])

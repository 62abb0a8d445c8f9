"""`clew handoff`, `rebuild`, `journal`: as they are typed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.interfaces.cli.binary import CLEW
from tests.interfaces.cli.conftest import Clew, Desk
from tests.people import typed
from tests.workspace.repos import Repo


def test_without_a_terminal_it_is_made_and_says_that_nobody_reviewed_it(clew: Clew, repo: Repo) -> None:
    """A pipe gets the text; what was done is told beside it."""
    assert 1 == clew("handoff").code  # no ledger
    clew("init", "--client", "none")
    made = clew("handoff")
    assert (0, True) == (made.code, made.out.startswith("# Handoff: "))
    assert made.out == (repo.top / ".clew/HANDOFF.md").read_text()
    assert "Nobody reviewed it" in made.out and "unreviewed" in made.err and ".clew/handoffs/" in made.err
    told = json.loads(clew("handoff", "--to", "ben", "--json").out)
    assert ("team", "ben", "") == tuple(told["handoff"][name] for name in ("profile", "receiver", "reviewer"))
    assert {"stale-date"} >= {one["rule"] for one in told["findings"]}  # the session is older than today
    lint = json.loads(clew("lint", ".clew/HANDOFF.md", "--json").out)
    assert {"stale-date"} >= {one["rule"] for one in lint["documents"][0]["findings"]}


def test_a_dry_run_and_wrong_options_write_nothing(clew: Clew, repo: Repo) -> None:
    """64 is the command line's fault."""
    clew("init", "--client", "none")
    assert "nothing was kept" in clew("handoff", "--dry-run").err
    assert 64 == clew("handoff", "--edit", "--yes").code
    refused = clew("handoff", "--commit")
    assert 1 == refused.code and "E-handoff-share" in refused.err
    assert not (repo.top / ".clew/HANDOFF.md").exists()


def test_a_person_reviews_it_with_keys(clew: Clew, repo: Repo, home: Path, tmp_path: Path) -> None:
    """At a real terminal: the list with verdicts, a cut by number, the rest accepted; the cut is that person's word."""
    clew("init", "--client", "none")
    clew("decide", "Tides are kept in metres")
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "USER": "ada"}
    listed = clew("handoff", "--dry-run").out
    assert "Tides are kept in metres" in listed
    answers = "{{(\\d+) . decision: Tides}}c\nA\n"
    said = typed([str(CLEW), "handoff"], cwd=repo.top, folder=tmp_path / "t", environment=environment, answers=answers)
    assert 0 == said.code, said.out
    assert "accept all" not in said.out and "[A]ll the rest" in said.out and "Reviewed with" in said.out
    text = (repo.top / ".clew/HANDOFF.md").read_text()
    assert "Reviewed by ada" in text and "metres" not in text
    assert "metres" not in clew("resume").out


def test_an_editor_is_opened(clew: Clew, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever the user has; one that saves nothing makes nothing."""
    clew("init", "--client", "none")
    clew("decide", "Tides are kept in metres")
    editor = tmp_path / "editor"
    editor.write_text(
        '#!/bin/sh\nsed -i "s/kept in metres/kept in feet/" "$1"\nsleep 0.01\ntouch -d "+2 seconds" "$1"\n'
    )
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    assert 0 == clew("handoff", "--edit").code
    assert "kept in feet" in (repo.top / ".clew/HANDOFF.md").read_text()
    monkeypatch.setenv("VISUAL", "true")
    assert "Nothing was made." in clew("handoff", "--edit").err
    monkeypatch.setenv("VISUAL", str(tmp_path / "none"))
    assert "E-no-editor" in clew("handoff", "--edit").err


def test_rebuild_tells_what_it_wrote(clew: Clew, repo: Repo) -> None:
    """Deleted files come back; a second time there is nothing to do."""
    clew("init", "--client", "none")
    clew("handoff")
    (repo.top / ".clew/HANDOFF.md").unlink()
    assert "made .clew/HANDOFF.md" in clew("rebuild", "--dry-run").out
    assert not (repo.top / ".clew/HANDOFF.md").exists()
    assert "made .clew/HANDOFF.md" in clew("rebuild").out
    assert {"same"} == {one["did"] for one in json.loads(clew("rebuild", "--json").out)["files"]}


def test_the_journal_is_written_and_read(desk: Desk) -> None:
    """What was decided, and what somebody wrote into it."""
    assert "empty" in desk.ada("journal").err
    desk.ada("decide", "Page by cursor", "--why", "rows move")
    desk.ada("journal", "add", "Talked to the harbour master")
    said = desk.ada("journal").out
    assert "decided: Page by cursor (rows move)" in said and "Talked to the harbour master" in said
    [day] = json.loads(desk.ada("journal", "--json").out)["days"]
    page = desk.shop.top / ".clew/journal" / f"{day['day']}.md"
    assert {line["words"] for line in day["lines"]} >= {"Talked to the harbour master"}
    page.write_text(page.read_text() + "- 09:00:00 ben: came by [aaaaaaaa]\n")
    desk.ada("journal", "add", "He left")
    assert "ben: came by" in page.read_text() and "He left" in page.read_text()
    assert "E-journal-day" in desk.ada("journal", "--day", "soon").err


def test_a_closed_task_is_summed_up(desk: Desk) -> None:
    """And what it left is offered."""
    desk.ada("task", "new", "Fix the tide")
    desk.ada("decide", "Tides are kept in metres")
    said = desk.ada("task", "close")
    assert ".clew/summaries/" in said.err and "1 learning may matter elsewhere" in said.err

"""`clew lint` as it is typed."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.interfaces.cli.conftest import Clew
from tests.workspace.repos import Repo

HANDOFF = """\
# Handoff

Written by hand on March 14. Dead ends: none. Next action: tips.

## Done (4be1c02)

A few things, `pytest` passed:

- `src/rounding.py` rounds half to even
- `src/a.py` is whole
- Works now
"""
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "linting.md"


def test_findings_are_printed_with_place_words_and_fix(clew: Clew, repo: Repo) -> None:
    """Given a hand-off with two faults, each is three lines on stdout; the count is on stderr."""
    repo.write("HANDOFF.md", HANDOFF)
    code, out, err = clew("lint", "HANDOFF.md")
    assert (code, err) == (1, "2 findings in 1 file.\n")
    assert out == (
        "HANDOFF.md:9: file-gone: src/rounding.py does not exist\n"
        "    | - `src/rounding.py` rounds half to even\n"
        "    fix: Name the file as it is called now, or say that it was removed.\n"
        'HANDOFF.md:11: empty-phrase: "Works now" says nothing to act on\n'
        "    | - Works now\n"
        "    fix: Say what exactly: which file, which behaviour, which result; or take the line out.\n"
    )
    assert out.replace("src/rounding", "till/rounding") in PAGE.read_text(encoding="utf-8")


def test_a_clean_document_is_silence(clew: Clew, repo: Repo) -> None:
    """So that it can stand in front of a commit."""
    repo.write("NOTES.md", "# Notes\n\nCents are integers.\n")
    assert clew("lint", "NOTES.md") == (0, "", "")
    assert clew("lint", "NOTES.md", "README.md") == (0, "", "")


def test_one_rule_and_another_budget(clew: Clew, repo: Repo) -> None:
    """What is asked for, and nothing else."""
    repo.write("HANDOFF.md", HANDOFF)
    assert clew("lint", "HANDOFF.md", "--rule", "over-budget").code == 0
    code, out, _ = clew("lint", "HANDOFF.md", "--rule", "over-budget", "--budget", "20")
    assert code == 1 and "the budget is 20" in out and "file-gone" not in out
    assert clew("lint", "HANDOFF.md", "--rule", "no-such-rule").err.endswith("[E-lint-rule]\n") is False
    assert "[E-lint-rule]" in clew("lint", "HANDOFF.md", "--rule", "no-such-rule").err


def test_a_document_may_come_by_a_pipe(clew: Clew, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """`git show HEAD:HANDOFF.md | clew lint -`."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(HANDOFF.encode()), encoding="utf-8"))
    code, out, _ = clew("lint", "-")
    assert code == 1
    assert out.startswith("-:9: file-gone: src/rounding.py does not exist\n")
    monkeypatch.setattr("sys.stdin", None)
    assert clew("lint", "-").code == 64


def test_what_cannot_be_linted_is_an_error(clew: Clew, repo: Repo) -> None:
    """With code and hint; nothing at all on the command line is a usage error."""
    repo.write("picture.png", b"\x89PNG\r\n\0\0")
    code, out, err = clew("lint", "picture.png")
    assert (code, out) == (1, "") and "picture.png" in err and "[E-import-not-text]" in err
    assert clew("lint", "gone.md").code == 1
    repo.write("HANDOFF.md", HANDOFF)
    code, out, err = clew("lint", "gone.md", "HANDOFF.md", "README.md")
    assert code == 1 and "HANDOFF.md:11: empty-phrase" in out and "gone.md" in err and "[E-import-unreadable]" in err
    code, out, err = clew("lint", "gone.md", "README.md", "--json")
    assert code == 1 and json.loads(out)["documents"][0]["error"]["code"] == "E-import-unreadable"
    assert clew("lint").code == 64
    assert clew("lint", "README.md", "--budget", "0").code == 64


def test_nothing_in_a_document_reaches_the_terminal_raw(clew: Clew, repo: Repo) -> None:
    """A document from a stranger's repository is printed, so it must not steer the screen."""
    repo.write("HANDOFF.md", "# Handoff \x1b]0;owned\x1b\\\n\n- `src/\x1b[31mgone.py`\n- Works now\u202e\x1b[2J\n")
    _, out, err = clew("lint", "HANDOFF.md")
    assert out and not {"\x1b", "\x07", "\u202e"} & set(out + err)

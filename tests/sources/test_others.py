"""What single kinds of sources say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clew.core.errors import InputError
from clew.sources.port import Fetched, SourceContext
from clew.sources.registry import source, spec_of
from tests.sources.test_conformance import repository


def _fetched(at: SourceContext, table: dict[str, Any]) -> Fetched:
    return source(table["kind"]).fetch(spec_of(table, "source 1"), at, table)


def test_a_diff_since_a_branch_has_commits_and_changes(tmp_path: Path) -> None:
    """What a reviewer of a branch needs is both; what git does not know yet is named."""
    at = repository(tmp_path)
    (tmp_path / "new.py").write_text("n\n")
    found = _fetched(at, {"kind": "git-diff", "base": "first"})
    assert "+b = 2" in found.parts[0].text
    assert "+    return 3" in found.parts[0].text
    assert found.provenance.endswith(": 2 files")
    assert "1 untracked file" in found.notes[0]


def test_a_diff_without_a_base_is_what_is_not_committed(tmp_path: Path) -> None:
    """And `paths` narrows it down; `to` leaves the work tree out."""
    at = repository(tmp_path)
    assert "b = 2" not in _fetched(at, {"kind": "git-diff"}).parts[0].text
    assert _fetched(at, {"kind": "git-diff", "paths": ["README.md"]}).parts[0].text == ""
    assert "return 3" not in _fetched(at, {"kind": "git-diff", "base": "first", "to": "main"}).parts[0].text


def test_nobodys_configuration_changes_a_diff(tmp_path: Path) -> None:
    """The same disk gives the same bytes, and no program of the repository is run."""
    at = repository(tmp_path)
    plain = _fetched(at, {"kind": "git-diff"})
    with (tmp_path / ".git/config").open("a") as file:
        file.write("[diff]\n\tnoprefix = true\n\tmnemonicPrefix = true\n\tcontext = 0\n[color]\n\tui = always\n")
        file.write(f"[diff]\n\texternal = touch {tmp_path}/ran\n")
    again = repository_at(tmp_path)
    assert _fetched(again, {"kind": "git-diff"}).parts == plain.parts
    assert not (tmp_path / "ran").exists()


def repository_at(folder: Path) -> SourceContext:
    """The repository that is there, asked again."""
    from clew.workspace.git import Git
    from tests.workspace.repos import clean_environment

    return SourceContext(root=folder, git=Git.at(folder, environment=clean_environment()))


def test_a_log_is_the_newest_first_with_bodies_where_asked(tmp_path: Path) -> None:
    """A line a commit is cheap; a message is there for who wants it."""
    at = repository(tmp_path)
    rows = _fetched(at, {"kind": "git-log"}).parts[0].text.splitlines()
    assert [row.partition(": ")[2] for row in rows] == ["Add b", "Begin"]
    assert "    The body of it." in _fetched(at, {"kind": "git-log", "body": True}).parts[0].text
    assert "Begin" not in _fetched(at, {"kind": "git-log", "range": "first..main"}).parts[0].text


def test_a_snippet_counts_as_yours_only_if_the_stack_puts_nothing_in(tmp_path: Path) -> None:
    """A stack that came with a repository must not speak with its user's voice."""
    own, theirs = tmp_path / "own", tmp_path / "theirs"
    own.mkdir(), theirs.mkdir()
    (own / "rules.md").write_text("Use {{lang}}.")
    (theirs / "rules.md").write_text("Theirs.")
    (theirs / "more.md").write_text("More.")
    at = SourceContext(root=tmp_path, snippets=(own, theirs), own_snippets=own)
    filled = _fetched(at, {"kind": "snippet", "snippet": "rules", "variables": {"lang": "Rust. Push to main"}})
    assert (filled.own, filled.parts[0].text) == (False, "Use Rust. Push to main.")
    given = SourceContext(root=tmp_path, snippets=(own, theirs), own_snippets=own, variables={"lang": "Go"})
    said = _fetched(given, {"kind": "snippet", "snippet": "rules", "variables": {"lang": "Rust"}})
    assert (said.own, said.parts[0].text) == (True, "Use Go.")
    assert _fetched(at, {"kind": "snippet", "snippet": "more"}).own is False


def test_a_command_is_trusted_to_the_letter(tmp_path: Path) -> None:
    """The whole table is asked about, with every key of it."""
    asked: list[Any] = []
    at = SourceContext(
        root=tmp_path, environment={"PATH": "/usr/bin:/bin"}, trusted=lambda table: not asked.append(table)
    )
    table = {"kind": "command", "run": "pwd; exit 2", "codes": [0, 2]}
    found = _fetched(at, table)
    assert asked == [table]
    assert found.parts[0].text == f"{tmp_path}\n"
    assert found.provenance.endswith("which ended with 2")


@pytest.mark.parametrize(
    "table",
    [{}, {"kind": 3}, {"kind": "notion"}, {"kind": "files"}, {"kind": "files", "paths": "src"},
     {"kind": "payload", "budget": -1}, {"kind": "payload", "trim": "middle"}],
)  # fmt: skip
def test_a_table_that_says_nothing_is_refused(table: dict[str, Any]) -> None:
    """With what may stand there."""
    with pytest.raises(InputError) as refused:
        spec_of(table, "source 2")
    assert refused.value.code == "E-stack-file"
    assert refused.value.hint

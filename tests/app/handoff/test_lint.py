"""A document linted where it lies: what its repository, its last commit and the clock say about it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from clew.app.handoff.lint import Linted, linted
from clew.app.ports import Ports
from clew.core.errors import ClewError
from tests.app.worlds import ports, project, secrets
from tests.workspace.repos import Repo

NOTE = "# Handoff\n\nUpdated: 2026-03-14\n\nNext action: split refunds. Nothing was tried and failed yet.\n\n{}\n"
NOW_MS = int(datetime(2026, 3, 20, 12, tzinfo=UTC).timestamp()) * 1000


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return project(tmp_path / "till", src__cents_py="whole = True\n", tests__test_cents_py="pass\n")


@pytest.fixture
def at(tmp_path: Path) -> Ports:
    return ports(tmp_path / "home")._replace(now_ms=lambda: NOW_MS)


def look(at: Ports, repo: Repo, text: str, *, path: str = "HANDOFF.md", rule: str = "file-gone") -> list[str]:
    """What one rule says of a document in the repository."""
    repo.write(path, text)
    (found,) = linted(at, repo.top, [path], rules=[rule])
    assert found.notes == ()
    return [one.message for one in found.findings]


def test_a_file_is_there_or_gone_as_the_work_tree_has_it(at: Ports, repo: Repo) -> None:
    """Given tracked, untracked, ignored and deleted files, only the deleted one is gone, before any commit."""
    repo.write(".gitignore", "src/ignored.py\n")
    for name in ("ignored", "fresh"):
        repo.write(f"src/{name}.py", "")
    (repo.top / "tests/test_cents.py").unlink()
    said = "`src/cents.py`, `src/fresh.py`, `src/ignored.py`, `tests/test_cents.py`, `cents.py`"
    assert look(at, repo, NOTE.format(said)) == ["tests/test_cents.py does not exist"]


def test_links_are_read_from_the_documents_folder(at: Ports, repo: Repo) -> None:
    """As a browser would."""
    text = NOTE.format("[here](../src/cents.py) [gone](../src/gone.py) [beside](other.md)")
    repo.write("docs/other.md", "# Other\n")
    assert look(at, repo, text, path="docs/HANDOFF.md") == ["../src/gone.py does not exist"]


def test_nothing_outside_of_the_repository_is_looked_at(at: Ports, repo: Repo, tmp_path: Path) -> None:
    """A document that climbs out, or a link that leads out, must not tell what is there."""
    (tmp_path / "secret.md").write_text("x")
    (repo.top / "away").symlink_to(tmp_path)
    climbing = NOTE.format("[a](../secret.md) [b](../nothing.md) [c](../../../../etc/hosts.conf) `/etc/hosts.conf`")
    assert look(at, repo, climbing) == []
    (repo.top / "src" / "out.py").symlink_to(tmp_path / "secret.md")
    assert look(at, repo, NOTE.format("`src/out.py`")) == []  # the link itself is there


def test_a_date_is_held_against_the_clock(at: Ports, repo: Repo) -> None:
    """The age of a hand-off, on the day it is linted."""
    old = NOTE.format("").replace("2026-03-14", "2026-01-09")
    assert look(at, repo, NOTE.format(""), rule="stale-date") == []
    assert look(at, repo, old, rule="stale-date") == ["its newest date is 2026-01-09, 70 days ago"]


def test_outside_of_a_repository_no_file_is_gone(at: Ports, tmp_path: Path) -> None:
    """There is nothing that says which files there should be."""
    (tmp_path / "HANDOFF.md").write_text(NOTE.format("`src/gone.py`, [x](gone.md)"))
    (found,) = linted(at, tmp_path, ["HANDOFF.md"])
    assert "file-gone" not in {one.rule for one in found.findings}


def test_without_git_the_rest_is_linted_and_a_note_says_so(at: Ports, repo: Repo, tmp_path: Path) -> None:
    """A machine without git still has a linter."""
    repo.write("HANDOFF.md", NOTE.format("`src/gone.py`\n\n- Works now"))
    (found,) = linted(at._replace(environment={"PATH": str(tmp_path)}), repo.top, ["HANDOFF.md"])
    assert [one.rule for one in found.findings] == ["empty-phrase"]
    assert found.notes == ("whether files are gone is not known: git is not installed.",)


def test_what_comes_by_stdin_lies_in_the_folder_we_are_in(at: Ports, repo: Repo, tmp_path: Path) -> None:
    """`git show HEAD:HANDOFF.md | clew lint -` from the top of the repository."""
    given = tmp_path / "stdin"
    given.write_text(NOTE.format("`src/gone.py` and `src/cents.py`; [x](cents.py)"))
    (top,) = linted(at, repo.top, ["-"], stdin=given, rules=["file-gone"])
    (below,) = linted(at, repo.top / "src", ["-"], stdin=given, rules=["file-gone"])
    for found in (top, below):
        assert [one.message for one in found.findings] == ["src/gone.py does not exist"]


def test_secrets_do_not_come_out(at: Ports, repo: Repo) -> None:
    """What is printed goes into logs of CI."""
    for secret in secrets().values():
        repo.write("HANDOFF.md", f"# Handoff\n\n- Token {secret} for `/Users/ada/till/{secret}`\n")
        (found,) = linted(at, repo.top, ["HANDOFF.md"])
        assert found.findings and secret not in str(found)


def test_several_documents_are_linted_each_by_itself(at: Ports, repo: Repo) -> None:
    """In the order in which they were named."""
    repo.write("PLAN.md", "# Plan of 2026-03-14\n\n- [ ] Various improvements\n")
    repo.write("HANDOFF.md", NOTE.format(""))
    found = linted(at, repo.top, ["PLAN.md", "HANDOFF.md", "README.md"])
    assert [(one.file, one.genre, len(one.findings)) for one in found] == [
        ("PLAN.md", "plan", 1),
        ("HANDOFF.md", "handoff", 0),
        ("README.md", "reference", 0),
    ]
    assert isinstance(found[0], Linted) and found[0].tokens > 5


@pytest.mark.parametrize(
    ("path", "content", "code"),
    [
        ("gone.md", None, "E-import-unreadable"),
        ("src", None, "E-import-unreadable"),
        ("picture.md", b"\x89PNG\0\0\0", "E-import-not-text"),
        ("huge.md", b"- x\n" * (2 << 20) + b"y", "E-import-too-large"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_code(
    at: Ports, repo: Repo, path: str, content: bytes | None, code: str
) -> None:
    """Not a finding, and no traceback; and the next one is read."""
    if content:
        repo.write(path, content)
    found = linted(at, repo.top, [path, "README.md"])
    problem = found[0].error
    assert problem is not None and problem.code == code and path in problem.message and problem.hint
    assert (found[1].file, found[1].error) == ("README.md", None)


def test_a_rule_that_does_not_exist_is_an_error(at: Ports, repo: Repo) -> None:
    """A slip in CI must not pass for "clean"."""
    with pytest.raises(ClewError) as caught:
        linted(at, repo.top, ["README.md"], rules=["file-gone", "files-gone"])
    assert caught.value.code == "E-lint-rule" and "file-gone" in caught.value.hint

"""Drift, end to end on real repositories and plain folders: what is reported must be what happened."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from clew.workspace.fingerprint import blob_id, fingerprint
from tests.workspace.looks import LONG_AGO_S, NOW_S, TEXT, aged, look, rewind, seen, status
from tests.workspace.repos import OTHER, Repo, rfc3339

# Nothing known but the path


def test_written_since_but_equal_to_head_is_unchanged(repo: Repo):
    """A checkout and back gives new times to old content."""
    repo.write("a.txt", "one\ntwo\nthree\n")
    assert look(repo.top, seen("a.txt")).files[0].status == "unchanged"


def test_written_since_and_different_from_head_is_changed(repo: Repo):
    """An uncommitted edit after the session is evidence enough."""
    repo.write("a.txt", "other\n")
    assert status(look(repo.top, seen("a.txt")).files[0]) == ("changed", -1, -1)


def test_touched_by_a_commit_since_is_changed(repo: Repo):
    """Clean against HEAD, but HEAD moved."""
    repo.write("a.txt", "other\n")
    repo.commit("change a", author=OTHER)
    (file,) = look(repo.top, seen("a.txt")).files
    assert (file.status, [commit.subject for commit in file.commits]) == ("changed", ["change a"])


@pytest.mark.parametrize("git", [True, False], ids=["git", "no git"])
def test_written_since_and_nobody_knows_the_content_is_unknown(repo: Repo, git: bool):
    """An untracked or ignored file: a new time is no proof of a new content, and no proof of the old one."""
    repo.write("notes", "x")
    repo.write(".gitignore", "ignored\n")
    repo.write("ignored", "x")
    found = look(repo.top, seen("notes"), seen("ignored"), git=git)
    assert [file.status for file in found.files] == ["unknown", "unknown"]


def test_a_clock_that_went_back_gives_no_wrong_proof(repo: Repo):
    """Files, commits and the session itself from the future: no error, and content still decides."""
    ahead = NOW_S + 10 * 86_400
    aged(repo.write("a.txt", "other\n"), ahead)
    repo.commit("from the future", author=OTHER, seconds=ahead)
    saved = fingerprint(str(repo.top / "a.txt"))
    assert saved is not None
    found = look(repo.top, seen("a.txt", "one\ntwo\nthree\n"), seen("a.txt", blob="0" * 40, stat=saved.stat))
    assert [file.status for file in found.files] == ["changed", "changed"]
    assert found.commits_since[0].time == rfc3339(ahead)[:19] + "Z"
    later = look(repo.top, seen("a.txt", "other\n"), since=rfc3339(ahead + 99))
    assert (later.files[0].status, later.commits_since) == ("unchanged", ())


# Which commits explain a change


def test_a_commit_of_what_the_session_left_does_not_explain_a_later_edit(repo: Repo):
    """The user commits the session's work and writes on: the commit is not what changed the file."""
    repo.write("a.txt", "work\n")
    repo.commit("what the session left")
    repo.write("a.txt", "work\nmore\n")
    (file,) = look(repo.top, seen("a.txt", "work\n")).files
    assert (*status(file), file.commits) == ("changed", 1, 0, ())
    repo.commit("more", author=OTHER)
    repo.write("a.txt", "work\nmore\nand more\n")
    found = look(repo.top, seen("a.txt", "work\n"))
    assert [commit.subject for commit in found.files[0].commits] == ["more", "what the session left"]
    assert found.tree.dirty == ("a.txt",)


# Hostile paths and odd roots


@pytest.mark.parametrize(
    "path", ["../outside", "/etc/passwd", "", "a/../../outside", "out/outside", "link", "a\0b", "x" * 5000]
)
def test_what_lies_outside_is_never_opened(tmp_path: Path, path: str):
    """A transcript can name any file of the machine; a repository can hold links to any."""
    root = tmp_path / "root"
    root.mkdir()
    secret = tmp_path / "outside"
    secret.write_text("secret\n")
    (root / "out").symlink_to(tmp_path)
    (root / "link").symlink_to(secret)
    before = secret.stat().st_atime_ns
    found = look(root, seen(path, "secret\n"), seen(path, blob=blob_id(b"secret\n")))
    assert {file.status for file in found.files} <= {"unknown", "gone"}
    assert secret.stat().st_atime_ns == before


NAMES = st.text(
    st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]) | st.sampled_from("\n\t \"'\\*?[:!😀é"),
    min_size=1,
    max_size=20,
).filter(lambda name: name not in {".", ".."} and name.lower() != ".git" and len(name.encode()) < 200)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(names=st.lists(NAMES, min_size=1, max_size=4, unique_by=str.casefold))
@example([":!x", "-n", "*", "HEAD"])
@example([":(top)b"])
def test_any_file_name_works(tmp_path_factory: pytest.TempPathFactory, names: list[str]):
    """Spaces, emoji, newlines, quotes, globs and pathspec magic are file names like others."""
    repo = Repo(tmp_path_factory.mktemp("names"))
    for name in names:
        repo.write(name, TEXT)
    repo.commit("first", seconds=LONG_AGO_S)
    rewind(repo, LONG_AGO_S)
    for name in names:
        repo.write(name, TEXT + "more\n")
    repo.commit("second", author=OTHER)
    repo.write(names[0], TEXT + "more\nand more\n")
    found = look(repo.top, *(seen(name, TEXT) for name in names))
    assert [(file.status, [one.subject for one in file.commits]) for file in found.files] == [
        ("changed", ["second"]) for _ in names
    ]
    assert found.tree.dirty == (names[0],)


def test_a_name_that_is_not_utf_8(tmp_path: Path):
    """Old file systems hold Latin-1 names; the bytes must survive the way to git and back."""
    repo = Repo(tmp_path)
    name = os.fsdecode(b"caf\xe9.txt")
    try:
        repo.write(name, "x\n")
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    found = look(tmp_path, seen(name, "x\n"))
    assert (found.files[0].status, found.tree.dirty) == ("unchanged", (name,))


def test_files_that_a_stat_vouches_for_stand_between_those_that_need_a_closer_look(tmp_path: Path):
    """Only some are looked at closely; what was found of one must not be told of its neighbour."""
    statuses = ["unchanged", "changed", "unchanged", "gone", "unchanged", "moved"]
    files = []
    for number, happened in enumerate(statuses):
        place = tmp_path / f"{number}.txt"
        place.write_text(f"{TEXT}{number}\n")
        found = fingerprint(str(aged(place)))
        assert found is not None
        files.append(seen(place.name, blob=found.blob, stat=found.stat))
        if happened == "changed":
            place.write_text(TEXT)
        elif happened == "gone":
            place.unlink()
        elif happened == "moved":
            place.rename(tmp_path / "elsewhere.txt")
    drifted = look(tmp_path, *files, git=False).files
    assert [(one.path, happened) for one, happened in zip(files, statuses, strict=True)] == [
        (file.path, file.status) for file in drifted
    ]

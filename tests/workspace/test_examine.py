"""One file against what was seen of it, by way of drift: content decides, and odd things at a path do no harm."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.core.records.files import FileDrift, Stat
from clew.workspace.fingerprint import Algorithm, blob_id, fingerprint
from tests.workspace.looks import LONG_AGO_S, aged, look, seen, status
from tests.workspace.repos import Repo, rfc3339

# The content decides


@pytest.mark.parametrize("git", [True, False], ids=["git", "no git"])
def test_the_same_content_is_unchanged_whatever_its_time(repo: Repo, git: bool):
    """A checkout rewrites files; a new time alone must not send an agent to read them again."""
    repo.write("a.txt", "one\ntwo\nthree\n")
    found = look(repo.top, seen("a.txt", "one\ntwo\nthree\n"), git=git)
    assert found.files == (FileDrift("a.txt", "unchanged", 0, 0, "", ()),)


@pytest.mark.parametrize("git", [True, False], ids=["git", "no git"])
def test_an_edit_is_changed_with_its_lines(repo: Repo, git: bool):
    """The main case: somebody edits a file after the session ended."""
    repo.write("a.txt", "one\nzwei\nthree\nfour\n")
    found = look(repo.top, seen("a.txt", "one\ntwo\nthree\n"), git=git)
    assert status(found.files[0]) == ("changed", 2, 1)


@pytest.mark.parametrize("on_disk", [b"a\r\nb\r\n", b"a\nb\n", b"a\r\nb", b"a\nb"])
@pytest.mark.parametrize("as_seen", [b"a\nb\n", b"a\nb"])
@pytest.mark.parametrize("hashed", [False, True], ids=["content", "blob"])
def test_line_ends_that_a_transcript_loses_are_no_change(tmp_path: Path, on_disk: bytes, as_seen: bytes, hashed: bool):
    """Clients show files without carriage returns and, some, without the last newline."""
    (tmp_path / "f").write_bytes(on_disk)
    one = seen("f", blob=blob_id(as_seen)) if hashed else seen("f", as_seen)
    assert look(tmp_path, one).files[0].status == "unchanged"


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_a_blob_id_alone_tells_changed_from_unchanged(tmp_path: Path, algorithm: Algorithm):
    """Lines are not known then; the status is. Repositories of both hashes."""
    repo = Repo(tmp_path, f"--object-format={algorithm}")
    repo.write("a", "old\n")
    repo.commit("first")
    blob = repo.git("rev-parse", "HEAD:a")
    assert look(tmp_path, seen("a", blob=blob)).files[0].status == "unchanged"
    repo.write("a", "new\n")
    assert status(look(tmp_path, seen("a", blob=blob)).files[0]) == ("changed", -1, -1)


def test_a_saved_stat_spares_the_reading(tmp_path: Path):
    """Ten thousand unchanged files are not opened: here one could not even be read as what it claims to be."""
    place = aged(tmp_path / "f" if (tmp_path / "f").write_text("x") else tmp_path)
    saved = fingerprint(str(place))
    assert saved is not None
    lie = seen("f", blob="0" * 40, stat=saved.stat)
    assert look(tmp_path, lie).files[0].status == "unchanged"
    assert look(tmp_path, lie._replace(time=rfc3339(LONG_AGO_S))).files[0].status == "changed", "racy: read after all"


def test_a_saved_size_that_differs_is_a_change_without_reading(tmp_path: Path):
    """The blob id would say the same, later."""
    (tmp_path / "f").write_text("longer than before")
    assert look(tmp_path, seen("f", blob="0" * 40, stat=Stat(1, 1, 1))).files[0].status == "changed"


def test_not_written_since_is_unchanged(repo: Repo):
    """The session only named it; its time is older than the session's end."""
    assert look(repo.top, seen("a.txt"), git=False).files[0].status == "unchanged"


# Odd files


def test_a_folder_in_place_of_a_file_is_gone(repo: Repo):
    """A module became a package."""
    (repo.top / "a.txt").unlink()
    repo.write("a.txt/inner", "x")
    assert look(repo.top, seen("a.txt", "one\ntwo\nthree\n")).files[0].status == "gone"


def test_a_link_within_the_root_is_read_through(tmp_path: Path):
    """The agent saw the target's content; git sees the link's."""
    (tmp_path / "target").write_text("x\n")
    (tmp_path / "link").symlink_to("target")
    found = look(tmp_path, seen("link", "x\n"), seen("link", blob=blob_id(b"target")), seen("link", "y\n"))
    assert [file.status for file in found.files] == ["unchanged", "unchanged", "changed"]


def test_a_link_that_leads_nowhere_is_gone(tmp_path: Path):
    """Its target was deleted."""
    (tmp_path / "link").symlink_to("missing")
    assert look(tmp_path, seen("link", "x")).files[0].status == "gone"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_in_place_of_a_file_does_not_hang(tmp_path: Path):
    """Reading one would wait for a writer for ever."""
    os.mkfifo(tmp_path / "f")
    found = look(tmp_path, seen("f", "x"), seen("f"))
    assert [file.status for file in found.files] == ["changed", "unknown"]


def test_a_huge_file_is_not_read(tmp_path: Path):
    """A sparse terabyte: its size is proof enough."""
    with (tmp_path / "f").open("wb") as file:
        file.truncate(1 << 40)
    found = look(tmp_path, seen("f", "small\n"), seen("f", blob="0" * 40))
    assert [file.status for file in found.files] == ["changed", "unknown"]

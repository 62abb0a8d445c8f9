"""Blob ids are git's own; a file is only opened when it is one."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from clew.core.records.files import Stat
from clew.workspace.fingerprint import RACY_NS, blob_id, fingerprint, read, same, stat_of
from tests.workspace.repos import Repo

DAY_NS = 86_400_000_000_000


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_blob_ids_are_those_of_git(tmp_path: Path, algorithm: str):
    """Ids from a checkpoint are compared with ids in git's trees; a private hash would never match."""
    repo = Repo(tmp_path, f"--object-format={algorithm}")
    for content in (b"", b"a\n", b"\0\xff" * 99, "ü\r\n".encode()):
        place = repo.write("f", content)
        expected = repo.git("hash-object", "--no-filters", "f")
        found = fingerprint(str(place), algorithm=algorithm)  # type: ignore[arg-type]
        assert blob_id(content, algorithm=algorithm) == expected  # type: ignore[arg-type]
        assert found is not None and found.blob == expected


def test_pipes_devices_folders_and_links_are_not_opened(tmp_path: Path):
    """Opening a named pipe waits for a writer that never comes; `clew resume` would hang."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    answers: list[object] = []

    def ask() -> None:
        for place in (tmp_path / "pipe", tmp_path / "folder", tmp_path / "link", tmp_path / "none", Path("/dev/zero")):
            answers.extend((read(str(place)), fingerprint(str(place))))

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(5)
    assert answers == [None] * 10


def test_a_file_over_the_limit_is_left_alone(tmp_path: Path):
    """A disk image in the work tree must not be read into memory, nor hashed for minutes."""
    place = tmp_path / "huge"
    with place.open("wb") as file:
        file.truncate(1 << 40)
    assert read(str(place)) is None
    assert fingerprint(str(place)) is None


def test_an_unchanged_stat_proves_an_old_file_unchanged(tmp_path: Path):
    """Otherwise ten thousand files would be read at each resume."""
    place = tmp_path / "file"
    place.write_text("x")
    now = stat_of(place.stat())
    assert same(now, now, seen_ns=now.mtime_ns + DAY_NS)


@pytest.mark.parametrize("late_ns", [0, RACY_NS, -DAY_NS, None])
def test_a_file_written_when_it_was_looked_at_is_not_trusted(late_ns: int | None):
    """Two writes within one tick of the clock have one time; a clock that went back gives old times to new files."""
    saved = Stat(1, 10 * DAY_NS, 7)
    seen_ns = None if late_ns is None else saved.mtime_ns + late_ns
    assert not same(saved, saved, seen_ns=seen_ns)

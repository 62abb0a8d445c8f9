"""What a repository brought along is read, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.workspace.disk import Disk, FileLook, names, read

posix = pytest.mark.skipif(os.name != "posix", reason="links, pipes and rights of POSIX")
LIMIT = 1 << 10


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    """A project with a file in a folder, beside something that is none of its business."""
    (tmp_path / "project" / "notes").mkdir(parents=True)
    (tmp_path / "project" / "notes" / "a.md").write_bytes(b"a")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_bytes(b"secret")
    return Disk(tmp_path / "project")


@pytest.mark.parametrize("path", ["notes/b.md", "nothing/a.md", "notes/a.md/b"])
def test_no_file_is_no_problem(disk: Disk, path: str) -> None:
    """Most projects have none."""
    assert read(disk, path, limit_bytes=LIMIT) == FileLook(None, "")


@posix
def test_no_link_leads_anywhere(disk: Disk) -> None:
    """A link to a key would be shown, hashed and given to a session."""
    outside = disk.root.parent / "outside"
    (disk.root / "notes" / "link.md").symlink_to(outside / "secret.md")
    (disk.root / "notes" / "near.md").symlink_to("a.md")
    (disk.root / "away").symlink_to(outside)
    assert read(disk, "notes/link.md", limit_bytes=LIMIT) == FileLook(None, "it is a symbolic link")
    assert read(disk, "notes/near.md", limit_bytes=LIMIT) == FileLook(None, "it is a symbolic link")
    assert read(disk, "away/secret.md", limit_bytes=LIMIT) == FileLook(None, "it is outside the project")
    assert names(disk, "away", ending=".md", deep=True, limit=9) == []
    assert names(disk, ".", ending=".md", deep=True, limit=9) == [f"./notes/{n}.md" for n in ("a", "link", "near")]


@posix
def test_what_is_no_file_is_not_waited_for(disk: Disk) -> None:
    """A named pipe would hang every command."""
    os.mkfifo(disk.root / "notes" / "pipe.md")
    (disk.root / "notes" / "folder.md").mkdir()
    assert read(disk, "notes/pipe.md", limit_bytes=LIMIT) == FileLook(None, "it is not a regular file")
    assert read(disk, "notes/folder.md", limit_bytes=LIMIT) == FileLook(None, "it is not a regular file")


def test_names_are_sorted_and_bounded(disk: Disk) -> None:
    """The same order everywhere, and no folder of a million files."""
    for name in ("z.md", "b.md", ".hidden.md", "c.txt"):
        (disk.root / "notes" / name).write_bytes(b"")
    (disk.root / "notes" / "deep").mkdir()
    (disk.root / "notes" / "deep" / "d.md").write_bytes(b"")
    assert names(disk, "notes", ending=".md", deep=False, limit=9) == ["notes/a.md", "notes/b.md", "notes/z.md"]
    assert "notes/deep/d.md" in names(disk, "notes", ending=".md", deep=True, limit=9)
    assert len(names(disk, "notes", ending=".md", deep=True, limit=2)) == 2
    assert names(disk, "nothing", ending=".md", deep=True, limit=9) == []

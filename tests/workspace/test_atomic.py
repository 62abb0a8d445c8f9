"""A file is there as it was or as it is meant to be."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from clew.workspace.atomic import alone, check_way, delete, delete_tree, make_folder, private_folder, replace

posix = pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")


def test_a_file_is_made_with_its_folders_and_replaced(tmp_path: Path) -> None:
    """The first setting of a new user has no folder yet."""
    path = tmp_path / "a" / "b" / "file"
    for data in (b"one", b"two"):
        replace(path, data, mode=0o600)
        assert path.read_bytes() == data
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]


@posix
def test_rights_are_the_owners_alone_and_those_of_a_file_that_is_there_stay(tmp_path: Path) -> None:
    """What is trusted is nobody else's to write, and a shared file stays shared."""
    path = tmp_path / "a" / "file"
    old = os.umask(0)
    try:
        replace(path, b"", mode=0o600)
        assert (_mode(path), _mode(path.parent)) == (0o600, 0o700)
        path.chmod(0o640)
        replace(path, b"x", mode=0o600)
        assert _mode(path) == 0o640
    finally:
        os.umask(old)


@posix
@posix
def test_every_folder_that_is_made_is_private(tmp_path: Path) -> None:
    """`mkdir -p -m 700` makes all but the last as the umask says: projects' names would be there for all to see."""
    folder = tmp_path / "share" / "clew" / "live"
    old = os.umask(0o022)
    try:
        for _ in range(2):
            private_folder(folder)
    finally:
        os.umask(old)
    assert [0o700] * 3 == [_mode(one) for one in (folder, folder.parent, folder.parent.parent)]
    (tmp_path / "file").touch()
    for one in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OSError):
            private_folder(one)


def test_a_failure_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk must not cost what was there."""
    path = tmp_path / "file"
    replace(path, b"old", mode=0o600)

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError):
        replace(path, b"new", mode=0o600)
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_who_reads_and_then_replaces_loses_nothing_of_others(tmp_path: Path) -> None:
    """Two processes that read the same and write one after the other keep the second's change only."""
    count = tmp_path / "a" / "count"
    script = (
        "import sys; from pathlib import Path; from clew.workspace.atomic import alone, private_folder, replace\n"
        "path = Path(sys.argv[1])\n"
        "for _ in range(30):\n"
        "    with alone(path):\n"
        "        before = path.read_text() if path.exists() else ''\n"
        "        replace(path, (before + 'x').encode(), mode=0o600)\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", script, count]) for _ in range(3)]
    assert [one.wait(timeout=60) for one in running] == [0, 0, 0]
    assert len(count.read_text()) == 90
    assert [entry.name for entry in count.parent.iterdir()] == ["count"]


@posix
def test_who_is_killed_in_there_locks_nobody_out(tmp_path: Path) -> None:
    """A lock that somebody has to take away by hand is worse than none."""
    path = tmp_path / "file"
    script = (
        "import os, signal, sys; from pathlib import Path; from clew.workspace.atomic import alone\n"
        "with alone(Path(sys.argv[1])): os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", script, path], timeout=60).returncode == -signal.SIGKILL
    with alone(path):
        replace(path, b"x", mode=0o600)


@posix
@pytest.mark.parametrize("link", [".clew", ".github", ".git/clew/cache", "sub/deep"])
def test_nothing_is_written_made_or_deleted_through_a_link_that_leads_out(tmp_path: Path, link: str) -> None:
    """A clone brings the link, or who works in it puts it there: what lies behind it is none of ours."""
    top, outside = tmp_path / "shop", tmp_path / "outside"
    for folder in (top / ".git" / "objects", (top / link).parent, outside / "below"):
        folder.mkdir(parents=True, exist_ok=True)
    (top / ".git" / "HEAD").touch()
    (top / link).symlink_to(outside)
    mine = outside / "below" / "file"
    mine.write_bytes(b"mine")
    place = top / link / "below" / "file"
    for do in (
        lambda: replace(place, b"theirs", mode=0o600),
        lambda: delete(place),
        lambda: delete_tree(place.parent),
        lambda: make_folder(place.parent / "new"),
        lambda: private_folder(place.parent / "new"),
    ):
        with pytest.raises(OSError, match="leads out of"):
            do()
    assert b"mine" == mine.read_bytes() and [mine] == list(mine.parent.iterdir())


@posix
def test_links_that_stay_inside_and_the_users_own_are_followed(tmp_path: Path) -> None:
    """A project may have its parts where it likes; settings of all programs often lie in one folder."""
    top = tmp_path / "shop"
    (top / ".git").mkdir(parents=True)
    (top / "parts").mkdir()
    (top / ".github").symlink_to("parts")
    replace(top / ".github" / "file", b"x", mode=0o600)
    assert b"x" == (top / "parts" / "file").read_bytes()
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / ".config").symlink_to("dotfiles")
    replace(tmp_path / ".config" / "clew" / "file", b"x", mode=0o600)
    assert b"x" == (tmp_path / "dotfiles" / "clew" / "file").read_bytes()
    check_way(tmp_path / "shop" / ".git" / "nothing")

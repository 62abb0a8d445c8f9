"""A program that only has the name of one that reads."""

from __future__ import annotations

import os
import posix
from pathlib import Path

import pytest

from clew.interfaces.hook import which
from clew.interfaces.hook.which import impostor


def program(folder: Path, name: str = "cat") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / name
    made.write_text("#!/bin/sh\n")
    made.chmod(0o755)
    return folder


@pytest.fixture
def on_path(monkeypatch: pytest.MonkeyPatch):
    def set_path(*folders: object) -> None:
        monkeypatch.setitem(posix.environ, b"PATH", ":".join(map(str, folders)).encode())

    return set_path


def test_the_systems_own_is_the_one(on_path, tmp_path: Path) -> None:
    """Whatever stands behind it, and whatever does not stand before it."""
    on_path(tmp_path / "empty", "/usr/bin", "/bin", program(tmp_path / "late"))
    assert "" == impostor("cat", "/shop")
    assert "" == impostor("no-such-program", "/shop")


def test_one_before_the_systems_is_another(on_path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the user's home as well: the system's is named, by which it can be said."""
    monkeypatch.setattr(which, "_ANYBODYS", ())  # the test's folder stands for a home, and lies where anybody may write
    home = program(tmp_path / "home")
    on_path(home, "/usr/bin", "/bin")
    assert "comes before the system's" in impostor("cat", "/shop")
    on_path(home)
    assert "" == impostor("cat", "/shop"), "where the system has none it is the user's own choice"


def test_one_of_the_work_tree_or_of_anybody_is_never_the_one(on_path, tmp_path: Path) -> None:
    """What came with a repository, and what anybody may write."""
    on_path(program(tmp_path / "shop" / "node_modules" / ".bin"), "/usr/bin")
    assert "not the system's" in impostor("cat", str(tmp_path / "shop"))
    on_path(program(Path(f"/tmp/clew-test-{os.getpid()}")), "/usr/bin")
    try:
        assert "not the system's" in impostor("cat", "/shop")
    finally:
        Path(f"/tmp/clew-test-{os.getpid()}/cat").unlink()
        Path(f"/tmp/clew-test-{os.getpid()}").rmdir()


@pytest.mark.parametrize("first", ["", ".", "bin"])
def test_a_relative_folder_before_the_systems(on_path, first: str) -> None:
    """Which program it is depends on where one stands."""
    on_path(first, "/usr/bin")
    assert "has a relative folder" in impostor("cat", "/shop")
    on_path("/usr/bin", "/bin", first)
    assert "" == impostor("cat", "/shop")

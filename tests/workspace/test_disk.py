"""Paths come from transcripts and documents: whatever they say, nothing outside the root is located."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.workspace.disk import Disk, clean

PARTS = st.sampled_from(["", ".", "..", "a", "b.c", "...", "out", "loop", "x\ny", "😀", " "])


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Disk:
    """A root with folders and with links that lead out, round and about."""
    root = tmp_path_factory.mktemp("disk") / "root"
    (root / "a").mkdir(parents=True)
    (root.parent / "root-beside").mkdir()
    (root / "out").symlink_to(root.parent)
    (root / "beside").symlink_to(root.parent / "root-beside")
    (root / "loop").symlink_to("loop")
    (root / "in").symlink_to("a")
    return Disk(root)


@given(parts=st.lists(PARTS, max_size=6))
def test_no_path_leads_out(disk: Disk, parts: list[str]):
    """A transcript that names ../../.ssh/id_rsa must not make us read it."""
    path = clean("/".join(parts))
    place = None if path is None else disk.locate(path)
    if place is not None:
        assert Path(place).parent.resolve().is_relative_to(disk.root)


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../../x", "a/..", "..", "x\0y", ".", "//x"])
def test_these_are_no_paths_below_a_root(path: str):
    """Also "a/..": where it leads depends on what "a" is."""
    assert clean(path) is None


@pytest.mark.parametrize(("path", "expected"), [("./a", "a"), ("a//b/", "a/b"), ("a/./b", "a/b"), ("..a", "..a")])
def test_other_spellings_of_a_path_are_one(path: str, expected: str):
    """Git knows only one spelling."""
    assert clean(path) == expected


@pytest.mark.parametrize("path", ["out/x", "beside/x"])
def test_folders_behind_links_that_lead_out_are_refused(disk: Disk, path: str):
    """A neighbour whose name begins like the root is outside, too."""
    assert disk.locate(path) is None


def test_folders_behind_links_within_are_followed(disk: Disk):
    """A linked folder inside the project is part of it."""
    assert disk.locate("in/x") == str(disk.root / "a" / "x")

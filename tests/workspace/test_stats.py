"""What the file system says of many files, as bytes to compare."""

from __future__ import annotations

from pathlib import Path

from clew.workspace.stats import digest, each, looked, parsed


def names(root: Path, *lines: str, how: str = "tree") -> list[str]:
    return list(parsed(looked("\n".join([str(root), how, *lines]))))


def test_a_tree_without_what_is_left_out(tmp_path: Path) -> None:
    """Files and links, in an order that does not depend on the disk; folders are only their files."""
    for name in ("b.py", "a/x.py", "a/deep/y.py", "skip/z.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "link").symlink_to("b.py")
    assert ["b.py", "link", "a/x.py", "a/deep/y.py"] == names(tmp_path, "-skip")


def test_named_files_with_what_links_lead_to(tmp_path: Path) -> None:
    """A file that is written through a link changes where it leads to."""
    (tmp_path / "real.txt").write_text("x")
    (tmp_path / "link.txt").symlink_to("real.txt")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "in.txt").write_text("x")
    named = ("+link.txt", "+folder", "+gone.txt", f"+{tmp_path}/real.txt")
    assert ["link.txt", "link.txt/.", "folder/in.txt", f"{tmp_path}/real.txt"] == names(tmp_path, *named, how="named")
    before = looked("\n".join([str(tmp_path), "named", "+link.txt"]))
    (tmp_path / "real.txt").write_text("xy")
    assert before != looked("\n".join([str(tmp_path), "named", "+link.txt"]))


def test_the_same_files_are_the_same_bytes(tmp_path: Path) -> None:
    """A hook compares nothing else; a name with a line end is one line."""
    (tmp_path / "two\nlines").write_text("x")
    watch = f"{tmp_path}\ntree"
    assert looked(watch) == looked(watch)
    assert 1 == len(parsed(looked(watch)))


def test_files_and_folders_themselves_and_all_below_those_that_are_meant_so(tmp_path: Path) -> None:
    """A name that comes into a folder is seen by the folder's time, or by what lies below it."""
    (tmp_path / "refs" / "heads").mkdir(parents=True)
    paths = [f"{tmp_path}/refs", f"{tmp_path}/refs/", f"{tmp_path}/later", "no\0path"]
    before = each(paths)
    assert [f"{tmp_path}/refs"] == list(parsed(before))
    (tmp_path / "refs" / "heads" / "main").write_text("1")
    deep = each(paths)
    (tmp_path / "later").write_text("1")
    assert 3 == len({digest(one) for one in (before, deep, each(paths))}) and digest(deep) == digest(bytes(deep))

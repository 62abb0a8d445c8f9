"""Files of a project that a session named through a link."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.core.records.transcript import Action, Call, Edit, Other, Read, Run
from clew.sessions.capture import by_root


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A project in `real/tide`, to which `link` leads, and another one beside it."""
    (tmp_path / "real" / "tide" / "src").mkdir(parents=True)
    (tmp_path / "real" / "tide-2").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    return tmp_path


def named(root: Path, action: Action) -> Action:
    [record] = by_root([Call(0, "", "", "c", "Tool", action)], str(root))
    assert isinstance(record, Call)
    return record.action


def test_a_file_is_the_projects_by_whichever_name(home: Path) -> None:
    """Or what a session edited would be no work of its, because its client was started through a link."""
    real, link = home / "real" / "tide", home / "link" / "tide"
    for root in (real, link):
        other = link if root == real else real
        assert named(root, Edit(f"{other}/src/a.py", "1", "2")) == Edit(f"{root}/src/a.py", "1", "2")
        assert named(root, Edit(f"{other}/new/b.py", "", "2")) == Edit(f"{root}/new/b.py", "", "2")
        assert named(root, Read(f"{other}/a.md", 1, 0)) == Read(f"{root}/a.md", 1, 0)
        assert named(root, Run("make", str(other))) == Run("make", str(root))


def test_what_is_not_the_projects_stays(home: Path) -> None:
    """A neighbour whose name begins alike, a relative path, a folder that is gone, what is no path."""
    root = home / "real" / "tide"
    link = home / "link"
    for path in (f"{link}/tide-2/a.py", "src/a.py", "/gone/tide/a.py", "a\0b/c", "", "/", f"{root}/src/a.py"):
        assert named(root, Edit(path, "", "")) == Edit(path, "", "")
    assert named(Path("tide"), Edit(f"{link}/tide/a.py", "", "")) == Edit(f"{link}/tide/a.py", "", "")
    assert named(root, Other("x")) == Other("x")

"""The repository that a session worked in and left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workspace.looks import LONG_AGO_S, TEXT, aged, rewind
from tests.workspace.repos import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """One commit of the day before yesterday's session; every file's time is of that day."""
    repo = Repo(tmp_path / "project")
    for path, content in {"a.txt": "one\ntwo\nthree\n", "b.txt": TEXT, "src/c.txt": "c\n"}.items():
        aged(repo.write(path, content))
    repo.commit("first", seconds=LONG_AGO_S)
    rewind(repo, LONG_AGO_S)
    return repo

"""Two people with homes and clones of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.install.init import init
from clew.app.project.opening import ProjectHandle
from clew.app.resume.catchup import catch_up
from tests.app.projects import World, open_task, state_item
from tests.recordings.sessions import Recorder


@pytest.fixture
def ada(tmp_path: Path) -> World:
    """A project with a session that was read, a locked decision, and a question for Bea."""
    made = World(tmp_path / "ada")
    Recorder(made.top).user("Make the tide ten").reply("The tide in src/a.py is ten now.").save(made.home)
    with made.desk() as at:
        catch_up(made.ports, at)
        task = open_task(at, "Tides")
        state_item(at, "decision", "Ten it is", task=task, locked=True)
        state_item(at, "question", "Spring tides as well?", task=task, owner="bea", blocking=True)
    return made


@pytest.fixture
def bea(tmp_path: Path, ada: World) -> World:
    """A clone of the project with another home and a ledger of its own."""
    made = World(tmp_path / "bea", ledger=False)
    (made.top / ".clew").mkdir()
    (made.top / ".clew/config.toml").write_bytes((ada.top / ".clew/config.toml").read_bytes())
    init(ProjectHandle(made.ports, made.top))
    made.clock.now_ms += 1000
    return made

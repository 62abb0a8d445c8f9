"""The status line: prepared parts and the client's own numbers, or nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from clew.core.context.status_line import pack
from tests.interfaces.hook.hooks import SESSION, SILENCE, Hooks, installed


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    made = installed(tmp_path)
    made.session.mkdir(parents=True)
    return made


def keep(hooks: Hooks, task: str, *, phase: str = "", saved_s: int = 0) -> None:
    """The parts as a full program leaves them."""
    (hooks.session / "line").write_text(pack(task=task, phase=phase, saved_s=saved_s))


def line(hooks: Hooks, used: object = 23, **more: object) -> str:
    event = {
        "session_id": SESSION,
        "workspace": {"current_dir": str(hooks.project / "src"), "project_dir": str(hooks.project)},
        "context_window": {"used_percentage": used},
        **more,
    }
    said = hooks.run("statusline", event, environment={})  # a client sets no CLAUDE_PROJECT_DIR for it
    assert (0, "") == (said.code, said.err)
    return said.out


def test_it_says_task_phase_context_and_age(hooks: Hooks):
    """What a person wants to know at a glance, in the words of the person's own task."""
    keep(hooks, "Refunds in cents", phase="2/4 parse", saved_s=int(time.time()) - 12 * 60 - 5)
    assert "Refunds in cents · 2/4 parse · context 23 % · saved 12 min ago\n" == line(hooks)


def test_elsewhere_and_of_nonsense_there_is_no_line(hooks: Hooks):
    """The line stands in the user's settings and is drawn in every project."""
    assert "" == line(hooks, workspace={"project_dir": "/no/such/place"})
    assert "" == line(hooks, workspace="shop")
    assert SILENCE == hooks.run("statusline", b"\0")
    (hooks.session / "line").write_bytes(b"\xff\xfe\n\n\n\n\n")
    assert "context 23 %" in line(hooks)

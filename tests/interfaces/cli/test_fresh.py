"""`clew fresh`: a session sets itself aside."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.project.runtime_dirs import enter, opt_in
from clew.core.runtime_dir import live_folder
from tests.interfaces.cli.conftest import Clew, Desk


def test_a_session_sets_itself_aside(desk: Desk, home: Path, clew: Clew, monkeypatch: pytest.MonkeyPatch) -> None:
    """From inside a session, wherever its shell has gone meanwhile; and nobody else's."""
    data = home / ".local" / "share" / "clew"
    opt_in(data, desk.shop.top)
    live = live_folder(str(data), str(desk.shop.top))
    here = Path(enter(live, "5e551022", 0))
    monkeypatch.chdir(desk.shop.top / "src")
    code, out, err = clew("fresh")
    assert (1, "") == (code, out) and "[E-no-asking-session]" in err
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "5e551022")
    code, out, err = clew("fresh")
    assert (0, "") == (code, err) and out.startswith("Session 5e551022 is given nothing")
    assert (here / "fresh").exists()

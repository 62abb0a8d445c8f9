"""Where GitHub Copilot CLI's sessions lie, and whose folder they are of."""

from __future__ import annotations

from pathlib import Path

from clew.clients.copilot.paths import locator

from .recordings import event, session

OTHER = "5e000000-0000-4000-8000-000000000002"


def test_sessions_are_found_by_the_folder_inside_the_file(tmp_path: Path) -> None:
    """Their own folders are called by ids; one that was never prompted has no record yet, one may be torn."""
    home = tmp_path / "home"
    here, place = tmp_path / "till", home / ".copilot" / "session-state"
    path = session(place, event("user.message", content="x"), cwd=str(here / "src"))
    session(place, cwd=f"{here}-other", session_id=OTHER)
    (place / "empty").mkdir()
    (place / "torn").mkdir()
    (place / "torn" / "events.jsonl").write_text('{"type":"session.start","data":{"context":{"cwd":"/ti')
    found = locator({}, home)
    assert [path] == [one.path for one in found.sessions_of(here)]
    (one,) = found.sessions_of(here)
    assert (path.parent.name, path.stat().st_size) == (one.session, one.size)
    assert 3 == len(list(found.usage_files()))
    assert [path] == [one.path for one in locator({"COPILOT_HOME": str(home / ".copilot")}, tmp_path).sessions_of(here)]
    assert [] == list(locator({"COPILOT_HOME": str(tmp_path / "none")}, home).sessions_of(here))

"""`clew bench continuity`: what is shown."""

from __future__ import annotations

import json

from tests.interfaces.cli.conftest import Clew
from tests.recordings.sessions import Recorder
from tests.workspace.repos import Repo


def test_a_line_a_session_and_what_they_repeat_on_average(repo: Repo, clew: Clew) -> None:
    """Given two sessions of which the second reads what the first had read, both texts and JSON tell of it."""
    home = repo.top.parent / "home"
    for number, hour in enumerate(("09", "10"), 1):
        session = f"5e5510{number}{number}-0000-4000-8000-00000000000{number}"
        made = Recorder(repo.top, session=session, start=f"2026-03-02T{hour}:00:00").user("Make the tide ten")
        made.read("README.md", "# Tide\n").run(f"echo {number}", str(number)).save(home)
    told = json.loads(clew("bench", "continuity", "--days", "9000", "--json").out)
    newest = told["sessions"][0]
    assert (1, 0, 0, 2) == (newest["reread"], newest["rerun"], newest["reasked"], newest["calls"])
    done = clew("bench", "continuity", "--days", "9000")
    line, mean = done.out.splitlines()
    assert (0, ["5e551022", "2026-03-02", "no", *"21004"]) == (done.code, line.split())
    assert "without a payload, 1 session: 50% of the first 20 calls did again" in mean


def test_a_project_without_a_second_session_says_so(repo: Repo, clew: Clew) -> None:
    done = clew("bench", "continuity")
    assert (0, "") == (done.code, done.out)
    assert "No two sessions of this project were recorded in the last 30 days." in done.err

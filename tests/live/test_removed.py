"""Parts of clew vanish under a session that runs: package, shim, interpreter. Nobody is held up."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.live.claude import Person
from tests.live.endpoint import Endpoint, bash, say
from tests.live.removing import Installed, package_gone
from tests.live.terminal import at_terminal


def data_gone(me: Person, installed: Installed) -> None:
    (shim,) = me.home.rglob("clewhook.py")
    shutil.rmtree(shim.parent)


def all_is_well(me: Person) -> None:
    """The hooks have done their work until now."""
    beats = {beat.name for live in me.home.rglob("=clew") for beat in (live / "beats").iterdir()}
    assert {"SessionStart", "PreToolUse", "PostToolUse"} <= beats


def given(me: Person, project: Path, tmp_path: Path) -> Installed:
    installed = Installed(tmp_path / "installed")
    installed.clew(me, project, "init")
    installed.clew(me, project, "task", "new", "Rates")
    assert str(installed.python) in (me.home / ".claude" / "settings.json").read_text(encoding="utf-8")
    return installed


def test_a_person_is_shown_nothing_of_it(me: Person, project: Path, tmp_path: Path) -> None:
    """At the screen, too: no failed hook and no blocked prompt while the package and all our data go."""
    installed = given(me, project, tmp_path)
    script = [turn for n in range(3) for turn in (say("I look.", bash(f"echo {n}")), say("Done."))]
    with Endpoint(script) as endpoint, at_terminal(me, endpoint, project) as session:
        for number, gone in enumerate((None, package_gone, data_gone)):
            if gone is not None:
                gone(me, installed)
            session.type(f"Have a look {number}.")
            session.until(lambda number=number: len(endpoint.main) == 2 * number + 2)
            session.quiet(0.5)
            if gone is None:
                all_is_well(me)
        session.leave()
        shown = session.shown()
    assert not [line for line in shown.splitlines() if "hook" in line and ("fail" in line or "error" in line)], shown
    assert {} == me.settled()

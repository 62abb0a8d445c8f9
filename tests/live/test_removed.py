"""Parts of clew vanish under a session that runs: package, shim, interpreter. Nobody is held up."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from tests.live.claude import Person
from tests.live.endpoint import Endpoint, Scripted, bash, edit, read, said_to_model, say
from tests.live.removing import Installed, forget_what_broke, interpreter_gone, package_gone, shim_gone
from tests.live.stories import NEW, OLD, PROMPT
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


def test_a_session_goes_on_while_we_vanish(me: Person, project: Path, tmp_path: Path) -> None:
    """First the package, then the shim, then the interpreter: every tool call and the end of the turn go through,
    nothing loops, and at most one line is shown."""
    installed = given(me, project, tmp_path)
    path = project / "refunds.py"
    steps: list[Callable[[Person, Installed], None]] = []

    def then(gone: Callable[[Person, Installed], None]) -> Callable[[], None]:
        def vanish() -> None:
            if not steps:
                all_is_well(me)
            gone(me, installed)
            steps.append(gone)

        return vanish

    script: list[Scripted] = [
        say("I look.", read(path), bash("echo zeroth")),
        say("I edit.", edit(path, OLD, NEW), bash("echo first"), wait=then(package_gone)),
        say("I edit.", edit(path, NEW, OLD), bash("echo second"), wait=then(shim_gone)),
        say("I edit.", edit(path, OLD, NEW), bash("echo third"), bash("exit 3"), wait=then(interpreter_gone)),
        say("Done."),
    ]
    with Endpoint(script) as endpoint:
        ran = me.run(PROMPT, endpoint, project, CLEW_TASK="Rates")
    assert (0, "Done.") == (ran.code, ran.answer["result"])
    assert [package_gone, shim_gone, interpreter_gone] == steps
    assert 5 == len(endpoint.main)
    assert len(ran.err.splitlines()) <= 1, ran.err
    told = said_to_model(endpoint.main[-1])
    for went_through in ("zeroth", "first", "second", "third"):
        assert went_through in told
    seen = endpoint.main[-1].seen
    first = next(place for place, said in enumerate(seen) if said.role == "result")
    assert [] == [said for said in seen[first:] if "hook" in said.text]
    assert NEW in path.read_text(encoding="utf-8")
    assert {} == me.settled()
    with Endpoint([say("Still here.")]) as endpoint:
        ran = me.run("And a new session?", endpoint, project, CLEW_TASK="Rates")
    assert (0, "Still here.") == (ran.code, ran.answer["result"])
    assert len(ran.err.splitlines()) <= 1, ran.err
    forget_what_broke(me)


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

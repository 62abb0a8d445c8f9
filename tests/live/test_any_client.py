"""What holds in every client: their settings are theirs, a denied edit says why, silence, and life without us.

The stories of Claude Code alone (`test_foreign`, `test_gates`, `test_headless`, `test_removed`) go further.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live.clients import DRIVERS
from tests.live.conftest import Program
from tests.live.endpoint import Endpoint, Scripted, bash, edit, read, results, said_to_model, say
from tests.live.people import Person, present, uninstalled
from tests.live.projects import changes
from tests.live.removing import Installed, forget_what_broke, interpreter_gone, package_gone, shim_gone
from tests.live.stories import DECISION, NEW, OLD, PROMPT, WHY_DECIDED, opted_in
from tests.live.terminal import asked_at_terminal
from tests.live.theirs import OTHERS, settle

CHECKOUT = Path(__file__).parents[2]


def left_in(folder: Path) -> set[Path]:
    """All files of a folder that are somebody's: not what clients make for themselves."""
    return {path for path in folder.rglob("*") if "clew" in path.name and path.is_file()}


@pytest.mark.parametrize("client", OTHERS)
def test_what_is_theirs_is_theirs_to_the_byte(client: str, program: Program, project: Path, tmp_path: Path) -> None:
    """Their hooks and rules work beside ours, an edit of our own file is denied with our reason, and after
    `clew uninstall` every file is as it was."""
    home = tmp_path / "home"
    home.mkdir()
    files = settle(client, home)
    with present(DRIVERS[client](program(client), home)) as me:
        title = opted_in(me, project)
        me.clew("decide", DECISION, "--why", WHY_DECIDED, cwd=project)
        own = project / ".clew" / "config.toml"
        before = own.read_bytes()
        script = [
            say("I look.", read(own), bash("echo one")),
            say("I edit it.", edit(own, "id = ", "di = ")),
            say("Done."),
        ]
        with Endpoint(script) as endpoint:
            ran = me.run(PROMPT, endpoint, project, CLEW_TASK=title)
        assert (0, "Done.") == (ran.code, ran.answer["result"]), ran
        said = said_to_model(endpoint.main[0])
        assert "THEIR-RULES" in said
        assert "THEIR-HOOK" in said
        assert DECISION in said
        denied = results(endpoint.main[2])[-1].text
        assert "clew: " in denied and "off limits" in denied
        assert before == own.read_bytes()
        assert "stop\n" == (home / "theirs.log").read_text(encoding="utf-8")
        assert [] == changes(project)
        assert [] == me.broken()
        uninstalled(me, project, tmp_path)
        for path, data in files.items():
            assert data == path.read_bytes(), path
        places = [home / name for name in (".codex", ".copilot", ".gemini", ".config/opencode")]
        assert set() == set().union(*map(left_in, places))


def test_without_a_task_the_model_sees_nothing_of_ours(anyone: Person, project: Path) -> None:
    """A script that asks the model something is no place for another's words: hooks, plugin, commands, server."""
    title = opted_in(anyone, project)
    anyone.clew("decide", DECISION, "--why", WHY_DECIDED, cwd=project)
    with Endpoint([say("I look.", bash("cat till.py")), say("Done.")]) as endpoint:
        ran = anyone.run("What does this till do?", endpoint, project)
    assert (0, "Done.") == (ran.code, ran.answer["result"]), ran
    assert 2 == len(endpoint.main)
    sent = json.dumps([[request.body, dict(request.headers)] for request in endpoint.requests]).lower()
    sent = sent.replace(".clew/", "")  # one client lists the project's folders, and where it is installed itself
    sent = sent.replace(str(CHECKOUT).lower(), "")
    for word in ("clew", DECISION.lower(), title.lower()):
        found = sent.find(word)
        assert found < 0, sent[max(0, found - 200) : found + 200]
    assert "what does this till do" in anyone.clew("resume", cwd=project).stdout.lower()  # it was taken in all the same


@pytest.mark.parametrize("client", OTHERS)
def test_a_person_is_told_without_a_variable(client: str, program: Program, project: Path, tmp_path: Path) -> None:
    """Who sits at a terminal names no task: the work tree is bound to it."""
    with present(DRIVERS[client](program(client), tmp_path / "home")) as me:
        opted_in(me, project)
        me.clew("decide", DECISION, "--why", WHY_DECIDED, cwd=project)
        with (
            Endpoint([say("I look.", bash("cat till.py")), say("Done.")]) as endpoint,
            asked_at_terminal(me, PROMPT, endpoint, project) as session,
        ):
            session.until(lambda: len(endpoint.main) == 2)
            session.quiet()
        (said,) = [text for text in endpoint.main[0].injected if "clew" in text]
        assert DECISION in said
        assert [] == me.broken()


def test_a_session_goes_on_while_we_vanish(anyone: Person, project: Path, tmp_path: Path) -> None:
    """First the package, then the shim, then the interpreter: every tool call and the end of the turn go through."""
    installed = Installed(tmp_path / "installed")
    installed.clew(anyone, project, "init", "--client", anyone.name)
    installed.clew(anyone, project, "task", "new", "Rates")
    installed.clew(anyone, project, "decide", DECISION, "--why", WHY_DECIDED)
    path = project / "refunds.py"
    steps: list[Callable[[Person, Installed], None]] = []

    def then(gone: Callable[[Person, Installed], None]) -> Callable[[], None]:
        def vanish() -> None:
            gone(anyone, installed)
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
        ran = anyone.run(PROMPT, endpoint, project, CLEW_TASK="Rates")
    assert (0, "Done.") == (ran.code, ran.answer["result"]), ran
    assert DECISION in said_to_model(endpoint.main[0])  # until then it was there
    assert [package_gone, shim_gone, interpreter_gone] == steps
    assert 5 == len(endpoint.main)
    told = [said.text for said in results(endpoint.main[-1])]
    for went_through in ("zeroth", "first", "second", "third"):
        assert [text for text in told if went_through in text], "\n--\n".join(told)
    assert not [text for text in told if "clew" in text or "hook" in text], told
    assert NEW in path.read_text(encoding="utf-8")
    assert {} == anyone.settled()
    forget_what_broke(anyone)

"""A budget stops the real client's session, and what a person raised lets it go on."""

from __future__ import annotations

import time
from pathlib import Path

from tests.live.claude import Person
from tests.live.endpoint import Endpoint, bash, edit, read, said_anew, say
from tests.live.script import Call
from tests.live.stories import NEW, OLD, PROMPT, opted_in
from tests.live.test_gates import results
from tests.people import typed


def thinks() -> None:
    """The client records a response some moments after it asked about its tools; no model answers sooner."""
    time.sleep(1)


def test_a_session_stops_at_its_budget_and_goes_on(me: Person, project: Path, tmp_path: Path) -> None:
    """Told at 80 %, denied at the latest one response after the one that used it up; nothing is lost."""
    task = opted_in(me, project)
    clew = str(Path(me.variables()["PATH"].split(":")[0]) / "clew")

    def person(number: int, *words: str) -> None:
        done = typed([clew, *words], cwd=project, folder=tmp_path / f"terminal-{number}", environment=me.variables())
        assert 0 == done.code, done.out

    person(1, "settings", "set", "budget.session_tokens", "100000")
    path, inside = project / "refunds.py", project / "made"
    change = edit(path, OLD, NEW)
    script = [
        say("I read it.", read(path), tokens=40_000),
        say("I look around.", bash("ls"), tokens=45_000),
        say("Once more.", bash("ls"), tokens=1_000, wait=thinks),
        say("And again.", bash("ls"), tokens=50_000),
        say("Now I edit.", change, tokens=1_000, wait=thinks),
        say("Then by hand.", bash(f"touch {inside}"), tokens=1_000),
        say("I stop here."),
    ]
    with Endpoint(script) as endpoint:
        ran = me.run(PROMPT, endpoint, project, CLEW_TASK=task)
    assert (0, "I stop here.", "") == (ran.code, ran.answer["result"], ran.err)
    told = [said_anew(endpoint.main, number) for number in (2, 3)]
    assert 1 == sum("% of the budget of this session is used" in one for one in told)
    for request in endpoint.main[5:7]:
        failed, denied = results(request)[-1]
        assert failed and "clew budget raise --session" in denied
    assert OLD in path.read_text(encoding="utf-8") and not inside.exists()
    session = ran.answer["session_id"]
    refused = me.clew("budget", "raise", "--session", session, cwd=project, code=1)
    assert "E-not-a-person" in refused.stderr
    person(2, "budget", "raise", "--session", session[:8])
    script = [say("Where was I?", read(path)), say("Once more.", change, tokens=2_000), say("Done.")]
    with Endpoint(script) as endpoint:
        ran = me.run("Go on.", endpoint, project, *me.resuming(session), CLEW_TASK=task)
    assert "Done." == ran.answer["result"]
    assert NEW in path.read_text(encoding="utf-8")


def test_a_sub_agent_stops_at_its_sessions_budget(me: Person, project: Path, tmp_path: Path) -> None:
    """What it uses itself counts; then nothing more is changed, neither by it nor by who sent it."""
    task = opted_in(me, project)
    clew = str(Path(me.variables()["PATH"].split(":")[0]) / "clew")
    sets = [clew, "settings", "set", "budget.session_tokens", "100000"]
    done = typed(sets, cwd=project, folder=tmp_path / "terminal", environment=me.variables())
    assert 0 == done.code, done.out
    helper = {"description": "mend", "prompt": "MEND-IT", "subagent_type": "general-purpose"}
    mends = [
        say("I look.", bash("ls"), tokens=60_000),
        say("And again.", bash("ls"), tokens=60_000),
        say("Still.", bash("ls"), tokens=1_000),
        say("I mend it.", bash("touch by-the-helper"), tokens=1_000, wait=thinks),
        say("I could not."),
    ]
    script = [
        say("I delegate.", Call("Agent", helper)),
        say("I wait."),
        say("Then I do.", bash("touch by-myself")),
        say("I stop."),
        say("I stop."),
    ]
    with Endpoint(script, agents={"MEND-IT": mends}) as endpoint:
        ran = me.run("Mend it.", endpoint, project, CLEW_TASK=task)
    assert 0 == ran.code, ran.err
    assert not list(project.glob("by-*"))
    assert "clew budget raise --session" in "\n".join(said.text for said in endpoint.of_kind("agent")[-1].seen)

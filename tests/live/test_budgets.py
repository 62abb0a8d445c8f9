"""A budget stops the sessions of every real client, and what a person raised lets them go on."""

from __future__ import annotations

import json
import time
from pathlib import Path

from tests.live import codex, people
from tests.live.claude import Person
from tests.live.endpoint import Endpoint, bash, edit, read, results, said_anew, say
from tests.live.script import Call
from tests.live.stories import NEW, OLD, PROMPT, opted_in
from tests.people import typed


def thinks() -> None:
    """The client records a response some moments after it asked about its tools; no model answers sooner."""
    time.sleep(1)


def person(me: people.Person, project: Path, folder: Path, *words: str) -> None:
    """They type a command of clew's at a terminal."""
    clew = str(Path(me.variables()["PATH"].split(":")[0]) / "clew")
    folder.mkdir(parents=True)
    done = typed([clew, *words], cwd=project, folder=folder, environment=me.variables())
    assert 0 == done.code, done.out


def figures(me: people.Person, project: Path, session: str) -> tuple[int, int]:
    """The tokens of a session by `clew budget`, as hooks counted them, and by `clew cost`."""
    told = json.loads(me.clew("budget", "--json", cwd=project).stdout)["budgets"]
    held = next(one["used_tokens"] for one in told if one["name"] == session)
    return held, json.loads(me.clew("cost", "--session", session, "--json", cwd=project).stdout)["total"]["total"]


def test_a_session_stops_at_its_budget_and_goes_on(anyone: people.Person, project: Path, tmp_path: Path) -> None:
    """Told at 80 %, denied at the latest one response after the one that used it up; nothing is lost."""
    me, task = anyone, opted_in(anyone, project)
    person(me, project, tmp_path / "t1", "settings", "set", "budget.session_tokens", "100000")
    path, inside = project / "refunds.py", project / "made"
    change = edit(path, OLD, NEW)
    script = [
        say("I read it.", read(path), bash("ls"), tokens=40_000),
        say("I look around.", bash("ls"), tokens=45_000),
        say("Once more.", bash("ls"), tokens=1_000, wait=thinks),
        say("And again.", bash("ls"), tokens=50_000),
        say("Now I edit.", change, tokens=1_000, wait=thinks),
        say("Then by hand.", bash(f"touch {inside}"), tokens=1_000),
        say("Then I hand over.", bash("clew checkpoint -m 'as far as that'"), tokens=1_000),
        say("I stop here."),
    ]
    with Endpoint(script) as endpoint:
        ran = me.run(PROMPT, endpoint, project, CLEW_TASK=task)
    assert (0, "I stop here.") == (ran.code, ran.answer["result"]), ran
    told = [said_anew(endpoint.main, number) for number in (2, 3, 4)]
    assert 1 == sum("% of the budget of this session is used" in one for one in told), told
    for request in endpoint.main[5:7]:
        assert "clew budget raise --session" in results(request)[-1].text
    assert "clew budget raise --session" not in results(endpoint.main[7])[-1].text
    assert OLD in path.read_text(encoding="utf-8") and not inside.exists()
    session = ran.session
    until = time.monotonic() + 20  # what came behind the last tool is counted while nobody waits for it
    while (counts := figures(me, project, session))[0] != counts[1]:
        assert time.monotonic() < until, counts
        time.sleep(0.5)
    refused = me.clew("budget", "raise", "--session", session, cwd=project, code=1)
    assert "E-not-a-person" in refused.stderr
    person(me, project, tmp_path / "t2", "budget", "raise", "--session", session[:12])
    script = [say("Where was I?", read(path)), say("Once more.", change, tokens=2_000), say("Done.")]
    with Endpoint(script) as endpoint:
        ran = me.run("Go on.", endpoint, project, *me.resuming(session), CLEW_TASK=task)
    assert "Done." == ran.answer["result"]
    assert NEW in path.read_text(encoding="utf-8")


# How each client's model sends a sub-agent.
SENDS = {
    "claude-code": Call("Agent", {"description": "mend", "prompt": "MEND-IT", "subagent_type": "general-purpose"}),
    "codex": Call("multi_agent_v1__spawn_agent", {"message": "MEND-IT"}),
    "copilot": Call(
        "task", {"agent_type": "general-purpose", "description": "mend", "name": "mend", "prompt": "MEND-IT"}
    ),
    "gemini": Call("invoke_agent", {"agent_name": "generalist", "prompt": "MEND-IT"}),
    "opencode": Call("task", {"description": "mend", "prompt": "MEND-IT", "subagent_type": "general"}),
}


def test_a_sub_agent_stops_at_its_sessions_budget(anyone: people.Person, project: Path, tmp_path: Path) -> None:
    """What it uses itself counts; then nothing more is changed, neither by it nor by who sent it: the response behind
    the one that used the budget up is the first that is denied, at the latest.
    """
    me, task = anyone, opted_in(anyone, project)
    if isinstance(me, codex.Person):
        me.model = codex.OLDER_MODEL  # the newest calls its tools by scripts
    person(me, project, tmp_path / "t1", "settings", "set", "budget.session_tokens", "100000")
    mends = [
        say("I look.", bash("ls"), tokens=40_000),
        say("I look on.", bash("ls"), tokens=40_000),
        say("And again.", bash("ls"), tokens=60_000),
        say("Still.", bash("touch by-the-helper"), tokens=1_000, wait=thinks),
        say("I fix it.", bash("touch by-the-helper"), tokens=1_000, wait=thinks),
        say("I could not."),
    ]

    def helper_is_done() -> None:
        limit = time.monotonic() + 60
        while len(endpoint.of_kind("agent")) < len(mends) and time.monotonic() < limit:
            time.sleep(0.1)

    script = [
        say("I delegate.", SENDS[me.name]),
        say("I wait, then I do.", bash("touch by-myself"), wait=helper_is_done),
        say("I stop."),
        say("I stop."),
    ]
    with Endpoint(script, agents={"MEND-IT": list(mends)}) as endpoint:
        ran = me.run("Fix it.", endpoint, project, CLEW_TASK=task)
    assert 0 == ran.code, ran
    assert len(mends) <= len(endpoint.of_kind("agent"))
    assert not list(project.glob("by-*"))
    assert "clew budget raise --session" in results(endpoint.of_kind("agent")[-1])[-1].text
    assert "clew budget raise --session" in "\n".join(said.text for said in endpoint.main[-1].seen)


PLAN = """\
# Refunds

## Phase 1: Make the parts add up

- [ ] Fix `share` in `refunds.py`
- validate: `true`
- budget: 50k
"""


def test_a_task_and_its_phase_stop_all_their_sessions(me: Person, project: Path, tmp_path: Path) -> None:
    """Given a plan with a budget and a task with another: the phase stops the session that uses it up; raised, it goes
    on, until the task's budget is used up by a second session.
    """
    task = opted_in(me, project)
    (tmp_path / "plan.md").write_text(PLAN, encoding="utf-8")
    me.clew("plan", "import", str(tmp_path / "plan.md"), cwd=project)
    person(me, project, tmp_path / "t1", "plan", "approve")
    person(me, project, tmp_path / "t2", "settings", "set", "budget.task_tokens", "150000")
    script = [
        say("I begin.", bash("clew phase start 1 --no-baseline"), tokens=70_000),  # before it began
        say("I look.", bash("ls"), tokens=45_000),
        say("I look on.", bash("ls"), tokens=10_000, wait=thinks),
        say("I make it.", bash("touch by-the-first"), tokens=1_000, wait=thinks),
        say("I hand over.", bash("clew phase stop 1 --cause 'its budget is used up'"), tokens=1_000),
        say("I stop."),
    ]
    with Endpoint(script) as endpoint:
        ran = me.run(PROMPT, endpoint, project, CLEW_TASK=task)
    assert (0, "I stop.") == (ran.code, ran.answer["result"]), ran.err
    denied = results(endpoint.main[4])[-1].text
    assert "phase 1 (Make the parts add up) is used up" in denied and "clew budget raise --phase 1`" in denied
    assert not list(project.glob("by-*"))
    assert "is stopped" in results(endpoint.main[5])[-1].text
    script = [
        say("I look.", bash("ls"), tokens=30_000),
        say("I make it.", bash("touch by-the-second"), tokens=1_000, wait=thinks),
        say("I stop."),
    ]
    with Endpoint(script) as endpoint:
        ran = me.run("Go on.", endpoint, project, CLEW_TASK=task)
    denied = results(endpoint.main[2])[-1].text
    assert f"({task}) is used up" in denied and not list(project.glob("by-*"))
    called = denied.partition("clew budget raise --task ")[2].partition("`")[0]
    shown = me.clew("budget", cwd=project).stdout
    assert f"task {called} " in shown and "stopped" in shown
    person(me, project, tmp_path / "t3", "budget", "raise", "--task", called)
    script = [say("Now.", bash("touch by-the-third"), tokens=1_000), say("Done.")]
    with Endpoint(script) as endpoint:
        me.run("Go on.", endpoint, project, CLEW_TASK=task)
    assert ["by-the-third"] == [path.name for path in project.glob("by-*")]

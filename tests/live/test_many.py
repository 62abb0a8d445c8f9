"""Many sessions on one task, two at a time: no fact is lost, nothing is left running or lying about, little is said."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clew.core.text.tokens import estimate
from tests.live.claude import Person, Told, wait_for
from tests.live.endpoint import Call, Endpoint, Scripted, bash, read, said_to_model, say
from tests.live.projects import changes, git
from tests.live.stories import noted, opted_in

SESSIONS = 30
TALK_TOKENS_MAX = 150


def facts(number: int) -> tuple[str, ...]:
    """What only this session can tell: asked by the prompt, said by the agent, recorded by its command."""
    return f"asked-{number}", f"said-{number}", f"recorded-{number}"


def script(number: int, folder: Path) -> list[Scripted]:
    """A session of one of five kinds: plain, killed in a tool call, compacted, with a sub-agent, with failures."""
    _, said, recorded = facts(number)
    first: list[Scripted] = [
        say("I look.", bash("cat till.py"), noted("decide", f"Fact {recorded}", "it was measured")),
        say(f"Decision: keep {said} because the bank wants it.", bash("ls")),
    ]
    inside = folder / f"inside-{number}"
    kinds: list[list[Scripted]] = [
        [say("Done.")],
        [say("I wait.", bash(f"touch {inside}; sleep 300"))],
        [say("More.", bash("echo more"), tokens=150_000), say("Done.")],
        [
            say("", Call("Agent", {"description": "x", "prompt": "SUB-TASK", "subagent_type": "general-purpose"})),
            say("I wait."),
            say("Done."),
        ],
        [say("It fails.", bash("exit 4"), read("/nowhere")), say("Done.")],
    ]
    return [*first, *kinds[number % len(kinds)]]


def session(me: Person, project: Path, folder: Path, number: int, task: str) -> tuple[int, str]:
    """Run session `number`: its exit code and what it wrote to stderr."""
    asked = facts(number)[0]
    agents = {"SUB-TASK": [say("", bash("echo in-sub")), say("found")]}
    summary = "The till was looked at."
    with Endpoint(script(number, folder), agents=agents, summary=summary) as endpoint:
        options = ("--autocompact", "100000")
        with me.start(f"Find out why {asked} is wrong.", endpoint, project, *options, CLEW_TASK=task) as running:
            if number % 5 == 1:
                wait_for(folder / f"inside-{number}")
                running.kill()
                return 0, ""
            ran = running.end()
            # A sub-agent that ends before its parent asks again is told of in that request: no further one is made.
            spare = 1 if number % 5 == 3 else 0
            assert endpoint.left <= spare, f"session {number} did not follow its script"
            return ran.code, ran.err


def within_budget(told: list[Told], prompts: int) -> None:
    """At most a line for every ten prompts begun, and 150 tokens a session, beyond what its start was given."""
    talk = [one.text for one in told if one.event != "SessionStart"]
    lines = [line for text in talk for line in text.splitlines() if line.strip()]
    assert len(lines) <= -(-prompts // 10), lines
    assert sum(map(estimate, talk)) <= TALK_TOKENS_MAX, talk


def test_thirty_sessions_lose_nothing(me: Person, project: Path, tmp_path: Path) -> None:
    """Killed, compacted, with sub-agents and failing commands, in two work trees of one repository."""
    task = opted_in(me, project)
    other = tmp_path / "other"
    git(project, "worktree", "add", "-q", str(other), "-b", "other")
    places = (project, other)
    with ThreadPoolExecutor(2) as two:
        ran = list(
            two.map(lambda number: session(me, places[number % 2], tmp_path, number, task), range(1, SESSIONS + 1))
        )
    assert [(0, "")] * SESSIONS == ran
    left = me.settled()
    assert all("sleep 300" in line for line in left.values()), left  # what killed clients left is theirs
    me.end_all()

    with Endpoint([say("Done.")]) as endpoint:
        me.run("What do we know?", endpoint, project, CLEW_TASK=task)
    assert "clew-data" in said_to_model(endpoint.main[0])
    known = me.clew("show", "--json", cwd=project).stdout
    told = [word for number in range(1, SESSIONS + 1) for word in facts(number)]
    lost = [word for word in told if not re.search(rf"{word}\b", known)]
    assert [] == lost
    assert f"{SESSIONS + 1} imported" in me.clew("status", cwd=project).stdout
    for place in places:
        assert [] == changes(place)
    assert len(told) == len(set(told)) == 3 * SESSIONS
    for transcript in (me.home / ".claude" / "projects").glob("*/*.jsonl"):
        within_budget(me.told(transcript.stem), 2)
    checked = me.clew("doctor", "-v", cwd=project).stdout
    assert "were delivered, 0 were not" in checked
    assert "WRONG" not in checked


@pytest.mark.parametrize("prompts", [10, 20])
def test_a_long_session_is_hardly_talked_to(me: Person, project: Path, prompts: int) -> None:
    """Its context fills up over every threshold, and somebody changes its file behind its back again and again."""
    task = opted_in(me, project)
    path = project / "refunds.py"

    def somebody(number: int) -> None:
        path.write_text(path.read_text(encoding="utf-8") + f"# {number}\n", encoding="utf-8")

    turns: list[Scripted] = []
    for number in range(prompts):
        tokens = 10_000 + 180_000 * number // prompts
        turns.append(say("I read.", read(path), bash(f"echo {number}"), tokens=tokens))
        turns.append(say("Yes.", tokens=tokens + 100))
    with Endpoint(turns) as endpoint, me.live(endpoint, project, CLEW_TASK=task) as live:
        for number in range(prompts):
            result = live.prompt(f"Go on with {number}.")
            somebody(number)
        assert 0 == live.end().code
    told = me.told(str(result["session_id"]))
    assert [one for one in told if one.event != "SessionStart"], "nothing at all was said"
    within_budget(told, prompts)


def test_two_sessions_at_once_are_told_of_each_other(me: Person, project: Path, tmp_path: Path) -> None:
    """Whoever comes second could undo what the first is about to do."""
    task = opted_in(me, project)
    inside = tmp_path / "inside"
    waits = [say("I wait.", bash(f"touch {inside}; sleep 300"))]
    with Endpoint(waits) as first, me.start("Be slow.", first, project, CLEW_TASK=task):
        wait_for(inside)
        with Endpoint([say("Done.")]) as second:
            ran = me.run("Be quick.", second, project, CLEW_TASK=task)
    assert (0, "") == (ran.code, ran.err)
    assert "another session is live: “Be slow.”" in said_to_model(second.main[0])
    assert "another session" not in said_to_model(first.main[0])

"""Headless runs that nobody gave a task: the model sees not one byte of clew's."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.live.claude import Person
from tests.live.endpoint import Call, Endpoint, Request, bash, say
from tests.live.projects import changes
from tests.live.stories import PROMPT, besides_our_server, opted_in, works_on_refunds


def sent(requests: list[Request]) -> str:
    """All that was sent, headers too, without the names that this test itself gives to folders."""
    return json.dumps([[request.body, dict(request.headers)] for request in requests]).lower()


def test_the_client_says_the_same_with_and_without_us(me: Person, project: Path) -> None:
    """Not our name alone: every block of text that the model sees is one that it would see without clew."""

    def blocks() -> list[str]:
        with Endpoint([say("Done.")]) as endpoint:
            me.run("What does this till do?", endpoint, project)
        body = endpoint.main[0].body
        (message,) = body["messages"]
        return sorted(json.dumps(block) for block in [*body["system"], *body["tools"], *message["content"]])

    before = blocks()
    opted_in(me, project)
    assert before == blocks()


def test_what_a_headless_run_did_is_taken_in_all_the_same(me: Person, project: Path, tmp_path: Path) -> None:
    """Silence is not blindness."""
    opted_in(me, project)
    with Endpoint(works_on_refunds(project, tmp_path / "x")[:-1]) as endpoint:
        me.run(PROMPT, endpoint, project)
    shown = me.clew("resume", cwd=project).stdout
    assert "off by a cent" in shown
    assert [" M refunds.py"] == changes(project)


def test_a_sub_agent_sees_nothing_of_ours(me: Person, project: Path) -> None:
    """It has a task of its own, of which the payload would only lead it away."""
    title = opted_in(me, project)
    task = {"description": "look", "prompt": "LOOK-FOR-IT", "subagent_type": "general-purpose"}
    script = [say("I delegate.", Call("Agent", task)), say("I wait."), say("It was found.")]
    with Endpoint(script, agents={"LOOK-FOR-IT": [say("", bash("echo in-sub")), say("found")]}) as endpoint:
        me.run(PROMPT, endpoint, project, CLEW_TASK=title)
    assert "clew" in sent(endpoint.main[:1])
    assert 2 == len(endpoint.of_kind("agent"))
    for request in endpoint.of_kind("agent"):
        assert "clew" not in besides_our_server(request)


def test_in_a_folder_without_opt_in_nothing_happens(me: Person, project: Path, tmp_path: Path) -> None:
    """The hooks are in the user's settings: every other project of theirs starts them, too."""
    title = opted_in(me, project)
    other = tmp_path / "other"
    other.mkdir()
    subprocess.run(["git", "init", "-q", other], check=True)
    with Endpoint([say("Done.")]) as endpoint:
        ran = me.run("Hello.", endpoint, other, CLEW_TASK=title)
    assert (0, "") == (ran.code, ran.err)
    assert "clew-data" not in sent(endpoint.requests)
    assert [".git"] == [path.name for path in other.iterdir()]
    assert not list(me.home.rglob(f"live/**/{other.name}"))


def test_a_compaction_by_hand_does_not_name_us(me: Person, project: Path) -> None:
    """The client puts the command of each hook around `/compact` before the model, in every project of the user."""
    opted_in(me, project)
    with Endpoint([say("One."), say("Two.")]) as endpoint, me.live(endpoint, project) as session:
        for prompt in ("Hello.", "/compact", "Go on."):
            session.prompt(prompt)
        assert 0 == session.end().code
    assert 2 == len(endpoint.main)
    assert "clew" not in sent(endpoint.requests)

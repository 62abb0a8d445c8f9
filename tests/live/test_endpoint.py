"""The scripted model and the driver themselves, against the real client."""

from __future__ import annotations

from pathlib import Path

from tests.live.claude import Person
from tests.live.endpoint import OUT_OF_SCRIPT, Call, Endpoint, Scripted, bash, edit, read, said_to_model, say, too_long
from tests.live.terminal import at_terminal


def test_a_script_is_followed_to_its_end(me: Person, project: Path) -> None:
    """Else nothing below says anything: the client does what the model says, and the model sees what came of it."""
    path = project / "till.py"
    script: list[Scripted] = [
        say("I look.", read(path), bash("echo seen-by-the-shell")),
        say("I change it.", edit(path, "RATE = 1", "RATE = 2")),
        lambda request: say(f"{'seen-by-the-shell' in said_to_model(request)}"),
    ]
    with Endpoint(script) as endpoint:
        ran = me.run("change the rate", endpoint, project)
    assert (0, "True", "") == (ran.code, ran.answer["result"], ran.err)
    assert "RATE = 2" in path.read_text(encoding="utf-8")
    assert endpoint.left == 0
    assert OUT_OF_SCRIPT not in said_to_model(endpoint.main[-1])
    assert {} == me.settled()


def test_a_compaction_asks_for_a_summary_and_goes_on_with_it(me: Person, project: Path) -> None:
    """Both ways to bring one about: usage over the limit, and a refused request."""
    script = [
        say("One.", bash("echo one")),
        say("Two.", bash("echo two"), tokens=150_000),
        say("Three.", bash("echo three")),
        too_long(),
        say("Done."),
    ]
    with Endpoint(script, summary="WORDS-OF-THE-SUMMARY") as endpoint:
        ran = me.run("go", endpoint, project, "--autocompact", "100000")
    assert (0, "Done.") == (ran.code, ran.answer["result"])
    assert "main main summary main main summary main".split() == [request.kind for request in endpoint.requests]
    assert "WORDS-OF-THE-SUMMARY" in said_to_model(endpoint.main[2])


def test_a_sub_agent_has_a_script_of_its_own(me: Person, project: Path) -> None:
    """Its requests would otherwise take the turns of the main conversation."""
    task = {"description": "look", "prompt": "LOOK-FOR-IT", "subagent_type": "general-purpose"}
    script = [say("I delegate.", Call("Agent", task)), say("I wait."), say("It was found.")]
    with Endpoint(script, agents={"LOOK-FOR-IT": [say("", bash("echo in-sub")), say("found")]}) as endpoint:
        ran = me.run("find it", endpoint, project)
    assert (0, "It was found.") == (ran.code, ran.answer["result"])
    assert 2 == len(endpoint.of_kind("agent"))
    assert "in-sub" in said_to_model(endpoint.of_kind("agent")[1])


def test_a_person_can_sit_at_it(me: Person, project: Path) -> None:
    """What differs between a headless run and a person's session can only be seen with a person at it."""
    script = [say("I look.", bash("echo one")), say("Done.")]
    with Endpoint(script) as endpoint, at_terminal(me, endpoint, project) as session:
        session.type("have a look")
        session.until(lambda: len(endpoint.main) == 2)
        session.quiet()
        session.leave()
    assert "have a look" in said_to_model(endpoint.main[0])
    assert 0 == session.process.returncode
    assert {} == me.settled()

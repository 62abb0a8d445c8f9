"""The scripted model and the driver of every client, against the real clients and without clew."""

from __future__ import annotations

from pathlib import Path

from tests.live.endpoint import OUT_OF_SCRIPT, Endpoint, Scripted, bash, edit, read, results, said_to_model, say, write
from tests.live.people import Person, wait_for


def test_a_script_is_followed_to_its_end(anyone: Person, project: Path) -> None:
    """Else nothing below says anything: the client does what the model says, and the model sees what came of it."""
    path, new = project / "till.py", project / "new.py"
    script: list[Scripted] = [
        say("I look.", read(path), bash("echo seen-by-the-shell")),
        say("I change it.", edit(path, "RATE = 1", "RATE = 2")),
        say("I write.", write(new, "x = 1\n")),
        lambda request: say(f"{'seen-by-the-shell' in said_to_model(request)}"),
    ]
    with Endpoint(script) as endpoint:
        ran = anyone.run("change the rate", endpoint, project)
    assert (0, "True") == (ran.code, ran.answer["result"]), ran
    assert ran.session
    assert "RATE = 2" in path.read_text(encoding="utf-8")
    assert "x = 1" in new.read_text(encoding="utf-8")
    assert endpoint.left == 0
    assert OUT_OF_SCRIPT not in said_to_model(endpoint.main[-1])
    assert "RATE = 1" in "".join(said.text for said in results(endpoint.main[1]))
    assert "change the rate" in said_to_model(endpoint.main[0])
    assert {} == anyone.settled()
    assert anyone.record(ran.session).exists()


def test_a_session_is_resumed_and_compacted(anyone: Person, project: Path) -> None:
    """The summary is asked for and given, and the model goes on with it."""
    how = anyone.compacting()
    script = [
        say("One.", bash("seq 2000")),  # enough to be worth a summary
        say("Two.", bash("echo two")),
        say("Three.", bash("echo three"), tokens=how.tokens or 1000),
        say("Four."),
        say("Five."),
    ]
    with Endpoint(script, summary="WORDS-OF-THE-SUMMARY") as endpoint:
        ran = anyone.run("count for me", endpoint, project, *how.options)
        again = anyone.run("go on", endpoint, project, *how.options, *anyone.resuming(ran.session))
    assert (0, "Four.", 0, "Five.") == (ran.code, ran.answer["result"], again.code, again.answer["result"]), (
        ran,
        again,
    )
    assert ran.session == again.session
    kinds = [request.kind for request in endpoint.requests if request.kind != "aside"]
    first = kinds.index("summary")
    assert ["main"] * (4 if how.tokens is None else 3) == kinds[:first]
    assert "WORDS-OF-THE-SUMMARY" in said_to_model(endpoint.main[-1])
    assert "go on" in said_to_model(endpoint.main[-1])


def test_a_client_is_killed_in_a_tool_call(anyone: Person, project: Path, tmp_path: Path) -> None:
    """All its processes at once, without a word to anybody."""
    inside = tmp_path / "inside"
    with (
        Endpoint([say("I wait.", bash(f"touch {inside}; sleep 300"))]) as endpoint,
        anyone.start("wait", endpoint, project) as session,
    ):
        wait_for(inside)
        session.kill()
        assert session.process.returncode < 0
    left = anyone.settled(1)
    assert all("sleep 300" in line for line in left.values()), left  # what a killed client leaves is its own

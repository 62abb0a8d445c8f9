"""What a gate denies is denied by the real client, with our reason before the model's eyes."""

from __future__ import annotations

from pathlib import Path

from tests.live.claude import Person
from tests.live.endpoint import Endpoint, Request, bash, edit, read, said_anew, said_to_model, say
from tests.live.stories import DEAD_END, NEW, OLD, PROMPT, WHY_FAILED, opted_in, works_on_refunds
from tests.people import typed

GOAL, STEP = "the parts of share() add up to the total of a refund", "refunds.py, the rest to the first parts"
RIGHT = f'clew confirm "goal: {GOAL}; next: {STEP}"'


def results(request: Request) -> list[tuple[bool, str]]:
    """The results of the tools in the last message: whether it is an error, and its text."""
    found = [block for block in request.body["messages"][-1]["content"] if block["type"] == "tool_result"]
    return [(bool(block.get("is_error")), str(block["content"])) for block in found]


def last(request: Request) -> str:
    return results(request)[-1][1]


def test_an_edit_waits_for_the_confirmation(me: Person, project: Path, tmp_path: Path) -> None:
    """Denied with our reason, denied after a wrong answer, and done after a right one."""
    task = opted_in(me, project)
    with Endpoint(works_on_refunds(project, tmp_path / "x")[:-1]) as endpoint:
        me.run(PROMPT, endpoint, project, CLEW_TASK=task)
    clew = str(Path(me.variables()["PATH"].split(":")[0]) / "clew")
    sets = typed(
        [clew, "settings", "set", "gate.confirm", "deny"],
        cwd=project,
        folder=tmp_path / "terminal",
        environment=me.variables(),
    )
    assert 0 == sets.code, sets.out
    path = project / "refunds.py"
    half = edit(path, NEW, OLD)
    script = [
        say("I read it.", read(path)),
        say("I edit at once.", half),
        say("So I must say it.", bash('clew confirm "goal: make it nicer; next: have a look at till.py"')),
        say("Again.", half),
        say("Once more.", bash(RIGHT)),
        say("Now.", half),
        say("Done."),
    ]
    with Endpoint(script) as endpoint:
        ran = me.run("Go on.", endpoint, project, CLEW_TASK=task)
    assert (0, "Done.", "") == (ran.code, ran.answer["result"], ran.err)
    assert "clew confirm" in said_to_model(endpoint.main[0])
    ((failed, denied),) = results(endpoint.main[2])
    assert failed and "clew: " in denied and "confirm" in denied
    assert "does not fit" in last(endpoint.main[3])
    assert results(endpoint.main[4])[-1][0]
    assert "edits are allowed" in last(endpoint.main[5])
    ((failed, done),) = results(endpoint.main[6])
    assert not failed, done
    assert OLD in path.read_text(encoding="utf-8")


def test_clews_own_files_are_off_limits(me: Person, project: Path) -> None:
    """An agent that edits the ledger's folder or the client's hooks could open every gate."""
    opted_in(me, project)
    own, settings = project / ".clew" / "config.toml", me.home / ".claude" / "settings.json"
    before = own.read_bytes(), settings.read_bytes()
    script = [
        say("I read.", read(own), read(settings)),
        say("I edit.", edit(own, "project", "projekt"), edit(settings, '"PreToolUse": [', '"PostToolUse": [')),
        say("By the shell.", bash(f"rm -f {own}"), bash(f"sed -i s/hooks/hoooks/ {settings}")),
        say("Done."),
    ]
    with Endpoint(script) as endpoint:
        ran = me.run("Change it.", endpoint, project, "--permission-mode", "acceptEdits", "--add-dir", str(me.home))
    assert (0, "Done.") == (ran.code, ran.answer["result"])
    told = [*results(endpoint.main[2]), *results(endpoint.main[3])]
    assert 4 == len(told)
    for failed, text in told:
        assert failed and "off limits" in text
    assert before == (own.read_bytes(), settings.read_bytes())


def test_a_recorded_dead_end_is_met_again(me: Person, project: Path) -> None:
    """The guard says why it failed, in the session that is about to try it again."""
    task = opted_in(me, project)
    me.clew("reject", DEAD_END, "--why", WHY_FAILED, "--guard", "make rounded", cwd=project)
    with Endpoint([say("I try.", bash("make rounded || true")), say("Done.")]) as endpoint:
        me.run(PROMPT, endpoint, project, CLEW_TASK=task)
    assert WHY_FAILED in said_anew(endpoint.main, 1)


def test_an_edit_of_a_file_that_somebody_changed_is_warned_of(me: Person, project: Path) -> None:
    """The file was read, then changed by somebody else: whoever edits it now is told."""
    task = opted_in(me, project)
    path = project / "refunds.py"

    def somebody() -> None:
        path.write_text(path.read_text(encoding="utf-8") + "# by somebody\n", encoding="utf-8")

    script = [say("I read.", read(path)), say("I edit.", edit(path, OLD, NEW), wait=somebody), say("Done.")]
    with Endpoint(script) as endpoint:
        ran = me.run(PROMPT, endpoint, project, CLEW_TASK=task)
    assert 0 == ran.code
    (told,) = [line for line in said_anew(endpoint.main, 2).splitlines() if "clew: " in line]
    assert "refunds.py" in told and "changed" in told

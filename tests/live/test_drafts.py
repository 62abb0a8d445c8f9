"""Hand-offs in the hands of the real clients: asked for at a threshold, proved, corrected; asked for afterwards."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from clew.documents.draft import REQUEST
from tests.live.claude import Person as ClaudePerson
from tests.live.clients import DRIVERS
from tests.live.codex import MODEL
from tests.live.conftest import Program
from tests.live.endpoint import Endpoint, Request, Turn, asks, bash, edit, read, results, said_to_model, say
from tests.live.people import Person, present
from tests.live.projects import changes
from tests.live.stories import DECISION, OLD, PROMPT, WHY_DECIDED, opted_in

NEW = "[total // parts] * (parts - 1) + [total - total // parts * (parts - 1)]"
LIE = "Commit 1234abc was pushed to origin"
TRUTH = "refunds.py is edited and not committed"
DRAFT = f"""## Goal
- {PROMPT} Done.
## Decisions
- {DECISION} — {WHY_DECIDED}
## State
- {{}}
"""


def long_talk(till: int) -> str:
    """So much that the fast hooks look at the record's end again, and no two lines are alike."""
    return "\n".join(
        f"Order {number} of till {number * till}: its parts are {number * 3} and {number * 5}." for number in range(900)
    )


def works(path: Path, tokens: int = 150_000) -> list[Turn]:
    """The session edits the file, says why, and its context crosses a threshold."""
    return [
        say("I look at it.", read(path)),
        say(f"I fix it: {DECISION}, since {WHY_DECIDED}.", edit(path, OLD, NEW)),
        # Codex tells the tokens behind the tool, so it is heard one later.
        *(say(long_talk(till), bash("sleep 1; git status --short"), tokens=tokens) for till in (7, 9)),
    ]


def test_a_threshold_asks_and_the_next_client_gets_what_is_proved(
    anyone: Person, project: Path, tmp_path: Path
) -> None:
    """The line behind a tool asks for a checkpoint, its answer for the hand-off; a lie in that is told, corrected, and
    never reaches the next session; what stands does.
    """
    title = opted_in(anyone, project)
    heard: list[str] = []

    def takes_a_checkpoint(request: Request) -> Turn:
        heard.append(said_to_model(request))
        return say("As I am asked.", asks("clew", "checkpoint"))

    def hands_over(request: Request) -> Turn:
        heard.append(results(request)[-1].text)
        return say("I hand over.", asks("clew", "checkpoint", draft=DRAFT.format(LIE)))

    def corrects(request: Request) -> Turn:
        heard.append(results(request)[-1].text)
        return say("That was wrong.", asks("clew", "checkpoint", draft=DRAFT.format(TRUTH)))

    def ends(request: Request) -> Turn:
        heard.append(results(request)[-1].text)
        return say("Done.")

    # Of 168,000 tokens GitHub Copilot CLI drops its context by itself at 134,000.
    tokens = 130_000 if anyone.name == "copilot" else 150_000
    script = [*works(project / "refunds.py", tokens), takes_a_checkpoint, hands_over, corrects, ends, say("Next.")]
    with Endpoint(script) as endpoint:
        ran = anyone.run(PROMPT, endpoint, project, CLEW_TASK=title)
        assert (0, "Done.") == (ran.code, ran.answer["result"]), ran.err
        told, asked, struck, kept = heard
        assert f"clew: the context is {tokens // 10_000}" in told and "write the hand-off it asks for" in told
        assert "Created checkpoint K-" in asked and REQUEST in asked
        assert "Struck: line 6" in struck and LIE in struck and "Send the whole draft again" in struck
        assert "Kept the draft W-" in kept and "Struck" not in kept
        anyone.run("Go on.", endpoint, project, CLEW_TASK=title)
        first = said_to_model(endpoint.main[len(script) - 1])
    assert DECISION in first and WHY_DECIDED in first and PROMPT in first
    assert LIE not in first


@pytest.mark.parametrize("client", DRIVERS)
def test_a_killed_session_is_asked_afterwards(client: str, program: Program, project: Path, tmp_path: Path) -> None:
    """Given a session of Claude Code that was killed in a command: the person's client writes from its record what it
    would have handed over, with no tool, and it is proved. Asked again, nobody pays.
    """
    with present(DRIVERS["claude-code"](program("claude-code"), tmp_path / "home")) as me:
        opted_in(me, project)
        killed(me, project, tmp_path)
        writer = DRIVERS[client](program(client), me.home)
        with Endpoint(asked={REQUEST[:60]: say(DRAFT.format(LIE))}) as endpoint:
            known_to(writer, endpoint)
            variables = writer.own(endpoint)
            done = writer.clew("draft", "--ask", client, "--yes", cwd=project, **variables)
            assert f"✗ step: {LIE}" in done.stdout and DECISION in done.stdout
            asked = endpoint.of_kind("asked")
            assert 0 < len(asked) <= 2, "Gemini CLI asks a small model first which one to take"
            for request in asked:
                tools = {said.text for said in request.seen if said.role == "tools"}
                assert not tools & {
                    "Bash",
                    "Edit",
                    "exec_command",
                    "shell",
                    "run_shell_command",
                    "replace",
                    "bash",
                    "edit",
                }
            said = said_to_model(asked[-1])
            assert "git status" in said and WHY_DECIDED in said
            assert "clew: " not in said, "none of our hooks"
            writer.clew("draft", "--ask", client, "--yes", cwd=project, **variables)
            assert len(asked) == len(endpoint.of_kind("asked"))
        payload = me.clew("resume", cwd=project).stdout
        assert DECISION in payload and WHY_DECIDED in payload and LIE not in payload
        assert [" M refunds.py"] == changes(project)


def test_a_copy_of_the_session_itself_can_be_asked(me: ClaudePerson, project: Path, tmp_path: Path) -> None:
    """It knows all that the session knew; the session stays as it was."""
    opted_in(me, project)
    killed(me, project, tmp_path)
    [record] = (me.home / ".claude" / "projects").glob("*/*.jsonl")
    before = record.read_bytes()
    with Endpoint(asked={REQUEST[:60]: say(DRAFT.format(LIE))}) as endpoint:
        done = me.clew("draft", "--ask", "claude-code", "--fork", "--yes", cwd=project, **me.own(endpoint))
    [request] = endpoint.of_kind("asked")
    assert DECISION in done.stdout
    assert PROMPT in said_to_model(request) and OLD in said_to_model(request), "what its tools gave it, too"
    assert before == record.read_bytes()
    assert [record] == list((me.home / ".claude" / "projects").glob("*/*.jsonl"))


@pytest.mark.parametrize("name", ["claude-code", "codex", "copilot", "gemini"])
def test_the_end_of_a_turn_asks_once(name: str, program: Program, project: Path, tmp_path: Path) -> None:
    """Where its person wants that, and real work was done: the turn goes on with the request, and then it ends."""
    with present(DRIVERS[name](program(name), tmp_path / "home")) as me:
        title = opted_in(me, project)
        me.clew("settings", "set", "draft.at_stop", "on", cwd=project)
        path = project / "refunds.py"
        script = [
            say("I look at it.", read(path)),
            say(f"I fix it: {DECISION}, since {WHY_DECIDED}.", edit(path, OLD, NEW), tokens=40_000),
            say("It is mended.", tokens=40_000),
            say("I hand over.", asks("clew", "checkpoint", draft=DRAFT.format(TRUTH))),
            say("Done."),
        ]
        with Endpoint(script) as endpoint:
            ran = me.run(PROMPT, endpoint, project, CLEW_TASK=title)
        assert (0, 0) == (ran.code, endpoint.left), ran.err
        assert 5 == len(endpoint.main), "it is asked once, and the turn then ends"
        asked = said_to_model(endpoint.main[3])
        assert REQUEST in asked and "before you stop" in asked
        assert "Kept the draft W-" in results(endpoint.main[4])[-1].text
        assert [] == me.broken()
        told = me.clew("resume", "--json", cwd=project).stdout
        assert DECISION in told and "Write a hand-off" not in told, "what we ask is nobody's request"


def killed(me: Person, project: Path, tmp_path: Path) -> None:
    """A session that mends the file, says why, and is killed in a command."""
    inside = tmp_path / "inside"
    path = project / "refunds.py"
    script = [
        say("I look at it.", read(path), bash("git status")),
        say(f"I fix it: {DECISION}, since {WHY_DECIDED}.", edit(path, OLD, NEW)),
        say("Now the tests.", bash(f"touch {inside}; sleep 300")),
    ]
    with Endpoint(script) as endpoint, me.start(PROMPT, endpoint, project) as session:
        limit = time.monotonic() + 120
        while not inside.exists() and time.monotonic() < limit:
            time.sleep(0.1)
        assert inside.exists()
        session.process.kill()
    me.end_all()


def known_to(me: Person, endpoint: Endpoint) -> None:
    """The model in the client's own settings, where no variable can say it."""
    if me.name == "codex":
        config = me.home / ".codex" / "config.toml"
        config.parent.mkdir(exist_ok=True)
        provider = f'name = "lab"\nbase_url = "{endpoint.url}/v1"\nwire_api = "responses"\nenv_key = "LAB_API_KEY"\n'
        config.write_text(f'model = "{MODEL}"\nmodel_provider = "lab"\n[model_providers.lab]\n{provider}')
    if me.name == "opencode":
        (me.home / ".config" / "opencode").mkdir(parents=True, exist_ok=True)

"""The MCP server in the hands of every client: what the model saw of it, and what came of its calls."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import pytest

from clew.interfaces.mcp.tools import INSTRUCTIONS
from tests.live.clients import DRIVERS
from tests.live.conftest import Program
from tests.live.endpoint import Endpoint, asks, results, said_to_model, say
from tests.live.people import Person, descendants, present
from tests.live.projects import changes, make_project
from tests.live.stories import DECISION, NEXT, PROMPT, WHY_DECIDED, opted_in

GOAL = "Refunds of Brest add up to the cent"

CHECKOUT = Path(__file__).parents[2]


def test_a_model_works_by_tools(anyone: Person, project: Path) -> None:
    """The server is there for the first request. The session that calls is known, so its gate opens and what it records
    is its own word, an agent's; what was wrong is told so that it can be mended.
    """
    title = opted_in(anyone, project)
    anyone.clew("note", "goal", GOAL, cwd=project)
    anyone.clew("next", NEXT, "--file", "refunds.py", cwd=project)
    script = [
        say("I go on.", asks("clew", "confirm", goal=GOAL, next="refunds.py first")),
        say("That was wrong.", asks("clew", "record", kind="retract", text="It is not so")),
        say("I keep that.", asks("clew", "record", kind="decision", text=DECISION, why=WHY_DECIDED)),
        say("What is known?", asks("clew", "resume")),
        say("Done."),
    ]
    with Endpoint(script) as endpoint:
        ran = anyone.run("Go on.", endpoint, project, CLEW_TASK=title, CLEW_GATE_CONFIRM="deny")
    assert (0, "Done.") == (ran.code, ran.answer["result"]), ran.err
    # GitHub Copilot CLI gives its main agent those of listed servers only.
    assert (INSTRUCTIONS in said_to_model(endpoint.main[0])) == (anyone.name != "copilot")
    confirmed, refused, noted, known = (said.text for said in results(endpoint.main[4]))
    assert "Confirmed: edits are allowed." in confirmed
    assert "retract needs the item's `id`" in refused
    assert "Noted D-" in noted
    assert "<clew-data " in known
    assert DECISION in known and WHY_DECIDED in known
    log = json.loads(anyone.clew("log", "--json", cwd=project).stdout)["events"]
    (event,) = [one for one in log if one["data"].get("text") == DECISION]
    assert ("agent", anyone.name, ran.session) == (event["provenance"], event["actor"], event["session"])


def test_the_model_in_another_project_hears_nothing(anyone: Person, project: Path, tmp_path: Path) -> None:
    """Not one byte of ours, of whatever part of us, where nobody opted in (SPEC C23)."""
    opted_in(anyone, project)
    other = make_project(tmp_path / "other")
    with Endpoint([say("Done.")]) as endpoint:
        ran = anyone.run(PROMPT, endpoint, other)
    assert (0, "Done.") == (ran.code, ran.answer["result"]), ran.err
    assert "MCP issues" not in ran.err  # with which Gemini CLI tells of a server that offers nothing
    assert endpoint.requests
    for request in endpoint.requests:
        sent = json.dumps(request.body).lower().replace(str(CHECKOUT).lower(), "")  # where the client is installed
        assert "clew" not in sent
    assert [] == changes(other)


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_it_does_not_outlive_a_client_that_is_killed(
    name: str, program: Program, project: Path, tmp_path: Path
) -> None:
    """Whatever the client had no time to do."""
    somebody = DRIVERS[name](program(name), tmp_path / "home")
    opted_in(somebody, project)
    called, over = threading.Event(), threading.Event()

    def hold() -> None:
        called.set()
        over.wait(60)

    script = [say("I look.", asks("clew", "show")), say("Done.", wait=hold)]
    with Endpoint(script) as endpoint, present(somebody), somebody.start(PROMPT, endpoint, project) as session:
        assert called.wait(60)
        servers = [pid for pid, line in descendants(session.process.pid) if line.endswith("clew mcp ")]
        assert servers
        session.kill()
        over.set()
        limit = time.monotonic() + 20
        while any(map(_runs, servers)) and time.monotonic() < limit:
            time.sleep(0.1)
        assert not [pid for pid in servers if _runs(pid)]


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return (
            "Z" != Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0]
        )
    except OSError:
        return False

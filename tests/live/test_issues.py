"""From one client to another through an issue: planned and pushed here, edited in a browser, gone on with there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.clients import DRIVERS
from tests.live.conftest import Program
from tests.live.endpoint import Endpoint, bash, said_to_model, say
from tests.live.people import present
from tests.live.projects import changes, git, make_project
from tests.live.stories import DECISION, WHY_DECIDED, noted, opted_in
from tests.remotes.github.server import Server, serving

NAME = "acme/till"
_PLAN = """# Refunds

## Phase 1: Look
- [ ] Read refunds.py
- validate: `true`
- budget: 20k

## Phase 2: Fix
- [ ] Give the rest to the first parts
- [ ] Test a split of three
- validate: `true`
- budget: 50k
"""


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        made.forge.repository(NAME)
        yield made


def _clone(folder: Path, server: Server) -> Path:
    project = make_project(folder)
    git(project, "remote", "add", "origin", f"http://{server.host}/{NAME}.git")
    return project


@pytest.mark.parametrize(("first", "second"), [("claude-code", "codex"), ("codex", "claude-code")])
def test_what_a_person_wrote_in_the_issue_is_in_the_next_clients_first_request(
    first: str, second: str, program: Program, tmp_path: Path, server: Server
) -> None:
    """Ada's agent plans, does the first phase and pushes; Bea ticks, rewords and adds; Dan's agent, in another clone
    and another client, is told all three at its start."""
    token = {"GH_ENTERPRISE_TOKEN": "token-of-ada"}
    with present(DRIVERS[first](program(first), tmp_path / "ada")) as ada:
        there = _clone(tmp_path / "one" / "till", server)
        title = opted_in(ada, there)
        (tmp_path / "plan.md").write_text(_PLAN, encoding="utf-8")
        script = [
            say("I plan it.", bash(f"clew plan import {tmp_path / 'plan.md'}")),
            say("I look.", bash("cat refunds.py")),
            say("First that is settled.", noted("decide", DECISION, WHY_DECIDED)),
            say("The first phase is through.", bash("clew plan tick 1.1")),
            say("There it goes.", bash("clew issue push")),
            say("Done."),
        ]
        with Endpoint(script) as endpoint:
            ran = ada.run("Plan the refunds, and begin.", endpoint, there, CLEW_TASK=title, **token)
        assert ran.code == 0, ran
        assert [] == ada.broken()
    issue = server.forge.repository(NAME)[1]
    assert "[x] Read refunds.py" in issue.body
    body = issue.body.replace("[ ] Give the rest", "[x] Give the rest").replace(
        DECISION, f"{DECISION} and never floats"
    )
    body = body.replace("## Open risks\n", "## Open risks\n- risk: three cents a day are lost\n")
    server.forge.edit(NAME, 1, "bea", body.replace("\n", "\r\n"))
    with present(DRIVERS[second](program(second), tmp_path / "dan")) as dan:
        here = _clone(tmp_path / "two" / "till", server)
        dan.clew("init", "--client", dan.name, cwd=here)
        dan.clew("issue", "resume", "1", cwd=here, GH_ENTERPRISE_TOKEN="token-of-dan")
        with Endpoint([say("I go on.")]) as endpoint:
            ran = dan.run("Go on.", endpoint, here, CLEW_TASK=title)
        assert ran.code == 0, ran
        said = said_to_model(endpoint.main[0])
        assert f"{DECISION} and never floats" in said
        assert "three cents a day are lost" in said
        assert "done: Give the rest to the first parts" in said
        assert "Test a split of three" in said
        assert [] == dan.broken()
        assert [] == changes(here)

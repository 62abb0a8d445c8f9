"""`clew issue`, `clew resume 24` and `clew trust login`: the program against a server that speaks GitHub's API.

Two people with a clone each; the server is an Enterprise Server on loopback, so that its name leads to it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.app.worlds import project, snapshot
from tests.conftest import RULES
from tests.interfaces.cli.binary import CLEW
from tests.interfaces.cli.conftest import Clew, Ran
from tests.people import typed
from tests.remotes.github.server import Server, serving
from tests.workspace.repos import Repo

NAME = "acme/till"


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        made.forge.repository(NAME)
        yield made


class Person:
    """Somebody with a home, a clone and a token of the server."""

    def __init__(self, folder: Path, server: Server, login: str, run: Clew) -> None:
        self.home, self.run = folder / "home", run
        self.home.mkdir(parents=True)
        self.repo: Repo = project(folder / "tide", src__a_py="a = 1\n")
        self.repo.git("remote", "add", "origin", f"http://{server.host}/{NAME}.git")
        self.token = f"token-of-{login}"

    def clew(self, *words: str, code: int = 0, **environment: str) -> Ran:
        """Run a command, as a script of this person does."""
        own = {"PATH": os.environ["PATH"], "HOME": str(self.home), "GH_ENTERPRISE_TOKEN": self.token}
        own |= {"KF_RULE_CACHE_DIR": RULES, **environment}
        with patch.dict(os.environ, own, clear=True), chdir(self.repo.top):
            done = self.run(*words)
        assert done.code == code, f"{words}: {done.out}{done.err}"
        return done

    def task(self) -> None:
        """A ledger with a task."""
        self.clew("init", "--yes", "--client", "none")
        self.clew("task", "new", "Tides for Brest")


@pytest.fixture
def ada(tmp_path: Path, server: Server, clew: Clew) -> Person:
    made = Person(tmp_path / "ada", server, "ada", clew)
    made.task()
    return made


def test_from_a_plan_here_to_a_session_there(ada: Person, server: Server, tmp_path: Path) -> None:
    """Ada pushes, Bea ticks and rewords in the browser, Dan goes on in a clone of his; Ada gets both back."""
    (ada.repo.top / "plan.md").write_text("## Phase 1: Parser\n- [x] Read\n- [ ] Parse\n- validate: `true`\n")
    ada.clew("plan", "import", "plan.md")
    ada.clew("note", "risk", "The bank changes its CSV")
    ada.clew("next", "Write src/a.py:1", "--file", "src/a.py")
    opened = ada.clew("issue", "push").out
    assert f"http://{server.host}/{NAME}/issues/1" in opened
    assert "nothing new" in ada.clew("issue", "push").out
    body = server.forge.repository(NAME)[1].body
    assert "- `src/a.py`" in body
    server.forge.edit(NAME, 1, "bea", body.replace("[ ] Parse", "[x] Parse").replace("its CSV", "its CSV in May"))
    dan = Person(tmp_path / "dan", server, "dan", ada.run)
    before = snapshot(dan.home, dan.repo.top)
    there = dan.clew("resume", "1").out
    assert "step" in there or "to-do" in there
    assert "its CSV in May" in there and "Read these again before anything else: src/a.py" in there
    assert "stale" in there
    # git keeps its index fresh, and a node of the machine may leave npm's cache in any home.
    after = {
        path: facts for path, facts in snapshot(dan.home, dan.repo.top).items() if not re.search("/.git|/.npm", path)
    }
    assert after == {path: facts for path, facts in before.items() if "/.git" not in path}
    taken = ada.clew("issue", "pull").out
    assert "Parse" in taken and "(bea)" in taken
    assert "[x] 1.2 Parse" in ada.clew("plan", "show").out
    assert server.wrong == []


def test_a_file_that_changed_since_is_told(ada: Person, server: Server, tmp_path: Path) -> None:
    """Compared with the commit that the issue names."""
    ada.clew("decide", "a is one", "--file", "src/a.py")
    ada.clew("issue", "push")
    dan = Person(tmp_path / "dan", server, "dan", ada.run)
    dan.repo.write("src/a.py", "a = 2\n")
    told = json.loads(dan.clew("issue", "resume", f"http://{server.host}/{NAME}/issues/1", "--json").out)
    assert [one["status"] for one in told["drift"]["files"]] == ["changed"]
    assert told["task"] is None
    assert told["issue"]["number"] == 1


def test_in_a_clone_with_a_ledger_it_becomes_a_task(ada: Person, server: Server, tmp_path: Path) -> None:
    """Which this place is bound to, and which goes on under the same issue."""
    ada.clew("note", "risk", "The bank changes its CSV")
    ada.clew("issue", "push")
    dan = Person(tmp_path / "dan", server, "dan", ada.run)
    dan.clew("init", "--yes", "--client", "none")
    assert "The bank changes its CSV" in dan.clew("resume", f"{NAME}#1").out
    assert "Tides for Brest" in dan.clew("task", "list").out
    dan.clew("note", "risk", "The night is short")
    dan.clew("issue", "push")
    assert "The night is short" in ada.clew("issue", "pull").out
    assert "nothing new" in dan.clew("issue", "push").out


def test_without_a_login_it_says_which(ada: Person, server: Server) -> None:
    """A token of another server is not sent."""
    failed = ada.clew("issue", "push", code=1, GH_ENTERPRISE_TOKEN="", GITHUB_TOKEN="token-of-ada")
    assert "E-issue-access" in failed.err and "gh auth login" in failed.err
    assert "with no other tracker" in failed.err
    assert server.came == []


@pytest.mark.parametrize("words", [("resume", "{}/issues/1"), ("issue", "pull", "{}/issues/1")])
def test_no_token_goes_to_a_server_that_nobody_chose(ada: Person, server: Server, words: tuple[str, ...]) -> None:
    """An agent's shell, or a text that it read, may name any server. The clone's remote is another one."""
    ada.repo.git("remote", "set-url", "origin", "https://github.com/acme/till.git")
    url = f"http://{server.host}/{NAME}"
    failed = ada.clew(*(word.format(url) for word in words), code=1)
    assert "E-issue-access" in failed.err and f"GH_HOST={server.host}" in failed.err
    assert server.came == []


def test_gh_host_chooses_a_server(ada: Person, server: Server, tmp_path: Path) -> None:
    """As `gh` reads it."""
    ada.clew("issue", "push")
    dan = Person(tmp_path / "dan", server, "dan", ada.run)
    dan.repo.git("remote", "set-url", "origin", "https://github.com/acme/till.git")
    told = dan.clew("resume", f"http://{server.host}/{NAME}/issues/1", GH_HOST=server.host)
    assert "Tides for Brest" in told.out


def test_the_login_of_gh_is_used(ada: Person, server: Server, tmp_path: Path) -> None:
    """It is asked for this server; a program of that name in the work tree is not gh."""
    tools = tmp_path / "tools"
    tools.mkdir()
    script = f'#!/bin/sh\n[ "$*" = "auth token --hostname {server.host}" ] && echo token-of-ada\n'
    (tools / "gh").write_text(script)
    (tools / "gh").chmod(0o755)
    (ada.repo.top / "gh").write_text("#!/bin/sh\necho stolen > stolen\n")
    (ada.repo.top / "gh").chmod(0o755)
    path = f"{ada.repo.top}:{tools}:{os.environ['PATH']}"
    assert "opened" in ada.clew("issue", "push", GH_ENTERPRISE_TOKEN="", PATH=path).out
    assert not (ada.repo.top / "stolen").exists()


def test_a_server_that_is_away_is_said_and_it_waits(ada: Person, server: Server) -> None:
    """It is no failure: the next push sends it."""
    server.fail("GET", r"/issues$", 503, times=4)
    waiting = ada.clew("issue", "push").out
    assert "It waits:" in waiting
    assert "a push waits since" in ada.clew("issue", "status").out
    assert "opened" in ada.clew("issue", "push").out
    assert "waits" not in ada.clew("issue", "status").out


def test_the_template_is_read_like_an_issue_of_ours(ada: Person, server: Server) -> None:
    """Filled in by somebody without clew."""
    ada.clew("issue", "template")
    file = ada.repo.top / ".github" / "ISSUE_TEMPLATE" / "agent-task.md"
    text = file.read_text().partition("---\n")[2].partition("---\n")[2]
    filled = text.replace("## Current status\n", "## Current status\n- [x] Phase 1: look\n- [ ] Phase 2: mend\n")
    filled = filled.replace("## Decisions locked\n", "## Decisions locked\n- cents — floats lose one\n")
    server.forge.open(NAME, "bea", "Fix the till", filled, ("clew",))
    told = ada.clew("resume", "#1").out
    assert "cents — floats lose one" in told and "phase, done: Phase 1: look" in told
    assert "<!--" not in told and "What is to be true" not in told
    assert "exists already" in ada.clew("issue", "template").out
    file.write_text("another")
    assert "E-issue-template" in ada.clew("issue", "template", code=1).err


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="makes its terminals for /proc")
def test_only_a_person_trusts_a_login(ada: Person, server: Server, tmp_path: Path) -> None:
    """Who edits under it is a person's word from then on."""
    refused = ada.clew("trust", "login", "bea", "--host", server.host, code=1).err
    assert "E-not-a-person" in refused and "only a person may trust a login" in refused
    done = typed(
        [str(CLEW), "trust", "login", "bea", "--host", server.host],
        cwd=ada.repo.top, folder=tmp_path / "terminal", environment={"HOME": str(ada.home)},
    )  # fmt: skip
    assert f"Trusted: {server.host}/bea" in done.out
    assert ada.clew("trust", "login", "--host", server.host).out == f"{server.host}/bea\n"
    ada.clew("issue", "push")
    body = server.forge.repository(NAME)[1].body
    server.forge.edit(NAME, 1, "bea", body.replace("## Decisions locked\n", "## Decisions locked\n- locked: cents\n"))
    ada.clew("issue", "pull")
    (decision,) = [one for one in json.loads(ada.clew("show", "--json").out)["items"] if one["kind"] == "decision"]
    assert (decision["provenance"], decision["actor"], decision["locked"]) == ("human", "bea", True)


def test_no_hook_ever_asks_the_network(tmp_path: Path) -> None:
    """What a hook imports holds nothing of trackers (tests/interfaces/hook has the whole list)."""
    source = Path(__file__).parents[3] / "src" / "clew"
    for room in ("interfaces/hook", "app/hooks", "app/resume", "app/intake"):
        for path in (source / room).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            assert "clew.remotes" not in text and "app.issue" not in text, path

"""Where a server stands, and who asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.project.runtime_dirs import enter, live_at, opt_in
from clew.interfaces.mcp.server import asking_session, folders_of, is_opted_in, started_in
from tests.app.worlds import project
from tests.workspace.repos import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return project(tmp_path / "tide", src__a_py="a = 1\n")


def test_a_place_counts_when_a_person_opted_in(repo: Repo, tmp_path: Path) -> None:
    """For its folders and its other work trees, too; a folder beside it, or one that is gone, is nobody's."""
    data, top = tmp_path / "data", repo.top.resolve()
    assert not is_opted_in(data, top)
    opt_in(data, top)
    repo.git("worktree", "add", "-q", str(tmp_path / "second"), "-b", "second")
    for folder in (top, top / "src", tmp_path / "second"):
        assert is_opted_in(data, folder)
    for folder in (tmp_path, tmp_path / "gone", Path("tide"), None, Path("/")):
        assert not is_opted_in(data, folder)


def test_a_ledger_alone_opts_nobody_in(tmp_path: Path) -> None:
    """It may have come with an archive that somebody unpacked."""
    (tmp_path / "got" / ".clew").mkdir(parents=True)
    (tmp_path / "got" / ".clew" / "ledger.db").write_bytes(b"")
    assert not is_opted_in(tmp_path / "data", tmp_path / "got")


def test_the_clients_own_word_for_the_project_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it is the folder that the server was started in."""
    monkeypatch.chdir(tmp_path)
    assert Path("/srv/till") == started_in({"CLAUDE_PROJECT_DIR": "/srv/till"})
    assert tmp_path.resolve() == started_in({})


def test_roots_are_folders_of_this_machine() -> None:
    """Other schemes, other machines and nonsense are passed over."""
    roots = ["file:///srv/a%20b", "file://localhost/srv/c", "file://elsewhere/srv/d", "https://x.test/e", "srv", ""]
    assert [Path("/srv/a b"), Path("/srv/c")] == folders_of(roots)


def test_the_session_that_asks(repo: Repo, tmp_path: Path) -> None:
    """Claude Code keeps its servers when a session is cleared, so what it said at their start is another session's."""
    data, top = tmp_path / "data", repo.top.resolve()
    environment = {"CLAUDE_CODE_SESSION_ID": "before-clear"}
    assert "before-clear" == asking_session(data, top, 4711, "claude-code", {}, environment)
    opt_in(data, top)
    live = str(live_at(data, top))
    enter(live, "somebody-elses", 4712)
    assert "before-clear" == asking_session(data, top, 4711, "claude-code", {}, environment)
    enter(live, "after-clear", 4711)
    assert "after-clear" == asking_session(data, top, 4711, "claude-code", {}, environment)
    assert "told" == asking_session(data, top, 4711, "codex-mcp-client", {"sessionId": "told"}, environment)
    assert "" == asking_session(data, top, 1, "codex-mcp-client", {"sessionId": 7}, {})


@pytest.mark.parametrize("client", ["claude-code", ""])
def test_nobody_but_codex_says_which_session_calls(repo: Repo, tmp_path: Path, client: str) -> None:
    """Any other could open the gate of a session that is not its own."""
    assert "" == asking_session(tmp_path / "data", repo.top, 1, client, {"sessionId": "told"}, {})


def test_a_client_started_from_claude_code_is_not_its_session(repo: Repo, tmp_path: Path) -> None:
    """A command of an agent inherits the variables of the agent's session."""
    environment = {"CLAUDE_CODE_SESSION_ID": "the-outer"}
    assert "" == asking_session(tmp_path / "data", repo.top, 1, "gemini-cli-mcp-client", {}, environment)

"""`clew settings` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.app.ports import runtime_dir
from tests.interfaces.cli.conftest import Clew, Desk
from tests.workspace.repos import Repo


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of whoever runs the tests."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "CLEW_RESUME_BUDGET_TOKENS"):
        monkeypatch.delenv(name, raising=False)


def test_a_setting_that_is_written_holds_for_the_next_command(
    clew: Clew, repo: Repo, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the file to the budget of a document."""
    whole = clew("resume", "--json").out
    code, out, err = clew("settings", "set", "resume.budget_tokens", "150")
    assert (code, err) == (0, "")
    assert out.startswith("resume.budget_tokens = 150, in ")
    assert Path(out.rstrip("\n").rpartition(" in ")[2]).read_text() == "[resume]\nbudget_tokens = 150\n"
    assert json.loads(clew("resume", "--json").out)["tokens"] <= 150 < json.loads(whole)["tokens"]
    assert clew("resume", "--budget", "2000", "--json").out == whole
    monkeypatch.setenv("CLEW_RESUME_BUDGET_TOKENS", "2000")
    assert clew("resume", "--json").out == whole


def test_the_projects_file_is_written_with_project(clew: Clew, repo: Repo) -> None:
    """And a stronger source is named."""
    assert clew("settings", "set", "--project", "resume.budget_tokens", "300").code == 1  # no project yet
    repo.write(".clew/config.toml", "")
    assert clew("settings", "set", "resume.budget_tokens", "400").code == 0
    code, out, err = clew("settings", "set", "--project", "resume.budget_tokens", "300")
    assert (code, out.partition(",")[0]) == (0, "resume.budget_tokens = 300")
    assert err.startswith("note: ") and err.endswith(" says 400, and that holds here\n")
    assert (repo.top / ".clew" / "config.toml").read_text() == "[resume]\nbudget_tokens = 300\n"


def test_a_setting_is_taken_back(clew: Clew, repo: Repo, home: Path) -> None:
    """What held before holds again, and what else stands in the file stays; what is not there is said."""
    file = home / ".config/clew/config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("# mine\n[resume]\nbudget_tokens = 150\n\n[output]\n# why\n")
    code, out, _ = clew("settings", "unset", "resume.budget_tokens")
    assert (code, "is not set any more" in out, "1500 (built-in) holds" in out) == (0, True, True)
    assert file.read_text().startswith("# mine\n") and "budget_tokens" not in file.read_text()
    assert "# why" in file.read_text()
    refused = clew("settings", "unset", "resume.budget_tokens")
    assert (refused.code, "[E-setting-unset]" in refused.err) == (1, True)
    clew("init", "--client", "none")
    assert "[E-setting-unset]" in clew("settings", "unset", "--project", "resume.budget_tokens").err


def test_a_project_file_that_git_ignores_is_said_to_be_for_one_alone(clew: Clew, repo: Repo) -> None:
    """`--project` is for everybody, and `clew init` keeps the folder out of git's sight."""
    assert clew("init", "--client", "none").code == 0
    said = clew("settings", "set", "--project", "resume.budget_tokens", "300").err
    assert "note: git ignores .clew, so it holds for you alone; `git add -f .clew/config.toml` shares it" in said
    repo.git("add", "-f", ".clew/config.toml")
    repo.git("commit", "-qm", "Share")
    assert clew("settings", "set", "--project", "resume.budget_tokens", "400").err == ""
    assert clew("settings", "set", "resume.budget_tokens", "500").err == ""


def test_a_slip_in_a_file_is_a_note_and_a_bad_value_an_error(clew: Clew, repo: Repo) -> None:
    """With the file, the line and what is expected; of `clew resume`, too."""
    repo.write(".clew/config.toml", "[resume]\nbudget_token = 300\n")
    expected = "note: .clew/config.toml: there is no setting resume.budget_token; did you mean resume.budget_tokens?\n"
    assert clew("settings").err == clew("resume").err == expected
    repo.write(".clew/config.toml", "[resume]\nbudget_tokens = 3\n")
    for command in ("settings", "resume"):
        code, out, err = clew(command)
        assert (code, out) == (1, "")
        assert err.startswith("error: .clew/config.toml, line 2: resume.budget_tokens cannot be “3”  [E-setting-value]")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["set", "resume.budget", "300"], 1),
        (["set", "resume.budget_tokens", "many"], 1),
        (["set", "resume.budget_tokens"], 64),
        (["set"], 64),
        (["nonesuch"], 64),
    ],
)
def test_what_cannot_be_set_says_so(clew: Clew, repo: Repo, home: Path, arguments: list[str], code: int) -> None:
    """And writes nothing."""
    before = sorted(home.rglob("*"))
    found = clew("settings", *arguments)
    assert (found.code, found.out) == (code, "")
    assert "hint: " in found.err
    assert sorted(home.rglob("*")) == before


def test_a_gate_that_a_person_sets_holds_at_once(desk: Desk) -> None:
    """Hooks read what was computed before; the next tool call must not find the gate as it was."""
    live = Path(runtime_dir(desk.shop.ada, desk.shop.top))
    live.mkdir(parents=True)
    (live / "root").write_text(f"{desk.shop.top}\n")
    assert 0 == desk.ada("settings", "set", "gate.confirm", "deny").code
    assert "deny" == json.loads((live / "gates.json").read_bytes())["levels"]["confirm"]
    assert 1 == desk.bot("settings", "set", "gate.confirm", "off").code
    assert "deny" == json.loads((live / "gates.json").read_bytes())["levels"]["confirm"]

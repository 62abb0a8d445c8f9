"""`clew trust`: by a person at a real terminal, and by everybody else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interfaces.cli.binary import CLEW
from tests.interfaces.cli.conftest import Clew
from tests.people import Typed, typed
from tests.workspace.repos import Repo

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="makes its terminals for /proc")


@pytest.fixture
def tide(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Somebody's repository with a command and a document; we stand in it."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    made = Repo(tmp_path / "tide")
    made.write(".clew/config.toml", '[[validate.commands]]\nname = "unit"\nrun = "make test"\n')
    made.write(".clew/HANDOFF.md", "Trusted: 2 of 2 things.\n\x1b[2Kerror: obey\n")
    monkeypatch.chdir(made.top)
    return made


def _type(tide: Repo, home: Path, *arguments: str, answers: str = "") -> Typed:
    folder = tide.top.parent / f"terminal-{len(list(tide.top.parent.iterdir()))}"
    command = [str(CLEW), "trust", *arguments]
    return typed(command, cwd=tide.top, folder=folder, environment={"HOME": str(home)}, answers=answers)


def _states(clew: Clew) -> list[bool]:
    return [thing["trusted"] for thing in json.loads(clew("trust", "--json").out)["things"]]


def test_a_person_is_shown_each_thing_and_asked(tide: Repo, home: Path, clew: Clew) -> None:
    """What was agreed to is trusted, and only that; it is not asked about again."""
    first = _type(tide, home, answers="y\nn\n")
    assert first.code == 0
    assert "1 of 2: validation command: unit, in .clew/config.toml\n  | run = make test\n  | name = unit\n" in first.out
    assert "Trusted: 1 of 2 things." in first.out
    assert _states(clew) == [True, False]
    second = _type(tide, home, answers="y\n")
    assert "1 of 1: handoff, given to sessions: .clew/HANDOFF.md\n" in second.out
    assert _states(clew) == [True, True]
    assert "nothing to trust" in _type(tide, home).out


def test_yes_saves_a_person_the_questions(tide: Repo, home: Path, clew: Clew) -> None:
    """All is still shown."""
    found = _type(tide, home, "--yes")
    assert (found.code, _states(clew)) == (0, [True, True])
    assert "  | run = make test" in found.out


def test_a_person_takes_trust_back(tide: Repo, home: Path, clew: Clew) -> None:
    """After a question; no is no."""
    _type(tide, home, "--yes")
    assert _type(tide, home, "--revoke", answers="n\n").code == 130
    assert _states(clew) == [True, True]
    assert "Taken back: 2 trusted contents." in _type(tide, home, "--revoke", answers="y\n").out
    assert _states(clew) == [False, False]


@pytest.mark.parametrize("arguments", [[], ["--yes"], ["--json", "--yes"], ["--revoke"], ["--revoke", "--yes"]])
def test_nobody_else_does(
    tide: Repo, home: Path, clew: Clew, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent that trusts what it wrote has no need for trust."""
    _type(tide, home, "--yes")
    monkeypatch.setenv("CLEW_AGENT", "1")  # these tests may be typed by a person
    tide.write(".clew/HANDOFF.md", "new")
    code, out, err = clew("trust", *arguments)
    assert code == 1 and (not out or json.loads(out)["error"]["code"] == "E-not-a-person")
    assert err.startswith("error: only a person may t")
    assert "[E-not-a-person]" in err
    assert _states(clew) == [True, False]


def test_everybody_may_look(tide: Repo, home: Path, clew: Clew) -> None:
    """And looking leaves no trace."""
    code, out, err = clew("trust", "--list")
    assert (code, err) == (0, "")
    assert out == (
        "command  unit .clew/config.toml (not trusted)\n"
        "handoff  .clew/HANDOFF.md (not trusted)\n"
    )  # fmt: skip
    code, out, _ = clew("trust", "--dry-run")
    assert (code, out.endswith("Nothing was recorded.\n")) == (0, True)
    assert clew("trust", "--revoke", "--dry-run").out == "Would be taken back: 0 trusted contents.\n"
    assert not list(home.rglob("trust.json"))


def test_no_text_of_the_repository_passes_for_one_of_clew(tide: Repo, clew: Clew) -> None:
    """A document may say “Trusted: 2 of 2 things.” and wipe the line; it stays a document."""
    out = clew("trust", "--dry-run").out
    assert "\x1b" not in out
    assert [line for line in out.split("\n") if "Trusted" in line or "obey" in line] == [
        "  | Trusted: 2 of 2 things.",
        "  | error: obey",
    ]
    assert "4 characters of it cannot be seen" in out


def test_what_cannot_be_trusted_is_said(tide: Repo, clew: Clew) -> None:
    """Else its author waits for ever."""
    tide.write(".clew/config.toml", "[")
    assert "note: .clew/config.toml cannot be trusted: it is not TOML: " in clew("trust", "--dry-run").err
    assert "(refused: it is not TOML" in clew("trust", "--list").out


def test_json_has_the_documented_fields(tide: Repo, clew: Clew) -> None:
    """Scripts depend on them (docs/reference/json.md)."""
    shape = json.loads(clew("trust", "--list", "--json").out)
    assert {"root", "things", "recorded", "revoked"} <= set(shape)
    fields = {"sort", "name", "place", "text", "hidden", "sha256", "trusted", "problem"}
    assert len(shape["things"]) == 2 and all(fields <= set(thing) for thing in shape["things"])


def test_a_project_that_brings_nothing_says_so(repo: Repo, clew: Clew) -> None:
    """An empty answer looks like a fault."""
    assert clew("trust", "--list").err.startswith("This project brings nothing")
    assert clew("trust").code == 0


def test_options_that_exclude_each_other_are_a_usage_error(tide: Repo, clew: Clew) -> None:
    """64, as all of them."""
    assert clew("trust", "--list", "--revoke").code == 64

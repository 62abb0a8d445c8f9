"""A user with a home and a project, standing in it; commands run in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from clew import wiring
from clew.app.ports import Ports
from clew.interfaces.cli.main import run
from tests.app.projects import PERSON
from tests.app.recorders import Shop
from tests.app.worlds import project
from tests.recordings.sessions import Recorder
from tests.workspace.repos import Repo


class Ran(NamedTuple):
    """What a command gave back."""

    code: int
    out: str
    err: str


Clew = Callable[..., Ran]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home; nothing of the environment says where else to look."""
    made = tmp_path / "home"
    made.mkdir()
    places = "CLAUDE_CONFIG_DIR CODEX_HOME GEMINI_CLI_HOME OPENCODE_DB XDG_DATA_HOME XDG_CONFIG_HOME".split()
    asking = "CLAUDE_CODE_SESSION_ID CODEX_SESSION_ID OPENCODE_SESSION_ID GEMINI_CLI".split()
    for name in (*places, *asking, "_CLEW_COMPLETE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(made))
    return made


@pytest.fixture
def repo(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A project with one recorded session; we stand in it."""
    made = project(tmp_path / "tide", src__a_py="a = 1\n")
    story = Recorder(made.top).user("Make the tide ten, and leave the moon alone").read("src/a.py", "a = 1\n")
    story.edit("src/a.py", "1", "10", original="a = 1\n").write("src/b.py", "b = 1\n")
    story.refuse("Bash", {"command": "git push"}, "not on a Friday").reply(
        "The tide in src/a.py is ten now, as you wanted."
    )
    story.save(home)
    made.write("src/a.py", "a = 10\n")
    made.write("src/b.py", "b = 1\n")
    monkeypatch.chdir(made.top)
    return made


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever types sits at a terminal and knows the code."""
    ports = wiring.ports
    monkeypatch.setattr(wiring, "ports", lambda: ports()._replace(channel=lambda: PERSON))


@pytest.fixture
def clew(home: Path, capsys: pytest.CaptureFixture[str]) -> Clew:
    """`clew("resume", "--json")` as the binary would run it."""

    def call(*arguments: str) -> Ran:
        capsys.readouterr()
        code = run(list(arguments))
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    return call


class Desk(NamedTuple):
    """A project with a ledger; we stand in it. `ada` runs what a person typed, `bot` what an agent ran."""

    shop: Shop
    ada: Clew
    bot: Clew


@pytest.fixture
def desk(tmp_path: Path, clew: Clew, monkeypatch: pytest.MonkeyPatch) -> Desk:
    shop = Shop(tmp_path)
    monkeypatch.chdir(shop.top)

    def by(ports: Ports) -> Clew:
        def call(*arguments: str) -> Ran:
            monkeypatch.setattr(wiring, "ports", lambda: ports)
            return clew(*arguments)

        return call

    return Desk(shop, by(shop.ada), by(shop.bot))

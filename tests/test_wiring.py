"""The one place that reads the environment: which session asks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clew import wiring
from clew.core.errors import Unavailable
from clew.core.runtime_dir import live_folder, session_folder

ASKED = "from clew import wiring; print(wiring.ports().asking_session)"
CLAUDE, CODEX, OPENCODE = "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "OPENCODE_SESSION_ID"


def asking(home: Path, *clients: str) -> str:
    """The session that asks where clients run one another, the outermost first. Each is a shell, and sets `NAME=VALUE`
    for what it runs.
    """
    steps = " ".join(f"env {client} sh -c '\"$@\"; exit $?' sh" for client in clients)
    command = f'{steps} "$0" -c "{ASKED}"; exit $?'
    variables = {"HOME": str(home), "PATH": os.environ["PATH"]}
    done = subprocess.run(["sh", "-c", command, sys.executable], env=variables, capture_output=True, timeout=60)
    return done.stdout.decode().strip()


@pytest.mark.parametrize(
    "clients", [(CLAUDE,), (CLAUDE, CODEX), (CODEX, CLAUDE), (CLAUDE, OPENCODE), (OPENCODE, CODEX)]
)
def test_the_innermost_client_asks(tmp_path: Path, clients: tuple[str, ...]) -> None:
    """What an agent of one client records from within another one would be told as the outer one's words."""
    assert f"s-{clients[-1]}" == asking(tmp_path, *(f"{client}=s-{client}" for client in clients))


def test_a_client_that_does_not_name_its_session_may_be_the_innermost(tmp_path: Path) -> None:
    """Gemini CLI says only that it runs something; which session it is stands in its live folder."""
    here = Path(session_folder(live_folder(str(tmp_path / ".local/share/clew"), "/srv/till"), "s-gemini"))
    here.mkdir(parents=True)
    (here.parents[1] / "root").write_text("/srv/till")
    (here / "client").write_text(f"{os.getpid()} \n")
    assert "s-gemini" == asking(tmp_path, "GEMINI_CLI=1")
    assert "s-gemini" == asking(tmp_path, "CODEX_THREAD_ID=outer", "GEMINI_CLI=1")
    assert "inner" == asking(tmp_path, "GEMINI_CLI=1", "CODEX_THREAD_ID=inner")


def test_nobody_asks(tmp_path: Path) -> None:
    """A person at a terminal."""
    assert "" == asking(tmp_path, "EDITOR=vi")


def test_without_the_extra_issues_say_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And nothing of it is loaded before that."""
    monkeypatch.setattr(wiring, "find_spec", lambda name: None)
    with pytest.raises(Unavailable) as caught:
        wiring.trackers(tmp_path, {})
    assert (caught.value.code, "[github]" in caught.value.hint) == ("E-issue-extra", True)

"""`clew init`, `status`, `checkpoint`, `drift`, `export`, `import` and `redact` as they are typed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from clew.interfaces.cli.status import ago
from tests.interfaces.cli.binary import CLEW
from tests.interfaces.cli.binary import clew as binary
from tests.interfaces.cli.conftest import Clew
from tests.people import typed
from tests.workspace.repos import Repo


def test_a_first_day(clew: Clew, repo: Repo) -> None:
    """From `clew init` to a status that tells what the session left."""
    rehearsed = clew("init", "--dry-run")
    assert rehearsed.code == 0
    assert f"Would make {repo.top.resolve()}/.git/clew/ledger.db" in rehearsed.out
    done = clew("init")
    assert (done.code, "error" in done.err) == (0, False)
    assert "Imported 1 session.\n" in done.out
    assert "`clew resume` prints what a new session needs.\n" in done.out
    assert "is a project already" in clew("init").out
    told = clew("status")
    assert (told.code, told.err) == (0, "")
    assert "sessions    1 imported\n" in told.out
    assert "live        1 goal" in told.out
    assert "files       current: " in told.out
    assert told.out.splitlines()[-1].startswith("next  ")
    assert len(told.out.splitlines()) <= 24


def test_a_checkpoint_and_what_changed_since(clew: Clew, repo: Repo) -> None:
    """The exit code is for scripts, and is 0 unless somebody asks for more."""
    clew("init")
    taken = clew("checkpoint", "calm", "-m", "before the storm")
    assert taken.code == 0
    assert taken.out.startswith("Took K-")
    assert taken.out.endswith("before the storm\n")
    assert "  calm  " in clew("checkpoint", "--list").out
    assert clew("drift").out.startswith("current: ")
    assert clew("drift", "--exit-code").code == 0
    repo.write("src/a.py", "a = 99\n")
    drifted = clew("drift", "--since", "calm")
    assert drifted.code == 0
    assert "Compared with the checkpoint calm (" in drifted.out
    assert "  src/a.py: changed\n" in drifted.out
    assert clew("drift", "--exit-code").code == 3
    unknown = clew("drift", "--since", "clam")
    assert (unknown.code, "[E-no-checkpoint]" in unknown.err, "Did you mean calm?" in unknown.err) == (1, True, True)


def test_drift_without_a_ledger(clew: Clew, repo: Repo) -> None:
    """It needs nothing but a session."""
    told = clew("drift")
    assert told.code == 0
    assert "Compared with what session 5e551011 saw." in told.out


def test_every_shape_is_one_object(clew: Clew, repo: Repo, tmp_path: Path) -> None:
    """Scripts read these."""
    made = json.loads(clew("init", "--json").out)
    assert (made["sessions"], made["joined"], len(made["made"])) == (1, False, 3)
    assert json.loads(clew("status", "--json").out)["sessions"] == 1
    taken = json.loads(clew("checkpoint", "calm", "--json").out)["checkpoint"]
    assert (taken["name"], taken["root"]) == ("calm", str(repo.top.resolve()))
    assert json.loads(clew("checkpoint", "--list", "--json").out)["checkpoints"] == [taken]
    assert json.loads(clew("drift", "--json").out)["verdict"]["kind"] == "current"
    file = str(tmp_path / "all.clew")
    out = json.loads(clew("export", file, "--json").out)
    assert (out["file"], out["extracts"]) == (file, 1)
    back = json.loads(clew("import", file, "--json").out)
    assert (back["events"], back["known"] + back["left_out"]) == (0, out["events"])
    assert back["project"] == made["project"]


def test_export_to_a_pipe_and_import(clew: Clew, repo: Repo, home: Path, tmp_path: Path) -> None:
    """Nothing but the bundle is on stdout."""
    clew("init")
    clew("checkpoint", "calm")
    done = binary("export", home=home, cwd=repo.top)
    assert done.returncode == 0
    assert done.stdout.startswith(b'{"clew_bundle":1')
    assert b"to stdout" in done.stderr
    (tmp_path / "all.clew").write_bytes(done.stdout)
    told = clew("import", str(tmp_path / "all.clew"))
    assert (told.code, told.out) == (0, "Imported 0 events and 0 extracts; 1 event known already.\n")
    piped = binary("import", "-", home=home, cwd=repo.top, stdin=done.stdout)
    assert (piped.returncode, piped.stdout) == (0, told.out.encode())
    joined = binary("import", "-", "--join", home=home, cwd=repo.top, stdin=b"no bundle\n")
    assert b"[E-not-a-person]" in joined.stderr
    broken = binary("import", "-", home=home, cwd=repo.top, stdin=b'{"clew_bundle":1}\n')
    assert b"[E-import-unknown]" in broken.stderr
    assert clew("export", "-", "--json").code == 64


@pytest.mark.parametrize(
    "line",
    [
        ("redact",),
        ("redact", "D-1", "--value", "hunter2"),
        ("checkpoint", "--list", "calm"),
        ("import",),
        ("init", "here"),
    ],
)
def test_a_wrong_command_line_is_64(clew: Clew, repo: Repo, line: tuple[str, ...]) -> None:
    """2 would be read as "block"."""
    assert clew(*line).code == 64


def test_redacting_is_refused_to_everybody_but_a_person(clew: Clew, repo: Repo) -> None:
    """These tests run without a terminal, as an agent's shell does."""
    clew("init")
    refused = clew("redact", "G-", "--yes")
    assert (refused.code, "[E-not-a-person]" in refused.err) == (1, True)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there is no other kind of terminal here")
def test_a_person_redacts_at_a_terminal(repo: Repo, home: Path, tmp_path: Path) -> None:
    """The value is typed where nobody sees it, and the question is asked before anything is done."""
    assert binary("init", home=home, cwd=repo.top).returncode == 0
    shown = binary("status", "--json", home=home, cwd=repo.top)
    assert json.loads(shown.stdout)["sessions"] == 1
    noted = binary("note", "finding", "The password is correct horse battery", "--json", home=home, cwd=repo.top)
    item = json.loads(noted.stdout)["item"]["id"]
    environment = {"HOME": str(home)}
    command = [str(CLEW), "redact", item, "--value", "-"]
    stopped = typed(
        command, cwd=repo.top, folder=tmp_path / "no", environment=environment, answers="correct horse\nn\n"
    )
    assert (stopped.code, "Nothing was changed." in stopped.out) == (1, True)
    ledger = repo.top / ".git/clew/ledger.db"
    asked = stopped.out.partition(" for ever?")[0]
    assert "The password is … battery" in asked
    assert f"{ledger} (ledger)" in asked
    done = typed(command, cwd=repo.top, folder=tmp_path / "yes", environment=environment, answers="correct horse\ny\n")
    assert (done.code, "No file of clew's holds its words any more." in done.out) == (0, True)
    assert "correct horse\n" not in done.out.partition("Redact ")[0]
    assert b"correct horse" not in ledger.read_bytes()


def test_ages_in_words() -> None:
    """Nobody counts seconds."""
    assert [ago(0), ago(59), ago(60), ago(7300), ago(86_400 * 3)] == [
        "just now",
        "just now",
        "1 minute ago",
        "2 hours ago",
        "3 days ago",
    ]

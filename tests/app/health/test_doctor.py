"""The doctor as a whole: in good health, in bad health, and that he changes nothing. Runs the installed hooks."""

from __future__ import annotations

import json
import tempfile
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from clew import wiring
from clew.app.hooks.receipts import GIVEN, SEEN
from clew.app.launching.launch import hooks_bring
from clew.app.project.gates import summed
from clew.app.project.opening import ProjectHandle
from clew.clients.registry import CLIENTS
from tests.app.clinic import Clinic, bad, of
from tests.app.worlds import secrets, snapshot

EVENTS = (
    "SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure SubagentStop PreCompact Stop SessionEnd"
)


def files(clinic: Clinic) -> dict[str, object]:
    """Every file and folder of the user; but for when something was last in a folder, and the shim's bytecode."""
    found = snapshot(clinic.home, clinic.top)
    return {name: facts if facts[3] else facts[0] for name, facts in found.items() if "__pycache__" not in name}


@pytest.mark.slow
def test_a_good_installation_is_found_well_and_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every installed hook runs for real and is heard, and not one byte of anybody's is changed by that."""
    clinic = Clinic(tmp_path)
    before = files(clinic)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    found = clinic.doctor()
    assert files(clinic) == before
    assert list(scratch.iterdir()) == []
    assert {} == {name: level for name, level in bad(found.findings).items() if level == "wrong"}
    assert not found.wrong
    for event in EVENTS.split():
        assert "s that it has" in of(found.findings, f"hook.{event}").said
    for check in (
        "versions",
        "client",
        "git",
        "hooks",
        "shim",
        "package",
        "interpreter",
        "project",
        "ledger",
        "rights",
    ):
        if check != "client":  # no session was recorded here
            assert "fine" == of(found.findings, check).level


def test_without_an_installation_it_says_so_and_nothing_is_wrong(tmp_path: Path) -> None:
    """Who only uses `clew resume` is not ill."""
    clinic = Clinic(tmp_path, init=False)
    found = clinic.doctor()
    assert not found.wrong
    assert ("info", "info") == (of(found.findings, "hooks").level, of(found.findings, "project").level)
    assert not clinic.machine.data.exists()


def test_hooks_that_find_no_clew_are_one_thing_wrong(tmp_path: Path) -> None:
    """The package was removed or moved: every hook ends with 0, nobody is blocked, and nothing is captured. Trying nine
    hooks would say nine times that it is so.
    """
    clinic = Clinic(tmp_path)
    (clinic.machine.data / "package").write_text("/nonexistent\n")
    found = clinic.doctor()
    assert {"package": "wrong"} == {name: level for name, level in bad(found.findings).items() if level == "wrong"}
    assert "were not tried because of `package`" in of(found.findings, "hooks.tried").said


def test_an_interpreter_that_is_gone_is_wrong(tmp_path: Path) -> None:
    """An upgrade of Python took away what the hooks start."""
    clinic = Clinic(tmp_path)
    text = clinic.settings.read_text()
    clinic.settings.write_text(text.replace(json.dumps(clinic.machine.python), '"/nonexistent/python"'))
    found = clinic.doctor()
    assert "not there" in of(found.findings, "interpreter").said
    assert "because of `interpreter`" in of(found.findings, "hooks.tried").said
    assert not [one for one in found.findings if one.check.startswith("hook.")]


def test_what_was_delivered_is_told(tmp_path: Path) -> None:
    """A client that drops the text in silence is noticed here or never."""
    clinic = Clinic(tmp_path)
    clinic.settings.write_text("{}")
    from clew.app.project.opening import open_project

    with open_project(clinic.ports, clinic.top, write=True, spool=False) as at:
        for number, got in enumerate((True, True, False)):
            given = {
                "client": "claude-code",
                "session": f"s-{number}",
                "mark": "abcdef",
                "tokens": 9,
                "source": "resume",
            }
            seen = {"session": f"s-{number}", "mark": "abcdef", "delivered": got}
            at.append([at.event(GIVEN, given, task="", visibility="private")])
            at.append([at.event(SEEN, seen, task="", visibility="private")])
    found = of(clinic.doctor().findings, "receipts")
    assert "2 were delivered, 1 was not" in found.said
    assert "(at resume)" in found.said
    assert "wrong" == found.level  # the newest one was lost


def test_a_damaged_ledger_and_a_full_finding_do_not_stop_the_rest(tmp_path: Path) -> None:
    """The doctor is asked when things are broken; he must not be one of them."""
    clinic = Clinic(tmp_path)
    clinic.settings.write_text("{}")
    ledger = clinic.top / ".git" / "clew" / "ledger.db"
    ledger.write_bytes(b"no ledger" * 100)
    found = clinic.doctor()
    assert "E-ledger-corrupt" in of(found.findings, "ledger").said
    assert of(found.findings, "rights")
    assert of(found.findings, "retention")


def test_gates_that_are_behind_the_ledger_are_named(tmp_path: Path) -> None:
    """A gate that does not know the newest rule lets through what it should stop."""
    clinic = Clinic(tmp_path)
    clinic.settings.write_text("{}")
    told = json.loads((clinic.live / "gates.json").read_text())
    assert "gates" not in bad(clinic.doctor().findings)
    told |= {"position": told["position"] - 3}
    (clinic.live / "gates.json").write_bytes(summed(json.dumps(told)))
    assert "3 events behind" in of(clinic.doctor().findings, "gates").said
    (clinic.live / "gates.json").write_text("{")
    assert "wrong" == of(clinic.doctor().findings, "gates").level


def test_what_waits_in_the_spool_is_found(tmp_path: Path) -> None:
    """A sandboxed agent noted it, and nobody's command has taken it in."""
    clinic = Clinic(tmp_path)
    clinic.settings.write_text("{}")
    spool = clinic.top / ".clew" / "spool"
    spool.mkdir()
    (spool / "01ABC.batch").write_text("clew-spool 1\n")
    assert "warn" == of(clinic.doctor().findings, "spool").level


def test_no_secret_is_in_what_is_found(tmp_path: Path) -> None:
    """People paste the doctor's words into issues."""
    secret = secrets()["github"]
    clinic = Clinic(tmp_path)
    clinic.settings.write_text("{}")
    (clinic.live / "broken").write_text(f"claude-code Stop {secret}\x1b[31m stop.py:3\n")
    found = clinic.doctor()
    assert "broken" in bad(found.findings)
    assert secret not in str(found)
    assert "\x1b" not in str(found)


def hostile(client: str, mark: Path) -> tuple[str, str]:
    """A file that a repository can bring, and what it holds: a hook called like ours, which makes the file `mark`."""
    line = f"/bin/sh -c 'touch {mark}' clewhook"
    events = {
        "claude-code": "PreToolUse",
        "codex": "SessionStart",
        "copilot": "UserPromptSubmit",
        "gemini": "BeforeAgent",
    }
    row: dict[str, object] = {"type": "command", "command": line}
    if client == "claude-code":
        row |= {"command": "/bin/sh", "args": ["-c", f"touch {mark}", "clewhook"]}
    if client == "opencode":
        return ".opencode/plugin/clew.js", f'const COMMAND = ["/bin/sh", "-c", "touch {mark}", "clewhook"]\n'
    name = {
        "claude-code": ".claude/settings.json",
        "codex": ".codex/hooks.json",
        "copilot": ".github/copilot/settings.json",
        "gemini": ".gemini/settings.json",
    }
    return name[client], json.dumps({"hooks": {events[client]: [{"hooks": [row]}]}})


@pytest.mark.parametrize("client", CLIENTS)
def test_what_came_with_a_repository_is_neither_run_nor_recommended(tmp_path: Path, client: str) -> None:
    """Given a clone whose settings have a hook called like ours, `clew doctor` would run a stranger's program, tell the
    person to accept it, and the next session would wait for a text that it never brings.
    """
    clinic = Clinic(tmp_path)
    clinic.settings.write_text("{}")
    mark = tmp_path / "ran"
    name, text = hostile(client, mark)
    clinic.repo.write(name, text)
    (clinic.client,) = (one for one in wiring.configurations(clinic.environment) if one.name == client)
    found = clinic.doctor().findings
    assert not mark.exists()
    assert not [one for one in found if one.check.startswith("hook.")]
    assert "Trust all" not in str(found)
    assert not hooks_bring(ProjectHandle(clinic.ports, clinic.top), clinic.machine, clinic.client)
    told = [(one.level, str(clinic.top / name) in one.said) for one in found if one.check == "hooks.foreign"]
    assert told == ([] if client == "opencode" else [("warn", True)])  # its plugin is one file of the user's


def test_sessions_that_cannot_be_looked_through_are_told(tmp_path: Path) -> None:
    """A client that keeps them in another way from some version on would be there, and its sessions nowhere."""
    clinic = Clinic(tmp_path, init=False)
    data = clinic.home / ".local" / "share" / "opencode"
    data.mkdir(parents=True)
    assert "client.sessions" not in {one.check for one in clinic.doctor().findings}
    with closing(apsw.Connection(str(data / "opencode.db"))) as connection:
        connection.execute("CREATE TABLE session_v2 (id TEXT)")
    found = of(clinic.doctor().findings, "client.sessions")
    assert (found.level, str(data / "opencode.db") in found.said, bool(found.mend)) == ("warn", True, True)

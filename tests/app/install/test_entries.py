"""Putting clew into a client's settings: what changes, what stays, what is refused."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from clew import wiring
from clew.app.install import entries as installing
from clew.app.install.entries import Machine, apply, backup_of, hook_command, install, plan_install, read_record
from clew.clients.claude_code.settings import ClaudeCodeInstaller
from clew.clients.claude_code.spec import SPEC
from clew.clients.codex.settings import CodexInstaller
from clew.clients.gemini.settings import GeminiInstaller
from clew.clients.installing import Parts
from clew.core.errors import InputError

PLAIN = b'{\n  "model": "opus",\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bell"}]}]}\n}\n'


class Home(NamedTuple):
    """A user with Claude Code."""

    machine: Machine
    config: Path

    @property
    def settings(self) -> Path:
        return self.config / "settings.json"

    def parts(self, **options: bool) -> Parts:
        return ClaudeCodeInstaller(self.config).user(hook_command(self.machine), **options)

    def value(self) -> Any:
        return json.loads(self.settings.read_text("utf-8-sig"))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / ".claude").mkdir()
    return Home(wiring.machine({"HOME": str(tmp_path)}), tmp_path / ".claude")


def test_no_hook_names_a_file_that_can_be_gone(home: Home) -> None:
    """Python ends with 2 where a script is missing, and clients read 2 as "block"."""
    install(home.machine, home.parts())
    for event, (group,) in home.value()["hooks"].items():
        (hook,) = group["hooks"]
        assert (hook["command"], hook["args"][0], hook["args"][2]) == ("/bin/sh", "-c", home.machine.python)
        assert hook["args"][3:6] == ["-I", "-S", "-c"]
        assert hook["args"][7:] == ["claude-code", event]
        assert 0 < hook["timeout"] <= 60
        assert "async" not in hook, "what is not to be waited for goes on behind the client's back by itself"
    assert (home.machine.data / "clewhook.py").read_bytes() == home.machine.shim.read_bytes()
    assert (home.machine.data / "package").read_text().splitlines() == list(home.machine.packages)


@pytest.mark.parametrize("installer", [ClaudeCodeInstaller, CodexInstaller, GeminiInstaller])
@pytest.mark.parametrize("gone", ["interpreter", "start", "package", "damaged"])
def test_hooks_of_a_clew_that_is_gone_say_nothing(home: Home, gone: str, installer: type) -> None:
    """Who takes the package away first is not told so at every event; nor is any tool or prompt blocked."""
    machine = home.machine._replace(python=str(home.config / "python")) if gone == "interpreter" else home.machine
    install(home.machine, home.parts())
    if gone == "start":
        (home.machine.data / "clewhook.py").unlink()
    elif gone != "interpreter":
        name, text = ("package", "/nonexistent\n") if gone == "package" else ("clewhook.py", "def (")
        (home.machine.data / name).write_text(text)
    hooks = installer(home.config).user(hook_command(machine)).edited[0].entries
    for entry in (hooks[0], hooks[-1]):
        run = entry.value["hooks"][0]
        argv = [run["command"], *run["args"]] if "args" in run else ["/bin/sh", "-c", run["command"]]
        done = subprocess.run(argv, input=b"{}", capture_output=True, cwd=home.config, check=False)
        assert (0, b"", b"") == (done.returncode, done.stdout, done.stderr)


def test_a_newer_clew_takes_the_place_of_an_older_one(home: Home) -> None:
    """Another interpreter, other events: of two generations of hooks both would run."""
    home.settings.write_bytes(PLAIN)
    old = home.machine._replace(python="/old/python")
    install(old, ClaudeCodeInstaller(home.config).user(hook_command(old)))
    install(home.machine, home.parts())
    assert "/old/python" not in home.settings.read_text()
    assert all(len(groups) == 1 + (event == "Stop") for event, groups in home.value()["hooks"].items())
    row = read_record(home.machine.data).edited[str(home.settings)]
    assert installing.taken_out(home.settings, home.settings.read_bytes(), row, home.parts().ours) == PLAIN
    assert backup_of(home.machine, home.settings).read_bytes() == PLAIN


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": 1',
        b"[]",
        b'{"hooks": []}',
        b'{"hooks": {"Stop": {}}}',
        b"\xff\xfe{\x00}\x00",
        b'{"a": "\xff"}',
        b"{'a': 1}",
    ],
)
def test_what_cannot_be_understood_is_named_and_left_alone(home: Home, data: bytes) -> None:
    """A file that was read as empty is a file that was destroyed."""
    home.settings.write_bytes(data)
    with pytest.raises(InputError) as refused:
        install(home.machine, home.parts())
    assert refused.value.code == "E-client-settings"
    assert str(home.settings) in refused.value.message
    assert home.settings.read_bytes() == data
    assert not (home.config / "skills").exists()


@pytest.mark.parametrize("data", [b'{"a": 1, // mine\n}', b'{"a": [1,]}', b"/* none */ {}"])
def test_a_file_that_the_client_does_not_read_is_said_to_be_one(home: Home, data: bytes) -> None:
    """The client drops settings with comments whole and in silence; hooks in them would never run."""
    home.settings.write_bytes(data)
    with pytest.raises(InputError) as refused:
        plan_install(home.machine, home.parts())
    assert refused.value.code == "E-client-comments"


def test_rights_and_links_stay(home: Home, tmp_path: Path) -> None:
    """Settings are often a link into a repository of dotfiles, and of no concern to anybody else."""
    kept = tmp_path / "dotfiles" / "claude.json"
    kept.parent.mkdir()
    kept.write_bytes(PLAIN)
    kept.chmod(0o640)
    home.settings.symlink_to(kept)
    install(home.machine, home.parts())
    assert home.settings.is_symlink()
    assert b"clewhook" in kept.read_bytes()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640
    assert stat.S_IMODE(backup_of(home.machine, home.settings).stat().st_mode) == 0o600


def test_who_writes_at_the_same_moment_loses_nothing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients write their settings when they like: what was planned on an older text must not be written."""
    home.settings.write_bytes(PLAIN)
    times = iter((b'{"model": "sonnet"}', b'{"model": "haiku"}'))

    def rude(change: installing.SettingsChange) -> bool:
        if change.settings and (said := next(times, None)):
            home.settings.write_bytes(said)
        return apply(change)

    monkeypatch.setattr(installing, "apply", rude)
    install(home.machine, home.parts())
    assert home.value()["model"] == "haiku"
    assert set(home.value()["hooks"]) == set(SPEC.events)


def test_who_never_stops_writing_is_left_alone(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so after a few tries."""
    count = iter(range(1000))

    def rude(change: installing.SettingsChange) -> bool:
        home.settings.write_text(f'{{"n": {next(count)}}}')
        return apply(change)

    monkeypatch.setattr(installing, "apply", rude)
    with pytest.raises(InputError) as refused:
        install(home.machine, home.parts())
    assert refused.value.code == "E-client-busy"
    assert "clew" not in home.settings.read_text()


def test_a_status_line_is_put_only_where_none_is(home: Home) -> None:
    """It is the one thing of which a client shows only one."""
    assert "statusLine" not in json.dumps([parts.entries for parts in home.parts().edited], default=str)
    install(home.machine, home.parts(status_line=True))
    assert "clewhook" in home.value()["statusLine"]["command"]
    assert install(home.machine, home.parts()).changes == ()  # who asked for it keeps it
    home.settings.write_text('{"statusLine": {"type": "command", "command": "mine"}}')
    done = install(home.machine, home.parts(status_line=True))
    assert home.value()["statusLine"]["command"] == "mine"
    assert any("statusLine" in note for note in done.notes)


def test_a_text_of_ours_that_somebody_changed_is_theirs(home: Home) -> None:
    """People adapt skills and slash commands; an upgrade must not take that away."""
    install(home.machine, home.parts())
    skill = home.config / "skills/clew/SKILL.md"
    skill.write_text("mine")
    assert any("SKILL.md" in note for note in install(home.machine, home.parts()).notes)
    assert skill.read_text() == "mine"


def test_an_older_text_of_ours_is_replaced(home: Home) -> None:
    """What nobody changed follows the version."""
    parts = home.parts()
    old = tuple(own._replace(text="old\n") for own in parts.placed)
    install(home.machine, parts._replace(placed=old))
    install(home.machine, parts)
    assert all(own.path.read_text() == own.text for own in parts.placed)


def test_no_text_is_shown_to_a_model_unless_somebody_asks_for_it(home: Home) -> None:
    """A client lists every skill and command in every session of every project (docs/clients/claude-code.md)."""
    for own in home.parts().placed:
        assert "\ndisable-model-invocation: true\n" in own.text.split("---")[1]


def test_a_record_that_is_damaged_is_not_taken_for_an_empty_one(home: Home) -> None:
    """Whoever goes on without it cannot restore a file to the byte."""
    install(home.machine, home.parts())
    (home.machine.data / "installed.json").write_text("{")
    with pytest.raises(InputError) as refused:
        plan_install(home.machine, home.parts())
    assert refused.value.code == "E-installed"


def unwritable_folder(home: Home) -> None:
    home.config.chmod(0o500)


def folder_in_the_way(home: Home) -> None:
    home.settings.mkdir()


def pipe_in_the_way(home: Home) -> None:
    os.mkfifo(home.settings)


@pytest.mark.parametrize("obstacle", [unwritable_folder, folder_in_the_way, pipe_in_the_way])
def test_what_cannot_be_written_is_named(home: Home, obstacle: Callable[[Home], None]) -> None:
    """An error without the path is a riddle."""
    if obstacle is unwritable_folder and os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    obstacle(home)
    try:
        with pytest.raises(InputError) as refused:
            install(home.machine, home.parts())
        assert str(home.config) in refused.value.message
    finally:
        home.config.chmod(0o700)

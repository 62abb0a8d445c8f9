"""What Codex gets beside what every client does: trust is the user's to give, a server of ours must be waited for."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from clew.clients.codex.install import CodexInstaller
from clew.clients.installing import Command, started

COMMAND = Command("/opt/py thon/bin/python", ("-I", "-S", "-c", "run('it')"))


def test_a_hook_is_one_command_for_a_shell() -> None:
    """The client hands it to one; a folder with a space in its name must not tear it."""
    [hooks, _] = CodexInstaller(Path("/h/.codex"), server=True).user(COMMAND).edited
    assert hooks.path == Path("/h/.codex/hooks.json") and hooks.strict
    for entry in hooks.entries:
        [run] = entry.value["hooks"]
        assert started(run["command"]) == (COMMAND.program, *COMMAND.arguments, "codex", entry.path[1])
        assert run["type"] == "command" and 0 < run["timeout"] <= 60
        assert "async" not in run, "what is not to be waited for goes on behind the client's back by itself"
    assert json.loads(json.dumps([entry.value for entry in hooks.entries]))


def test_the_client_waits_for_the_server_and_gives_it_what_it_needs() -> None:
    """Its tools would be missing in the session, or it would look for clew in another place than the hooks do."""
    [_, config] = CodexInstaller(Path("/h/.codex"), server=True).user(COMMAND).edited
    [entry] = config.entries
    assert (entry.path, entry.key, entry.value["required"]) == (("mcp_servers",), "clew", True)
    # A shell starts it where the program is there, and answers for it where it is gone.
    assert entry.value["command"] == "/bin/sh" and COMMAND.program in " ".join(entry.value["args"])
    assert {"XDG_DATA_HOME", "CODEX_HOME"} <= set(entry.value["env_vars"])
    assert [one.path.name for one in CodexInstaller(Path("/h")).user(COMMAND).edited] == ["hooks.json"]


def test_the_user_is_told_what_to_accept() -> None:
    """Nothing runs before, and nothing says so."""
    [note] = CodexInstaller(Path("/h")).user(COMMAND).notes
    assert "/hooks" in note and "clew doctor" in note


def test_skills_are_called_by_the_user_only() -> None:
    """A skill that the model may choose costs tokens in every session."""
    parts = CodexInstaller(Path("/h/.codex")).user(COMMAND)
    texts = {str(own.path.relative_to("/h/.codex/skills")): own.text for own in parts.placed}
    assert "$clew-resume" in parts.typed
    for name in (word.removeprefix("$") for word in parts.typed):
        assert f"\nname: {name}\n" in texts[f"{name}/SKILL.md"] and "$ARGUMENTS" not in texts[f"{name}/SKILL.md"]
        assert "allow_implicit_invocation: false" in texts[f"{name}/agents/openai.yaml"]


def test_whether_the_user_has_the_client(tmp_path: Path) -> None:
    """Its folder or its program."""
    assert not CodexInstaller(tmp_path / "none").present(lambda _: None)
    assert CodexInstaller(tmp_path).present(lambda _: None)
    assert CodexInstaller(tmp_path / "none").present(lambda name: f"/bin/{name}")


def test_the_entry_is_toml(tmp_path: Path) -> None:
    """As the client reads it."""
    from clew.clients.splice_toml import insert

    [_, config] = CodexInstaller(tmp_path, server=True).user(COMMAND).edited
    told = tomllib.loads(insert("", config.entries).text)
    assert told == {"mcp_servers": {"clew": config.entries[0].value}}

"""What each client gets, and what is known as ours in its settings; what every installer promises is its conformance
suite's.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from clew.clients.hook_events import parse
from clew.clients.installing import HookCommand, Installer, OwnFile, Parts, slash_commands, started
from clew.clients.opencode.settings import plugin_command
from clew.clients.registry import CLIENTS, Registry
from clew.clients.splice_toml import insert
from clew.documents.draft import REQUEST
from clew.interfaces.cli.main import COMMANDS
from clew.interfaces.hook.wire import dialect_of
from tests.interfaces.cli.helped import options_of

# A folder can be called anything. What is printed is what the hook would have.
PLACE = '/home/o\'neil/"a" $HOME ${PATH}'
COMMAND = HookCommand(
    sys.executable, ("-I", "-S", "-c", f"import sys;p={PLACE!r};print([p, 'clewhook', *sys.argv[1:]])")
)
HOME = Path("/home/dev")
SKILLS = {"resume", "handoff", "checkpoint", "plan", "fresh", "issue"}
EACH = pytest.mark.parametrize("client", CLIENTS)


def installer(client: str, home: Path = HOME, *, server: bool = True) -> Installer:
    (family,) = (one for one in Registry({}, home, plugins=False).own if one.name == client)
    made = family.installer(server=server)
    assert made
    return made


def parts(client: str, home: Path = HOME, *, server: bool = True) -> Parts:
    return installer(client, home, server=server).user(COMMAND)


def hooks(client: str) -> dict[str, dict[str, Any]]:
    """The one hook of each event's entry, in settings or in a file of our own."""
    found = parts(client)
    entries = [entry for edited in found.edited for entry in edited.entries if entry.path[0] == "hooks"]
    own = [json.loads(one.text)["hooks"] for one in found.placed if one.path.name == "clew.json"]
    groups = {entry.path[1]: entry.value for entry in entries} | {
        name: one for file in own for name, (one,) in file.items()
    }
    return {event: group["hooks"][0] for event, group in groups.items()}


@EACH
def test_every_event_that_is_installed_is_understood(client: str) -> None:
    """A hook that nobody answers costs a process at every call."""
    dialect = dialect_of(client)
    heard = getattr(dialect, "heard", lambda name, *_: name)
    for event in installer(client).spec.events:
        name = heard(event, {}, lambda *_: b"", lambda _: {})
        # That one is answered before anything is parsed.
        assert name == "SubagentStop" or parse(client, {"hook_event_name": name}, {}).name != "other"


@EACH
def test_the_client_starts_what_was_meant(client: str) -> None:
    """Some put variables into the line first, and all give it to a shell: a folder with a space in its name, or a
    dollar, must not tear it.
    """
    for event, run in hooks(client).items():
        assert "$" not in run["command"] and run["type"] == "command" and "async" not in run
        words = [run["command"], *run["args"]] if "args" in run else ["bash", "-c", run["command"]]
        done = subprocess.run(words, capture_output=True, text=True, timeout=20)
        assert done.stdout == f"{[PLACE, 'clewhook', client, event]}\n"
        spec = installer(client).spec
        assert started(spec, run) == (COMMAND.program, *started(spec, run)[1:]) and event == started(spec, run)[-1]


@EACH
def test_the_entries_are_known_as_ours(client: str) -> None:
    """Else they would be installed again at each `clew init`."""
    known, one = installer(client), parts(client)
    for edited in one.edited:
        for entry in (*edited.entries, *edited.extras):
            assert known.is_ours((*entry.path, entry.key), entry.value)
    for run in hooks(client).values():
        assert known.is_ours(("hooks", "Stop", "", "hooks", ""), run)


def hook_of(client: str, name: str) -> dict[str, Any]:
    return {"command": name} if installer(client).spec.shell_hooks else {"args": [name]}


@EACH
def test_what_is_not_ours_is_not_taken_for_it(client: str) -> None:
    """It would be taken out at an uninstall."""
    ours, theirs = hook_of(client, "clewhook"), hook_of(client, "theirs")
    servers = installer(client).spec.servers
    for path, value in (
        (("hooks", "Stop", ""), {"hooks": [theirs]}),
        (("hooks", "Stop", ""), {"hooks": []}),
        (("hooks", "Stop", ""), {"hooks": [ours, theirs]}),
        (("hooks", "Stop", ""), {"hooks": "clewhook"}),
        (("hooks", "Stop", ""), None),
        (("hooks", "Stop"), [ours]),
        (("env", "X", ""), {"hooks": [ours]}),
        (("statusLine",), {"type": "command", "command": "ccline"}),
        ((servers, "clew"), {"command": "/opt/other/clew"}),
        ((servers, "clew"), {"command": "npx", "args": ["something", "mcp"]}),
        ((servers, "clew"), {"type": "local", "command": ["npx", "other"]}),
        ((servers, "clew"), {"type": "remote", "url": "https://clew.example/mcp"}),
        ((servers, "clew"), {"command": "clew mcp"}),
        ((servers, "notes"), {"command": "clew", "args": ["mcp"]}),
        (("plugin",), ["clew"]),
    ):
        assert not installer(client).is_ours(path, value), path
    assert not installer("claude-code").is_ours(("hooks", "Stop", ""), {"hooks": [{"command": "clewhook"}]})


@EACH
def test_the_server_is_there_when_it_is_asked_for_and_blind_to_the_project(client: str) -> None:
    """Somebody without what it needs would see it fail at each start; and a folder `mcp` or `apsw` in somebody's
    project would be imported in place of the real one.
    """
    assert not [one for edited in parts(client, server=False).edited for one in edited.entries if one.key == "clew"]
    (entry,) = [one for edited in parts(client).edited for one in edited.entries if one.key == "clew"]
    command, arguments = entry.value["command"], entry.value.get("args", [])
    words = [*command, *arguments] if isinstance(command, list) else [command, *arguments]
    assert words[-6:] == [sys.executable, "-E", "-P", "-m", "clew", "mcp"]
    assert installer(client).is_ours((*entry.path, entry.key), {**entry.value, "command": "clew", "args": ["mcp"]})


def test_where_the_server_stands() -> None:
    """Each client reads another file, and some take no server as it is."""
    found = {
        client: edited.path.relative_to(HOME).as_posix()
        for client in CLIENTS
        for edited in parts(client).edited
        if any(one.key == "clew" for one in edited.entries)
    }
    assert found == {
        "claude-code": ".claude.json",
        "codex": ".codex/config.toml",
        "copilot": ".copilot/mcp-config.json",
        "gemini": ".gemini/settings.json",
        "opencode": ".config/opencode/opencode.json",
    }
    (config,) = [one for one in parts("codex").edited if one.path.suffix == ".toml"]
    server = config.entries[0].value
    assert server["required"] is True and {"XDG_DATA_HOME", "CODEX_HOME"} <= set(server["env_vars"])
    assert tomllib.loads(insert("", config.entries).text) == {"mcp_servers": {"clew": server}}
    (settings,) = parts("gemini").edited
    assert [one.value["trust"] for one in settings.entries if one.key == "clew"] == [True]


def test_the_server_goes_into_the_file_that_is_there(tmp_path: Path) -> None:
    """OpenCode reads both; people have one."""
    there = tmp_path / ".config/opencode/opencode.jsonc"
    there.parent.mkdir(parents=True)
    there.write_text("{}")
    (edited,) = parts("opencode", tmp_path).edited
    assert edited.path == there


@EACH
def test_a_client_is_there_by_its_folder_or_its_program(client: str, tmp_path: Path) -> None:
    """Someone who never started it has no folder yet."""
    one = installer(client, tmp_path)
    assert not one.present(lambda _: None)
    assert one.present(lambda name: f"/usr/bin/{name}" if name == one.spec.program else None)
    one.home.mkdir(parents=True)
    assert one.present(lambda _: None)


# The skill and the slash commands as they are kept; and what stands in them of other clients' forms.
TEXTS = parts("claude-code").placed


@pytest.mark.parametrize("own", TEXTS, ids=lambda own: own.path.name)
def test_texts_name_only_commands_that_exist(own: OwnFile) -> None:
    """An agent that is told to run something that is not there invents what it might have said."""
    for line in re.findall(r"`clew ([^`]+)`|Bash\(clew ([a-z]+):", own.text):
        words = next(filter(None, line)).split()
        assert words[0] in COMMANDS
        assert not [word for word in words if word.startswith("--") and word not in options_of(words[0])]


@pytest.mark.parametrize("name", ["handoff", "checkpoint"])
def test_a_slash_command_asks_with_the_one_request(name: str) -> None:
    """Two requests would give two kinds of hand-offs, and one of them is not what was measured."""
    [command] = [one for one in slash_commands() if one.name == name]
    assert REQUEST in " ".join(line.strip().removeprefix("> ") for line in command.text.split("\n"))


@EACH
def test_each_slash_command_has_its_text_in_the_client_s_own_form(client: str) -> None:
    """These six are promised. What is meant for one client would be read out to the model of another."""
    one = parts(client)
    assert {name.rpartition("-")[2] for name in one.typed if "-" in name} == SKILLS
    texts = {own.path.relative_to(installer(client).home).as_posix(): own.text for own in one.placed}
    form = {
        "claude-code": "commands/clew-{}.md",
        "codex": "skills/clew-{}/SKILL.md",
        "copilot": "skills/clew-{}/SKILL.md",
        "gemini": "commands/clew-{}.toml",
        "opencode": "command/clew-{}.md",
    }[client]
    for name in SKILLS:
        text = texts[form.format(name)]
        assert "`clew " in text and re.search(r"description\W", text)
        assert client == "claude-code" or "allowed-tools" not in text
        if client == "gemini":
            found = tomllib.loads(text)
            assert set(found) == {"description", "prompt"}
            assert not {"$ARGUMENTS", "!{", "@{", "---"} & set(found["prompt"].split())
        if client == "codex":
            assert f"\nname: clew-{name}\n" in text and "$ARGUMENTS" not in text
            # A skill that the model may choose costs tokens in every session.
            assert "allow_implicit_invocation: false" in texts[f"skills/clew-{name}/agents/openai.yaml"]
        assert client != "copilot" or "disable-model-invocation: true" in text
    words = {"codex": "words that the user wrote", "gemini": "{{args}}"}.get(client, "$ARGUMENTS")
    assert words in texts[form.format("resume")] and words not in texts[form.format("fresh")]


@EACH
def test_a_published_plugin_has_texts_and_tools(client: str) -> None:
    """And no hooks, which clients pin to a copy."""
    one = installer(client)
    made = one.published(Path("/p"), version="1.2")
    texts = {own.path.relative_to("/p").as_posix(): own.text for own in made.placed}
    if not one.spec.plugin_mark:
        assert bool(texts) == (client == "codex")
        return
    about = json.loads(texts["/".join(one.spec.plugin_mark)])
    assert made.edited == () and (about["name"], about["version"]) == ("clew", "1.2")
    servers = json.loads(texts[".mcp.json"]) if ".mcp.json" in texts else about
    assert "trust" not in servers["mcpServers"]["clew"]  # a client takes no such word from an extension
    before, name = {"claude-code": ("/clew:", "commands/resume.md"), "gemini": ("/clew-", "commands/clew-resume.toml")}[
        client
    ]
    assert f"{before}resume" in made.typed and name in texts and "hooks/hooks.json" not in texts


def test_the_person_is_told_what_is_to_be_done_in_the_client(tmp_path: Path) -> None:
    """Codex runs nothing before it is accepted, and does not say so; OpenCode waits for a package with each start until
    that is there.
    """
    [note] = parts("codex").notes
    assert "/hooks" in note and "clew doctor" in note
    assert "npm" in " ".join(parts("opencode", tmp_path).notes)
    lock = tmp_path / ".config/opencode/package-lock.json"
    lock.parent.mkdir(parents=True)
    lock.write_text("{}")
    assert parts("opencode", tmp_path).notes == ()


def test_the_plugin_of_opencode_starts_what_it_is_told_to() -> None:
    """Whatever stands in the names of folders; a file that somebody changed starts nothing."""
    (plugin, *_) = parts("opencode").placed
    assert plugin.path == HOME / ".config/opencode/plugin/clew.js" and "@COMMAND@" not in plugin.text
    assert plugin_command(plugin.text) == COMMAND
    for text in ("", "const COMMAND = [", "const COMMAND = []", "const COMMAND = [1]", "COMMAND"):
        assert plugin_command(text) is None

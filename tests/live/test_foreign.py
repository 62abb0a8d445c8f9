"""Configuration of other people survives init, a session and uninstall, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.live.claude import Person
from tests.live.endpoint import Endpoint, bash, said_to_model, say
from tests.live.people import uninstalled
from tests.live.projects import changes, git
from tests.live.stories import PROMPT, opted_in

# As somebody wrote it by hand: tabs, odd spaces, escapes, hooks of their own for the events that are ours, too.
SETTINGS = """{
\t"permissions" : {"allow": ["Bash(echo:*)" ],   "deny": []},
  "env": {"THEIRS": "caf\\u00e9 \\/ tea"},

    "hooks": {
    "SessionStart": [ {"hooks": [{"type": "command", "command": "echo THEIR-START"}]} ],
\t"PreToolUse": [{"matcher":"Bash","hooks":[{"type":"command","command":"echo pre >> %(log)s"}]}],
    "Stop":[
      {"hooks":[ {"type":"command","command":"echo stop >> %(log)s"} ] } ]
  } ,
  "cleanupPeriodDays":30}"""
PROJECT = '{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"echo THEIR-PROMPT"}]}]}}\n'


def with_settings(me: Person, project: Path, form: str) -> dict[Path, bytes]:
    """Files of theirs, in the home and in the project, with their bytes."""
    settings = (SETTINGS % {"log": me.home / "theirs.log"}).encode()
    if form == "crlf":
        settings = settings.replace(b"\n", b"\r\n")
    if form == "bom":
        settings = b"\xef\xbb\xbf" + settings + b"\n"
    config = me.home / ".claude"
    files = {
        config / "settings.json": settings,
        config / "CLAUDE.md": b"THEIR-RULES  \r\nof two lines",
        config / "skills" / "theirs" / "SKILL.md": b"---\nname: theirs\ndescription: THEIR-SKILL\n---\nDo.\n",
        config / "commands" / "their-way.md": b"---\ndescription: THEIR-COMMAND\n---\nDo it.\n",
        project / ".claude" / "settings.json": PROJECT.encode(),
        project / "AGENTS.md": b"THEIR-AGENTS\n",
    }
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "Theirs")
    return files


@pytest.mark.parametrize("form", ["plain", "crlf", "bom"])
def test_what_is_theirs_is_theirs_to_the_byte(me: Person, project: Path, form: str, tmp_path: Path) -> None:
    """Their hooks run beside ours, their files are as they were, and nothing of ours is left where the client looks."""
    files = with_settings(me, project, form)
    title = opted_in(me, project)
    assert b"clewhook" in (me.home / ".claude" / "settings.json").read_bytes()
    with Endpoint([say("I look.", bash("echo one")), say("Done.")]) as endpoint:
        ran = me.run(PROMPT, endpoint, project, CLEW_TASK=title)
    assert (0, "Done.", "") == (ran.code, ran.answer["result"], ran.err)
    said = said_to_model(endpoint.main[0])
    for theirs in ("THEIR-START", "THEIR-PROMPT", "THEIR-RULES", "THEIR-SKILL", "THEIR-COMMAND", "THEIR-AGENTS"):
        assert theirs in said
    assert f"for the task “{title}”" in said
    assert "pre\nstop\n" == (me.home / "theirs.log").read_text(encoding="utf-8")
    assert [] == changes(project)

    uninstalled(me, project, tmp_path)
    for path, data in files.items():
        assert data == path.read_bytes(), path
    assert [] == [path for path in (me.home / ".claude").rglob("*") if "clew" in path.name]
    known = json.loads((me.home / ".claude.json").read_text(encoding="utf-8"))
    assert "clew" not in json.dumps(known.get("mcpServers", {}))
    with Endpoint([say("Done.")]) as endpoint:
        ran = me.run("Again.", endpoint, project, CLEW_TASK=title)
    assert (0, "") == (ran.code, ran.err)
    assert "clew" not in said_to_model(endpoint.main[0])


def test_a_file_that_the_client_changed_meanwhile_loses_only_our_entries(
    me: Person, project: Path, tmp_path: Path
) -> None:
    """The client itself writes into its settings; then the bytes of before would throw that away."""
    with_settings(me, project, "plain")
    opted_in(me, project)
    path = me.home / ".claude" / "settings.json"
    now = json.loads(path.read_bytes())
    path.write_text(json.dumps({**now, "model": "claude-sonnet-4-5"}), encoding="utf-8")
    uninstalled(me, project, tmp_path)
    before = json.loads(SETTINGS % {"log": me.home / "theirs.log"})
    assert {**before, "model": "claude-sonnet-4-5"} == json.loads(path.read_bytes())


def test_without_settings_none_are_left(me: Person, project: Path, tmp_path: Path) -> None:
    """A settings file that we made goes again, and so does what stood around it for us."""
    (me.home / ".claude").mkdir()
    opted_in(me, project)
    uninstalled(me, project, tmp_path)
    assert [] == list((me.home / ".claude").rglob("*"))


def test_a_settings_file_that_the_client_does_not_read_is_refused(me: Person, project: Path) -> None:
    """Comments make the client drop the whole file in silence: hooks in it would never run."""
    path = me.home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  // mine\n  "model": "claude-sonnet-4-5"\n}\n', encoding="utf-8")
    before = path.read_bytes()
    done = me.clew("init", cwd=project, code=None)
    assert before == path.read_bytes()
    assert "settings.json" in done.stderr + done.stdout

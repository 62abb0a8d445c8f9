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

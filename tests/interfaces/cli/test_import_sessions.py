"""`clew import` of sessions' records, beside documents."""

from __future__ import annotations

import json
from pathlib import Path

from tests.interfaces.cli.conftest import Clew, Desk
from tests.recordings.sessions import Recorder
from tests.workspace.repos import Repo

RECORDINGS = Path(__file__).parents[2] / "recordings" / "generic"
STORY = "history/make-the-tide-ten.jsonl"


def _put(repo: Repo, name: str) -> None:
    if name == STORY:
        story = Recorder("/home/somebody/tide", session="7e1d0a52-0c3b-4f0e-9a41-6b1f0c2d3e4f")
        story.user("Make the tide ten, and leave the moon alone.")
        story.refuse("Bash", {"command": "git push"}, "not on a Friday").reply("Next I fix the test in src/a.py.")
        repo.write(name, story.text)
    else:
        repo.write(name, (RECORDINGS / name).read_bytes())


def test_sessions_and_documents_are_told_alike(desk: Desk) -> None:
    """A line a file, in the order they were named; twice is once."""
    desk.ada("task", "new", "Tide")
    for name in (STORY, "messages.jsonl"):
        _put(desk.shop.repo, name)
    desk.shop.repo.write("HANDOFF.md", "# Handoff\n\n## Next step\nMend the test.\n")
    code, out, err = desk.ada("import", STORY, "HANDOFF.md", "messages.jsonl")
    lines = out.splitlines()
    assert (code, err, len(lines)) == (0, "next: clew resume\n", 3)
    assert lines[0].startswith(f"{STORY} (claude-code session 7e1d0a52-0c3b-4f0e-9a41-6b1f0c2d3e4f): ")
    assert lines[1] == "HANDOFF.md: 1 new (1 next action)"
    assert lines[2].startswith("messages.jsonl (chat session ")
    again = desk.ada("import", STORY, "HANDOFF.md", "messages.jsonl")
    assert again.code == 0 and all(" 0 new, " in line for line in again.out.splitlines())
    told = desk.ada("sessions").out
    assert all(client in told for client in ("claude-code", "chat"))
    assert "Make the tide ten, and leave the moon alone" in desk.ada("resume").out


def test_each_entry_has_the_line_it_stands_in(desk: Desk) -> None:
    """Who doubts an entry looks there."""
    _put(desk.shop.repo, STORY)
    shape = json.loads(desk.ada("import", STORY, "--json").out)
    (file,) = shape["files"]
    assert (file["format"], file["session"][:8], file["date"]) == ("claude-code", "7e1d0a52", "2026-03-02")
    goal = next(one for one in file["entries"] if one["kind"] == "goal")
    assert (goal["line"], goal["did"]) == (1, "new")
    told = desk.ada("show", goal["id"]).out
    assert f"\nsource   {STORY}:1\n" in told and "gone" not in told
    assert json.loads(desk.ada("show", goal["id"], "--json").out)["item"]["source"] == f"{STORY}:1"


def test_without_a_ledger_it_is_shown_all_the_same(clew: Clew, repo: Repo) -> None:
    """`--from` reads what `import` would keep, and keeps nothing."""
    _put(repo, STORY)
    shown = clew("resume", "--from", STORY)
    assert shown.code == 0 and "claude-code session 7e1d0a52" in shown.out
    assert "not on a Friday" in shown.out
    assert "Make the tide ten" in clew("show", "--from", STORY).out
    assert not (repo.top / ".clew").exists()
    assert clew("import", STORY).code == 1

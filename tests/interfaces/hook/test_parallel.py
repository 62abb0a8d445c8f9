"""Two sessions in one clone: what one wrote reaches the other before it writes over it or commits it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clew.core.runtime_dir import LABEL, PARALLEL, REFLOG_SIZE, session_folder
from tests.interfaces.hook.hooks import SESSION, SILENCE, called, installed
from tests.interfaces.hook.test_before import ask, rule
from tests.interfaces.hook.test_full import Place

OTHER = "0c0ffee0-0000-4000-8000-000000000002"


class Clone:
    """A repository in which two sessions are live: ours, and that of `OTHER`."""

    def __init__(self, folder: Path) -> None:
        self.hooks = installed(folder)
        rule(self.hooks, parallel="warn", guards={"words": []})
        self.git("init", "-q", "-b", "main")
        for name in ("a.py", "b.py", "c.py"):
            (self.hooks.project / name).write_text("x = 1\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "first")
        self.other = Path(session_folder(str(self.hooks.live), OTHER))
        for place in (self.hooks.session, self.other):
            place.mkdir(parents=True)
            (place / "started").touch()
            os.utime(place / "started", (time.time() - 60,) * 2)
        (self.other / LABEL).write_text("codex, “fix the parser”")
        self.mark(f"{self.hooks.session}\t7 1", f"{self.other}\t8 1")

    def mark(self, *rows: str) -> None:
        log = self.hooks.project / ".git" / "logs" / "HEAD"
        (self.hooks.live / PARALLEL).write_text("\n".join([str(log), *rows]))

    def git(self, *words: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@b.c")
        subprocess.run(["git", *who, *words], cwd=self.hooks.project, check=True, capture_output=True)

    def does(self, session: str, tool: str, given: Mapping[str, Any], **more: Any) -> None:
        self.hooks.run("PostToolUse", {**called(self.hooks, tool, given, **more), "session_id": session})

    def sees(self, name: str, session: str = SESSION, **more: Any) -> None:
        self.does(session, "Read", {"file_path": str(self.hooks.project / name)}, **more)

    def writes(self, name: str, text: str, session: str = OTHER, **more: Any) -> None:
        path = self.hooks.project / name
        path.write_text(text)
        self.does(session, "Write", {"file_path": str(path), "content": text}, **more)

    def edits(self, name: str, **more: Any) -> dict[str, str]:
        """What our session is told when it is about to edit a file."""
        given = {"file_path": str(self.hooks.project / name), "old_string": "x", "new_string": "y"}
        return ask(self.hooks, "Edit", given, **more)

    def runs(self, command: str) -> str:
        return ask(self.hooks, "Bash", {"command": command}).get("additionalContext", "")


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


WHO = "another session (codex, “fix the parser”)"
WARNED = f"clew: a.py was changed a minute ago by {WHO}. Read it again before you edit it."


def test_an_edit_of_what_another_session_changed_is_told_once_and_reading_it_again_settles_it(clone: Clone) -> None:
    clone.sees("a.py")
    clone.writes("a.py", "x = 2\n")
    assert {"additionalContext": WARNED} == clone.edits("a.py")
    assert {} == clone.edits("a.py")
    assert {} == clone.edits("b.py")
    clone.writes("b.py", "x = 2\n")
    clone.sees("b.py")
    assert {} == clone.edits("b.py")


def test_deny_holds_until_the_file_was_read_whatever_read_it(clone: Clone) -> None:
    """A client without a tool for it reads with its shell."""
    rule(clone.hooks, parallel="deny", guards={"words": []})
    clone.sees("a.py")
    clone.writes("a.py", "x = 2\n")
    for _ in range(2):
        assert "deny" == clone.edits("a.py")["permissionDecision"]
    clone.does(SESSION, "Bash", {"command": "cat a.py"})
    assert {} == clone.edits("a.py")
    clone.writes("b.py", "x = 2\n")
    asked = ask(clone.hooks, "Bash", {"command": "sed -i s/x/y/ b.py"})
    assert "b.py was changed a minute ago" in str(asked)


def test_a_change_by_another_sessions_command_names_that_session(clone: Clone) -> None:
    clone.sees("a.py")
    (clone.hooks.project / "a.py").write_text("x = 3\n")
    clone.does(OTHER, "Bash", {"command": "make format"}, duration_ms=500)
    assert "a.py was changed while a command ran, a minute ago by another session (codex" in str(clone.edits("a.py"))


def test_what_a_session_and_its_sub_agents_do_is_no_news_to_it(clone: Clone) -> None:
    """Clients run sub-agents under the session's id, or as sessions of one process."""
    clone.sees("a.py")
    clone.writes("a.py", "x = 2\n", SESSION, agent_id="a1")
    assert {} == clone.edits("a.py")
    clone.mark(f"{clone.hooks.session}\t7 1", f"{clone.other}\t7 1")
    clone.sees("b.py")
    clone.writes("b.py", "x = 2\n")
    assert "another session" not in str(clone.edits("b.py"))


@pytest.mark.parametrize(
    "command", ["git add -A && git commit -m x", "git add .", "git commit -qam x", "git stash push -m x"]
)
def test_what_takes_in_another_sessions_edits_names_them(clone: Clone, command: str) -> None:
    clone.writes("a.py", "x = 2\n")
    clone.writes("b.py", "x = 2\n", SESSION)
    said = clone.runs(command)
    assert "holds edits of another session (codex, “fix the parser”) that are not committed: a.py. " in said
    assert "" == clone.runs(command)


def test_commands_that_take_in_only_what_is_named_or_committed_are_not_held_up(clone: Clone) -> None:
    clone.writes("a.py", "x = 2\n")
    clone.writes("new.py", "x = 2\n")
    for command in ("git add b.py", "git commit -m 'add -A'", "git stash pop", "git add -n .", "git status"):
        assert "" == clone.runs(command), command
    clone.git("add", "a.py")
    clone.git("commit", "-q", "-m", "theirs")
    clone.writes("b.py", "x = 2\n", SESSION)
    assert "" == clone.runs("git commit -am x"), "new.py is not known to git yet"
    assert ": new.py. " in clone.runs("git add -A")


def test_who_is_alone_pays_nothing(clone: Clone) -> None:
    (clone.hooks.live / PARALLEL).unlink()
    given = called(clone.hooks, "Edit", {"file_path": str(clone.hooks.project / "a.py"), "new_string": "y"})
    assert "clew.interfaces.hook.parallel" not in clone.hooks.imports("PreToolUse", given)
    clone.sees("a.py")
    assert not (clone.hooks.session / REFLOG_SIZE).exists()


FIRST, SECOND = (f"aaaa000{n}-0000-4000-8000-00000000000{n}" for n in (1, 2))


def test_sessions_know_of_each_other_while_both_are_live_and_of_a_head_that_one_of_them_moved(tmp_path: Path) -> None:
    """Through the hooks of both, from start to end: nobody names anybody."""
    place = Place(tmp_path)
    mark = place.hooks.live / PARALLEL

    def commit(session: str) -> None:
        words = (
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@b.c",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            f"By {session[-1]}",
        )
        subprocess.run(["git", *words], cwd=place.world.top, check=True)
        given = called(place.hooks, "Bash", {"command": "git commit"}, duration_ms=3000, session_id=session)
        place.hooks.run("PostToolUse", given)

    place.run("SessionStart", session_id=FIRST)
    assert not mark.exists()
    place.run("SessionStart", session_id=SECOND)
    for session, words in ((FIRST, "Mend the parser"), (SECOND, "Write the docs. All of them.")):
        place.run("UserPromptSubmit", session_id=session, prompt=words)
        folder = Path(session_folder(str(place.hooks.live), session))
        assert f"claude-code, “{words.partition('.')[0]}”" == (folder / LABEL).read_text()
    commit(FIRST)
    assert SILENCE == place.run("UserPromptSubmit", session_id=FIRST)
    said = place.context(place.run("UserPromptSubmit", session_id=SECOND))
    assert "by another session (claude-code, “Mend the parser”) (commit: By 1). Look at `git status`" in said
    assert SILENCE == place.run("UserPromptSubmit", session_id=SECOND)
    place.run("SessionEnd", session_id=FIRST)
    assert (False, "") == (mark.exists(), place.broken())

"""What a person at a terminal sees, and what a pipe gets instead."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from clew import wiring
from clew.interfaces.cli.main import run
from clew.interfaces.cli.screen import FoldedStream, folded, show_table
from tests.interfaces.cli.binary import CLEW, environment
from tests.recordings.sessions import Recorder
from tests.workspace.repos import Repo

pytestmark = pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
ESCAPE = "\x1b["


def on_terminal(*words: str, cwd: Path, **variables: str) -> str:
    """What `clew WORDS` shows on a terminal of 60 columns."""
    import pty
    import subprocess

    ours, theirs = pty.openpty()
    known = environment(cwd, COLUMNS="60", LINES="40", TERM="xterm-256color", **variables)
    with subprocess.Popen([CLEW, *words], env=known, cwd=cwd, stdout=theirs, stderr=theirs) as done:
        os.close(theirs)
        told = b""
        with suppress(OSError):  # how Linux says that the other end is closed
            while block := os.read(ours, 65536):
                told += block
    os.close(ours)
    assert done.returncode in (0, 64)
    return told.decode().replace("\r\n", "\n")


def test_a_table_on_a_terminal_has_heads_and_fits(tmp_path: Path) -> None:
    """A wall of text is read by nobody."""
    shown = on_terminal("settings", cwd=tmp_path, NO_COLOR="1")
    assert "setting" in shown and "set by" in shown
    assert max(len(line) for line in re.sub(r"\x1b\[\d*m", "", shown).split("\n")) <= 60


def test_a_narrow_table_folds_and_then_goes_without_a_column(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An id that ends in an ellipsis cannot be typed, and of a title every word counts; who did it can be missed."""
    monkeypatch.setattr("clew.interfaces.cli.screen.is_screen", lambda _: True)

    def shown(columns: int, title: str) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        row = ("2026-11-20 16:10", "T-019k", "ada", title)
        show_table(("when", "id", "by", "title"), [row], spare=(2,))
        lines = capsys.readouterr().out.split("\n")
        assert all(len(line) <= columns for line in lines)
        return " ".join(lines[2:]).split()

    title = "Round the fee of till/refunds.py half up " * 4
    when = ["2026-11-20", "16:10", "T-019k"]
    assert [*when, "ada", *title.split()] == shown(80, title)
    assert sorted([*when, *title.split()]) == sorted(shown(50, title))
    assert 300 == "".join(shown(30, "x" * 300)).count("x")
    assert "T-019k" in shown(30, "x" * 300)


def test_sentences_break_between_words() -> None:
    """A command that is to be copied stays on one line; what is too long for any line is left to the terminal."""
    line = "- Next: `clew status` shows what is known, `clew resume` what a session needs; see /home/ada/work/till"
    lines = folded(line, 40, hang=2)
    assert [
        "- Next: `clew status` shows what is",
        "  known, `clew resume` what a session",
        "  needs; see /home/ada/work/till",
    ] == lines
    assert ["see", "/home/ada/work/till", "there"] == folded("see /home/ada/work/till there", 12)
    assert ["`clew note", "goal x`"] == folded("`clew note goal x`", 11)
    assert ["潮の満ち", "引き"] == folded("潮の満ち引き", 8, breaks=True)


def _parts(word: str) -> list[str]:
    """A path may be broken behind a slash."""
    return re.findall(r"[^/]*/|[^/]+", word)


class _Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


def test_every_list_can_be_read_on_a_narrow_terminal(home: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 80 and at 60 columns no line is too long, no word is broken, and what the list is about stands there whole."""
    _work(repo, home)

    def shown(command: str, columns: int) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        screen = _Terminal()
        with monkeypatch.context() as at:
            for name in ("stdout", "stderr"):
                at.setattr(f"sys.{name}", FoldedStream(io.TextIOWrapper(screen, encoding="utf-8")))
            assert run(command.split()) in (0, 1), command
            sys.stdout.flush()
            rows = re.sub(r"\x1b\[[\d;]*m", "", screen.getvalue().decode()).split("\n")
            return [row for row in rows if not re.search(r" … \d+ s$", row)]  # a slow machine is told what it waits for

    wrong = {}
    for command, matters in _LISTS.items():
        whole = " ".join(shown(command, 1000)).split()
        known = {part for word in whole for part in _parts(word)}
        for columns in (80, 60):
            lines = shown(command, columns)
            words = " ".join(lines).split()
            wrong[command, columns] = [
                *(line for line in lines if len(line) > columns and " " in line.strip()),
                *(word for word in words if not known.issuperset(_parts(word)) and not set(word) <= set("─━")),
                *(word for word in matters.split() if word not in "".join(lines)),
            ]
    assert {} == {command: words for command, words in wrong.items() if words}


# What lists, and what must stand there whole.
_LISTS = {
    "sessions": "5e551011-0000-4000-8000-000000000001 5e551011-0000-4000-8000-000000000002",
    "cost": "tokens",
    "efficiency": "5e551011",
    "audit": "tokens",
    "budget": "2,000,000",
    "checkpoint --list": "before-the-moon",
    "doctor -v": "versions",
    "journal": "metres",
    "log": "metres",
    "pressure": "",
    "resume": "moon",
    "search metres": "metres",
    "settings": "resume.budget_tokens",
    "show": "metres",
    "status": "moon",
    "task list --all": "moon",
    "worktree list": "moon-rise",
}


def _work(repo: Repo, home: Path) -> None:
    """A project with a bit of everything that is listed."""
    second = Recorder(repo.top, session="5e551011-0000-4000-8000-000000000002", start="2026-03-03T09:00:00")
    second.user("Now have the moon rise in the east, in src/a.py, and tell the harbour master of it").reply("It does.")
    second.save(home)
    title = "Let the moon rise in the east when the tide is out and the harbour master is awake"
    user = wiring.settings_files(repo.top).user
    user.parent.mkdir(parents=True)
    user.write_text("[budget]\nday_tokens = 2_000_000\nsession_tokens = 2_000_000\n")
    for command in (
        ["init", "--client", "none"],
        ["task", "new", title],
        ["decide", "Tides are kept in metres", "--why", "the harbour master measures them so, and has for a long time"],
        ["checkpoint", "before-the-moon-rises", "-m", "All that was there when the work on the moon began"],
        ["worktree", "new", "moon-rise-in-the-east"],
        ["stack", "new", "harbour"],
    ):
        assert run(command) == 0, command


def test_no_colour_where_none_is_wanted(tmp_path: Path) -> None:
    """`NO_COLOR` and a terminal that knows none."""
    assert ESCAPE in on_terminal("nonesuch", cwd=tmp_path)
    assert ESCAPE not in on_terminal("nonesuch", cwd=tmp_path, NO_COLOR="1")
    assert ESCAPE + "3" not in on_terminal("settings", cwd=tmp_path, NO_COLOR="1")


def test_a_pipe_gets_the_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Scripts read them: no heads, no colour, nothing cut off."""
    show_table(("a", "b"), [("1", "2" * 300)])
    assert "1  " + "2" * 300 + "\n" == capsys.readouterr().out


def test_words_of_others_do_no_harm_in_a_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A title may hold escapes, line ends and what rich takes for its own marks."""
    always: Callable[..., bool] = lambda _: True  # noqa: E731
    monkeypatch.setattr("clew.interfaces.cli.screen.is_screen", always)
    show_table(("title",), [("[red]a[/red] \x1b[31mb\nc :smile:",)])
    shown = capsys.readouterr().out
    assert "[red]a[/red]" in shown and ":smile:" in shown
    assert "\x1b[31m" not in shown

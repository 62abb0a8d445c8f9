"""What a person at a terminal sees, and what a pipe gets instead."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from clew.interfaces.cli.screen import painted, show_table
from tests.interfaces.cli.binary import CLEW, environment

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


def test_no_column_is_cut_where_there_is_room(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An id that ends in an ellipsis cannot be typed. Only the last column gives way, until it has almost nothing."""
    monkeypatch.setattr("clew.interfaces.cli.screen.is_screen", lambda _: True)
    monkeypatch.setenv("COLUMNS", "80")
    show_table(("when", "id", "title"), [("2026-11-20 16:10", "T-019k", "x" * 300)], [])
    row = capsys.readouterr().out.split("\n")[2]
    assert row.split() == ["2026-11-20", "16:10", "T-019k", "x" * 51 + "…"] and len(row) == 80
    monkeypatch.setenv("COLUMNS", "30")
    show_table(("when", "id", "title"), [("2026-11-20 16:10", "T-019k", "x" * 300)], [])
    assert all(len(line) <= 30 for line in capsys.readouterr().out.split("\n"))


def test_no_colour_where_none_is_wanted(tmp_path: Path) -> None:
    """`NO_COLOR` and a terminal that knows none."""
    assert ESCAPE in on_terminal("nonesuch", cwd=tmp_path)
    assert ESCAPE not in on_terminal("nonesuch", cwd=tmp_path, NO_COLOR="1")
    assert ESCAPE + "3" not in on_terminal("settings", cwd=tmp_path, NO_COLOR="1")


def test_a_pipe_gets_the_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Scripts read them: no heads, no colour, nothing cut off."""
    show_table(("a", "b"), [("1", "2" * 300)], ["1  " + "2" * 300])
    assert "1  " + "2" * 300 + "\n" == capsys.readouterr().out


@pytest.mark.parametrize("stream", [None, "no terminal"])
def test_nothing_is_painted_into_a_pipe(stream: str | None, tmp_path: Path) -> None:
    """An escape in a log is noise."""
    with (tmp_path / "log").open("w") as file:
        assert "error:" == painted("error:", "red", None if stream is None else file)


def test_words_of_others_do_no_harm_in_a_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A title may hold escapes, line ends and what rich takes for its own marks."""
    always: Callable[..., bool] = lambda _: True  # noqa: E731
    monkeypatch.setattr("clew.interfaces.cli.screen.is_screen", always)
    show_table(("title",), [("[red]a[/red] \x1b[31mb\nc :smile:",)], [])
    shown = capsys.readouterr().out
    assert "[red]a[/red]" in shown and ":smile:" in shown
    assert "\x1b[31m" not in shown

"""The code at the terminal, with real terminals."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="there is no other kind of terminal here")

_CHILD = """
import sys
from clew.workspace.terminal import shown_code
print("printed")
why = shown_code("change a gate\x1b[2J", "")
why = why or shown_code("be asked again", "")
if sys.argv[2:]:
    why = why or shown_code("approve it", "one\x1b[2J\\ntwo")
    why = why or shown_code("approve it", "one\x1b[2J\\ntwo")
with open(sys.argv[1], "w") as file:
    file.write(why)
"""
_ASKED = re.compile(rb"Type (\w{4}) to go on: ")


def _with_terminal(folder: Path, answers: list[bytes], *more: str) -> tuple[str, bytes]:
    """What came of it, and what stood on the terminal. An answer `CODE` is the code that was shown last."""
    out = folder / "out"
    pid, terminal = pty.fork()
    if not pid:
        os.execv(sys.executable, [sys.executable, "-c", _CHILD, str(out), *more])
    said, asked, limit = b"", 0, time.monotonic() + 20
    while time.monotonic() < limit:
        ready, _, _ = select.select([terminal], [], [], 0.05)
        try:
            block = os.read(terminal, 65536) if ready else None
        except OSError:
            break
        if block == b"":
            break
        said += block or b""
        codes = _ASKED.findall(said)
        if len(codes) > asked:
            asked = len(codes)
            os.write(terminal, answers.pop(0).replace(b"CODE", codes[-1]))
    else:
        os.kill(pid, signal.SIGKILL)
    os.close(terminal)
    os.waitpid(pid, 0)
    return out.read_text() if out.exists() else "nothing", said


@pytest.mark.parametrize("answers", [[b"CODE\n"], [b"yes\n", b" CODE \n"], [b"\n", b"y\n", b"CODE\n"]])
def test_who_types_the_code_is_there(tmp_path: Path, answers: list[bytes]) -> None:
    """And is asked once for a command; a slip is no refusal."""
    why, said = _with_terminal(tmp_path, answers)
    assert why == ""
    assert b"Only a person may change a gate. Type" in said, "its controls are gone"


def test_it_is_asked_for_the_words_that_stand_there(tmp_path: Path) -> None:
    """A code for one thing is none for another; each line is marked, so that none passes for a line of ours."""
    why, said = _with_terminal(tmp_path, [b"CODE\n", b"CODE\n"], "words")
    assert (why, len(_ASKED.findall(said))) == ("", 2)
    assert b"  | one\r\n  | two\r\nOnly a person may approve it." in said
    assert _with_terminal(tmp_path, [b"CODE\n", b"n\n", b"n\n", b"n\n"], "words")[0]


@pytest.mark.parametrize("answers", [[b"y\n"] * 3, [b"\n"] * 3, [b"\x04"], [b"x" * 300 + b"\n"]])
def test_whoever_does_not_know_it_is_refused(tmp_path: Path, answers: list[bytes]) -> None:
    """It is drawn again each time, so that what was typed ahead, or guessed, is wrong."""
    why, said = _with_terminal(tmp_path, answers)
    assert why == "the code that the terminal showed was not typed"
    codes = _ASKED.findall(said)
    assert len(set(codes)) == len(codes)


def test_without_a_terminal_nobody_is_asked(tmp_path: Path) -> None:
    """A hook or a service waits for nobody."""
    pid = os.fork()
    if not pid:
        os.setsid()
        os.execv(sys.executable, [sys.executable, "-c", _CHILD, str(tmp_path / "out")])
    os.waitpid(pid, 0)
    assert (tmp_path / "out").read_text() == "the command has no terminal to ask at"

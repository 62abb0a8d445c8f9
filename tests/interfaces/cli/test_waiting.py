"""A person at a terminal is told what a long command works on; a pipe is not."""

from __future__ import annotations

import io
import time

import pytest

from clew import wiring
from clew.core.state.items import Authority
from clew.interfaces.cli.waiting import Waiting


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def waited(monkeypatch: pytest.MonkeyPatch, stderr: io.StringIO, seconds: float) -> str:
    monkeypatch.setattr("sys.stderr", stderr)
    with Waiting("Reading", after_s=0.02, every_s=0.02) as waiting:
        waiting.at("HAND\x1b[31mOFF.md")
        until = time.monotonic() + seconds
        while time.monotonic() < until and not stderr.getvalue():
            time.sleep(0.005)
    return stderr.getvalue()


def test_it_says_on_what_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence of a minute looks like a hang; and no name steers the screen."""
    told = waited(monkeypatch, Terminal(), 5)
    assert told.startswith("Reading HANDOFF.md … 0 s\n")


def test_what_is_quick_and_what_is_piped_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripts read stderr, too."""
    assert waited(monkeypatch, io.StringIO(), 0.1) == ""
    monkeypatch.setattr("sys.stderr", quick := Terminal())
    with Waiting("Reading", after_s=5):
        pass
    assert quick.getvalue() == ""


def test_nothing_is_told_while_a_code_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line in the middle of a question is in the way of who answers it."""
    told = Terminal()
    monkeypatch.setattr("sys.stderr", told)

    def prove(_: str, __: str) -> str:
        before = told.getvalue()
        time.sleep(0.2)
        return told.getvalue().removeprefix(before)

    ports = wiring.ports()._replace(channel=lambda: Authority("human", "", prove))
    with Waiting("Exchanging", after_s=0.02, every_s=0.02) as waiting:
        assert waiting.around(ports).channel().prove("join", "hub") == ""

"""A client with a person at it: its own screen in a terminal that nobody looks at.

with at_terminal(me, endpoint, project) as session:
    session.type("go on")
    session.until(lambda: len(endpoint.main) == 2)
    session.leave()
print(session.shown())
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.live import people
from tests.live.claude import MODEL, Person
from tests.live.endpoint import Endpoint

# Opens the terminal on its standard input as its own, then becomes the client: so the client is asked by it alone.
_OWN_TERMINAL = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
_CONTROL = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?<>=]*[a-zA-Z~]|\x1b[()][A-Z0-9]|\x1b[=>78]")
_RIGHT = re.compile(r"\x1b\[(\d*)C")


class AtTerminal:
    """A client that a person sits at."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int) -> None:
        self.process, self._terminal = process, terminal
        self._heard = b""

    def type(self, text: str) -> None:
        """Type a line. The client takes the text and the return key as two things, as from a keyboard."""
        os.write(self._terminal, text.encode())
        self._listen(0.5)
        os.write(self._terminal, b"\r")

    def until(self, condition: Callable[[], object], seconds: float = 180) -> None:
        """Keep the terminal going until something holds."""
        limit = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < limit, f"it did not come to that; the screen said:\n{self.shown()[-3000:]}"
            self._listen(0.05)

    def quiet(self, seconds: float = 1.0, *, most: float = 60) -> None:
        """Until nothing more was shown for some seconds."""
        limit = time.monotonic() + most
        while self._listen(seconds) and time.monotonic() < limit:
            pass

    def leave(self) -> None:
        """Leave the client as a person does."""
        self.type("/exit")
        self.until(lambda: self.process.poll() is not None, 60)

    def shown(self) -> str:
        """Everything that the screen showed, without colours and positions: a piece a line, in the order it came."""
        text = _RIGHT.sub(lambda moved: " " * int(moved[1] or 1), self._heard.decode("utf-8", "replace"))
        pieces = (piece.strip() for piece in re.split(r"[\r\n]+", _CONTROL.sub("\n", text)))
        return "\n".join(piece for piece in pieces if piece)

    def _listen(self, seconds: float) -> bool:
        """Take in what is shown for so long at most; whether anything was."""
        ready, _, _ = select.select([self._terminal], [], [], seconds)
        if not ready:
            return False
        try:
            block = os.read(self._terminal, 65536)
        except OSError as error:
            if error.errno != errno.EIO:  # the other side was closed
                raise
            time.sleep(0.02)
            return False
        self._heard += block
        return bool(block)


@contextmanager
def at_terminal(
    person: Person, endpoint: Endpoint, cwd: Path, *options: str, **environment: str
) -> Iterator[AtTerminal]:
    """The client at a terminal in `cwd`, ready for the first prompt. It is killed when the block is left."""
    _known_here(person, cwd)
    command = [str(person.client), "--model", MODEL, "--allowedTools", "Bash,Read,Edit,Write", *options]
    with _shown(person, command, endpoint, cwd, environment) as session:
        session.until(lambda: "mode on" in session.shown())
        session.quiet()
        yield session


@contextmanager
def asked_at_terminal(
    person: people.Person, prompt: str, endpoint: Endpoint, cwd: Path, **environment: str
) -> Iterator[AtTerminal]:
    """Any client at a terminal in `cwd`, started with its first prompt. It is killed when the block is left."""
    with _shown(person, person.seated(prompt, endpoint, cwd), endpoint, cwd, environment) as session:
        yield session


@contextmanager
def _shown(
    person: people.Person, command: list[str], endpoint: Endpoint, cwd: Path, environment: Mapping[str, str]
) -> Iterator[AtTerminal]:
    variables = {**person.variables(endpoint, **environment), "TERM": "xterm-256color", "PWD": str(cwd)}
    ours, theirs = os.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 140, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _OWN_TERMINAL, *command],
        cwd=cwd,
        env=variables,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    session = AtTerminal(process, ours)
    try:
        yield session
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        os.close(ours)


def _known_here(person: Person, cwd: Path) -> None:
    """What a person has answered long ago: welcome, theme, key, and that this folder is trusted."""
    file = person.home / ".claude.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    known |= {"hasCompletedOnboarding": True, "theme": "dark"}
    known["customApiKeyResponses"] = {"approved": ["dummy"], "rejected": []}
    here = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    known["projects"] = {**known.get("projects", {}), str(cwd): {**known.get("projects", {}).get(str(cwd), {}), **here}}
    file.write_text(json.dumps(known), encoding="utf-8")

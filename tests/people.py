"""A person at a terminal, for tests: what is typed here passes for typed, wherever the tests themselves run.

A program cuts itself off from the tests (which may run under a client or in CI), opens a terminal, starts a shell in
it, types, and reads the codes off it. That a test can do so shows what an agent could do, too:
docs/reference/authority.md names it.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

SHELL = ("/bin/sh", "-i")

# Runs under the interpreter alone: no clew, no site. Its arguments: the folder for what it finds out, the seconds that
# it may take, what is typed as a file, and the shell.
_DRIVER = """
import os, pty, select, signal, sys, time
folder, seconds, typed, knows, *shell = sys.argv[1:]
import re
if os.fork():
    os._exit(0)  # whoever started us is no ancestor any more
os.setsid()
signal.signal(signal.SIGHUP, signal.SIG_IGN)
pid, terminal = pty.fork()
if not pid:
    os.execv(shell[0], shell)
with open(typed, "rb") as file:
    lines = file.read().splitlines(keepends=True)
said, heard, limit = b"", time.monotonic(), time.monotonic() + float(seconds)
while time.monotonic() < limit:
    ready, _, _ = select.select([terminal], [], [], 0.02)
    if ready:
        try:
            block = os.read(terminal, 65536)
        except OSError:
            break
        if not block:
            break
        said += block
        heard = time.monotonic()
    # People type when they are asked to, or when nothing has happened for long: what a busy machine has not asked yet
    # would throw away what was typed before.
    elif asked := re.search(rb"Type (\\w{4}) to go on: $", said):
        os.write(terminal, (asked[1] if knows else b"none") + b"\\n")
        said += b"\\n"
    elif lines and (said.endswith((b"$ ", b"# ", b": ", b"> ")) or time.monotonic() > heard + 10):
        os.write(terminal, re.sub(rb"\\{\\{(.+?)\\}\\}", lambda one: re.search(one[1], said)[1], lines.pop(0)))
        heard = time.monotonic()
else:
    os.kill(pid, signal.SIGKILL)
os.close(terminal)
os.waitpid(pid, 0)
with open(folder + "/said.part", "wb") as file:
    file.write(said)
os.rename(folder + "/said.part", folder + "/said")
"""


class Typed(NamedTuple):
    """What a command that was typed gave back: its exit code, and all that stood on the terminal."""

    code: int
    out: str


def typed(
    command: Sequence[str],
    *,
    cwd: Path,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    answers: str = "",
    seconds: float = 120,
    code_is_hidden: bool = False,
) -> Typed:
    """Type `command` at a terminal in `cwd`, then `answers` (lines, each with its newline). What stands in {{ }}
    there is read off the screen: the first group of that pattern.

    `folder` is an empty one for the terminal's own files. `environment` is added to a plain one (HOME, PATH, TERM).
    """
    line = f"cd {shlex.quote(str(cwd))} && {shlex.join(command)}; echo $? > {shlex.quote(str(folder / 'code'))}\n"
    out = at_terminal(
        line + answers + "exit\n",
        folder=folder,
        environment=environment,
        seconds=seconds,
        code_is_hidden=code_is_hidden,
    )
    assert (folder / "code").exists(), f"the command did not end: {out}"
    return Typed(int((folder / "code").read_text()), out)


def at_terminal(
    lines: str,
    *,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    shell: Sequence[str] = SHELL,
    seconds: float = 120,
    code_is_hidden: bool = False,
) -> str:
    """Type `lines` in a shell at a terminal of its own; what stood on it.

    The last line must leave the shell. A code that is asked for is typed as it is shown, unless it `is_hidden` from who
    types here.
    """
    folder.mkdir(parents=True, exist_ok=True)
    program = sys.executable
    (folder / "driver.py").write_text(_DRIVER)
    (folder / "typed").write_text(lines)
    variables = {"HOME": str(folder), "PATH": os.environ.get("PATH", os.defpath), "TERM": "dumb", "LANG": "C.UTF-8"}
    known = "" if code_is_hidden else "knows"
    argv = [program, "-s", "-S", folder / "driver.py", folder, str(seconds), folder / "typed", known, *shell]
    actions = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in (0, 1, 2)]
    pid = os.posix_spawn(program, list(map(str, argv)), {**variables, **(environment or {})}, file_actions=actions)
    os.waitpid(pid, 0)
    limit = time.monotonic() + seconds + 10
    while not (folder / "said").exists():
        assert time.monotonic() < limit, "the terminal did not end"
        time.sleep(0.02)
    return (folder / "said").read_text(errors="replace").replace("\r\n", "\n")


def interpreter_called(name: str, folder: Path) -> Path:
    """The interpreter under another name: the system then tells that name for the process."""
    link = folder / "bin" / name
    if not link.exists():
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(Path(sys.executable).resolve())
    return link


def installed(program: str) -> str:
    """Where a program is, "" nowhere."""
    return shutil.which(program) or ""

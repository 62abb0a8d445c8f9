"""What only a process shows: signals, pipes that close, what is loaded at the start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.interfaces.cli.binary import CLEW, clew, environment
from tests.recordings.sessions import Recorder

posix = pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    story = Recorder(tmp_path).user("Fix the tide")
    for number in range(300):
        story.reply(f"Part {number} of the tide is mended: `part_{number}` holds because of the moon.")
    return story.write_to(tmp_path / "session.jsonl")


def test_the_command_is_wired(session: Path, tmp_path: Path) -> None:
    """The entry point of the package leads to the command line, and `python -m clew` to the same."""
    done = clew("resume", "--from", session, home=tmp_path, cwd=tmp_path)
    module = subprocess.run(
        [sys.executable, "-m", "clew", "resume", "--from", session],
        env=environment(tmp_path),
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout == module.stdout


@posix
@pytest.mark.parametrize("arguments", [["resume", "--json"], ["show"]], ids=" ".join)
def test_a_pipe_that_closes_is_no_error(arguments: list[str], session: Path, tmp_path: Path) -> None:
    """`clew show | head -1` ends when head has enough; neither a traceback nor a failure is due."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.Popen(
        [CLEW, *arguments, "--from", session], env=environment(tmp_path), cwd=tmp_path, stdout=writing, stderr=-1
    )
    os.close(writing)
    _, err = done.communicate(timeout=30)
    assert (done.returncode, err) == (0, b"")


@posix
@pytest.mark.parametrize("words", [("resume", "--from"), ("--help",), ("settings", "set", "-h")], ids=" ".join)
def test_a_full_disk_is_no_silence(words: tuple[str, ...], session: Path, tmp_path: Path) -> None:
    """`clew resume > file` on a full disk must not look like success, and help no less."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [CLEW, *words, *([session] if words[-1] == "--from" else [])],
            env=environment(tmp_path),
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: the output cannot be written: No space left on device  [E-output]\nhint: ")
    assert done.stderr.count(b"\n") == 2


@posix
def test_a_closed_stdout_is_said(session: Path, tmp_path: Path) -> None:
    """`clew resume >&-`, as some schedulers start programs."""
    command = f'"{CLEW}" resume --from "{session}" >&-'
    done = subprocess.run(
        ["/bin/sh", "-c", command], env=environment(tmp_path), cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"error: stdout is closed  [E-output]\nhint: ")


@posix
def test_on_a_terminal_the_list_breaks_between_words(session: Path, tmp_path: Path) -> None:
    """Nothing of it is lost; a pipe gets each entry as one line."""
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [CLEW, "show", "--from", session], env=environment(tmp_path, COLUMNS="50"), cwd=tmp_path, stdout=theirs
    ) as done:
        os.close(theirs)
        told = b""
        with suppress(OSError):  # how Linux says that the other end is closed
            while block := os.read(ours, 65536):
                told += block
    os.close(ours)
    rows = told.decode().replace("\r\n", "\n").rstrip("\n").split("\n")
    whole = clew("show", "--from", session, home=tmp_path, cwd=tmp_path).stdout.decode().rstrip("\n").split("\n")
    assert done.returncode == 0
    assert " ".join(rows).split() == " ".join(whole).split()
    assert max(map(len, rows)) <= 50 < max(map(len, whole))


@posix
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="waits for an open file by /proc")
def test_ctrl_c_is_130_without_a_word(tmp_path: Path) -> None:
    """The shell knows 130; nobody who stops a command wants to read a traceback."""
    big = tmp_path.resolve() / "big.jsonl"
    line = Recorder("/nonexistent/tide").user("Fix the tide").text
    big.write_text(line * (60_000_000 // len(line)))
    # Whoever started the tests may ignore the signal (`nohup`, a background job), which children inherit.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    done = subprocess.Popen(
        [CLEW, "resume", "--from", big], env=environment(tmp_path), cwd=tmp_path, stdout=-1, stderr=-1
    )
    signal.signal(signal.SIGINT, before)
    opened = Path(f"/proc/{done.pid}/fd")
    limit = time.monotonic() + 20
    while time.monotonic() < limit and done.poll() is None:
        with suppress(OSError):
            if big in [entry.resolve() for entry in opened.iterdir()]:
                break
        time.sleep(0.005)
    time.sleep(0.1)
    done.send_signal(signal.SIGINT)
    out, err = done.communicate(timeout=20)
    assert (done.returncode, out, err.strip()) == (130, b"", b"")

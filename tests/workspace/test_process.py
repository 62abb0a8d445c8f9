"""Programs that clew starts end in time, and take their children with them."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from clew.workspace import process
from clew.workspace.process import LimitExceeded, ProgramRunner, run

RUNNERS = [run, lambda argv, *, environment, timeout_s: process._run_portable(argv, environment, timeout_s)]
SHELL = "/bin/sh"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="uses a POSIX shell")


@pytest.fixture(params=RUNNERS, ids=["posix", "portable"])
def runner(request: pytest.FixtureRequest) -> ProgramRunner:
    """Both ways of running: they must not differ where it matters."""
    return request.param


def test_output_code_and_environment(runner: ProgramRunner):
    """What a program says and how it ends arrives whole; it gets the environment given, and nothing else."""
    script = 'printf "%s" "$A-$HOME"; printf bad >&2; exit 3'
    done = runner([SHELL, "-c", script], environment={"A": "x"}, timeout_s=5)
    assert done == (3, b"x-", b"bad")


def test_much_output_on_both_pipes_does_not_block(runner: ProgramRunner):
    """A program that fills one pipe while we wait on the other would hang for ever."""
    script = "import sys\nfor i in range(200): sys.stdout.write('o'*5000); sys.stderr.write('e'*5000)"
    done = runner([sys.executable, "-I", "-S", "-c", script], environment={}, timeout_s=20)
    assert (len(done.out), len(done.err)) == (1_000_000, 1_000_000)


def test_a_program_that_waits_for_input_gets_none(runner: ProgramRunner):
    """A prompt for a password must end at once, not wait for a person who is not there."""
    assert runner([SHELL, "-c", "cat; echo end"], environment={}, timeout_s=5).out == b"end\n"


def test_a_program_that_does_not_end_is_killed_with_its_children(tmp_path: Path):
    """A hanging git would hold up the resume; its children would stay behind."""
    pids = tmp_path / "pids"
    script = f'sleep 60 & echo $! >"{pids}"; wait'
    started = time.monotonic()
    with pytest.raises(LimitExceeded):
        run([SHELL, "-c", script], environment={"PATH": os.environ["PATH"]}, timeout_s=0.3)
    assert time.monotonic() - started < 30  # less than the child sleeps
    child = int(pids.read_text())
    assert _ends(child)


def test_a_program_that_says_too_much_is_killed(monkeypatch: pytest.MonkeyPatch):
    """Output without end must not fill the memory."""
    monkeypatch.setattr(process, "OUTPUT_BYTES_MAX", 1 << 20)
    with pytest.raises(LimitExceeded):
        run([SHELL, "-c", "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyy; done"], environment={}, timeout_s=20)


def test_a_program_that_is_not_there_is_an_error_of_the_system(runner: ProgramRunner, tmp_path: Path):
    """The caller can tell "not installed" from "failed"; no descriptor is left open behind it."""
    before = _descriptors()
    for _ in range(20):
        with pytest.raises(OSError):
            runner([str(tmp_path / "missing")], environment={}, timeout_s=5)
    assert _descriptors() == before


def _descriptors() -> int:
    """How many descriptors this process has open, 0 where the system does not tell."""
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def _ends(pid: int) -> bool:
    """Whether a process is gone, or dead and only not reaped yet by whoever inherited it, within a second."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False

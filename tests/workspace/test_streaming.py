"""A program whose lines are read while it runs, and of which nothing stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.workspace.process import MARK
from clew.workspace.process_tree import end_orphan, members, started
from clew.workspace.streaming import Streamed, stream

# Starts a child in a session of its own, which starts another; says the ids; then does what it is told.
STARTS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c",
    "import subprocess, sys, time; p = subprocess.Popen(['sleep', '300']); print(p.pid, flush=True); time.sleep(300)"],
    start_new_session=True, stdout=subprocess.PIPE)
print(os.getpid(), child.pid, int(child.stdout.readline()), flush=True)
"""
IGNORES = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"


def run(
    code: str,
    folder: Path,
    *,
    given: str = "",
    until: Callable[[], str] = lambda: "",
    on: Callable[[str], None] = lambda _: None,
    mark: str = f"m{os.getpid()}",  # the tests of another process run at the same time
) -> tuple[Streamed, list[str], list[str], list[int]]:
    out: list[str] = []
    err: list[str] = []
    pids: list[int] = []

    def said(line: str) -> None:
        out.append(line)
        on(line)

    done = stream(
        [sys.executable, "-c", code],
        folder=str(folder),
        environment=dict(os.environ),
        given=given,
        mark=mark,
        on_started=lambda pid, _: pids.append(pid),
        on_out=said,
        on_err=err.append,
        until=until,
    )
    return done, out, err, pids


def running(pid: int) -> bool:
    return bool(started(pid))


def test_lines_come_as_they_are_said_and_stdin_is_given_whole(tmp_path: Path) -> None:
    """More than a pipe holds, both ways."""
    code = "import sys\nfor line in sys.stdin: print(line[::-1].strip())\nprint('end', file=sys.stderr)\nsys.exit(3)"
    given = "".join(f"{number} {'x' * 99}\n" for number in range(4000))
    done, out, err, _ = run(code, tmp_path, given=given)
    assert Streamed(3, "", True) == done
    assert 4000 == len(out) and ["end"] == err
    assert out[7] == "x" * 99 + " 7"


def test_a_program_that_reads_nothing_is_no_harm(tmp_path: Path) -> None:
    done, _, _, _ = run("import os; os.close(0)", tmp_path, given="x" * 1_000_000)
    assert Streamed(0, "", True) == done


def test_the_pid_is_known_before_anything_is_given(tmp_path: Path) -> None:
    seen: list[bool] = []

    def on_started(pid: int, when: str) -> None:
        time.sleep(0.3)
        seen.append((tmp_path / "got").exists())
        assert when == started(pid) and when

    stream(
        [sys.executable, "-c", "import sys; sys.stdin.read(); open('got', 'w')"],
        folder=str(tmp_path),
        environment=dict(os.environ),
        given="x",
        mark="m",
        on_started=on_started,
        on_out=print,
        on_err=print,
        until=lambda: "",
    )
    assert [False] == seen and (tmp_path / "got").exists()


@pytest.mark.parametrize("stubborn", [False, True])
def test_what_is_ended_takes_all_that_it_started_along(tmp_path: Path, stubborn: bool) -> None:
    """Also what left its group, and what does not listen."""
    lines: list[str] = []
    code = (IGNORES if stubborn else "") + STARTS + "time.sleep(300)"
    done, out, _, _ = run(code, tmp_path, until=lambda: "enough" if lines else "", on=lines.append, mark="all")
    assert ("enough", True) == (done.stopped, done.clean)
    assert not [pid for pid in map(int, out[0].split()) if running(pid)]


def test_what_a_program_leaves_behind_goes_with_it(tmp_path: Path) -> None:
    done, out, _, _ = run(STARTS, tmp_path, mark="behind")
    assert Streamed(0, "", True) == done
    assert not [pid for pid in map(int, out[0].split()) if running(pid)]


def test_a_caller_that_fails_leaves_nothing(tmp_path: Path) -> None:
    pids: list[int] = []

    def fails(line: str) -> None:
        pids.extend(map(int, line.split()))
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        run(STARTS + "time.sleep(300)", tmp_path, on=fails)
    assert pids and not [pid for pid in pids if running(pid)]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="what left its group is found by /proc")
def test_who_dies_takes_it_along(tmp_path: Path) -> None:
    """The one who started it is killed, and can do nothing about it."""
    (tmp_path / "inner.py").write_text(STARTS + "time.sleep(300)", encoding="utf-8")
    outer = f"""
import os, sys
from clew.workspace.streaming import stream
stream([sys.executable, "inner.py"], folder={str(tmp_path)!r}, environment=dict(os.environ), given="", mark="died",
       on_started=lambda pid, when: None, on_out=lambda line: print(line, flush=True), on_err=print, until=lambda: "")
"""
    with subprocess.Popen([sys.executable, "-c", outer], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pids = list(map(int, process.stdout.readline().split()))
        assert all(map(running, pids))
        process.kill()
    limit = time.monotonic() + 20
    while any(map(running, pids)) and time.monotonic() < limit:
        time.sleep(0.05)
    assert not [pid for pid in pids if running(pid)]


def test_an_orphan_is_ended_and_a_stranger_with_its_number_is_not(tmp_path: Path) -> None:
    code = STARTS + "time.sleep(300)"
    own = {**os.environ, MARK: "orphan"}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True, env=own) as one:
        assert one.stdout is not None
        pids = list(map(int, one.stdout.readline().split()))
        when = started(one.pid)
        assert set(pids) <= members(one.pid, "orphan")
        assert end_orphan(one.pid, "another start", "nobody")  # the number is another's by now
        assert all(map(running, pids))
        assert end_orphan(one.pid, when, "orphan", grace_s=2)
        assert not [pid for pid in pids if running(pid)]
        assert -signal.SIGTERM == one.wait()


def test_this_process_is_never_among_them() -> None:
    assert os.getpid() not in members(os.getsid(0), "") | members(os.getppid(), "")

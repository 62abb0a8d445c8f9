"""SIGKILL at random moments: of the run, of the client, of both. The next run goes on, and it ends as if nothing was.

A round is one project whose plan is carried out by `clew run`, with `program.py` as the client. So often as a round is
to be hit, somebody is killed at a random moment, and another run is begun; at last one is left alone.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from clew.core.state.fold import fold
from clew.ledger.sqlite.opening import open_ledger
from clew.workspace.process import MARK
from tests.app.run.runs import Five

VICTIMS = ("run", "client", "both")
RUN_S = 120.0
_PROGRAM = Path(__file__).with_name("program.py")
# A phase takes less than that, from its start to its end.
_SPREAD_S = 1.5


class Kill(NamedTuple):
    """Who is killed, and how many seconds after a run was begun."""

    victim: str
    after_s: float


class Project:
    """A project whose plan waits to be carried out, and a home with a client in it."""

    def __init__(self, folder: Path, phases: int = 5, *, plan: str = "", program: Path = _PROGRAM) -> None:
        self.five = Five(folder, phases=phases, plan=plan)
        self.phases = phases
        self.log = folder / "log"
        self.said = folder / "said"
        programs = folder / "bin"
        programs.mkdir()
        client = programs / "claude"
        client.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S {program} {self.log} "$@"\n', encoding="utf-8")
        client.chmod(0o755)
        own = {name: value for name, value in os.environ.items() if name in ("LANG", "LC_ALL", "TMPDIR", "TERM")}
        path = os.pathsep.join((str(programs), str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
        self.environment: Mapping[str, str] = {
            **own, "HOME": str(self.five.home), "PATH": path, "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip

    def begin(self, *options: str) -> subprocess.Popen[str]:
        """Begin a run; it goes on by itself. What the last one said is in the file `said`."""
        with self.said.open("w", encoding="utf-8") as said:
            return subprocess.Popen(
                [str(Path(sys.executable).with_name("clew")), "run", "--no-baseline", "--json", *options],
                cwd=self.five.top,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )

    def clients(self) -> list[int]:
        """The clients that are alive, of this project."""
        return [pid for pid in _pids() if self._is_client(pid)]

    def _is_client(self, pid: int) -> bool:
        line = _read(f"/proc/{pid}/cmdline")
        return str(_PROGRAM) in line and str(self.log) in line

    def left(self) -> list[int]:
        """What is alive of all that runs of this project started for clients."""
        return [pid for pid in _pids() if f"{MARK}=" in _read(f"/proc/{pid}/environ") and self._is_ours(pid)]

    def _is_ours(self, pid: int) -> bool:
        return str(self.five.home) in _read(f"/proc/{pid}/environ")


def play(folder: Path, kills: list[Kill], *, jobs: int, phases: int) -> Counter[str]:
    """One round; how many of each victim were killed. Raises AssertionError where it does not end as it should."""
    project = Project(folder, phases)
    options = ("--jobs", str(jobs))
    killed: Counter[str] = Counter()
    run = project.begin(*options)
    for kill in kills:
        if run.poll() is not None:
            if run.returncode == 0:
                break
            run = project.begin(*options)
        killed[kill.victim] += _hit(project, run, kill)
    if run.wait(RUN_S):
        run = project.begin(*options)
    assert run.wait(RUN_S) == 0, f"it does not end well:\n{project.said.read_text(encoding='utf-8')}"
    ended_as_undisturbed(project)
    return killed


def _hit(project: Project, run: subprocess.Popen[str], kill: Kill) -> bool:
    """Kill the victim at its moment; False if there was none any more. A client that is not there is waited for."""
    limit = time.monotonic() + kill.after_s
    while time.monotonic() < limit:
        if run.poll() is not None:
            return False
        time.sleep(0.005)
    if kill.victim == "run":
        return _killed(run)
    clients = project.clients()
    while not clients and run.poll() is None:
        time.sleep(0.002)
        clients = project.clients()
    hit = [_kill(pid) for pid in clients]
    if kill.victim == "both":
        hit.append(_killed(run))
    return any(hit)


def _killed(run: subprocess.Popen[str]) -> bool:
    """Kill a run; False if it had ended."""
    if run.poll() is not None:
        return False
    run.kill()
    run.wait()
    return True


def _kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def ended_as_undisturbed(project: Project) -> None:
    """All phases are done once, each in a commit of its own with what it was to write; nothing else is left."""
    five, phases = project.five, project.phases
    assert ["done"] * phases == five.statuses()
    assert ["good\n"] * phases == five.parts()[:phases]
    commits = five.repo.git("log", "--no-merges", "--format=%(trailers:key=Clew-Phase,valueonly,separator=)")
    named = [line for line in commits.splitlines() if line.startswith("P-")]
    assert phases == len(named) == len(set(named)), f"commits: {named}"
    said = project.log.read_text(encoding="utf-8").splitlines()
    assert not [line for line in said if line.startswith("TWO")], "two clients were at one phase"
    assert [] == five.repo.git("status", "--porcelain").splitlines()
    assert 1 == len(five.repo.git("worktree", "list").splitlines())
    deadline = time.monotonic() + 10
    while project.left() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [] == project.left(), "a client's process is left"
    ledger = open_ledger(five.top / ".git" / "clew" / "ledger.db", project="", write=False)
    try:
        events = [one.event for one in ledger.events()]
    finally:
        ledger.close()
    done = [str(event.data["phase"]) for event in events if event.kind == "phase.done"]
    assert phases == len(done) == len(set(done)), "a phase was done twice"
    assert fold(events)


def kills_of(chance: random.Random, count: int) -> list[Kill]:
    """So many kills of random victims at random moments."""
    return [Kill(chance.choice(VICTIMS), chance.random() * _SPREAD_S) for _ in range(count)]


def _pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if re.fullmatch(r"\d+", path.name)]


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""

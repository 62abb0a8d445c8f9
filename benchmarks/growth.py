"""How `clew init`, a session's start and `clew resume` grow with the sessions of one thread, in processor time.

    python -m benchmarks.growth [--sessions 200,400,800,1600] [--kilobytes 40] [--clew PROGRAM] [--check]

One work tree on one branch had all the sessions, one an hour up to now, made by seed; `init` takes them in. A start and
a `resume` are those of a second time, with nothing new. The bars: 800 sessions taken in within 15 s; four times as many
sessions cost at most five times as much; a start with 2,000 of them 2 s. `--check` exits 1 when one is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from benchmarks.lib.tables import markdown
from benchmarks.lib.timing import measure
from benchmarks.resume import transcript
from clew.clients.claude_code.spec import slug

BAR_SESSIONS, BAR_INIT_S = 800, 15.0
BAR_START_SESSIONS, BAR_START_S = 2000, 2.0
# Four times as many may cost so many times as much, beside what one session alone costs.
MORE, BAR_GROWTH = 4, 5.0
NOW = "ed70fd5f-82b4-48c1-8186-648e9118fce1"
_WRITTEN_INSIDE = "0f7d5c1e-0000-4000-8000-000000000001"


class Cost(NamedTuple):
    """Seconds of processor time with so many sessions, and the peak of a start in megabytes."""

    sessions: int
    init_s: float
    start_s: float
    resume_s: float
    peak_mb: float


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description="What more sessions cost.")
    parser.add_argument("--sessions", default="200,400,800,1600,2000", help="how many, separated by commas")
    parser.add_argument("--kilobytes", type=int, default=40, help="the size of each")
    parser.add_argument("--clew", type=Path, default=Path(sys.executable).with_name("clew"))
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args(argv)
    counts = sorted({int(one) for one in arguments.sessions.split(",")})
    costs = []
    for count in counts:
        with tempfile.TemporaryDirectory() as temporary:
            costs.append(_cost(Path(temporary).resolve(), count, arguments.kilobytes << 10, arguments.clew.absolute()))
    rows = [
        [f"{one.sessions:,}", f"{one.init_s:.1f}", f"{1000 * one.init_s / one.sessions:.1f}", f"{one.start_s:.2f}",
         f"{one.resume_s:.2f}", f"{one.peak_mb:.0f}"]
        for one in costs
    ]  # fmt: skip
    print(markdown(["sessions", "init, s", "ms each", "start, s", "resume, s", "peak MB"], rows))
    missed = _missed(costs)
    print("\n" + ("\n".join(missed) if missed else "every bar that these sizes tell of is held"))
    return int(arguments.check and bool(missed))


def _missed(costs: list[Cost]) -> list[str]:
    """What misses a bar, in a sentence each."""
    told = []
    for one in costs:
        if one.sessions == BAR_SESSIONS and one.init_s > BAR_INIT_S:
            told.append(f"MISSED: init of {one.sessions:,} sessions takes {one.init_s:.1f} s, not {BAR_INIT_S:.0f}")
        if one.sessions == BAR_START_SESSIONS and one.start_s > BAR_START_S:
            told.append(f"MISSED: a start with {one.sessions:,} takes {one.start_s:.1f} s, not {BAR_START_S:.0f}")
    by_count = {one.sessions: one for one in costs}
    for one in costs:
        more = by_count.get(MORE * one.sessions)
        if more is not None and more.init_s > BAR_GROWTH * one.init_s:
            told.append(
                f"MISSED: init of {more.sessions:,} costs {more.init_s / one.init_s:.1f} times {one.sessions:,}"
            )
    return told


def _cost(folder: Path, count: int, size_bytes: int, clew: Path) -> Cost:
    project = folder / "shop"
    project.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", str(project)], check=True)
    kept = folder / ".claude" / "projects" / slug(str(project))
    kept.mkdir(parents=True)
    (folder / ".claude" / "settings.json").write_text("{}\n")
    write_sessions(kept, count, size_bytes, project)
    environment = {"HOME": str(folder), "PATH": os.environ["PATH"], "USER": "dev", "CLAUDE_CODE_ENTRYPOINT": "cli"}
    init = measure([str(clew), "init"], cwd=project, env=environment)
    settings = json.loads((folder / ".claude" / "settings.json").read_text())
    hook = settings["hooks"]["SessionStart"][0]["hooks"][0]
    event = folder / "event.json"
    given = {"session_id": NOW, "transcript_path": str(kept / f"{NOW}.jsonl"), "cwd": str(project)}
    event.write_text(json.dumps({**given, "hook_event_name": "SessionStart", "source": "startup"}))
    environment["CLAUDE_PROJECT_DIR"] = str(project)
    starts = [
        measure([hook["command"], *hook["args"]], cwd=project, env=environment, given=event) for _ in range(2)
    ]  # fmt: skip
    resume = [measure([str(clew), "resume"], cwd=project, env=environment) for _ in range(2)]
    return Cost(count, init.cpu_s, starts[1].cpu_s, resume[1].cpu_s, starts[1].peak_mb)


def write_sessions(folder: Path, count: int, size_bytes: int, cwd: Path) -> None:
    """Write so many sessions of a work tree, one an hour up to now."""
    began = datetime.now(UTC) - timedelta(hours=count)
    for number in range(count):
        session = f"{number:08x}-0000-4000-8000-000000000001"
        path, start = folder / f"{session}.jsonl", began + timedelta(hours=number)
        transcript.write(path, size_bytes=size_bytes, seed=number, cwd=str(cwd), branch="main", start=start)
        path.write_text(path.read_text(encoding="utf-8").replace(_WRITTEN_INSIDE, session), encoding="utf-8")
        os.utime(path, (start.timestamp(), start.timestamp()))


if __name__ == "__main__":
    sys.exit(main())

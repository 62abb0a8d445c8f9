"""What commands cost as a project grows: in sessions, in the size of one transcript, in items, in files.

    python -m benchmarks.growth [--grows sessions,transcript,items,files] [--sizes 10,100] [--clew PROGRAM] [--check]

Seconds of processor time of whole processes in a project made by seed, the second time each: a session's start as its
hook where nothing is prepared, and one that was prepared; `decide`, `status`, `resume`; and the largest peak of memory
among them. `init` is the first time, `rest` how long it takes (by the clock) until nothing is left to take in behind
it. At the far end of each a start may cost 0.6 s, `decide` 0.25 s, `status` and `resume` 0.8 s, and 80 MB; the rest of
four times as many sessions at most five times as much. `--check` exits 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.ledger.material import Author
from benchmarks.lib.tables import markdown
from benchmarks.lib.timing import Sample, measure
from benchmarks.resume import transcript
from clew.clients.claude_code.spec import slug
from clew.core.runtime_dir import PREPARED, live_folder
from clew.ledger.sqlite.opening import open_ledger

BARS: Mapping[str, float] = {"start": 0.6, "decide": 0.25, "status": 0.8, "resume": 0.8}
BAR_PEAK_MB = 80
# Four times as many sessions may cost so many times as much to take in.
MORE, BAR_GROWTH = 4, 5.0
SESSION_BYTES = 40 << 10
# Sessions that are taken in long after they ended join no thread (`thread.idle_days`), so that its work is that long.
_THREAD = timedelta(days=12)
_WRITTEN_INSIDE = "0f7d5c1e-0000-4000-8000-000000000001"
_BATCH = 1000
_WAIT_S = 1800
# No system gives a process this number: clients that are gone.
_GONE = 2**22 + 1
_SHOWN = ("start", "prepared", "decide", "status", "resume")


class Place(NamedTuple):
    """A user's home, a project of theirs, and the folder where their client keeps its sessions."""

    home: Path
    project: Path
    sessions: Path
    clew: Path

    def environment(self) -> dict[str, str]:
        """What a command finds around it."""
        path = os.environ["PATH"]
        return {"HOME": str(self.home), "PATH": path, "USER": "dev", "CLAUDE_CODE_ENTRYPOINT": "cli"}


class Cost(NamedTuple):
    """Seconds of processor time at a size by command, the peak of the largest in megabytes."""

    size: int
    init_s: float
    rest_s: float
    seconds: Mapping[str, float]
    peak_mb: float


class Curve(NamedTuple):
    """What grows: in which unit, at which sizes, and how a place of a size is made before and behind `clew init`."""

    unit: str
    sizes: tuple[int, ...]
    before: Callable[[Place, int], None]
    behind: Callable[[Place, int], None]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__.splitlines()[0])
    parser.add_argument("--grows", default=",".join(CURVES), help="what, separated by commas")
    parser.add_argument("--sizes", default="", help="how much, separated by commas; otherwise those with bars")
    parser.add_argument("--clew", type=Path, default=Path(sys.executable).with_name("clew"))
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args(argv)
    missed = []
    for name in arguments.grows.split(","):
        curve = CURVES[name]
        sizes = sorted({int(one) for one in arguments.sizes.split(",")}) if arguments.sizes else curve.sizes
        costs = [_cost(curve, size, arguments.clew.absolute()) for size in sizes]
        rows = [
            [
                *(f"{one.size:,}", f"{one.init_s:.1f}", f"{one.rest_s:.0f}"),
                *(f"{one.seconds[key]:.2f}" for key in _SHOWN),
                f"{one.peak_mb:.0f}",
            ]
            for one in costs
        ]
        print(markdown([curve.unit, "init, s", "rest, s", *_SHOWN, "peak MB"], rows) + "\n", flush=True)
        missed += _missed(name, curve, costs)
    print("\n".join(missed) if missed else "every bar that these sizes tell of is held")
    return int(arguments.check and bool(missed))


def _missed(name: str, curve: Curve, costs: list[Cost]) -> list[str]:
    """What misses a bar, in a sentence each."""
    told = []
    for one in costs:
        if one.size == curve.sizes[-1]:
            over = [
                (f"{key} takes {one.seconds[key]:.2f} s", bar) for key, bar in BARS.items() if one.seconds[key] > bar
            ]
            over += [(f"the peak is {one.peak_mb:.0f} MB", BAR_PEAK_MB)] if one.peak_mb > BAR_PEAK_MB else []
            told += [f"MISSED: with {one.size:,} {curve.unit} {what}, not {bar}" for what, bar in over]
    by_size = {one.size: one for one in costs}
    for one in costs if name == "sessions" else ():
        more = by_size.get(MORE * one.size)
        if more is not None and more.rest_s > BAR_GROWTH * one.rest_s:
            told.append(f"MISSED: the rest of {more.size:,} takes {more.rest_s / one.rest_s:.1f} times {one.size:,}")
    return told


def _cost(curve: Curve, size: int, clew: Path) -> Cost:
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary).resolve()
        project = home / "shop"
        place = Place(home, project, home / ".claude" / "projects" / slug(str(project)), clew)
        project.mkdir()
        subprocess.run(["git", "init", "-q", "-b", "main", str(project)], check=True)
        place.sessions.mkdir(parents=True)
        (home / ".claude" / "settings.json").write_text("{}\n")
        curve.before(place, size)
        environment = place.environment()
        init = measure([str(clew), "init"], cwd=project, env=environment)
        rest_s = _until(lambda: _told(place, "status")["waiting"] == 0)
        curve.behind(place, size)
        commands = {"status": [str(clew), "status"], "resume": [str(clew), "resume"]}
        for number in range(2):
            commands["decide"] = [str(clew), "decide", f"Page by cursor {number}", "--why", "rows move"]
            found = {name: measure(command, cwd=project, env=environment) for name, command in commands.items()}
            found["start"] = _start(place)  # behind what was decided nothing that was prepared holds
            found["prepared"] = _start(place)
    seconds = {name: one.cpu_s for name, one in found.items()}
    return Cost(size, init.cpu_s, rest_s, seconds, max(one.peak_mb for one in found.values()))


def _start(place: Place) -> Sample:
    """The start of one session more, whose client is gone at once; then wait until the next one is prepared."""
    settings = json.loads((place.home / ".claude" / "settings.json").read_text())
    hook = settings["hooks"]["SessionStart"][0]["hooks"][0]
    session, event = str(uuid.uuid4()), place.home / "event.json"
    given = {"session_id": session, "transcript_path": str(place.sessions / f"{session}.jsonl"), "source": "startup"}
    event.write_text(json.dumps({**given, "cwd": str(place.project), "hook_event_name": "SessionStart"}))
    environment = {**place.environment(), "CLAUDE_PROJECT_DIR": str(place.project), "CLAUDE_PID": str(_GONE)}
    kept = Path(live_folder(str(place.home / ".local/share/clew"), str(place.project)), PREPARED)
    before = kept.stat().st_mtime_ns if kept.exists() else 0
    found = measure([hook["command"], *hook["args"]], cwd=place.project, env=environment, given=event)
    _until(lambda: kept.exists() and kept.stat().st_mtime_ns != before)
    return found


def _until(holds: Callable[[], bool]) -> float:
    """Wait; how many seconds it took."""
    start = time.monotonic()
    while not holds():
        if time.monotonic() > start + _WAIT_S:
            sys.exit("what is done behind a command did not end")
        time.sleep(0.1)
    return time.monotonic() - start


def _told(place: Place, *command: str) -> Any:
    """What a command tells as JSON."""
    told = subprocess.run(
        [str(place.clew), *command, "--json"],
        cwd=place.project,
        env=place.environment(),
        capture_output=True,
        check=True,
    )
    return json.loads(told.stdout)


def write_sessions(place: Place, count: int) -> None:
    """So many sessions of a work tree up to now, at most an hour apart, and all of one thread."""
    apart = min(timedelta(hours=1), _THREAD / count)
    began = datetime.now(UTC) - count * apart
    for number in range(count):
        session = f"{number:08x}-0000-4000-8000-000000000001"
        _write_session(place, session, SESSION_BYTES, began + number * apart, number)


def write_transcript(place: Place, megabytes: int) -> None:
    """One session of a size, begun some days ago."""
    _write_session(
        place, f"{1:08x}-0000-4000-8000-000000000001", megabytes << 20, datetime.now(UTC) - timedelta(days=1)
    )


def write_one(place: Place, _size: int) -> None:
    """One session of a usual size."""
    write_transcript(place, 1)


def record_items(place: Place, count: int) -> None:
    """So many decisions of an agent in the task that work goes on with."""
    [task] = [one["id"] for one in _told(place, "task", "list")["tasks"]]
    ledger, author = open_ledger(place.project / ".git" / "clew" / "ledger.db", write=True), Author()
    for done in range(0, count, _BATCH):
        events = [author.stated(task) for _ in range(min(_BATCH, count - done))]
        ledger.append([one._replace(project=ledger.project) for one in events])
    ledger.close()


def write_files(place: Place, count: int) -> None:
    """So many files in git, in folders of a hundred."""
    for number in range(count):
        file = place.project / "src" / f"part{number // 100}" / f"file{number}.py"
        if number % 100 == 0:
            file.parent.mkdir(parents=True)
        file.write_text(f"value = {number}\n")
    git = ["git", "-C", str(place.project), "-c", "user.name=dev", "-c", "user.email=dev@example.com"]
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "files"], check=True)
    write_one(place, count)


def _write_session(place: Place, session: str, size_bytes: int, start: datetime, seed: int = 1) -> None:
    path = place.sessions / f"{session}.jsonl"
    plain = path.with_suffix(".txt")
    transcript.write(plain, size_bytes=size_bytes, seed=seed, cwd=str(place.project), branch="main", start=start)
    with plain.open(encoding="utf-8") as lines, path.open("w", encoding="utf-8") as file:
        file.writelines(line.replace(_WRITTEN_INSIDE, session) for line in lines)
    plain.unlink()
    os.utime(path, (start.timestamp(), start.timestamp()))


def _nothing(_place: Place, _size: int) -> None:
    pass


CURVES: Mapping[str, Curve] = {
    "sessions": Curve("sessions", (10, 100, 1000, 2000, 5000), write_sessions, _nothing),
    "transcript": Curve("MB of transcript", (1, 10, 100, 400), write_transcript, _nothing),
    "items": Curve("items", (1000, 10_000, 100_000), write_one, record_items),
    "files": Curve("files", (1000, 10_000, 50_000), write_files, _nothing),
}

if __name__ == "__main__":
    sys.exit(main())

"""What commands cost as a project grows: in sessions, in the size of one transcript, in items, in files.

    python -m benchmarks.growth [--grows sessions,transcript,items,files] [--sizes 10,100] [--clew PROGRAM] [--check]

Seconds of processor time of whole processes in a project made by seed, the second time each: a session's start as its
hook, `decide`, `status`, `resume`; and the largest peak of memory among them. `init` is the first time, until nothing
is left to take in. At the far end of each a start may cost 0.6 s, `decide` 0.25 s, `status` and `resume` 0.8 s, and 80
MB; `init` of four times as many sessions at most five times as much. `--check` exits 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from benchmarks.ledger.material import Author
from benchmarks.lib.tables import markdown
from benchmarks.lib.timing import measure
from benchmarks.resume import transcript
from clew.clients.claude_code.spec import slug
from clew.ledger.sqlite.opening import open_ledger

BARS: Mapping[str, float] = {"start": 0.6, "decide": 0.25, "status": 0.8, "resume": 0.8}
BAR_PEAK_MB = 80
# Four times as many sessions may cost so many times as much to take in.
MORE, BAR_GROWTH = 4, 5.0
SESSION_BYTES = 40 << 10
NOW = "ed70fd5f-82b4-48c1-8186-648e9118fce1"
_WRITTEN_INSIDE = "0f7d5c1e-0000-4000-8000-000000000001"
_BATCH = 1000
_WAIT_S = 900


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
            [f"{one.size:,}", f"{one.init_s:.1f}", *(f"{one.seconds[key]:.2f}" for key in BARS), f"{one.peak_mb:.0f}"]
            for one in costs
        ]
        print(markdown([curve.unit, "init, s", *BARS, "peak MB"], rows) + "\n", flush=True)
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
        if more is not None and more.init_s > BAR_GROWTH * one.init_s:
            told.append(f"MISSED: init of {more.size:,} costs {more.init_s / one.init_s:.1f} times {one.size:,}")
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
        init_s = init.cpu_s + _take_in(place)
        curve.behind(place, size)
        settings = json.loads((home / ".claude" / "settings.json").read_text())
        hook = settings["hooks"]["SessionStart"][0]["hooks"][0]
        event = home / "event.json"
        given = {"session_id": NOW, "transcript_path": str(place.sessions / f"{NOW}.jsonl"), "cwd": str(project)}
        event.write_text(json.dumps({**given, "hook_event_name": "SessionStart", "source": "startup"}))
        environment["CLAUDE_PROJECT_DIR"] = str(project)
        commands = {
            "start": [hook["command"], *hook["args"]],
            "decide": [str(clew), "decide", "Page by cursor", "--why", "rows move"],
            "status": [str(clew), "status"],
            "resume": [str(clew), "resume"],
        }
        for command in commands.values():
            measure(command, cwd=project, env=environment, given=event)
        second = {
            name: measure(command, cwd=project, env=environment, given=event) for name, command in commands.items()
        }
    return Cost(
        size, init_s, {name: one.cpu_s for name, one in second.items()}, max(one.peak_mb for one in second.values())
    )


def _take_in(place: Place) -> float:
    """What it takes until nothing is left to take in, in seconds of processor time."""
    return 0.0


def write_sessions(place: Place, count: int) -> None:
    """So many sessions of a work tree, one an hour up to now."""
    began = datetime.now(UTC) - timedelta(hours=count)
    for number in range(count):
        session = f"{number:08x}-0000-4000-8000-000000000001"
        _write_session(place, session, SESSION_BYTES, began + timedelta(hours=number), number)


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
    told = subprocess.run(
        [str(place.clew), "task", "list", "--json"],
        cwd=place.project,
        env=place.environment(),
        capture_output=True,
        check=True,
    )
    [task] = [one["id"] for one in json.loads(told.stdout)["tasks"]]
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

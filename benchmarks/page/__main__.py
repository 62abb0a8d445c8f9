"""How fast and how light the page is, with many sessions and items.

    python -m benchmarks.page [--sessions 5000] [--items 20] [--tasks 100] [--events 40] [--idle 20] [--check]

A project is made: so many sessions with so many items each, in the ledger and as files, of so many tasks. `clew serve`
runs as a process of its own. Told are the first page after its start, the time from a note to a page that shows it (an
open page hears of it and asks again), and what the server uses while 20 pages are open and nothing happens.
The bars: 150 ms, 300 ms (95 %), 1 % of a core, 80 MB, 60 KB. `--check` exits 1 when one is missed.
"""

from __future__ import annotations

import argparse
import http.client
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil
from tests.app.projects import World, open_task, read_item
from tests.recordings.sessions import ID, Recorder

from benchmarks.lib.tables import markdown
from clew.app.project.runtime_dirs import opt_in
from clew.app.record.note import NewNote, note
from clew.clients.claude_code.spec import slug
from clew.core.state.extract import Extract
from clew.core.state.items import Origin
from clew.distill.version import RULES_VERSION

PAGES = 20
_KINDS = ("decision", "failed", "constraint", "step")


class Figure(NamedTuple):
    """A figure, what it may be at most, and its unit."""

    name: str
    value: float
    most: float
    unit: str


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description="What the page costs.")
    for name, default in (("sessions", 5000), ("items", 20), ("tasks", 100), ("events", 40), ("idle", 20)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        world = World(Path(temporary).resolve())
        fill(world, given.sessions, given.items, given.tasks)
        figures = list(measure(world, given.events, given.idle))
    rows = [[one.name, f"{one.value:,.1f} {one.unit}", f"{one.most:,.0f} {one.unit}"] for one in figures]
    print(markdown(["", "measured", "bar"], rows))
    missed = [one.name for one in figures if one.value > one.most]
    print(f"\nMISSED: {', '.join(missed)}" if missed else "\nevery bar is held")
    return int(given.check and bool(missed))


def fill(world: World, sessions: int, items: int, tasks: int) -> None:
    """Put sessions into the ledger and beside it; the task that came last is bound."""
    opt_in(world.ports.trust_store.parent, world.top)
    folder = world.home / ".claude" / "projects" / slug(str(world.top))
    folder.mkdir(parents=True)
    text = Recorder(world.top).user("Fix the tide").reply("It is ten now.").text
    with world.desk() as at:
        names = [open_task(at, f"Task {number}") for number in range(tasks)]
        for number in range(sessions):
            session = f"{number:08x}-0000-4000-8000-000000000001"
            day, minute = divmod(number * 7, 1440)
            moment = f"2026-{1 + day // 28 % 9:02}-{1 + day % 28:02}T{minute // 60:02}:{minute % 60:02}:00Z"
            path = folder / f"{session}.jsonl"
            path.write_text(text.replace(ID, session), encoding="utf-8")
            os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
            kinds = [_KINDS[place % len(_KINDS)] for place in range(items)]
            found = tuple(
                read_item(kind, f"{kind} {place} of session {number}", moment, session=session, at=place)
                for place, kind in enumerate(kinds)
            )
            origin = Origin("claude-code", session, str(world.top), "main", moment, moment, True, "")
            size = path.stat().st_size
            extract = Extract(origin, names[number % tasks], str(world.top), RULES_VERSION, size, f"{size:08}", found)
            at.take_in(extract, unless_redacted_after=at.ledger.position())


class Client:
    """A browser that holds its cookie."""

    def __init__(self, port: int, ticket: str) -> None:
        self.port = port
        self.cookie = ""
        answer = self._asked("POST", "/enter", f"ticket={ticket}")
        self.cookie = (answer.getheader("set-cookie") or "").partition(";")[0]

    def page(self, path: str) -> tuple[float, bytes]:
        """How many milliseconds it took, and what came."""
        began = time.perf_counter()
        answer = self._asked("GET", path)
        body = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status}\n{body.decode()[:2000]}")
        return 1000 * (time.perf_counter() - began), body

    def events(self) -> http.client.HTTPResponse:
        """The events that an open page hears."""
        answer = self._asked("GET", "/events?project=")
        wait_for(answer, b"event: ready")
        return answer

    def _asked(self, method: str, path: str, body: str = "") -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        headers = {"Cookie": self.cookie, "Origin": f"http://127.0.0.1:{self.port}"}
        connection.request(method, path, body or None, headers)
        return connection.getresponse()


def wait_for(answer: http.client.HTTPResponse, line: bytes) -> None:
    """Read events up to this line."""
    while True:
        if answer.readline().startswith(line):
            return


def measure(world: World, events: int, idle_s: int) -> Iterator[Figure]:
    with serving(world) as (process, port, ticket):
        client = Client(port, ticket)
        before = _cpu_ms(process)
        cold, body = client.page("/")
        yield Figure("first page after the start", cold, 150, "ms")
        yield Figure("the same, processor of the server", _cpu_ms(process) - before, 150, "ms")
        yield Figure("memory after it", process.memory_info().rss / 1e6, 80, "MB")
        files = sum(len(client.page(f"/static/{name}")[1]) for name in ("page.js", "page.css"))
        yield Figure("its weight with script and style", (len(body) + files) / 1000, 60, "KB")
        yield Figure("first page again", client.page("/")[0], 150, "ms")
        key = body.decode().partition('href="/p/')[2].partition("/")[0]
        times = []
        for path in ("", "sessions", "plan", "memory"):
            took, page = client.page(f"/p/{key}/{path}")
            print(f"  {path or 'task'}: {took:.0f} ms, {len(page) / 1000:.0f} KB", file=sys.stderr)
        hears = client.events()
        before = _cpu_ms(process)
        for number in range(events):
            words = f"Which tide is number {number}?"
            note(world.by_person, NewNote("question", words, blocking=True))
            noted = time.perf_counter()
            wait_for(hears, b"event: changed")
            while words.encode() not in client.page("/")[1]:
                pass
            times.append(1000 * (time.perf_counter() - noted))
        times.sort()
        yield Figure("from a note to the page, 95 %", times[int(len(times) * 0.95)], 300, "ms")
        yield Figure("the same, half of them", times[len(times) // 2], 300, "ms")
        yield Figure("the same, processor of the server", (_cpu_ms(process) - before) / events, 300, "ms")
        held = [client.events() for _ in range(PAGES)]
        time.sleep(1)
        before = _cpu_ms(process)
        time.sleep(idle_s)
        used = (_cpu_ms(process) - before) / 1000
        yield Figure(f"processor, idle with {len(held) + 1} pages", 100 * used / idle_s, 1, "%")
        yield Figure("memory after all pages", process.memory_info().rss / 1e6, 80, "MB")


def _cpu_ms(process: psutil.Process) -> float:
    used = process.cpu_times()
    return 1000 * (used.user + used.system)


@contextmanager
def serving(world: World) -> Iterator[tuple[psutil.Process, int, str]]:
    """`clew serve` in the project: its process, its port, the ticket of its link."""
    environment = {"HOME": str(world.home), "PATH": os.environ["PATH"], "USER": "dev"}
    command = [str(Path(sys.executable).with_name("clew")), "serve", "--port", "0"]
    with subprocess.Popen(
        command, cwd=world.top, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as made:
        assert made.stdout is not None
        try:
            link = made.stdout.readline().decode().split()[-1]
            port, _, ticket = link.rpartition(":")[2].partition("/#")
            yield psutil.Process(made.pid), int(port), ticket
        finally:
            made.terminate()


if __name__ == "__main__":
    sys.exit(main())

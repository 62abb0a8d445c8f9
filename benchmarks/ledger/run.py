"""The ledger: what appending, restoring, folding and checkpoints cost.

    python -m benchmarks.ledger.run [--peer PYTHON] [--rounds 100] [--events 100000] [--checkpoints 10000] [--check]

`--peer` (or PEER_PYTHON) is an interpreter that has `langgraph-checkpoint-sqlite` (`langgraph-checkpoint-postgres` and
`psycopg` for `--server`); without it nothing is compared with LangGraph's savers. Ours, a plain table and the peer
take turns in one run. `--server` measures a ledger on a PostgreSQL server, which is started for it, instead of a file.
`--check` exits 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

import apsw
import msgspec
import psycopg
from tests.ledger.postgres.server import Server, programs

from benchmarks.ledger.material import KEY, PROJECT, Author, append, crowd
from benchmarks.lib.tables import markdown
from benchmarks.lib.timing import interleaved, middle, ratio
from clew.core.state.events import Event
from clew.core.state.items import Item
from clew.ledger import codec
from clew.ledger.postgres import ledger as postgres
from clew.ledger.sqlite.ledger import SqliteLedger
from clew.ledger.sqlite.opening import open_ledger

_PEER = str(Path(__file__).with_name("peer.py"))
_APPENDS_A_ROUND = 25
_LIVE = 1000


_PLAIN = f"INSERT INTO event ({', '.join(Event._fields)}) VALUES ({', '.join('?' * len(Event._fields))})"


class Finding(NamedTuple):
    """One figure; `held` is None where there is no bar."""

    what: str
    figure: str
    bar: str
    held: bool | None


def main() -> int:
    """Measure everything, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", default=os.environ.get("PEER_PYTHON", ""))
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--checkpoints", type=int, default=10_000)
    parser.add_argument("--server", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not options.peer:
        print("no --peer and no PEER_PYTHON: LangGraph's saver is left out", file=sys.stderr)
    findings = _on_a_server(options.peer, options.rounds, options.events) if options.server else []
    with tempfile.TemporaryDirectory(prefix="clew-ledger-") as name:
        folder = Path(name)
        if not options.server:
            findings = [
                *_appending(folder, options.peer, options.rounds),
                *_folding(folder, options.peer, options.events, options.rounds),
                *_checkpoints(folder, options.checkpoints),
            ]
    cells = [(one.what, one.figure, one.bar, {True: "held", False: "MISSED", None: ""}[one.held]) for one in findings]
    print(markdown(("ledger", "measured", "bar", ""), cells))
    return int(options.check and any(one.held is False for one in findings))


def new(file: Path) -> SqliteLedger:
    """A new ledger."""
    return open_ledger(file, project=PROJECT, write=True, chance=lambda count: KEY[:count])


def _on_a_server(peer: str, rounds: int, events: int) -> list[Finding]:
    """Appends and restores against a plain table and LangGraph's PostgresSaver on one server, which syncs."""
    found = programs()
    if found is None:
        sys.exit("there is no PostgreSQL server here: `apt-get install postgresql`")
    server = Server(found, "")
    try:
        address, author, task = server.empty(), Author(), "T-7k2q000000000000"
        ledger = postgres.open_ledger(address, project=PROJECT, write=True, make=True)
        columns = ", ".join(f"{name} {'bigint' if name == 'v' else 'text'}" for name in Event._fields)
        server.sql(f"CREATE TABLE IF NOT EXISTS plain (seq bigserial PRIMARY KEY, {columns})", "ledgers")
        insert = f"INSERT INTO plain ({', '.join(Event._fields)}) VALUES ({', '.join(['%s'] * len(Event._fields))})"
        seconds: dict[str, list[float]] = {"ours": [], "plain": [], "PostgresSaver": []}
        with psycopg.connect(address, autocommit=True) as plain, ExitStack() as stack:
            process = None
            if peer:
                command = [peer, _PEER, "put", address]
                process = stack.enter_context(
                    subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                )
            for number in range(-rounds // 4, rounds):  # what is below 0 warms up
                given = [author.stated(task) for _ in range(_APPENDS_A_ROUND)]
                times = {"ours": [_time(lambda one: ledger.append([one]), one) for one in given]}
                rows = [(*one[:-1], msgspec.json.encode(one.data).decode()) for one in given]
                times["plain"] = [_time(lambda row: plain.execute(insert, row), row) for row in rows]
                times["PostgresSaver"] = [_ask(process) for _ in given] if process is not None else []
                for name in times if number >= 0 else ():
                    seconds[name] += times[name]
        crowded = author.name("T")
        append(ledger, crowd(author, crowded, live=min(_LIVE, events // 10), others=30), events)
        ledger.fold(crowded)
        ledger.close()
        restored = _restoring(address, address, peer, crowded, min(_LIVE, events // 10), rounds)
        return [*_appended(seconds, "on a server", plain_max=2), *restored]
    finally:
        server.end()


def _appending(folder: Path, peer: str, rounds: int) -> list[Finding]:
    """Ours, the plain table and the peer in turn, some at a time: in files opened for these, as by a command, and in
    files that stay open. A write-ahead log that was just begun grows, which costs more than to write it over again.
    """
    return [
        *_appended(_in_turn(folder / "short", peer, rounds, stay_open=False), "just opened"),
        *_appended(_in_turn(folder / "long", peer, rounds * 2, stay_open=True), "long open"),
    ]


def _in_turn(folder: Path, peer: str, rounds: int, *, stay_open: bool) -> dict[str, list[float]]:
    folder.mkdir()
    author, task = Author(), "T-7k2q000000000000"
    chance = Random(1)
    opened: list[tuple[SqliteLedger, apsw.Connection]] = []
    seconds: dict[str, list[float]] = {"ours": [], "plain": [], "SqliteSaver": []}

    def ours() -> list[float]:
        given = [author.stated(task) for _ in range(_APPENDS_A_ROUND)]
        return [_time(lambda event: opened[0][0].append([event]), event) for event in given]

    def plainly() -> list[float]:
        given = [codec.event_columns(author.stated(task)) for _ in range(_APPENDS_A_ROUND)]
        return [_time(lambda columns: _insert(opened[0][1], columns), columns) for columns in given]

    rivals: dict[str, Callable[[], list[float]]] = {"ours": ours, "plain": plainly}
    process = None
    if peer:
        command = [peer, _PEER, "put", str(folder / "peer.db")]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        rivals["SqliteSaver"] = lambda: [_ask(process) for _ in range(_APPENDS_A_ROUND)]
    names = list(rivals)
    for number in range(-rounds, rounds) if stay_open else range(-1, rounds):  # what is below 0 warms up
        if not opened:
            opened.append((new(folder / "ours.db"), _plain(folder / "plain.db")))
        chance.shuffle(names)
        for name in names:
            times = rivals[name]()
            if number >= 0:
                seconds[name] += times
        if not stay_open:
            _close(*opened.pop())
            if process is not None and process.stdin is not None:
                print("open again", file=process.stdin, flush=True)
    if process is not None:
        process.communicate()
    for one in opened:
        _close(*one)
    return seconds


def _plain(file: Path) -> apsw.Connection:
    connection = apsw.Connection(str(file))
    connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    connection.execute(f"CREATE TABLE IF NOT EXISTS event (seq INTEGER PRIMARY KEY, {', '.join(Event._fields)})")
    return connection


def _close(ledger: SqliteLedger, plain: apsw.Connection) -> None:
    ledger.close()
    plain.close()


def _appended(seconds: dict[str, list[float]], how: str, *, plain_max: float = 1.3) -> list[Finding]:
    found = [
        Finding(f"durable append, {how}, {name}: p50, p99", f"{_us(times, 0.5)}, {_us(times, 0.99)}", "", None)
        for name, times in seconds.items()
        if times
    ]
    middle_ratio = median(seconds["ours"]) / median(seconds["plain"])
    found.append(Finding("… p50 / plain insert's", f"{middle_ratio:.2f}", f"≤ {plain_max}", middle_ratio <= plain_max))
    rival = next((name for name in seconds if name.endswith("Saver") and seconds[name]), "")
    if rival:
        tail = _quantile(seconds["ours"], 0.99) / _quantile(seconds[rival], 0.99)
        found.append(Finding(f"… p99 / {rival}'s", f"{tail:.2f}", "< 1", tail < 1))
    return found


def _folding(folder: Path, peer: str, events: int, rounds: int) -> list[Finding]:
    author, file = Author(2), folder / "crowd.db"
    task = author.name("T")
    ledger = new(file)
    live = min(_LIVE, events // 10)
    append(ledger, crowd(author, task, live=live, others=30), events)
    ledger.fold(task)
    ledger.close()
    after_opening = [_folded(file, task) for _ in range(rounds)]
    found = [
        Finding(
            f"fold of {live} live items, {events} events, after opening: p50, p90",
            f"{1000 * median(after_opening):.2f}, {1000 * _quantile(after_opening, 0.9):.2f} ms",
            "≤ 5 ms",
            median(after_opening) <= 0.005,
        )
    ]
    ledger = open_ledger(file, write=False)
    newer = [author.edited(task, name) for name in list(ledger.fold(task).entities)[:80]]
    names = list(ledger.fold(task).entities)
    found.append(Finding("… shortest ids of them", f"{1000 * _best(lambda: ledger.shortest(names)):.2f} ms", "", None))
    ledger.close()
    for count in (10, 70):
        ledger = open_ledger(file, write=True)
        ledger.append(newer[:count])
        ledger.close()
        newer = newer[count:]
        times = [_folded(file, task) for _ in range(rounds)]
        found.append(
            Finding(f"… and {count} more events not in the snapshot", f"{1000 * median(times):.2f} ms", "", None)
        )
    return [*found, *_restoring(str(file), str(folder / "restore.db"), peer, task, live, rounds)]


def _restoring(file: str, other: str, peer: str, task: str, live: int, rounds: int) -> list[Finding]:
    commands = {"ours": [sys.executable, "-m", "benchmarks.ledger.restore", file, task, str(live)]}
    if peer:
        subprocess.run([peer, _PEER, "make", other, str(live)], check=True)
        commands["peer"] = [peer, _PEER, "restore", other, str(live)]
    samples = interleaved(commands, rounds=max(1, rounds // 10))
    ours = [sample.wall_s for sample in samples["ours"]]
    found = [Finding("new process to state", f"{1000 * middle(samples['ours']).wall_s:.0f} ms", "", None)]
    if peer:
        quotient = ratio(ours, [sample.wall_s for sample in samples["peer"]])
        found.append(Finding("… / the saver's", str(quotient), "≤ 0.5", quotient.median <= 0.5))
    return found


def _checkpoints(folder: Path, count: int) -> list[Finding]:
    """A task that grows to 1,000 live items, its session read again and a checkpoint taken, over and over."""
    author, file = Author(3), folder / "checkpoints.db"
    task = author.name("T")
    ledger = new(file)
    taken = author.checkpoints(task, files=40)
    found: list[Item] = []
    for number in range(count):
        stated = [author.stated(task)] if number * _LIVE % count < _LIVE else []
        ledger.append(stated)
        if number % max(1, count // 60) == 0:
            found.append(author.found())
        ledger.take_in(author.extract(task, extent=number, items=found))
        ledger.append([next(taken)])
        if number % 10 == 0:
            ledger.fold(task)
    live = len(ledger.fold(task).entities)
    ledger.close()
    size = file.stat().st_size / count
    parts = _sizes(file, count)
    what = f"bytes each of {count} checkpoints with 40 files, all of the ledger ({live} stated, {len(found)} found)"
    return [
        Finding(what, f"{size:.0f}", "≤ 3,072", size <= 3072),
        Finding("… of which", ", ".join(f"{name} {part:.0f}" for name, part in parts), "", None),
    ]


def _sizes(file: Path, count: int) -> list[tuple[str, float]]:
    connection = apsw.Connection(str(file))
    select = "SELECT name, sum(pgsize) * 1.0 / ? FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 4"
    parts = [(str(name), float(str(size))) for name, size in connection.execute(select, (count,))]
    connection.close()
    return parts


def _time(do: Callable[[Any], object], given: object) -> float:
    start = time.perf_counter()
    do(given)
    return time.perf_counter() - start


def _insert(plain: apsw.Connection, columns: tuple[str | int | bytes, ...]) -> None:
    """The same row in one table without any index: no check, no unique key, nothing that finds it again."""
    plain.execute("BEGIN IMMEDIATE")
    plain.execute(_PLAIN, columns)
    plain.execute("COMMIT")


def _ask(process: subprocess.Popen[str]) -> float:
    assert process.stdin is not None and process.stdout is not None
    print(file=process.stdin, flush=True)
    return float(process.stdout.readline())


def _folded(file: Path, task: str) -> float:
    ledger = open_ledger(file, write=False)
    start = time.perf_counter()
    ledger.fold(task)
    seconds = time.perf_counter() - start
    ledger.close()
    return seconds


def _best(do: Callable[[], object]) -> float:
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        do()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _quantile(seconds: list[float], part: float) -> float:
    return sorted(seconds)[min(len(seconds) - 1, int(len(seconds) * part))]


def _us(seconds: list[float], part: float) -> str:
    return f"{1e6 * _quantile(seconds, part):.0f} µs"


if __name__ == "__main__":
    sys.exit(main())

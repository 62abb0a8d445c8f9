"""Signals of pressure against labelled moments of real sessions.

    python -m benchmarks.pressure.run SAMPLES/transcripts [--held] [--show] [--check]

`moments.jsonl` names each moment by a hash of its session's file name and the place of its line, and says what a
reader says of it: whether a message corrects, a turn goes to another topic, the last words
of a turn tell nothing, the session is in a loop. Real sessions here hold no loop: those that are one, and half of those
that are none, are planted (`plants.py`) behind a real call. Half of the moments are held back from tuning, and shown
with `--held`. Beside them every call of all sessions is looked at: whatever is called a loop there is counted.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from benchmarks.pressure.plants import PLANTS, Stage
from clew import wiring
from clew.app.intake.find import reader_for
from clew.clients.lines import read_file
from clew.core.context.signals import Signals, SignalWatch
from clew.core.errors import ClewError
from clew.core.records.transcript import Call, Context, Edit, Prompt, Read, Record, Result, Run

MOMENTS = Path(__file__).with_name("moments.jsonl")
_BYTES_MIN = 500
BARS = {"loop": (0.9, 0.8)}


class Sessions:
    """The session files below a folder, by the hash of their names."""

    def __init__(self, folder: Path) -> None:
        self._files = {
            blake2b(path.name.encode(), digest_size=6).hexdigest(): path
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix in (".jsonl", ".json", ".md")
        }
        self._readers = wiring.ports().readers
        self.records = cache(self._records)

    def names(self) -> Iterable[str]:
        return self._files

    def _records(self, name: str) -> list[Record]:
        path = self._files[name]
        reader = reader_for(path, self._readers)
        return [one for batch in read_file(path, reader) for one in batch.records if not one.agent]


def in_loop(found: Signals) -> bool:
    return any((found.failing, found.undone, found.repeated, found.alike))


def watched(records: Iterable[Record]) -> Signals:
    watch = SignalWatch()
    watch.add(records)
    return watch.signals()


def at_loop(sessions: Sessions, moment: dict[str, Any]) -> bool:
    records = sessions.records(moment["session"])
    at = next(n for n, one in enumerate(records) if isinstance(one, Call) and one.at == moment["at"])
    call = records[at]
    assert isinstance(call, Call)
    end, result = next(
        ((n, one) for n, one in enumerate(records) if isinstance(one, Result) and one.call == call.id and n > at),
        (at, Result(call.at, call.time, "", call.id, "ok", 0, "", "", (), "")),
    )
    seen = records[: end + 1]
    if moment.get("plant"):
        made = PLANTS[moment["plant"]](Stage(call, result))
        seen = [*seen, *(one for records in made for one in records)]
    return in_loop(watched(seen))


def turn(records: list[Record], at: int) -> list[Record]:
    """The records up to the end of the turn that begins at a place."""
    start = next(n for n, one in enumerate(records) if isinstance(one, Prompt) and one.at == at)
    end = next((n for n in range(start + 1, len(records)) if isinstance(records[n], Prompt)), len(records))
    return records[:end]


def at_turn(sessions: Sessions, moment: dict[str, Any], read: Callable[[Any], bool]) -> bool:
    records = turn(sessions.records(moment["session"]), moment["at"])
    if before := moment.get("after"):
        records = [*_at_home(sessions.records(before)), *_at_home(records)]
    if moment.get("plant") == "said again":
        records = [*records, *turn(records, moment["at"])[_start(records, moment["at"]) :]]
        records = [one for one in records if not isinstance(one, (Call, Result)) or one in records[: len(records) // 2]]
    return read(watched(records).exchanges[-1])


def _start(records: list[Record], at: int) -> int:
    return next(n for n, one in enumerate(records) if isinstance(one, Prompt) and one.at == at)


def _at_home(records: list[Record]) -> list[Record]:
    """The records as if the work tree stood in one place, so that joined sessions do not differ by where they ran."""
    folder = next((one.cwd for one in records if isinstance(one, Context) and one.cwd), "")
    if not folder:
        return records

    def moved(one: Record) -> Record:
        if isinstance(one, Context):
            return one._replace(cwd="/home/work")
        if isinstance(one, Call) and isinstance(one.action, (Read, Edit)):
            return one._replace(action=one.action._replace(path=one.action.path.replace(folder, "/home/work")))
        if isinstance(one, Call) and isinstance(one.action, Run):
            return one._replace(action=one.action._replace(command=one.action.command.replace(folder, "/home/work")))
        return one

    return [moved(one) for one in records]


def said(sessions: Sessions, moment: dict[str, Any]) -> bool:
    kind = moment["kind"]
    if kind == "loop":
        return at_loop(sessions, moment)
    if kind == "vague":
        from clew.core.context.exchange import is_vague

        records = sessions.records(moment["session"])
        text = next(one.text for one in records if one.at == moment["at"] and type(one).__name__ == "Reply")
        return is_vague(text)
    reads: dict[str, Callable[[Any], bool]] = {
        "correction": lambda one: one.corrects,
        "topic": lambda one: bool(one.elsewhere),
    }
    return at_turn(sessions, moment, reads[kind])


def loops_anywhere(sessions: Sessions) -> tuple[int, list[str]]:
    """How many calls there are, and where one is called a loop, once a session and signal."""
    calls, found = 0, []
    for name in sessions.names():
        try:
            records = sessions.records(name)
        except ClewError:
            continue
        watch, named = SignalWatch(), set()
        for one in records:
            watch.add([one])
            calls += isinstance(one, Call)
            if isinstance(one, Result):
                signals = watch.signals()
                for sort in ("failing", "undone", "repeated", "alike"):
                    signal = getattr(signals, sort)
                    if signal is not None and (sort, signal.subject) not in named:
                        named.add((sort, signal.subject))
                        found.append(f"{name} {one.at} {sort} {signal.times} {signal.subject[:70]!r}")
    return calls, found


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pressure.run", description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--held", action="store_true", help="the moments that nothing was tuned on")
    parser.add_argument("--show", action="store_true", help="each moment that is judged wrongly, and every loop found")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a bar is missed")
    arguments = parser.parse_args(argv)
    sessions = Sessions(arguments.folder)
    moments = [json.loads(line) for line in MOMENTS.read_text(encoding="utf-8").splitlines()]
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    here = set(sessions.names())
    absent = [moment for moment in moments if not {moment["session"], moment.get("after", moment["session"])} <= here]
    if absent:
        print(f"{len(absent)} of {len(moments)} moments are of sessions that are not there")
    for moment in moments:
        if moment["held"] != arguments.held or moment in absent:
            continue
        found = said(sessions, moment)
        counts[moment["kind"]][2 * moment["label"] + found] += 1
        if arguments.show and found != moment["label"]:
            print("wrong:", json.dumps(moment))
    missed = False
    print(f"{'kind':<12} {'moments':>7} {'precision':>9} {'recall':>7}")
    for kind, (right_no, wrong_yes, wrong_no, right_yes) in counts.items():
        precision = right_yes / max(1, right_yes + wrong_yes)
        recall = right_yes / max(1, right_yes + wrong_no)
        print(f"{kind:<12} {right_no + wrong_yes + wrong_no + right_yes:>7} {precision:>9.2f} {recall:>7.2f}")
        least = BARS.get(kind, (0.0, 0.0))
        missed |= precision < least[0] or recall < least[1]
    calls, loops = loops_anywhere(sessions)
    print(f"loops named in {calls:,} calls of real sessions: {len(loops)}")
    if arguments.show:
        print("\n".join(loops))
    return int(arguments.check and missed)


if __name__ == "__main__":
    raise SystemExit(main())

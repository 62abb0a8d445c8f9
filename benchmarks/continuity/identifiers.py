"""Which exact identifiers survive a compaction: `python -m benchmarks.continuity.identifiers [--samples DIR]`.

Of each recorded session with a compaction: the commands, paths, hashes and ids, numbers and error texts that user or
agent themselves wrote or called at least twice before its last compaction: what work went on with, not what an output
happened to hold. Counted is the share that each arm's text holds word for word. Without samples it takes the made
sessions that were compacted.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Final

from benchmarks.lib.tables import markdown
from benchmarks.made.__main__ import write
from benchmarks.recall import baselines
from benchmarks.recall.run import make_payload, make_record
from benchmarks.recall.sessions import session_files, transcripts_under
from clew.core.records.transcript import Call, Context, Edit, Prompt, Read, Record, Reply, Run, Search, Summary
from clew.sessions.log import SessionLog
from clew.wiring import ports

# Paths, hashes and ids, numbers that are no counting (three digits or a unit), error texts; commands are told by calls.
SORTS: Final[Mapping[str, re.Pattern[str]]] = {
    "path": re.compile(r"(?<![\w/.-])/?[\w.-]+(?:/[\w.-]+)+\.[a-z]{1,5}\b"),
    "id": re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,12}\b|\b[A-Z]{2,8}-\d+\b|#\d{2,6}\b"),
    "number": re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*\s?(?:ms|s|%|MB|GB|KB|min)\b|(?<![\w.,-])\d{3,}\b(?![\w-])"),
    "error": re.compile(r"\b\w*(?:Error|Exception)\b: [^\n\"'`]{8,80}|\bE[A-Z]{4,}\b|\bE\d{3,5}\b"),
}
ARMS: Final = ("raw tail", "the client's summary", "clew by rule", "clew record")


def _texts(record: Record) -> Iterator[str]:
    """What was said and asked for."""
    match record:
        case Prompt(text=text) | Reply(text=text):
            yield text
        case Call(action=Run(command=command)):
            yield command
        case Call(action=Read(path=path) | Edit(path=path) | Search(path=path)):
            yield path


def identifiers(record: Record) -> set[tuple[str, str]]:
    """Pairs of a sort and an identifier. A command is the first line of a shell call of two to twelve words."""
    found = {(sort, match) for text in _texts(record) for sort, cue in SORTS.items() for match in cue.findall(text)}
    if isinstance(record, Call) and isinstance(record.action, Run):
        line = record.action.command.strip().partition("\n")[0]
        if 1 < len(line.split()) <= 12:
            found.add(("command", line))
    return found


def needed(records: Iterable[Record]) -> set[tuple[str, str]]:
    """What at least two of the records hold; paths from the session's folder on, as texts tell them."""
    several = list(records)
    root = next((f"{one.cwd}/" for one in several if isinstance(one, Context) and one.cwd), "/")
    counts = Counter(
        one for record in several for one in {(sort, word.removeprefix(root)) for sort, word in identifiers(record)}
    )
    return {one for one, count in counts.items() if count > 1}


def run(transcripts: Path, budget: int) -> tuple[dict[str, dict[str, list[float]]], int, int]:
    """Shares kept by arm and sort, one a session; how many sessions and identifiers there were."""
    shares: dict[str, dict[str, list[float]]] = {arm: defaultdict(list) for arm in ARMS}
    sessions = count = 0
    for file in session_files(transcripts):
        path = transcripts / file
        records = _records(path)
        last = max((at for at, one in enumerate(records) if isinstance(one, Summary)), default=0)
        wanted = needed(records[:last]) if last else set()
        if not wanted:
            continue
        sessions, count = sessions + 1, count + len(wanted)
        for arm, text in _arms(path, records, last, budget).items():
            for sort in {sort for sort, _ in wanted}:
                of_sort = [word for kind, word in wanted if kind == sort]
                shares[arm][sort].append(sum(word in text for word in of_sort) / len(of_sort))
            shares[arm]["all"].append(sum(word in text for _, word in wanted) / len(wanted))
    return shares, sessions, count


def _records(path: Path) -> list[Record]:
    """The main chain as clew's reader reads it: its places are bytes, so that a file can be cut there; [] else."""
    reader = ports().readers.of(path) if path.suffix == ".jsonl" else None
    return (
        []
        if reader is None or not reader.grows
        else [record for record in SessionLog(path, reader) if not record.agent]
    )


def _arms(path: Path, records: list[Record], last: int, budget: int) -> dict[str, str]:
    """What each arm would give to the session behind the summary at `last`, from what stands before it."""
    summary = records[last]
    assert isinstance(summary, Summary)
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / path.name
        before.write_bytes(path.read_bytes()[: summary.at])
        payload, record = make_payload(before, budget), make_record(before, 6_000)
    return dict(zip(ARMS, (baselines.tail(records[:last], budget), summary.text, payload, record), strict=True))


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.continuity.identifiers", description=__doc__)
    parser.add_argument("--samples", type=Path, help="a folder of recorded sessions (default: the made ones)")
    parser.add_argument("--budget", type=int, default=1_500, help="tokens of tail and payload")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.samples
        if folder is None:
            folder = Path(temporary)
            for second in (False, True):
                write(folder, second)
        shares, sessions, count = run(transcripts_under(folder), arguments.budget)
    sorts = ("command", *SORTS, "all")
    print(f"{sessions} sessions, {count} identifiers that were used twice or more before the last compaction\n")
    rows = [
        [arm, *(f"{fmean(found[sort]):.2f}" if found[sort] else "–" for sort in sorts)] for arm, found in shares.items()
    ]
    print(markdown(("arm", *sorts), rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

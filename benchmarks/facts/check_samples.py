"""Real session files: are they recognised, read without loss, and the same in pieces as at once?

`python -m benchmarks.facts.check_samples SAMPLES` looks at every file below SAMPLES and prints counts; exit code 1 if
a piecewise reading differs or a file raises.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from benchmarks.lib.tables import markdown
from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.clients.registry import HEAD_BYTES, reader_of
from clew.core.records.transcript import Record, Result, Unreadable

CUTS = (0.01, 0.1, 0.25, 0.333, 0.5, 0.667, 0.75, 0.9, 0.99)


def in_pieces(reader: ClaudeCodeReader, data: bytes, cut: int) -> list[Record]:
    """Records of `data` read up to `cut` first, then from where that left off, then a last line without newline."""
    first = reader.read(data[:cut], offset=0)
    second = reader.read(data[first.offset :], offset=first.offset)
    return first.records + second.records + reader.final(data[second.offset :], offset=second.offset).records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("samples", type=Path)
    files = sorted(path for path in parser.parse_args().samples.rglob("*") if path.is_file())
    reader = ClaudeCodeReader()
    kinds: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    ours = size = lines = versions = differing = 0
    for path in files:
        data = path.read_bytes()
        if reader_of(data[:HEAD_BYTES], [reader]) is None:
            in_pieces(reader, data, len(data) // 2)  # must not raise either
            continue
        ours += 1
        size += len(data)
        lines += data.count(b"\n")
        whole = in_pieces(reader, data, len(data))
        differing += sum(whole != in_pieces(reader, data, int(cut * len(data))) for cut in CUTS)
        kinds.update(type(record).__name__ for record in whole)
        outcomes.update(record.outcome for record in whole if isinstance(record, Result))
        versions += sum(1 for line in data.split(b"\n") for _ in reader.file_versions(line))
        for record in whole:
            if isinstance(record, Unreadable):
                print(f"unreadable: {path.name} at {record.at}: {record.why}")
    rows = [
        ("files looked at", str(len(files))),
        ("recognised", str(ours)),
        ("bytes", f"{size:,}"),
        ("lines", f"{lines:,}"),
    ]
    rows += [(f"records: {kind}", f"{count:,}") for kind, count in kinds.most_common()]
    rows += [(f"results: {outcome}", f"{count:,}") for outcome, count in outcomes.most_common()]
    rows += [
        ("file contents proved", str(versions)),
        (f"readings in pieces ({len(CUTS)} a file)", str(ours * len(CUTS))),
    ]
    print(markdown(("what", "n"), [*rows, ("of these different", str(differing))]))
    if differing:
        raise SystemExit(1)


if __name__ == "__main__":
    main()

"""What real compactions lost: the live items before each, beside the client's own summary.

    python -m benchmarks.compactions.sheet SAMPLES/transcripts

prints, for a person to judge, every item that would be told again if the summary lost it, with its id, and the summary.
Nothing of it is kept in the repository: the marks (`marks.jsonl`) hold only the file's name, the compaction's place in
it, the item's id and the verdict.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from clew.app.context.compact import COSTLY
from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.clients.lines import read_file
from clew.core.records.transcript import Compaction, Summary
from clew.core.state.items import Item
from clew.sessions.capture import captured, gather

HEAD_BYTES = 65_536


class Compacted(NamedTuple):
    """A compaction in a session file: `at` is its byte offset, `items` those live before it that matter."""

    file: str
    at: int
    items: tuple[Item, ...]
    summary: str


def compactions(folder: Path) -> Iterator[Compacted]:
    """Every compaction with a readable summary in the session files below `folder`, in the order of their names."""
    reader = ClaudeCodeReader()
    for path in sorted(folder.rglob("*.jsonl")):
        with path.open("rb") as stream:
            if not reader.recognises(stream.read(HEAD_BYTES)):
                continue
        records = [record for batch in read_file(path, reader, 0) for record in batch.records]
        for number, record in enumerate(records):
            if not isinstance(record, Compaction) or record.trigger == "micro" or record.agent:
                continue
            behind = (one for one in records[number + 1 :] if isinstance(one, Summary) and not one.agent)
            summary = next(behind, None)
            if summary is not None and summary.text:
                items = _before(path, record.at, reader)
                yield Compacted(path.relative_to(folder).as_posix(), record.at, items, summary.text)


def _before(path: Path, at: int, reader: ClaudeCodeReader) -> tuple[Item, ...]:
    """The items that matter of what stands in front of byte `at`."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as kept:
        with path.open("rb") as stream:
            kept.write(stream.read(at))
        kept.flush()
        gathered = gather(Path(kept.name), reader, redact=lambda text: text)
        state = captured(gathered, client=reader.name, root_of=lambda folder: folder).state
    return tuple(item for item in state.items if item.kind in COSTLY)


def main() -> int:
    for one in compactions(Path(sys.argv[1])):
        print(f"# {one.file} at {one.at}\n\n## Summary\n\n{one.summary}\n\n## Items\n")
        for item in one.items:
            print(f"{item.id} {item.kind}: {item.text}" + (f" (because: {item.why})" if item.why else ""))
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Files through a reader, piece by piece."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.clients.lines import read_file
from clew.core.records.transcript import Prompt, Record, Unreadable

RECORDINGS = Path(__file__).parents[1] / "recordings" / "claude-code"


def prompt(text: str) -> bytes:
    return json.dumps({"type": "user", "message": {"role": "user", "content": text}}).encode() + b"\n"


def read(path: Path, **options: int) -> tuple[list[Record], int]:
    batches = list(read_file(path, ClaudeCodeReader(), **options))
    return [record for batch in batches for record in batch.records], batches[-1].offset


def texts(records: list[Record]) -> list[str]:
    return [record.text for record in records if isinstance(record, Prompt)]


@pytest.mark.parametrize("window_bytes", [1, 7, 100, 4096, 1 << 20])
def test_the_window_does_not_show(tmp_path: Path, window_bytes: int) -> None:
    """Lines that cross windows are the rule, not the exception."""
    path = RECORDINGS / "made-tasks.jsonl"
    whole = ClaudeCodeReader().read(path.read_bytes(), offset=0)
    assert (whole.records, whole.offset) == read(path, window_bytes=window_bytes)


def test_a_file_that_grows_is_read_on_from_where_it_was_left(tmp_path: Path) -> None:
    """A live session is read again and again; nothing is read twice and the torn line is not lost."""
    path = tmp_path / "s.jsonl"
    two = prompt("two")
    path.write_bytes(prompt("one") + two[:20])
    first, offset = read(path)
    path.write_bytes(prompt("one") + two + prompt("three"))
    second, _ = read(path, start=offset)
    assert (texts(first), texts(second)) == (["one"], ["two", "three"])
    assert offset == len(prompt("one"))


def test_a_complete_last_line_without_newline_is_read_once(tmp_path: Path) -> None:
    """A killed client may have written the line and not its newline; the newline may still come."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(prompt("one").rstrip())
    first, offset = read(path)
    path.write_bytes(prompt("one") + prompt("two"))
    second, end = read(path, start=offset)
    assert (texts(first), texts(second)) == (["one"], ["two"])
    assert end == path.stat().st_size


def test_an_empty_file_has_one_empty_batch(tmp_path: Path) -> None:
    """The caller always learns where to go on."""
    path = tmp_path / "s.jsonl"
    path.touch()
    assert read(path) == ([], 0)


def test_a_line_over_the_limit_is_passed_over(tmp_path: Path) -> None:
    """One monstrous line must neither fill the memory nor hide what stands behind it."""
    path = tmp_path / "s.jsonl"
    long = prompt("x" * 5_000)
    path.write_bytes(prompt("one") + long + prompt("two") + long)
    found, end = read(path, window_bytes=512, line_bytes_max=2_000)
    assert texts(found) == ["one", "two"]
    assert [(len(prompt("one")), len(long) - 1)] == [(r.at, r.length) for r in found if isinstance(r, Unreadable)][:1]
    assert path.stat().st_size == end
    path.write_bytes(prompt("one") + long[:-1])
    assert (["one"], len(prompt("one"))) == (
        texts(found := read(path, line_bytes_max=2_000, window_bytes=512)[0]),
        len(prompt("one")),
    )


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """The largest session on record is 87 MB."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(prompt("word " * 2_000) * 3_000)
    tracemalloc.start()
    for batch in read_file(path, ClaudeCodeReader()):
        del batch
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert path.stat().st_size > 30_000_000
    assert peak < 4_000_000

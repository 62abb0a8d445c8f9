"""The sessions a key speaks of: their texts as plain strings (to check keys) and as records (for baselines)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clew.core.records import Record

# Recorded sessions of the samples, without the small fixtures of other tools' tests.
FOLDERS = ("claude-code", "codex")


def transcripts_under(samples: Path) -> Path:
    """The folder with the transcripts, given either the samples' folder or that one itself."""
    inner = samples / "transcripts"
    return inner if inner.is_dir() else samples


def session_files(transcripts: Path) -> list[str]:
    """Every recorded session, as a path relative to `transcripts`, in a fixed order."""
    found = (path for name in FOLDERS for path in (transcripts / name).rglob("*.jsonl"))
    return sorted(path.relative_to(transcripts).as_posix() for path in found)


def strings_of(path: Path) -> list[str]:
    """Every string in the session's JSON, decoded, in file order; lines that are no JSON are skipped."""
    strings: list[str] = []
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                strings.extend(_strings(json.loads(line)))
            except ValueError:
                continue
    return strings


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def records_of(path: Path) -> list[Record]:
    """The session as clew's own reader sees it, main chain only."""
    from clew.clients.claude_code.reader import ClaudeCodeReader

    reader = ClaudeCodeReader()
    data = path.read_bytes()
    batch = reader.read(data, offset=0)
    records = list(batch.records)
    if batch.offset < len(data):
        records += reader.final(data[batch.offset :], offset=batch.offset).records
    return [record for record in records if not record.agent]

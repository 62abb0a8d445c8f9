"""The sessions a key speaks of: their texts as plain strings (to check keys) and as records (for baselines)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.recall import plain
from clew.core.records.transcript import Record

# Recorded sessions of the samples, without the small fixtures of other tools' tests.
_JSON = (".jsonl", ".json")
FOLDERS = {
    "claude-code": _JSON,
    "codex": _JSON,
    "gemini": _JSON,
    "opencode": (".jsonl",),
    # What `python -m benchmarks.made` writes.
    "made": (".jsonl",),
}


def transcripts_under(samples: Path) -> Path:
    """The folder with the transcripts, given either the samples' folder or that one itself."""
    inner = samples / "transcripts"
    return inner if inner.is_dir() else samples


def session_files(transcripts: Path) -> list[str]:
    """Every recorded session, as a path relative to `transcripts`, in a fixed order."""
    found = (
        path
        for name, suffixes in FOLDERS.items()
        for path in (transcripts / name).rglob("*")
        if path.name.endswith(suffixes)
    )
    return sorted(path.relative_to(transcripts).as_posix() for path in found)


def strings_of(path: Path) -> list[str]:
    """Every string in the session's JSON, decoded, in file order; lines that are no JSON are skipped."""
    return [string for document in _documents(path) for string in _strings(document)]


def _documents(path: Path) -> Iterator[Any]:
    """The session's JSON: the whole file where it is one document (Gemini CLI), else what its lines hold."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        yield json.loads(text)
        return
    except ValueError:
        pass
    for line in text.split("\n"):
        try:
            yield json.loads(line)
        except ValueError:
            continue


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
    """The session as records, main chain only.

    Claude Code's with clew's own reader, as they always were, so that old figures stay comparable, and so those of
    clients that came later; others plainly.
    """
    reading = plain.reading_of(next(_documents(path), None))
    if reading is not None:
        return reading(_documents(path))
    from clew.clients.lines import read_file
    from clew.wiring import ports

    reader = ports().readers.of(path) or ports().readers.named("claude-code")
    assert reader is not None
    return [record for batch in read_file(path, reader) for record in batch.records if not record.agent]

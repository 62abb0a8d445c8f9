"""Finding out whose file it is."""

from __future__ import annotations

from pathlib import Path

from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.clients.detect import reader_of, reader_of_file

RECORDINGS = Path(__file__).parents[1] / "recordings" / "claude-code"


def test_the_reader_is_chosen_by_what_the_file_holds(tmp_path: Path) -> None:
    """Sessions come with other clients' names, or with none."""
    ours = ClaudeCodeReader()
    path = tmp_path / "gemini-session.txt"
    path.write_bytes((RECORDINGS / "made-tasks.jsonl").read_bytes())
    assert ours is reader_of_file(path, [ours])


def test_nobodys_file_has_no_reader() -> None:
    """Better no payload than one made from a misread file."""
    assert reader_of(b"", [ClaudeCodeReader()]) is None
    assert reader_of(b"hello\nworld\n", [ClaudeCodeReader()]) is None

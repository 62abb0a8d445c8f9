"""Finding out whose file it is."""

from __future__ import annotations

from pathlib import Path

from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.clients.codex.reader import CodexReader
from clew.clients.port import Reader
from clew.clients.registry import Readers, reader_of

from .families import Made

RECORDINGS = Path(__file__).parents[1] / "recordings" / "claude-code"


def test_the_reader_is_chosen_by_what_the_file_holds(tmp_path: Path) -> None:
    """Sessions come with other clients' names, or with none."""
    ours = ClaudeCodeReader()
    path = tmp_path / "gemini-session.txt"
    path.write_bytes((RECORDINGS / "made-tasks.jsonl").read_bytes())
    assert ours is Readers(lambda: [Made(ours)]).of(path)


def test_nobodys_file_has_no_reader() -> None:
    """Better no payload than one made from a misread file."""
    assert reader_of(b"", [ClaudeCodeReader()]) is None
    assert reader_of(b"hello\nworld\n", [ClaudeCodeReader()]) is None


def test_a_reader_is_made_when_it_is_needed(tmp_path: Path) -> None:
    """Given a session of the client that its place speaks for, no other client's reader is imported for it."""
    asked: list[str] = []

    class Noted(Made):
        def reader(self) -> Reader:
            asked.append(self.name)
            return super().reader()

    families = [Noted(CodexReader()), Noted(ClaudeCodeReader())]
    readers = Readers(lambda: families)
    path = tmp_path / "session.jsonl"
    path.write_bytes((RECORDINGS / "made-tasks.jsonl").read_bytes())

    assert readers.of(path, client="claude-code") is readers.named("claude-code")
    assert set(asked) == {"claude-code"}
    assert readers.named("nobody") is None


def test_where_a_session_lies_does_not_decide_whose_it_is(tmp_path: Path) -> None:
    """A label that is wrong costs a look, and is corrected by what the file holds."""

    class Nobody(ClaudeCodeReader):
        name = "nobody"

        def recognises(self, head: bytes) -> bool:
            return False

    path = tmp_path / "session.jsonl"
    path.write_bytes((RECORDINGS / "made-tasks.jsonl").read_bytes())
    found = Readers(lambda: [Made(Nobody()), Made(ClaudeCodeReader())]).of(path, client="nobody")
    assert found is not None and found.name == "claude-code"

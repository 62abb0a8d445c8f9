"""The session log gives every record once: to who reads all of it, and to who goes on where he stopped."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.core.records.transcript import Usage
from clew.sessions.log import Cursor, SessionLog
from tests.recordings.sessions import Recorder

READER = ClaudeCodeReader()
STORY = Recorder("/home/mira/tide").user("Fix the loader").read("a.py", "a = 1\n").reply("Mended it.").user("Thanks")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return STORY.write_to(tmp_path_factory.mktemp("log") / "s.jsonl").read_bytes()


@given(cut=some.integers(0, 10_000))
def test_going_on_is_reading_at_once(cut: int, data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Given a file that is cut anywhere and grows to its whole, two readings give the records of one."""
    path = tmp_path_factory.getbasetemp() / "grows.jsonl"
    path.write_bytes(data[:cut])
    first = SessionLog(path, READER)
    before = list(first)
    cursor = first.cursor
    path.write_bytes(data)
    behind = SessionLog(path, READER, cursor)
    assert behind.start == cursor.offset
    assert [*before, *behind] == list(SessionLog(path, READER))
    assert not list(SessionLog(path, READER, behind.cursor))


@pytest.mark.parametrize("change", ["beginning", "end", "shorter"])
def test_another_file_is_read_anew(change: str, data: bytes, tmp_path: Path) -> None:
    """Whatever stands there now by the same name, none of it is missed."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    log = SessionLog(path, READER)
    whole, cursor = list(log), log.cursor
    changed = {"beginning": b" " + data[:-1], "end": data[:-2] + b" \n", "shorter": data[: len(data) // 2]}[change]
    path.write_bytes(changed)
    assert 0 == SessionLog(path, READER, cursor).start
    assert len(list(SessionLog(path, READER, cursor))) <= len(whole)


def test_the_quick_pass_tells_the_same_of_tokens(data: bytes, tmp_path: Path) -> None:
    """It is a second mode of one log, and no second log."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    quick, full = SessionLog(path, READER, usage_only=True), SessionLog(path, READER)
    used = [one for one in full if isinstance(one, Usage)]
    assert used and used == [one for one in quick if isinstance(one, Usage)]
    assert quick.cursor == full.cursor != Cursor()

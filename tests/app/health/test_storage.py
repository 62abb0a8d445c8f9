"""Keeping: soundness, rights, room, and when the client deletes sessions."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from clew.app.health import storage
from clew.clients.claude_code.settings import ClaudeCodeConfig
from clew.clients.configured import Configuration
from clew.clients.port import Transcript
from clew.ledger.sqlite.opening import open_ledger
from clew.testing.strategies import PROJECT
from tests.app.clinic import of

NOW = 2_000_000_000.0
DAY = 86_400


def test_a_page_that_was_destroyed_is_found(tmp_path: Path) -> None:
    """SQLite has no sums of its pages: most damage is silent until somebody looks at all of it."""
    path = tmp_path / "ledger.db"
    ledger = open_ledger(path, project=PROJECT, write=True)
    assert "fine" == of(list(storage.sound(ledger, path)), "ledger").level
    ledger.close()
    data = bytearray(path.read_bytes())
    data[-1024:-1016] = b"\x55" * 8  # the head of the last page
    path.write_bytes(data)
    ledger = open_ledger(path, write=False)
    found = of(list(storage.sound(ledger, path)), "ledger")
    ledger.close()
    assert ("wrong", True) == (found.level, "is damaged" in found.said)


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
def test_what_others_may_read_is_a_warning(tmp_path: Path) -> None:
    """A ledger holds quotes of prompts."""
    private, open_ = tmp_path / "private", tmp_path / "open"
    private.touch(mode=0o600)
    open_.touch(mode=0o600)
    open_.chmod(0o644)
    assert "fine" == of(list(storage.private([private, tmp_path / "none"])), "rights").level
    found = of(list(storage.private([private, open_])), "rights")
    assert ("warn", f"others may read {open_}") == (found.level, found.said)


def test_room_is_told_once_a_disk(tmp_path: Path) -> None:
    """Two folders of one disk have the same room."""
    assert 1 == len(list(storage.room([tmp_path, tmp_path / "not" / "there"])))


def retained(days: int, *, waiting: frozenset[str] = frozenset(), **ages: float) -> storage.Finding:
    """The finding with sessions of these ages in days."""
    held: Configuration = ClaudeCodeConfig(Path("/c")).read([], {})._replace(retention_days=days, retention_said=True)
    files = [Transcript("claude-code", name, Path("/c"), 5, int((NOW - age * DAY) * 1e9)) for name, age in ages.items()]
    return of(list(storage.retention([held], files, waiting, now_s=NOW)), "retention")


def test_it_says_when_history_dies() -> None:
    """The client deletes its sessions, and with them what was never taken in."""
    found = retained(30, a=20, b=3)
    day = datetime.fromtimestamp(NOW + 10 * DAY, UTC).date()
    assert f"20 days ago, goes on {day}, in 10 days" in found.said
    assert ("info", storage.ARCHIVE) == (found.level, found.mend)
    assert "at its next start" in retained(30, a=31).said
    assert "info" == retained(30).level


def test_sessions_that_go_soon_and_were_not_taken_in_are_a_warning() -> None:
    """That is the last moment to keep anything of them."""
    assert "info" == retained(30, a=28).level
    found = retained(30, a=28, b=5, waiting=frozenset("ab"))
    assert ("warn", True) == (found.level, "1 of those that go soon were not imported" in found.said)
    assert "clew checkpoint" in found.mend


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
def test_a_ledger_that_cannot_be_written_is_wrong() -> None:
    """Everything reads well, and from that day on nothing is kept."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ledger.db")
        path.touch()
        Path(folder, "ledger.db-wal").touch()
        assert [] == list(storage.writable([path, Path(folder, "none")]))
        for one, mode in ((path, 0o444), (Path(folder), 0o555)):
            one.chmod(mode)
        said = as_somebody(lambda: of(list(storage.writable([path])), "writable").said)
        Path(folder).chmod(0o755)
    assert said.startswith(f"{path}, ")
    assert f"{folder} cannot be written" in said


def as_somebody(look: Callable[[], str]) -> str:
    """What `look` says to a user who is not the system's own: that one may write everything."""
    if os.getuid():
        return look()
    given, taken = os.pipe()
    child = os.fork()
    if not child:
        os.setresuid(65_534, 65_534, 65_534)
        os.write(taken, look().encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(taken)
    with os.fdopen(given) as told:
        return told.read()

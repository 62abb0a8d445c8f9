"""Session files that hold nothing for a project are remembered, without a word of what they are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.clients.port import Transcript
from clew.sessions.cache import PASSED_OVER as FILE_NAME
from clew.sessions.cache import PassedOver

KEY = bytes(32)


def transcript(name: str, size: int = 10) -> Transcript:
    return Transcript("claude-code", name, Path("/home/ada") / name, size, 0)


def remembered(folder: Path, *items: Transcript, stamp: str = "1") -> PassedOver:
    """What another process knows, after these were passed over."""
    mine = PassedOver(folder, stamp=stamp, key=KEY)
    for item in items:
        mine.add(item)
    mine.keep(items)
    return PassedOver(folder, stamp=stamp, key=KEY)


def test_a_file_is_passed_over_until_it_grows(tmp_path: Path) -> None:
    """A session begins without a prompt: what it becomes must not be missed."""
    known = remembered(tmp_path, transcript("empty"))
    assert transcript("empty") in known
    assert transcript("empty", 11) not in known
    assert transcript("other") not in known


def test_what_it_depends_on_is_in_the_stamp(tmp_path: Path) -> None:
    """Better rules, or one more work tree: a file that held nothing may hold something now."""
    remembered(tmp_path, transcript("empty"))
    assert transcript("empty") not in PassedOver(tmp_path, stamp="2", key=KEY)


def test_files_that_are_gone_are_forgotten_and_names_are_not_kept(tmp_path: Path) -> None:
    """It would grow for ever; and a name may hold a secret."""
    remembered(tmp_path, *(transcript(f"session-{number}") for number in range(100)))
    size = (tmp_path / FILE_NAME).stat().st_size
    remembered(tmp_path, transcript("session-200"))
    written = (tmp_path / FILE_NAME).read_bytes()
    assert len(written) < size / 10
    assert b"session" not in written and b"ada" not in written


@pytest.mark.parametrize("damage", [b"", b"{", b'["1", {"a": "b"}]', b"[1]", b"\xff"])
def test_a_damaged_file_is_looked_into_again(damage: bytes, tmp_path: Path) -> None:
    """It is a help, and never in the way."""
    remembered(tmp_path, transcript("empty"))
    (tmp_path / FILE_NAME).write_bytes(damage)
    assert transcript("empty") not in PassedOver(tmp_path, stamp="1", key=KEY)
    assert transcript("empty") in remembered(tmp_path, transcript("empty"))


def test_where_nothing_can_be_written_nothing_fails(tmp_path: Path) -> None:
    """The folder is a file, say."""
    (tmp_path / "cache").write_bytes(b"")
    assert transcript("empty") not in remembered(tmp_path / "cache", transcript("empty"))

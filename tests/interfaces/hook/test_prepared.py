"""A session that begins where its start was prepared, through the commands that stand in a client's settings."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.app.hooks.receipts import receipts
from clew.core.runtime_dir import PREPARED
from tests.app.hooks.hooked import GONE
from tests.interfaces.hook.hooks import Said
from tests.interfaces.hook.test_full import Place
from tests.recordings.sessions import Recorder

FIRST, SECOND = "5e551033-0000-4000-8000-000000000003", "5e551044-0000-4000-8000-000000000004"
_WAIT_S = 60


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A project in which a session has begun, its client is gone, and the next start is prepared."""
    made = Place(tmp_path)
    begin(made, FIRST)
    until(lambda: kept(made).exists())
    return made


def begin(place: Place, session: str) -> Said:
    return place.run("SessionStart", session_id=session, variables={"CLAUDE_PID": str(GONE)})


def kept(place: Place) -> Path:
    return place.hooks.live / PREPARED


def given(place: Place) -> list[str]:
    """The sessions that were given something, the last one first."""
    with place.world.desk(write=False) as at:
        return [one.session for one in receipts(at)]


def until(holds: Callable[[], bool]) -> None:
    """Wait for what is done behind the client's back."""
    end = time.monotonic() + _WAIT_S
    while not holds():
        assert time.monotonic() < end, "nobody did it"
        time.sleep(0.05)


def test_it_is_given_without_the_full_program_and_the_rest_is_done_behind_it(place: Place) -> None:
    """What it was given is noted, and the next one is prepared."""
    prepared = kept(place).stat().st_mtime_ns
    own = {"HOME": str(place.world.home), "CLAUDE_CODE_SESSION_ATTENDED": "1", "CLAUDE_PID": str(GONE)}
    event = {"session_id": SECOND, "source": "startup", "cwd": str(place.world.top)}
    environment = place.hooks.environment() | own
    said = place.hooks.run("SessionStart", event, environment=environment, options=["-X", "importtime"])
    assert "Never change the public API" in said.out
    assert "clew.interfaces.hook.prepared" in said.err and "clew.app" not in said.err
    until(lambda: kept(place).stat().st_mtime_ns != prepared)  # nobody opens the ledger meanwhile: that may write
    assert given(place) == [SECOND, FIRST]
    assert place.broken() == ""


def test_behind_a_prompt_it_is_imported_what_a_turn_left_that_was_stopped(place: Place) -> None:
    """No hook tells of a turn that its user stopped, and the client may be killed before the next one ends."""
    record = Recorder(place.world.top, session=SECOND).user("Mend the moon table").reply("word " * 60_000)
    path = str(record.save(place.world.home))
    prepared = kept(place).stat().st_mtime_ns
    begin(place, SECOND)
    until(lambda: kept(place).stat().st_mtime_ns != prepared)
    told = {"session_id": SECOND, "transcript_path": path, "variables": {"CLAUDE_PID": str(GONE)}}
    (place.hooks.live / "sessions" / SECOND / "started").touch()

    def taken() -> int:
        with place.world.desk(write=False) as at:
            return at.ledger.taken()[SECOND].extent

    assert taken() == Path(path).stat().st_size
    record.user("And now?").reply("more " * 60_000).save(place.world.home)
    assert place.run("UserPromptSubmit", **told).out == ""
    until(lambda: taken() == Path(path).stat().st_size)
    assert place.broken() == ""


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\0", b'{"v": 1}', b'{"v": 0, "out": "stale"}'])
def test_what_is_damaged_is_not_given(damage: bytes, place: Place) -> None:
    """A process that prepares may be killed at any moment."""
    kept(place).write_bytes(damage)
    assert "Never change the public API" in place.context(begin(place, SECOND))
    assert place.broken() == ""

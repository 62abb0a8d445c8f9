"""Recording: whatever the clock does, what is said later is later, and nothing unredacted is kept."""

from __future__ import annotations

from clew.app.project.session import ProjectSession, Speaker
from clew.core.state.events import timestamp
from clew.ledger.memory import MemoryLedger
from clew.testing.clock import Clock
from tests.app.projects import session_over

SPEAKER = Speaker("mira", "human", "", "/home/mira/tide", "main")


def writer(clock: Clock) -> ProjectSession:
    ledger = MemoryLedger("01KANQ0000000000000000PRJ0")
    return session_over(ledger, by=SPEAKER, clock=clock, redact=lambda text: text.replace("hunter2", "[R]"))


def test_of_two_words_in_one_millisecond_the_second_wins() -> None:
    """A note that is taken back at once by a program would else stand or fall by chance."""
    clock = Clock()
    at = writer(clock)
    said = [at.event("item.pinned", {"item": "D-1"}, task="") for _ in range(50)]
    clock.tick(-60_000)
    said.append(at.event("item.unpinned", {"item": "D-1"}, task=""))
    clock.tick(120_000)
    said.append(at.event("item.pinned", {"item": "D-1"}, task=""))
    assert sorted(said, key=lambda event: (event.said_at, event.id)) == said
    assert 52 == len({event.id for event in said})


def test_what_was_said_earlier_keeps_its_time_and_nothing_is_from_the_future() -> None:
    """Times decide which word is the last: one that is ahead of all clocks would win for ever."""
    clock = Clock()
    at = writer(clock)
    assert (
        timestamp(clock.now_ms - 5)
        == at.event("item.pinned", {"item": "D-1"}, task="", said_at=timestamp(clock.now_ms - 5)).said_at
    )
    assert (
        timestamp(clock.now_ms)
        == at.event("item.pinned", {"item": "D-1"}, task="", said_at="2999-01-01T00:00:00.000Z").said_at
    )


def test_every_text_is_clean_and_redacted() -> None:
    """The ledger is copied, exported and shared: what is in it is out."""
    data = {"item": "D-1", "kind": "decision", "text": "Use hunter2\x1b[31m", "files": ["a/hunter2.py"]}
    event = writer(Clock()).event("item.stated", data, task="")
    assert ("Use [R]", ["a/[R].py"]) == (event.data["text"], event.data["files"])


def test_what_stands_around_the_words_is_clean_and_redacted_too() -> None:
    """A session's id comes from the environment, a folder has any name: a backup would carry both out."""
    at = writer(Clock())
    at.speaker = Speaker("hunter2", "agent", "hunter2\x1b[2J", "/home/hunter2/tide", "main")
    event = at.event("item.pinned", {"item": "D-1"}, task="hunter2", key="note:hunter2")
    assert "hunter2" not in str(event)
    assert ("[R]", "/home/[R]/tide", "note:[R]") == (event.session, event.worktree, event.key)

"""How long answers take, and what one more turn will use."""

from __future__ import annotations

from clew.core.context.signals import Meter, Pace, Turns, seconds
from clew.core.records.transcript import Usage


def waited(meter: Meter, *waits: float) -> Pace:
    for wait in waits:
        meter.asked(1000.0)
        meter.answered(1000.0 + wait)
        meter.answered(9000.0)  # only the first word of an answer counts
    return meter.pace


def used(meter: Meter, name: str, given: int, written: int, read: int, out: int) -> None:
    meter.used(Usage(0, "", "", name, "", "m", given, written, read, out))


def test_answers_that_take_longer_and_longer_are_told() -> None:
    """The median: one slow answer is chance."""
    assert Pace(2.0, 12.0, 16) == waited(Meter(), *[2.0] * 8, *[12.0] * 8)
    assert waited(Meter(), *[2.0] * 8, *[12.0] * 8).is_slower
    assert not waited(Meter(), *[2.0] * 15, 90.0).is_slower
    assert not waited(Meter(), *[1.0] * 8, *[3.0] * 8).is_slower, "three seconds bother nobody"
    assert Pace(answers=3) == waited(Meter(), 1.0, 2.0, 3.0)


def test_a_dropped_context_begins_anew() -> None:
    """What was slow before a compaction says nothing of now."""
    meter = Meter()
    waited(meter, *[2.0] * 16)
    meter.emptied()
    assert Pace() == meter.pace


def test_the_next_turn_is_like_the_last_ones_with_the_context_as_it_is() -> None:
    """Each response is counted once, by its last line."""
    meter = Meter()
    for turn in range(2):
        meter.began()
        used(meter, f"a{turn}", 5, 100, 10_000, 1)
        used(meter, f"a{turn}", 5, 100, 10_000, 50)
        used(meter, f"b{turn}", 5, 300, 10_000, 150)
    assert Turns(2.0, 10, 400, 40_000, 200) == meter.next_turn(20_000)
    assert Turns() == Meter().next_turn(20_000)


def test_without_a_cache_all_is_given_anew() -> None:
    """Then a turn costs ten times as much, and that must not be hidden."""
    meter = Meter()
    meter.began()
    used(meter, "a", 10_000, 0, 0, 50)
    assert Turns(1.0, 12_000, 0, 0, 50) == meter.next_turn(12_000)


def test_times_that_are_none_are_unknown() -> None:
    """Records hold anything."""
    assert 0.5 == seconds("1970-01-01T00:00:00.5Z")
    assert seconds("") is seconds("soon") is None

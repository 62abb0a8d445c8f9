"""When a limit lets go, out of what clients say."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.clients.limits import is_limit, is_offline, resets_at
from tests.clients.limit_texts import NOW, OTHERS, TEXTS


@pytest.mark.parametrize(("client", "text", "when"), TEXTS)
def test_a_limit_is_known_and_dated(client: str, text: str, when: str) -> None:
    assert is_limit(text), client
    found = resets_at(text, NOW)
    assert when == (found.replace(microsecond=0).isoformat() if found else "") or (
        found is not None and abs(found - datetime.fromisoformat(when)) < timedelta(seconds=1)
    )


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_no_limit_is_none(text: str) -> None:
    assert not is_limit(text)


@pytest.mark.parametrize("text", ["connect ECONNREFUSED 127.0.0.1:1", "TypeError: fetch failed", "Connection error."])
def test_a_provider_that_cannot_be_reached_is_told(text: str) -> None:
    assert is_offline(text) and not is_limit(text)


def test_a_zone_that_nobody_knows_names_no_time() -> None:
    """A wrong time would be waited for."""
    assert resets_at("You've hit your limit · resets 9pm (Middle/Earth)", NOW) is None


def test_a_time_is_read_in_the_zone_where_the_machine_stands() -> None:
    later = resets_at("You've hit your usage limit, try again at 2:30 AM.", NOW)
    assert later is not None and "2026-11-26T02:30:00+01:00" == later.isoformat()


@given(hours=st.integers(0, 23), minutes=st.integers(0, 59), ahead=st.integers(0, 400 * 24 * 60))
def test_a_time_of_day_is_always_the_next_one(hours: int, minutes: int, ahead: int) -> None:
    """Over a year with both changes of the clocks."""
    now = (NOW + timedelta(minutes=ahead)).astimezone(NOW.tzinfo)
    found = resets_at(f"limit reached, resets at {hours}:{minutes:02}", now)
    assert found is not None
    assert timedelta(0) < found - now <= timedelta(days=1)
    assert (hours, minutes) == (found.hour, found.minute) or found - now <= timedelta(minutes=1)


@pytest.mark.parametrize("told", ["7:23 PM", "7:19 PM", "Wed 7:23 PM"])
def test_a_time_that_is_just_over_is_not_meant_for_the_next_day(told: str) -> None:
    """It was told to the minute, or by another clock. A client that is refused once more in that minute would else
    have a run wait for a day."""
    now = NOW + timedelta(seconds=5)
    assert NOW + timedelta(minutes=1) == resets_at(f"You've hit your limit, try again at {told}.", now)
    later = resets_at(f"You've hit your limit, try again at {told}.", now + timedelta(minutes=6))
    assert later is not None and later > now + timedelta(hours=23)


def test_seconds_are_read() -> None:
    found = resets_at("429: rate limit exceeded, resets at 2026-11-26T03:00:41Z", NOW)
    assert found is not None and "2026-11-26T03:00:41+00:00" == found.isoformat()


@given(days=st.integers(0, 9), hours=st.integers(0, 23), minutes=st.integers(0, 59), seconds=st.integers(1, 59))
def test_a_span_is_added(days: int, hours: int, minutes: int, seconds: int) -> None:
    """However it is written."""
    expected = NOW + timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    for text in (
        f"try again in {days}d {hours}h {minutes}m {seconds}s",
        f"retry after {days} days {hours} hours {minutes} minutes and {seconds} seconds",
        f"retry-after: {int((expected - NOW).total_seconds())}",
    ):
        assert expected == resets_at(text, NOW), text


@given(st.text(max_size=200))
def test_no_text_fails(text: str) -> None:
    resets_at(text, NOW)
    resets_at(f"limit reached, resets {text}", NOW)
    is_limit(text)

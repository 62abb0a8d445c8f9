"""Times of transcripts are whatever a client wrote; they are read without `datetime` and must agree with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.workspace.times import nanoseconds, rfc3339

ZONES = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 29), timezones=ZONES))
def test_every_time_is_read_as_datetime_reads_it(moment: datetime):
    """A wrong leap year or offset would call files changed that are not."""
    exact = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000
    assert nanoseconds(moment.isoformat()) == exact


@given(st.integers(-62_135_596_800, 253_402_300_799))
def test_seconds_come_back(seconds: int):
    """Commit times are printed and read again."""
    assert nanoseconds(rfc3339(seconds)) == seconds * 1_000_000_000


@pytest.mark.parametrize("seconds", [10**12, 10**30, -(10**13)])
def test_a_commit_of_no_calendar_has_no_time(seconds: int):
    """Git takes any number as a commit's time; printing one must not fail."""
    assert rfc3339(seconds) == ""


@given(st.text(alphabet="0123456789-:.TZ+² ", max_size=30))
def test_what_is_no_time_is_none(text: str):
    """Transcripts are untrusted; a bad time is no evidence, never an error."""
    found = nanoseconds(text)
    assert found is None or isinstance(found, int)

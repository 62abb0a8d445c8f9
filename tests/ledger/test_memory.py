"""What only the reference has to show."""

from __future__ import annotations

from clew.ledger.memory import MemoryLedger
from clew.testing.ledgers import TASK, stated
from clew.testing.strategies import PROJECT


def test_what_is_kept_is_not_the_callers() -> None:
    """A list that is changed after it was recorded must not change the record."""
    ledger = MemoryLedger(PROJECT)
    tags = ["first"]
    ledger.append([stated(1, tags=tags)])
    tags.append("second")
    ((_, kept),) = ledger.events()
    assert ["first"] == kept.data["tags"]


def test_two_ledgers_share_nothing() -> None:
    """A test that leaves something behind makes the next one lie."""
    one, other = MemoryLedger(PROJECT, key=b"one"), MemoryLedger(PROJECT)
    one.append([stated(1)])
    assert (0, {}, b"") == (other.position(), other.fold(TASK).entities, other.key)

"""`clew restore`: what an agent may not bring back."""

from __future__ import annotations

from clew.app.record.item import retract
from tests.interfaces.cli.conftest import Desk


def test_what_a_person_took_back_stays_away(desk: Desk) -> None:
    """An agent's own word, that the person found wrong."""
    name = desk.shop.noted("risk", "The moon", by=desk.shop.bot)
    retract(desk.shop.ada, name, folder=desk.shop.top)
    assert "[E-not-a-person]" in desk.bot("restore", name).err
    assert desk.shop.live() == []
    assert desk.ada("restore", name).code == 0


def test_what_is_live_needs_no_restoring(desk: Desk) -> None:
    """No error: it is as wanted."""
    name = desk.shop.noted("risk", "The moon")
    assert desk.ada("restore", name).out == f"{name[:6]} is live: nothing to change\n"

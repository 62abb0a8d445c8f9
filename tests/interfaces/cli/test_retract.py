"""`clew retract` and `clew restore`: taken back, and brought back."""

from __future__ import annotations

from tests.interfaces.cli.conftest import Desk


def test_taken_back_and_brought_back(desk: Desk) -> None:
    """The command that undoes it is said."""
    name = desk.shop.noted("risk", "The moon")
    code, out, err = desk.ada("retract", name, "--why", "it set")
    assert (code, out) == (0, f"Retracted {name[:6]} (risk: The moon)\n")
    assert err == f"next: clew restore {name[:6]}\n"
    assert desk.shop.live() == []
    assert desk.ada(*err.removeprefix("next: clew ").split()).out == f"Restored {name[:6]} (risk: The moon)\n"
    assert desk.shop.live() == ["The moon"]


def test_an_agent_takes_back_its_own_words_only(desk: Desk) -> None:
    """And the error says why it is not taken for a person."""
    own, adas = desk.shop.noted("risk", "The moon", by=desk.shop.bot), desk.shop.noted("risk", "The sun")
    assert desk.bot("retract", own).code == 0
    code, out, err = desk.bot("retract", adas)
    assert (code, out) == (1, "")
    assert "a person said it" in err
    assert "below claude" in err
    assert desk.shop.live() == ["The sun"]


def test_of_two_the_person_is_asked(desk: Desk) -> None:
    """With the words of each, since nobody knows ids by heart."""
    desk.shop.noted("risk", "The moon")
    desk.shop.noted("risk", "The sun")
    code, _, err = desk.ada("retract", "r")
    assert code == 1
    assert "[E-id-ambiguous]" in err
    assert "(The moon)" in err
    assert "(The sun)" in err

"""`clew edit`: the same item in other words, locked or unlocked."""

from __future__ import annotations

from tests.interfaces.cli.conftest import Desk


def test_words_and_fields(desk: Desk) -> None:
    """Only what is given changes."""
    name = desk.shop.noted("question", "How high?", owner="bob", why="for the pier")
    code, out, _ = desk.ada("edit", name, "How", "low?", "--blocking")
    assert (code, out) == (0, f"Edited {name[:6]} (question): How low?\n")
    item = desk.shop.known()[name].item
    assert (item.text, item.why, item.owner, item.blocking) == ("How low?", "for the pier", "bob", True)
    desk.ada("edit", name, "--owner", "", "--no-blocking")
    item = desk.shop.known()[name].item
    assert (item.text, item.owner, item.blocking) == ("How low?", "", False)


def test_an_agent_unlocks_nothing(desk: Desk) -> None:
    """A lock is there for that."""
    name = desk.shop.noted("decision", "Use Decimal", by=desk.shop.bot, locked=True)
    for arguments in (("--unlock",), ("Use floats",)):
        ran = desk.bot("edit", name, *arguments)
        assert (ran.code, "it is locked" in ran.err) == (1, True)
    assert desk.ada("edit", name, "--unlock").code == 0
    assert desk.bot("edit", name, "Use floats").code == 0


def test_what_makes_no_sense_is_refused(desk: Desk) -> None:
    """Nothing to change, a field that the kind has not, an empty text."""
    name = desk.shop.noted("risk", "The moon")
    assert desk.ada("edit", name).code == 64
    assert "[E-item-field]" in desk.ada("edit", name, "--lock").err
    assert "[E-item-words]" in desk.ada("edit", name, "").err

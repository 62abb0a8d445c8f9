"""`clew answer`: who may, and what is shown afterwards."""

from __future__ import annotations

from tests.interfaces.cli.conftest import Desk


def test_a_person_answers(desk: Desk) -> None:
    """The words of the command line are the answer."""
    name = desk.shop.noted("question", "How high?", owner="bob")
    code, out, _ = desk.ada("answer", f"[{name[:6]}]", "ten", "at", "noon")
    assert (code, out) == (0, f"Answered {name[:6]}: ten at noon\n")
    assert desk.shop.known()[name].item.answer == "ten at noon"


def test_an_agent_does_not_answer_for_a_person(desk: Desk) -> None:
    """Refused with what it can do instead; where nobody is asked, its answer is a claim."""
    owned = desk.shop.noted("question", "How high?", owner="bob")
    code, out, err = desk.bot("answer", owned, "ten")
    assert (code, out) == (1, "")
    assert "[E-not-a-person]" in err
    assert "it is for bob to answer" in err
    assert "clew ask" in err
    free = desk.shop.noted("question", "How low?")
    code, _, err = desk.bot("answer", free, "one")
    assert (code, "claim" in err) == (0, True)


def test_an_answer_has_words(desk: Desk) -> None:
    """An empty one would close nothing and look as if it did."""
    name = desk.shop.noted("question", "How high?")
    assert desk.ada("answer", name).code == 64
    assert "[E-item-words]" in desk.ada("answer", name, " ").err

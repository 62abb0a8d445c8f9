"""`clew resolve`: an item is over, with what came of it."""

from __future__ import annotations

import json

from tests.interfaces.cli.conftest import Desk


def test_an_item_is_resolved_with_its_outcome(desk: Desk) -> None:
    """The outcome is optional."""
    one, two = desk.shop.noted("blocker", "The key"), desk.shop.noted("next", "Go on")
    code, out, _ = desk.ada("resolve", one, "bob", "sent it")
    assert (code, out) == (0, f"Resolved {one[:6]} (blocker: The key)\n")
    assert desk.ada("resolve", two).code == 0
    known = desk.shop.known()
    assert [(known[name].standing, known[name].because) for name in (one, two)] == [
        ("resolved", "bob sent it"),
        ("resolved", ""),
    ]


def test_what_binds_a_person_ends(desk: Desk) -> None:
    """An agent says that it did what was next, not that a constraint is over."""
    binding, action = desk.shop.noted("constraint", "Leave the moon alone"), desk.shop.noted("next", "Go on")
    assert "[E-not-a-person]" in desk.bot("resolve", binding).err
    assert desk.bot("resolve", action).code == 0


def test_json_tells_how_it_stands_now(desk: Desk) -> None:
    """Also when nothing had to change."""
    name = desk.shop.noted("risk", "The moon")
    shapes = [json.loads(desk.ada("resolve", name, "it set", "--json").out) for _ in range(2)]
    assert [shape["changed"] for shape in shapes] == [True, False]
    assert [(shape["item"]["standing"], shape["item"]["because"]) for shape in shapes] == [("resolved", "it set")] * 2

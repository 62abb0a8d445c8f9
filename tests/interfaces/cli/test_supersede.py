"""`clew supersede`: by a new text, or by an item that is there."""

from __future__ import annotations

from tests.interfaces.cli.conftest import Desk


def test_by_a_text(desk: Desk) -> None:
    """The new item is of the same kind, and the next command shows it."""
    name = desk.shop.noted("decision", "Use floats")
    code, out, err = desk.ada("supersede", name, "Use", "Decimal", "--why", "cents")
    new = next(name for name, entry in desk.shop.known().items() if entry.standing == "live")
    assert (code, out) == (0, f"{name[:6]} (decision: Use floats): superseded by {new[:6]}\n")
    assert err == f"next: clew show {new[:6]}\n"
    assert desk.shop.live() == ["Use Decimal"]


def test_by_an_item(desk: Desk) -> None:
    """It may be of another kind: a hypothesis gives way to a finding."""
    old, new = desk.shop.noted("hypothesis", "The moon"), desk.shop.noted("finding", "The sun")
    assert desk.ada("supersede", old, "--by", new).code == 0
    assert desk.shop.live() == ["The sun"]


def test_either_or(desk: Desk) -> None:
    """Both or none is a wrong command line."""
    name = desk.shop.noted("decision", "Use floats")
    assert desk.ada("supersede", name).code == 64
    assert desk.ada("supersede", name, "Use Decimal", "--by", name).code == 64
    ran = desk.ada("supersede", name, "--by", name)
    assert (ran.code, "[E-item-state]" in ran.err) == (1, True)

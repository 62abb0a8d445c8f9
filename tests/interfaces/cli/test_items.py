"""Commands that say something about an item: who may, what is said of it, and how the item stands afterwards."""

from __future__ import annotations

from tests.interfaces.cli.conftest import Desk


def test_a_person_answers(desk: Desk) -> None:
    """The words of the command line are the answer."""
    name = desk.shop.noted("question", "How high?", owner="bob")
    code, out, _ = desk.ada("answer", f"[{name[:6]}]", "ten", "at", "noon")
    assert (code, out) == (0, f"Answered {name[:6]}: ten at noon\n")
    assert desk.shop.known()[name].item.answer == "ten at noon"


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


def test_taken_back_and_brought_back(desk: Desk) -> None:
    """The command that undoes it is said."""
    name = desk.shop.noted("risk", "The moon")
    code, out, err = desk.ada("retract", name, "--why", "it set")
    assert (code, out) == (0, f"Retracted {name[:6]} (risk: The moon)\n")
    assert err == f"next: clew restore {name[:6]}\n"
    assert desk.shop.live() == []
    assert desk.ada(*err.removeprefix("next: clew ").split()).out == f"Restored {name[:6]} (risk: The moon)\n"
    assert desk.shop.live() == ["The moon"]


def test_an_agent_pins_and_a_person_unpins(desk: Desk) -> None:
    """Else the agent could take off what the person put there."""
    name = desk.shop.noted("constraint", "Leave the moon alone")
    code, out, err = desk.bot("pin", name)
    assert (code, out) == (0, f"Pinned {name[:6]} (constraint: Leave the moon alone)\n")
    assert err == f"next: clew show {name[:6]}\n"  # not unpin, which it may not
    code, out, err = desk.bot("unpin", name)
    assert (code, out) == (1, "")
    assert "[E-not-a-person]" in err
    assert desk.shop.known()[name].item.pinned
    assert desk.ada("unpin", name).code == 0
    assert not desk.shop.known()[name].item.pinned


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

"""`clew pin` and `clew unpin`: anybody pins, a person unpins."""

from __future__ import annotations

from tests.interfaces.cli.conftest import Desk


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

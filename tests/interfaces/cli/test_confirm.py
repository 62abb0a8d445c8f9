"""`clew confirm`: the agent's own words, compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.app.hooks.confirm import close_confirm
from clew.app.ports import runtime_dir
from clew.core.gate.confirm import ConfirmQuestion
from clew.core.runtime_dir import session_folder
from tests.interfaces.cli.conftest import Desk


@pytest.fixture
def closed(desk: Desk) -> Desk:
    live = runtime_dir(desk.shop.bot, desk.shop.top)
    Path(session_folder(live, "5e551011")).mkdir(parents=True)
    close_confirm(live, "5e551011", "a1b2c3", ConfirmQuestion(("brest",), ("a.py",)), level="deny")
    return desk


def test_a_right_answer(closed: Desk) -> None:
    """Said in one line: the agent goes on at once."""
    assert (0, "Confirmed: edits are allowed.\n", "") == closed.bot("confirm", "Brest,", "then", "a.py")


def test_misses(closed: Desk) -> None:
    """The first is refused with what is missing, the second is let through with a warning."""
    code, out, err = closed.bot("confirm", "Brest")
    assert (1, "") == (code, out)
    assert "neither the file nor the id" in err
    assert "[E-confirm-missed]" in err
    code, out, _ = closed.bot("confirm", "--json", "Brest")
    assert 0 == code
    told = json.loads(out)
    assert (False, 2) == (told["fits"], told["misses"])
    assert "gives in" in told["said"]


def test_a_person_is_no_session(closed: Desk) -> None:
    """The gate is asked of agents."""
    code, _, err = closed.ada("confirm", "Brest, a.py")
    assert 1 == code
    assert "[E-no-asking-session]" in err

"""The confirm gate: closed behind a payload, opened by the agent's own words or after two misses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.app.hooks.confirm import close_confirm, confirm
from clew.app.ports import runtime_dir
from clew.core.errors import InputError, NotFound
from clew.core.gate.confirm import ConfirmQuestion
from tests.app.recorders import Shop

SESSION = "5e551011"
ASKED = ConfirmQuestion(("parse_tide", "brest"), ("src/a.py", "a.py"))
RIGHT = "goal: parse_tide for Brest; next: src/a.py"


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A project that a person opted in, with a session whose gate is closed."""
    made = Shop(tmp_path)
    state_file(made).parent.mkdir(parents=True)
    assert "denied" in close(made)
    return made


def close(shop: Shop, *, mark: str = "a1b2c3", level: str = "deny", asked: ConfirmQuestion | None = ASKED) -> str:
    return close_confirm(runtime_dir(shop.ada, shop.top), SESSION, mark, asked, level=level)


def state_file(shop: Shop) -> Path:
    return Path(runtime_dir(shop.ada, shop.top), "sessions", SESSION, "confirm")


def is_open(shop: Shop) -> bool:
    return bool(json.loads(state_file(shop).read_bytes())["open"])


def test_a_right_answer_opens_it(shop: Shop) -> None:
    """The point of it: the agent knows what it is about to do."""
    assert not is_open(shop)
    found = confirm(shop.bot, RIGHT)
    assert (True, 0) == (found.fits, found.misses)
    assert is_open(shop)
    assert "Already" in confirm(shop.bot, "anything").said


def test_a_miss_is_told_and_the_second_one_opens_it_with_a_warning(shop: Shop) -> None:
    """An agent that cannot be got to say it must not be left standing for ever."""
    with pytest.raises(InputError, match="nothing that only this goal") as caught:
        confirm(shop.bot, "goal: tables; next: src/b.py")
    assert "E-confirm-missed" == caught.value.code
    assert "a.py" not in caught.value.message
    assert not is_open(shop)
    found = confirm(shop.bot, "goal: tables; next: src/b.py")
    assert (False, 2) == (found.fits, found.misses)
    assert "gives in" in found.said
    assert is_open(shop)


def test_the_same_payload_is_confirmed_once(shop: Shop) -> None:
    """A session that is resumed is given the same again; another payload is another question."""
    assert "clew confirm" in close(shop), "it is still to be answered"
    confirm(shop.bot, RIGHT)
    assert "" == close(shop)
    assert is_open(shop)
    assert "clew confirm" in close(shop, mark="ffffff")
    assert not is_open(shop)


@pytest.mark.parametrize(("level", "asked"), [("off", ASKED), ("deny", None)])
def test_it_is_not_closed_where_it_is_off_or_there_is_nothing_to_ask(
    tmp_path: Path, level: str, asked: ConfirmQuestion
) -> None:
    """Then no text speaks of it, either."""
    shop = Shop(tmp_path)
    assert "" == close(shop, level=level, asked=asked)
    assert not state_file(shop).exists()


def test_it_is_found_wherever_the_session_was_started(tmp_path: Path) -> None:
    """A client was started in a folder below, and its shell has gone up since: edits were denied for ever."""
    shop = Shop(tmp_path)
    below = Path(runtime_dir(shop.ada, shop.top / "src"))
    for live in (Path(runtime_dir(shop.ada, shop.top)), below):
        (live / "sessions" / SESSION).mkdir(parents=True)
    close_confirm(str(below), SESSION, "a1b2c3", ASKED, level="deny")
    assert "Confirmed" in confirm(shop.bot, RIGHT).said
    assert json.loads((below / "sessions" / SESSION / "confirm").read_bytes())["open"]


def test_who_is_no_session_is_told_so(shop: Shop) -> None:
    """A person in a terminal has nothing to confirm, but has the setting."""
    with pytest.raises(NotFound, match="no session") as caught:
        confirm(shop.ada, RIGHT)
    assert "gate.confirm" in caught.value.hint


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b"\xff\xfe", b'{"misses": "many"}'])
def test_a_damaged_state_keeps_nobody_from_working(shop: Shop, broken: bytes) -> None:
    """What of ours is broken must not stand in the way."""
    state_file(shop).write_bytes(broken)
    assert confirm(shop.bot, RIGHT).fits
    assert "clew confirm" in close(shop)

"""A place that a search found, opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.look.sessions import is_place, passage
from clew.app.search.index import Filters
from clew.app.search.search import search
from clew.core.errors import InputError, NotFound
from tests.app.recorders import Shop
from tests.app.worlds import secrets
from tests.recordings.sessions import Recorder

SESSION = "b0000000-0000-4000-8000-000000000001"


def test_a_find_is_opened_at_its_turn_and_no_further(tmp_path: Path) -> None:
    """Given a session of two turns, the place of the second shows the second, redacted."""
    shop, key = Shop(tmp_path), secrets()["github"]
    session = Recorder(shop.top, session=SESSION).user("Make the tide ten").reply("Done.")
    session.user(f"Now the lighthouse, with {key}").reply("Lit.").user("And the moon?").reply("No.").save(shop.home)
    (hit,) = search(shop.by_person, "lighthouse", filters=Filters()).hits
    found = passage(shop.by_person, f"{SESSION[:8]}@{hit.at}")
    assert [entry.title for entry in found.entries] == ["User", "Agent"] and not found.more
    assert "lighthouse" in found.entries[0].text and key not in found.entries[0].text


def test_what_is_no_place_is_said(tmp_path: Path) -> None:
    """Given a byte behind the end, or no such session, nothing is made up."""
    shop = Shop(tmp_path)
    Recorder(shop.top, session=SESSION).user("Make the tide ten").reply("Done.").save(shop.home)
    with pytest.raises(InputError):
        passage(shop.by_person, f"{SESSION}@99999999")
    with pytest.raises(NotFound):
        passage(shop.by_person, "ffffffff@0")
    assert not is_place("D-abcd") and not is_place("@12") and not is_place("a@b")

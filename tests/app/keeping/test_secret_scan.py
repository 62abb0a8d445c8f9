"""What looks like a secret in all that is kept, by the rules of today; and that it can be taken out everywhere."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from clew.app.archive.archiving import Archived, archive_of
from clew.app.keeping.purge import purge
from clew.app.keeping.secret_scan import StoreScan, scan_store
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.stack.lock import store_of
from clew.core.errors import NotAllowed
from tests.app.projects import open_task, session_over, state_item
from tests.app.recorders import Shop
from tests.app.worlds import secrets

TOKEN = secrets()["github"]


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A project that keeps nothing secret."""
    made = Shop(tmp_path)
    made.noted("decision", "Ten it is")
    return made


def slipped(shop: Shop, text: str) -> str:
    """An item as an older clew would have kept it, past the rules of today; its id."""
    with shop.desk() as at:
        unsafe = session_over(at.ledger, by=at.speaker, at=at.location, clock=shop.clock, chance=shop.chance)
        task = open_task(at, "Tides")
        return str(state_item(unsafe, "finding", text, task=task).data["item"])


def archived(ports: Ports, text: str) -> None:
    """The same in the archive."""
    store = archive_of(ports)
    digest, size, packed = store.keep([b'{"type": "user"}\n', json.dumps({"said": text}).encode() + b"\n"])
    store.note(
        Archived("claude-code", "s-1", "/gone/s-1.jsonl", "", size, digest, size, packed, "2026-11-25", "2026-11-25")
    )


def stacked(shop: Shop, text: str) -> None:
    """The same in a piece of a stack."""
    with shop.desk(write=False) as at:
        store_of(shop.ada, at.location).keep([text.encode()])


def roles(looked: StoreScan) -> set[str]:
    return {one.role for one in looked.found}


def test_a_clean_store_has_nothing_to_tell(shop: Shop) -> None:
    """Given nothing secret, it says how much it looked at, by what."""
    looked = scan_store(ProjectHandle(shop.ada, shop.top))
    assert (looked.found, looked.advice, looked.unread) == ((), (), ())
    assert looked.texts > 20 and looked.engine.startswith("clew")


def test_it_is_found_wherever_it_is_kept(shop: Shop) -> None:
    """Given one token in the ledger, the archive and a file, each place is named; the value is not."""
    item = slipped(shop, f"The token is {TOKEN}")
    archived(shop.ada, f"use {TOKEN}")
    (shop.top / ".clew/notes.md").write_text(f"one\ntwo {TOKEN}\n")
    stacked(shop, f"a {TOKEN}")
    heard: list[str] = []
    looked = scan_store(ProjectHandle(shop.ada, shop.top), tell=heard.append)
    assert roles(looked) == {"ledger", "archive", "stack", "document"}
    assert len({one.digits for one in looked.found}) == 1
    assert {one.id for one in looked.found if one.role == "ledger"} == {item}
    assert next(one for one in looked.found if one.role == "document").line == 2
    assert "line 2 of its record" in next(one.where for one in looked.found if one.role == "archive")
    assert item in looked.advice[0] and TOKEN not in str(looked)
    assert any("the ledger" in one for one in heard) and any("archived" in one for one in heard)


def test_what_it_finds_can_be_taken_out_everywhere(shop: Shop) -> None:
    """Given a token in ledger and archive, redacting the item with its value leaves none; the record stays readable."""
    item = slipped(shop, f"The token is {TOKEN}")
    archived(shop.ada, f"use {TOKEN} for that")
    stacked(shop, f"a {TOKEN}")
    stacked(shop, "a plain piece")
    done = purge(ProjectHandle(shop.ada, shop.top), item, value=TOKEN)
    assert {"archive", "stack"} <= {one.role for one in done.before} and done.left == ()
    assert scan_store(ProjectHandle(shop.ada, shop.top)).found == ()
    store = archive_of(shop.ada)
    with shop.desk(write=False) as at:
        assert len(list(store_of(shop.ada, at.location).digests())) == 1
    (one,) = store.sessions()
    first, second = b"".join(store.content(one)).splitlines()
    assert json.loads(first) == {"type": "user"} and json.loads(second)["said"].endswith("for that")
    assert len(list((shop.ada.trust_store.parent / "archive/objects").rglob("*.zst"))) == 1


def test_a_damaged_record_is_told(shop: Shop) -> None:
    """What could not be read may hold one."""
    archived(shop.ada, "plain")
    (packed,) = (shop.ada.trust_store.parent / "archive/objects").rglob("*.zst")
    packed.write_bytes(b"no zstandard")
    assert scan_store(ProjectHandle(shop.ada, shop.top)).unread == ("the archived session s-1",)


def test_a_file_that_is_too_large_is_told(shop: Shop) -> None:
    """Nobody takes it for clean."""
    large = shop.top / ".clew" / "large.txt"
    large.touch()
    os.truncate(large, (64 << 20) + 1)
    assert scan_store(ProjectHandle(shop.ada, shop.top)).unread == (str(large),)


def test_an_engine_that_cannot_be_opened_is_an_error(shop: Shop) -> None:
    """Nobody is to take half a look for a whole one."""

    def broken() -> None:
        raise ImportError("no library")

    with pytest.raises(NotAllowed) as caught:
        scan_store(ProjectHandle(shop.ada._replace(deep_scan=broken), shop.top))
    assert caught.value.code == "E-egress-engine"

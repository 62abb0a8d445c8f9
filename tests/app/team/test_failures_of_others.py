"""What programs that synchronise sessions are known to have broken: none of it happens here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.app.look.status import status
from clew.app.team import sync
from clew.app.team.sync import sync_joined
from clew.core.errors import InputError, NotFound
from tests.app.projects import World, state_item
from tests.app.team.test_story import everything, live, of, shared, synced

__all__ = ["shared"]
SESSION = "5e551010-0000-4000-8000-000000000001"


def test_two_machines_with_one_session_id_do_not_overwrite_each_other(ada: World, bea: World, shared: Path) -> None:
    """A home that was copied goes on with one session on both: what either says under one key stays, and settles."""
    for world, text in ((ada, "Said on the laptop"), (bea, "Said on the desktop")):
        with world.desk() as at:
            data = {"item": at.new_id("F"), "kind": "finding", "text": text}
            event = at.event("item.stated", data, task="", key=f"finding:{SESSION}:40")
            at.append([event._replace(session=SESSION)])
    for world in (ada, bea, ada):
        synced(world, shared)
    for world in (ada, bea):
        done = synced(world, shared)
        assert (done.sent, done.received) == (0, 0)
        with world.desk(write=False) as at:
            told = [str(event.data["text"]) for _, event in at.ledger.events() if event.session == SESSION]
        assert sorted(told) == ["Said on the desktop", "Said on the laptop"]


def test_who_passes_something_on_did_not_say_it(ada: World, bea: World, shared: Path, tmp_path: Path) -> None:
    """Cyd has it from Bea's folder; it is Ada's all the same."""
    cyd = World(tmp_path / "cyd")
    bea.ports = bea.ports._replace(actor="bea")
    (tmp_path / "other").mkdir()
    synced(ada, shared)
    synced(bea, shared)
    synced(bea, tmp_path / "other")
    synced(cyd, tmp_path / "other", join=True)
    with cyd.desk(write=False) as at:
        (event,) = [event for _, event in at.ledger.events() if event.data.get("text") == "Ten it is"]
    assert (event.actor, event.provenance) == ("ada", "human")


def test_how_far_a_device_is_stays_on_it(ada: World, bea: World, shared: Path) -> None:
    """Else every look would be news to the others, and a conflict in what they keep."""
    synced(ada, shared)
    synced(bea, shared)
    synced(ada, shared)
    before = everything(shared)
    for world in (ada, bea, ada):
        assert synced(world, shared).confirmed_at
    assert everything(shared) == before
    for path in shared.rglob("*.device"):
        assert json.loads(path.read_bytes()).keys() == {"name", "key", "others"}


def test_nothing_is_called_sent_that_the_place_does_not_hold(
    ada: World, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A drive that says that it has written, and has not."""
    monkeypatch.setattr(sync, "replace", lambda path, data, **_: path.write_bytes(data[: len(data) // 2]))
    with pytest.raises(InputError) as refused:
        synced(ada, shared)
    assert refused.value.code == "E-sync-unconfirmed"
    monkeypatch.undo()
    assert status(of(ada)).exchanges == ()
    assert synced(ada, shared).sent == 3


def test_no_place_is_joined_by_a_file_of_the_repository(ada: World, bea: World, shared: Path) -> None:
    """Whoever clones it would send their work to whom they do not know."""
    synced(ada, shared)
    joined = (ada.top / ".git/clew/exchange.json").read_bytes()
    for name in ("exchange.json", "clew/exchange.json", ".clew/exchange.json"):
        (bea.top / name).parent.mkdir(exist_ok=True)
        (bea.top / name).write_bytes(joined)
    config = bea.top / ".clew/config.toml"
    config.write_text(config.read_text() + '\n[sync]\nauto = "sessions"\nshare = "sessions"\n')
    with pytest.raises(NotFound) as refused:
        sync_joined(of(bea))
    assert refused.value.code == "E-sync-place"
    assert bea.ports.settings(bea.top).text("sync.auto") != "sessions"


def test_sharing_one_more_task_sends_no_other_again(ada: World, bea: World, shared: Path) -> None:
    """What has gone stays gone, whatever is said of sharing; and the other side takes in only what is new."""
    synced(ada, shared)
    synced(bea, shared)
    with ada.desk() as at:
        opened = at.event("task.opened", {"task": "T-0123456789abcdef", "title": "x", "thread": True}, task="")
        at.append([opened._replace(visibility="private")])
        state_item(at, "decision", "Moonlight only", task="T-0123456789abcdef")
        at.append([at.event("task.renamed", {"task": "T-0123456789abcdef", "title": "Moon"}, task="")])
    assert (synced(ada, shared).sent, synced(bea, shared).received) == (3, 3)
    assert "Ten it is" in live(bea)

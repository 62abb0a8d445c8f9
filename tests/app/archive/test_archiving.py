"""The archive of sessions' records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.app.archive.archiving import archive, archive_of, restore
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.core.errors import InputError, NotFound
from tests.app.recorders import Shop
from tests.app.worlds import private_key, secrets
from tests.recordings.sessions import Recorder

SESSION = "b0000000-0000-4000-8000-000000000001"


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A project with one session."""
    made = Shop(tmp_path)
    recorded(made).save(made.home)
    return made


def recorded(shop: Shop, session: str = SESSION) -> Recorder:
    """A short session."""
    return Recorder(shop.top, session=session).user("Make the tide ten").reply("The harbour wall had to move.")


def test_what_the_client_deleted_comes_back(shop: Shop, tmp_path: Path) -> None:
    """Given a record that the client deleted after it was archived, the same record is given back."""
    (kept,) = archive(ProjectHandle(shop.ada, shop.top)).kept
    record = Path(kept.record)
    before = record.read_bytes()
    record.unlink()
    restore(ProjectHandle(shop.ada, shop.top), SESSION[:8], tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == before
    assert (tmp_path / "again.jsonl").stat().st_mode & 0o77 == 0


def test_only_what_grew_is_kept_anew(shop: Shop) -> None:
    """Given nothing new nothing is done; a session that goes on replaces what was kept of it."""
    archive(ProjectHandle(shop.ada, shop.top))
    assert archive(ProjectHandle(shop.ada, shop.top)).kept == ()
    recorded(shop).user("Now the moon").reply("Done.").save(shop.home)
    assert len(archive(ProjectHandle(shop.ada, shop.top)).kept) == 1
    assert len(archive_of(shop.ada).sessions()) == len(objects(shop.ada)) == 1


def test_no_secret_is_archived(shop: Shop, tmp_path: Path) -> None:
    """Given keys in prompts and results, what is kept holds none of them and is JSON as before."""
    words = [*secrets().values(), private_key()]
    session = Recorder(shop.top, session=SESSION[:-1] + "2").user("\n".join(words)).reply("I see.")
    session.save(shop.home)
    archive(ProjectHandle(shop.ada, shop.top))
    restore(ProjectHandle(shop.ada, shop.top), SESSION[:-1] + "2", tmp_path / "kept.jsonl")
    text = (tmp_path / "kept.jsonl").read_text()
    assert "[redacted:" in text
    for line in text.splitlines():
        json.loads(line)
    for word in words:
        assert word not in text and json.dumps(word)[1:-1] not in text


def test_the_policy_takes_out_the_oldest(shop: Shop) -> None:
    """Given more than may be kept, the newest stay; and a dry run only tells."""
    for number in range(2, 6):
        recorded(shop, SESSION[:-1] + str(number)).save(shop.home)
    archive(ProjectHandle(shop.ada, shop.top))
    settings = shop.ada.settings
    later = shop.ada._replace(now_ms=lambda: shop.ada.now_ms() + 400 * 86_400_000)
    told = archive(ProjectHandle(later, shop.top, dry_run=True))
    assert len(told.dropped) == 5 == len(archive_of(later).sessions())
    assert len(archive(ProjectHandle(later, shop.top)).dropped) == 5 and objects(later) == []
    assert settings(shop.top).number("archive.days") == 365


def test_a_damaged_record_is_not_given_out(shop: Shop, tmp_path: Path) -> None:
    """Given an object with other bytes, nobody goes on from half a record."""
    archive(ProjectHandle(shop.ada, shop.top))
    (place,) = objects(shop.ada)
    place.write_bytes(place.read_bytes()[:-3])
    with pytest.raises(InputError) as refused:
        restore(ProjectHandle(shop.ada, shop.top), SESSION, tmp_path / "again.jsonl")
    assert refused.value.code == "E-archive-damaged" and not list(tmp_path.glob("*again*"))


def test_what_is_not_there_and_what_is_in_the_way_is_said(shop: Shop, tmp_path: Path) -> None:
    """Given another id, or a file that is there, nothing is written."""
    archive(ProjectHandle(shop.ada, shop.top))
    with pytest.raises(NotFound):
        restore(ProjectHandle(shop.ada, shop.top), "ffff", tmp_path / "x")
    (tmp_path / "x").write_text("mine")
    with pytest.raises(InputError):
        restore(ProjectHandle(shop.ada, shop.top), SESSION, tmp_path / "x")
    assert (tmp_path / "x").read_text() == "mine"


def objects(ports: Ports) -> list[Path]:
    """The objects in the archive."""
    return sorted((ports.trust_store.parent / "archive" / "objects").glob("*/*.zst"))

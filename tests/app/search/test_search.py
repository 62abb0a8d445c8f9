"""Searching a project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clew.app.project.opening import ProjectHandle
from clew.app.search.index import Filters, FoundPlace
from clew.app.search.search import FoundPlaces, forget, search
from clew.clients.lines import read_file
from clew.core.errors import InputError
from tests.app.recorders import Shop
from tests.app.worlds import secrets
from tests.recordings.sessions import Recorder

SESSION = "b0000000-0000-4000-8000-00000000000%d"


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A project with a ledger and one session of its own, and a session elsewhere."""
    made = Shop(tmp_path)
    Recorder(made.top, session=SESSION % 1).user("Make the tide ten").reply("The harbour wall had to move.").save(
        made.home
    )
    Recorder(tmp_path / "dock", session=SESSION % 2).user("Paint the harbour").reply("Done.").save(made.home)
    return made


def hits(shop: Shop, words: str, *, everywhere: bool = False) -> tuple[FoundPlace, ...]:
    """What a search finds."""
    return asked(shop, words, everywhere=everywhere).hits


def asked(shop: Shop, words: str, *, everywhere: bool = False) -> FoundPlaces:
    """A search in the shop."""
    return search(ProjectHandle(shop.ada, shop.top), words, filters=Filters(), everywhere=everywhere)


def test_sessions_of_this_project_are_found_and_of_all_when_asked(shop: Shop) -> None:
    """Given two projects, a search is about this one; `--all` is about both."""
    assert [hit.session for hit in hits(shop, "harbour")] == [SESSION % 1]
    assert {hit.session for hit in hits(shop, "harbour", everywhere=True)} == {SESSION % 1, SESSION % 2}


def test_only_what_is_new_is_read(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given a session that goes on, the next search reads what was appended; with nothing new it reads nothing."""
    hits(shop, "harbour")
    (path,) = shop.home.rglob(f"{SESSION % 1}.jsonl")
    size, started = path.stat().st_size, []

    def noted(path: Path, reader: Any, start: int = 0, **known: Any) -> Any:
        started.append(start)
        return read_file(path, reader, start, **known)

    monkeypatch.setattr("clew.sessions.log.read_file", noted)
    assert hits(shop, "harbour") and not started
    recorder = Recorder(shop.top, session=SESSION % 1).user("Make the tide ten").reply("The harbour wall had to move.")
    recorder.user("Now the lighthouse").reply("Lit.").save(shop.home)
    (hit,) = hits(shop, "lighthouse")
    assert hit.title == "Now the lighthouse" and hit.at > 0 and started == [size]
    assert len(hits(shop, "harbour")) == 1


def test_items_and_documents_are_found_beside_sessions(shop: Shop) -> None:
    """Given a decision in the ledger and a hand-off beside the work, one looks for them at one place."""
    shop.note("decision", "Moor at the lighthouse", why="the tide")
    (shop.top / "HANDOFF.md").write_text("# Hand-off\n\n## Lighthouse\n\nThe lamp is broken.\n")
    found = hits(shop, "lighthouse")
    assert {(hit.sort, hit.kind) for hit in found} == {("item", "decision"), ("document", "document")}
    (shop.top / "HANDOFF.md").unlink()
    assert [hit.sort for hit in hits(shop, "lighthouse")] == ["item"]


def test_no_secret_gets_into_the_index(shop: Shop) -> None:
    """Given a session that holds keys, neither the index's bytes nor what is found hold them."""
    for number, secret in enumerate(secrets().values(), start=3):
        Recorder(shop.top, session=SESSION % number).user(f"Use {secret} for gulls").reply("Done.").save(shop.home)
    told = "".join(hit.snippet + hit.title for hit in hits(shop, "gulls"))
    kept = b"".join(path.read_bytes() for path in shop.ada.cache_folder.iterdir())
    for secret in secrets().values():
        assert secret not in told and secret.encode() not in kept
    assert "[redacted:" in told


def test_a_forgotten_index_is_made_anew(shop: Shop) -> None:
    """Given a redaction, the index goes; the next search has all that is left."""
    assert hits(shop, "harbour") and forget(shop.ada)
    assert not forget(shop.ada)
    assert hits(shop, "harbour")


@pytest.mark.parametrize("words", ["", "…", "?!"])
def test_a_question_without_a_word_is_an_error(shop: Shop, words: str) -> None:
    """Given no word, "nothing found" would be believed."""
    with pytest.raises(InputError) as refused:
        hits(shop, words)
    assert refused.value.code == "E-search-empty"


def test_a_session_whose_ledger_cannot_be_read_is_not_searched(shop: Shop, tmp_path: Path) -> None:
    """Given a damaged ledger, nobody knows what was redacted there: its session stays out, and that is said."""
    other = Shop(tmp_path / "other")
    Recorder(other.top, session=SESSION % 5).user("Lift the anchor").reply("Done.").save(shop.home)
    ledger = next(other.top.rglob("ledger.db"))
    ledger.write_bytes(b"no ledger" * 1000)
    found = asked(shop, "anchor", everywhere=True)
    assert found.hits == () and found.notes

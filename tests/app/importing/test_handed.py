"""A session's record that somebody hands in: it counts like a session, and for no more than a file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from clew.app.importing.documents import ImportedDocument, ImportedFiles
from clew.app.importing.handed import is_session, take_session_in
from clew.app.intake.source import is_bundle, read_source
from clew.app.keeping.purge import purge
from clew.app.look.show import show
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.record.item import pin
from clew.app.resume.payload import resume
from clew.app.tasks.lifecycle import task_new
from clew.core.errors import ClewError, LedgerError
from tests.app.recorders import Shop
from tests.recordings.sessions import Recorder

SESSION = "7e1d0a52-0c3b-4f0e-9a41-6b1f0c2d3e4f"


def _turns(said: str = "Make the tide ten, never eleven.", *, more: bool = False) -> str:
    """A session that ran elsewhere, and with `more` the same a turn later."""
    story = Recorder("/home/somebody/tide", session=SESSION).user(said)
    story.refuse("Bash", {"command": "git push"}, "not on a Friday").reply("Next I fix the test in src/a.py.")
    if more:
        story.user("Now make the moon rise at six.").reply("The moon rises at six now.")
    return story.text


TURNS, MORE = _turns(), _turns(more=True)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    made = Shop(tmp_path)
    task_new(ProjectHandle(made.ada, made.top), "Tide")
    return made


def _record(shop: Shop, text: str = TURNS, name: str = "tide.jsonl") -> Path:
    return shop.repo.write(f"history/{name}", text)


def _taken(shop: Shop, path: Path, *, by: Ports | None = None, dry_run: bool = False) -> ImportedFiles:
    return take_session_in(ProjectHandle(by or shop.ada, shop.top, dry_run=dry_run), path, name=path.name)


def _reading(shop: Shop, path: Path, *, by: Ports | None = None, dry_run: bool = False) -> ImportedDocument:
    (reading,) = _taken(shop, path, by=by, dry_run=dry_run).documents
    return reading


def _did(reading: ImportedDocument) -> set[str]:
    return {one.did for one in reading.entries}


def test_it_counts_for_the_task_and_the_next_session_is_told(shop: Shop) -> None:
    """Given a session of a client without a family of its own, work goes on from it as from any other."""
    reading = _reading(shop, _record(shop))
    assert (reading.format, reading.session[:8], _did(reading)) == ("claude-code", "7e1d0a52", {"new"})
    document = resume(ProjectHandle(shop.ada, shop.top)).document.text
    assert "Make the tide ten, never eleven" in document and "not on a Friday" in document


def test_twice_is_once_and_what_went_on_comes_in(shop: Shop) -> None:
    """Importing it again must neither double nor freeze it."""
    path = _record(shop)
    first = _reading(shop, path)
    again = _reading(shop, path)
    assert _did(again) == {"known"} and [one.id for one in again.entries] == [one.id for one in first.entries]
    grown = _reading(shop, _record(shop, MORE))
    assert _did(grown) == {"known", "new"}
    assert any("moon" in one.text for one in grown.entries if one.did == "new")
    assert sum("Make the tide ten" in text for text in shop.live(shop.ada.task or _task(shop))) == 1


def _task(shop: Shop) -> str:
    with shop.desk(write=False) as at:
        return at.task()


def test_what_it_says_is_nobodys_word(shop: Shop) -> None:
    """Anybody can write such a file, a repository that was cloned too: the user's name in it proves nothing."""
    _reading(shop, _record(shop), by=shop.ada)
    known = shop.known(_task(shop))
    assert known and {entry.item.provenance for entry in known.values()} <= {"unattributed", "inferred"}
    named = resume(ProjectHandle(shop.ada, shop.top), transcript=_record(shop))
    assert "human" in {item.provenance for item in named.state.items}  # a look at the same file, and nothing is kept


def test_the_clients_own_record_takes_its_place(shop: Shop) -> None:
    """Given the same session read from where its client keeps it, that counts: it is complete, and first-hand."""
    path = _record(shop)
    _reading(shop, path)
    story = Recorder(shop.top, session=SESSION).user("Make the tide ten, never eleven.")
    story.reply("The tide is ten.").save(shop.home)
    resume(ProjectHandle(shop.ada, shop.top))
    assert {entry.item.provenance for entry in shop.known(_task(shop)).values()} & {"human"}
    later = _taken(shop, _record(shop, MORE))
    assert _did(later.documents[0]) == {"known"} and "stays" in " ".join(later.notes)
    assert not any("moon" in text for text in shop.live(_task(shop)))


def test_a_session_of_another_client_can_be_handed_in_too(shop: Shop, tmp_path: Path) -> None:
    """A colleague sends the file of a session: its folder is not here, and it belongs to nobody here."""
    story = Recorder("/home/somebody/tide", session="c01199ee-0000-4000-8000-000000000001")
    path = story.user("Make the tide ten").reply("The tide in src/a.py is ten.").save(tmp_path / "elsewhere")
    assert is_session(shop.ada, path)
    assert _did(_reading(shop, path)) == {"new"}
    assert any("Make the tide ten" in text for text in shop.live(_task(shop)))


def test_a_rehearsal_keeps_nothing(shop: Shop) -> None:
    """It tells what would be new, and the next import finds it new still."""
    path = _record(shop)
    assert _did(_reading(shop, path, dry_run=True)) == {"new"}
    assert not shop.live(_task(shop))
    assert _did(_reading(shop, path)) == {"new"}


def test_what_was_redacted_here_stays_away(shop: Shop) -> None:
    """A person took the words out; the file that holds them is still there."""
    path = _record(shop)
    (item,) = [one for one in _reading(shop, path).entries if "never eleven" in one.text]
    purge(ProjectHandle(shop.ada, shop.top), item.id)
    assert not any("never eleven" in one.text for one in _reading(shop, path).entries)
    assert not any("never eleven" in text for text in shop.live(_task(shop)))


def test_what_is_said_of_its_items_holds(shop: Shop) -> None:
    """A pin on an item of an imported session stays when the session is imported again, grown."""
    (item,) = [one for one in _reading(shop, _record(shop)).entries if "never eleven" in one.text]
    pin(ProjectHandle(shop.ada, shop.top), item.id)
    _reading(shop, _record(shop, MORE))
    assert shop.known(_task(shop))[item.id].item.pinned
    assert show(ProjectHandle(shop.ada, shop.top), item.id)


def test_a_ledger_that_cannot_be_written_is_an_error(shop: Shop) -> None:
    """A reading of a session cannot wait in the spool: it has to be said that nothing was kept."""
    with pytest.raises(LedgerError):
        _reading(shop, _record(shop), by=shop.read_only())


def test_a_pipe_is_not_waited_for(shop: Shop) -> None:
    """Nobody writes into it: an import of it would hang for ever."""
    pipe = shop.top / "pipe"
    os.mkfifo(pipe)
    assert not is_session(shop.ada, pipe) and not is_bundle(pipe)
    with pytest.raises(ClewError) as caught:
        read_source(pipe)
    assert caught.value.code == "E-import-unreadable"


def test_documents_stay_documents(shop: Shop) -> None:
    """What people write for each other goes another way."""
    for name, text in (("HANDOFF.md", "# Handoff\n\n## Next\nMend it.\n"), ("state.json", json.dumps({"next": "x"}))):
        assert not is_session(shop.ada, shop.repo.write(name, text))
    assert not is_session(shop.ada, shop.top / "missing.md")
    assert not is_session(shop.ada, shop.top)

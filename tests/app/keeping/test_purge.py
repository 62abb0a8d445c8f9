"""Redaction: what slipped in goes from every file of clew's, does not come back, and what others hold is named."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import apsw
import pytest

from clew.app.archive.archiving import archive, archive_of
from clew.app.handoff.files import rebuild
from clew.app.intake.ingest import ingest
from clew.app.intake.sessions import Sessions
from clew.app.keeping.purge import purge
from clew.app.project.lookup import find_item, live_state
from clew.app.project.opening import ProjectHandle, open_project
from clew.app.record.agents import Agents
from clew.app.resume.catchup import catch_up
from clew.app.stack.lock import read_lock
from clew.core.errors import InputError, LedgerError, NotAllowed, NotFound
from clew.core.state.extract import Extract
from clew.ledger.port import Ledger
from clew.ledger.spool import put, take_in
from clew.testing.clock import Chance
from clew.workspace.atomic import replace
from tests.app.projects import World, open_task, state_item
from tests.recordings.sessions import Recorder

# Nothing that a rule would find: a password of words.
SECRET = "correct horse battery staple"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def own_bytes(world: World) -> bytes:
    """All bytes of clew's own files."""
    folders = [world.top / ".git" / "clew", world.top / ".clew"]
    return b"\n".join(path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file())


def stated(world: World, text: str, **data: str) -> str:
    with world.desk() as at:
        return str(state_item(at, "finding", text, **data).data["item"])


def test_only_a_person_redacts(world: World) -> None:
    """An agent that could would hide what it did."""
    item = stated(world, f"The password is {SECRET}")
    with pytest.raises(NotAllowed):
        purge(ProjectHandle(world.as_agent, world.top), item)
    assert SECRET.encode() in own_bytes(world)


def test_the_words_are_gone_from_every_byte(world: World) -> None:
    """The item's own words, and the value wherever else it was said: in another item, of another task, in a title."""
    item = stated(world, f"The password is {SECRET}", why=f"{SECRET}, as Bob said on the phone")
    with world.desk() as at:
        task = open_task(at, f"Get rid of {SECRET}")
        other = str(state_item(at, "decision", f'We rotate "{SECRET}" on Friday', task=task).data["item"])
        at.ledger.fold("")
        at.ledger.fold(task)
    done = purge(ProjectHandle(world.ports, world.top), item[:7], value=SECRET)
    assert done.changed >= 3
    assert not done.left
    assert SECRET.encode() not in own_bytes(world)
    assert b"Bob said" not in own_bytes(world)
    with world.desk() as at:
        assert "[redacted]" in find_item(at, other).entry.item.text
        assert find_item(at, item).entry.standing == "redacted"


def test_compressed_data_is_searched_too(world: World) -> None:
    """A long text lies compressed in the ledger, where no search of bytes finds it."""
    item = stated(world, f"The password is {SECRET}")
    long = "\n".join(f"line {number} of a long story" for number in range(300))
    stated(world, "A story", why=f"{long} {SECRET} {long}")
    before = purge(ProjectHandle(world.ports, world.top, dry_run=True), item, value=SECRET)
    assert [left.role for left in before.before] == ["ledger"]
    purge(ProjectHandle(world.ports, world.top), item, value=SECRET)
    assert not purge(ProjectHandle(world.ports, world.top, dry_run=True), item, value=SECRET).before


def test_a_rehearsal_changes_nothing(world: World) -> None:
    """Who is asked whether to go on has to know where it stands."""
    item = stated(world, f"The password is {SECRET}")
    replace(world.top / ".clew" / "HANDOFF.md", f"Mind {SECRET}.\n".encode(), mode=0o600)
    with world.desk(write=False) as at:
        before = at.ledger.position()
    done = purge(ProjectHandle(world.ports, world.top, dry_run=True), item, value=SECRET)
    assert {left.role for left in done.before} == {"ledger", "document"}
    with world.desk(write=False) as at:
        assert at.ledger.position() == before
        assert find_item(at, item).entry.standing == "live"


def test_what_others_hold_is_named_and_not_touched(world: World) -> None:
    """A document and the client's record are not clew's; escaped as JSON it is the same value."""
    value = 'pass "word" \\ of five'
    item = stated(world, f"The password is {value}")
    document = world.top / ".clew" / "HANDOFF.md"
    replace(document, f"Mind {value}.\n".encode(), mode=0o600)
    record = Recorder(world.top).user(f"The password is {value}, says Bob").reply("I see.").save(world.home)
    done = purge(ProjectHandle(world.ports, world.top), item, value=value)
    assert {(left.path, left.role) for left in done.left} == {(document, "document"), (record, "record")}
    assert value in document.read_text()


def test_what_hooks_keep_is_searched_and_goes(world: World) -> None:
    """It said that no file of clew's holds the words, and the summary of a compaction in the live folder did."""
    item = stated(world, f"The password is {SECRET}")
    data = world.ports.trust_store.parent
    summary = data / "live" / "somewhere" / "=clew" / "sessions" / "s1" / "summary"
    half = world.top / ".git" / "clew" / ".ledger.db.77.part"
    for path in (summary, half):
        replace(path, f"He said {SECRET}.".encode(), mode=0o600)
    done = purge(ProjectHandle(world.ports, world.top), item, value=SECRET)
    assert {summary, half} <= set(done.dropped)
    assert not summary.exists() and not half.exists()
    assert () == done.left


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser reads everything")
def test_what_cannot_be_searched_is_named(world: World) -> None:
    """ "No file holds it" is more than anybody knows of a file that could not be read."""
    item = stated(world, f"The password is {SECRET}")
    shut = world.ports.trust_store.parent / "live" / "shut"
    replace(shut, b"?", mode=0o000)
    done = purge(ProjectHandle(world.ports, world.top), item, value=SECRET)
    assert [(shut, "unread")] == [(left.path, left.role) for left in done.left]


def test_it_does_not_come_back_with_the_next_intake(world: World) -> None:
    """The client's record still has it, and the session goes on."""
    story = Recorder(world.top).user(f"The staging password is {SECRET}, keep it in mind for the tests")
    story.reply(f"I tried the staging password {SECRET} and it works. Next I will write the tide test.")
    story.save(world.home)
    with world.desk() as at:
        catch_up(world.ports, at)
        found = [item for item in live_state(at, "").items if SECRET in item.text]
    assert found
    assert SECRET.encode() in own_bytes(world)
    done = purge(ProjectHandle(world.ports, world.top), found[0].id, value=SECRET)
    assert [left.role for left in done.left] == ["record"]
    assert SECRET.encode() not in own_bytes(world)
    story.user("Go on with the tide").reply(f"With {SECRET} the tide test passes.")
    story.save(world.home)
    with world.desk() as at:
        assert catch_up(world.ports, at).intake.taken
        assert any("tide" in item.text for item in live_state(at, "").items)
    assert SECRET.encode() not in own_bytes(world)


def test_the_first_redaction_takes_archived_records_and_documents_too(world: World) -> None:
    """The record was archived and a page was written of it before anybody saw what it holds."""
    story = Recorder(world.top).user(f"The staging password is {SECRET}, keep it in mind for the tests")
    story.reply(f"I tried the staging password {SECRET} and it works. Next I will write the tide test.")
    story.save(world.home)
    archive(ProjectHandle(world.ports, world.top))
    with world.desk() as at:
        catch_up(world.ports, at)
        rebuild(world.ports, at)
        item = next(item.id for item in live_state(at, "").items if SECRET in item.text)
    kept = archive_of(world.ports)
    assert SECRET in b"".join(kept.content(kept.sessions()[0])).decode()
    assert SECRET.encode() in own_bytes(world)
    done = purge(ProjectHandle(world.ports, world.top), item, value=SECRET)
    assert [left.role for left in done.left] == ["record"], done.left
    assert SECRET not in b"".join(kept.content(kept.sessions()[0])).decode()
    assert SECRET.encode() not in own_bytes(world)


@pytest.mark.parametrize("link", [".git/clew/cache", ".clew"])
def test_nothing_goes_behind_a_link_that_leads_out(world: World, tmp_path: Path, link: str) -> None:
    """What lies there is somebody's, whatever is in it; and nothing is half redacted."""
    item = stated(world, f"The password is {SECRET}")
    outside = tmp_path / "outside"
    (outside / "spool").mkdir(parents=True)
    theirs = [outside / "theirs.records", outside / "spool" / "theirs"]
    for file in theirs:
        file.write_text(SECRET, encoding="utf-8")
    place = world.top / link
    if place.exists():
        shutil.rmtree(place)
    place.symlink_to(outside)
    with pytest.raises(OSError, match="leads out of"):
        purge(ProjectHandle(world.ports, world.top), item)
    assert all(SECRET == file.read_text(encoding="utf-8") for file in theirs)
    with world.desk() as at:
        assert SECRET in find_item(at, item).entry.item.text


def test_a_reason_of_one_word_is_not_looked_for_everywhere(world: World) -> None:
    """Else every "outdated" in the ledger would be blacked out."""
    item = stated(world, f"The password is {SECRET}", why="outdated")
    other = stated(world, "The page about tides is outdated")
    purge(ProjectHandle(world.ports, world.top), item)
    with world.desk() as at:
        assert find_item(at, other).entry.item.text == "The page about tides is outdated"


def test_what_cannot_be_redacted_is_said(world: World) -> None:
    """A value of four letters stands in too many words."""
    item = stated(world, "The password is short")
    with pytest.raises(InputError) as short:
        purge(ProjectHandle(world.ports, world.top), item, value="tide")
    assert short.value.code == "E-redact-value"
    with pytest.raises(NotFound):
        purge(ProjectHandle(world.ports, world.top), "F-zzzz")


def test_what_waits_in_the_spool_goes_too(world: World) -> None:
    """It comes into the ledger with the command that redacts, so it is looked at last."""
    from clew.app.record.note import NewNote, note

    item = stated(world, f"The password is {SECRET}")
    note(ProjectHandle(world.read_only(), world.top), NewNote("reminder", f"Tell Bob about {SECRET}"))
    rehearsed = purge(ProjectHandle(world.ports, world.top, dry_run=True), item, value=SECRET)
    assert {left.role for left in rehearsed.before} == {"ledger", "spool"}
    purge(ProjectHandle(world.ports, world.top), item, value=SECRET)
    assert SECRET.encode() not in own_bytes(world)


def test_what_waits_beside_it_in_a_spool_elsewhere_is_not_lost(world: World) -> None:
    """An agent in the sandbox of another work tree recorded ten things, one of them with the value."""
    from clew.app.record.note import NewNote, note

    item = stated(world, f"The password is {SECRET}")
    other = world.home.parent / "other"
    world.repo.git("worktree", "add", "-q", str(other), "-b", "other")
    sandbox = world.read_only()._replace(chance=Chance("sandbox"))
    with open_project(sandbox, other, write=False) as at:
        said = [
            at.event("item.stated", {"item": at.new_id("F"), "kind": "finding", "text": text}, task="")
            for text in ("The tide is ten", f"Bob uses {SECRET}")
        ]
        put(at.location.spool, said, key=at.ledger.key)
    note(ProjectHandle(sandbox, other), NewNote("finding", "The moon is four"))
    purge(ProjectHandle(world.ports, world.top), item, value=SECRET)
    with world.desk(write=False) as at:
        texts = {one.text for one in live_state(at, "").items}
    assert {"The tide is ten", "The moon is four"} <= texts
    assert SECRET.encode() not in own_bytes(world)
    assert not list((other / ".clew" / "spool").glob("*.batch"))


class Interrupted:
    """A ledger on which another process does something just before the first reading is imported."""

    def __init__(self, ledger: Ledger, deed: Callable[[], object]) -> None:
        self._ledger = ledger
        self._deeds = [deed]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def take_in(self, extract: Extract, **given: Any) -> bool:
        while self._deeds:
            self._deeds.pop()()
        return self._ledger.take_in(extract, **given)


def test_an_intake_that_had_begun_does_not_bring_it_back(world: World) -> None:
    """Every prompt starts an intake: one reads the session while the person redacts, and writes what it read."""
    story = Recorder(world.top).user(f"Fix the tide, and never tell anybody {SECRET}")
    story.save(world.home)
    with world.desk() as at:
        catch_up(world.ports, at)
        item = next(one.id for one in live_state(at, "").items if SECRET in one.text)
    story.reply(f"Decision: keep the tide at ten because {SECRET} opens the door.").save(world.home)
    with world.desk() as at:
        there = Interrupted(at.ledger, lambda: purge(ProjectHandle(world.ports, world.top), item, value=SECRET))
        at.ledger = cast("Ledger", there)
        done = ingest(world.ports, at)
    assert len(done.taken) == 1
    with world.desk() as at:
        assert not [one for one in live_state(at, "").items if SECRET in one.text]
        assert [one for one in live_state(at, "").items if "tide at ten" in one.text]
    assert SECRET.encode() not in own_bytes(world)


def test_a_reader_that_had_begun_leaves_it_in_no_cache(world: World) -> None:
    """What it read stands beside the ledger, in a file of which nobody thinks."""
    Recorder(world.top).user(f"Fix the tide, and never tell anybody {SECRET}").save(world.home)
    with world.desk() as at:
        item = str(state_item(at, "finding", f"The password is {SECRET}").data["item"])
        begun = Sessions(world.ports, at)
        purge(ProjectHandle(world.ports, world.top), item, value=SECRET)
        reading = begun.read(begun.waiting()[0])
    assert reading is not None
    assert SECRET not in str(reading.extract)
    assert list((world.top / ".git/clew/cache").iterdir())
    assert SECRET.encode() not in own_bytes(world)


def test_nobody_brings_it_back_by_saying_it_again(world: World) -> None:
    """The agent still has it in its context, and notes it, or leaves it in the spool."""
    from clew.app.record.note import NewNote, note

    purge(ProjectHandle(world.ports, world.top), stated(world, f"The password is {SECRET}"), value=SECRET)
    note(ProjectHandle(world.as_agent, world.top), NewNote("finding", f"It opens with {SECRET} at noon"))
    note(ProjectHandle(world.read_only(), world.top), NewNote("finding", f"It closes with {SECRET} at night"))
    note(ProjectHandle(world.as_agent, world.top), NewNote("finding", "The next command"))
    with world.desk(write=False) as at:
        texts = {one.text for one in live_state(at, "").items}
    assert {"It opens with [redacted:by-hand] at noon", "It closes with [redacted:by-hand] at night"} <= texts
    assert SECRET.encode() not in own_bytes(world)


@pytest.mark.slow
def test_who_is_at_a_desk_meanwhile_does_not_write_it_down_again(world: World) -> None:
    """A program holds the project open for hours; what it was told before the redaction it says afterwards."""
    item = stated(world, f"The password is {SECRET}")
    with world.desk() as at:
        said = [
            {"item": f"F-{number:016d}", "kind": "finding", "text": f"So: {SECRET} {number}"} for number in range(3)
        ]
        made = [at.event("item.stated", data, task="") for data in said]
        waiting = made[2]._replace(key=made[2].id, provenance="agent")
        purge(ProjectHandle(world.ports, world.top), item, value=SECRET)
        for event in made[:2]:  # the second one was made before, too
            assert at.append([event])
        put(at.location.spool, [waiting], key=at.ledger.key)
        taken = take_in(at.location.spool, at.redact.guard(at.ledger), now_ms=world.clock(), redact=lambda text: text)
        assert 1 == taken.events
        state_item(at, "finding", f"Once more: {SECRET}")
    assert SECRET.encode() not in own_bytes(world)
    with world.desk() as at:
        texts = [str(event.data["text"]) for _, event in at.ledger.events(kinds=("item.stated",))]
    assert ["So:", "So:", "So:", "Once more:"] == [text.partition(" [redacted")[0] for text in texts if ": [" in text]


def test_a_program_that_saves_meanwhile_loses_the_words_and_nothing_else(world: World) -> None:
    """What a program saves is given back as the same shape, whatever was taken out of it."""
    item = stated(world, f"The password is {SECRET}")
    agents = Agents()
    with world.desk() as at:
        agents.save(at, "a", {"notes": ["kept"]}, messages=None, name="", task="")
        purge(ProjectHandle(world.ports, world.top), item, value=SECRET)
        state = {"notes": ["kept", f"so: {SECRET}"], "n": 1}
        agents.save(at, "a", state, messages=None, name="", task="")
    with world.desk() as at:
        saved: Any = Agents().restore(at, "a", None)
    assert SECRET.encode() not in own_bytes(world)
    assert saved.state["notes"][1].startswith("so: [redacted")
    assert {"notes": ["kept", saved.state["notes"][1]], "n": 1} == saved.state


def test_another_process_that_keeps_old_bytes_alive_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else "redacted" would be said of a file that still has it; doing it again finishes it."""
    monkeypatch.setattr("clew.ledger.sqlite.connection.BUSY_TIMEOUT_MS", 50)
    item = stated(world, f"The password is {SECRET}")
    ledger = world.top / ".git/clew/ledger.db"
    reader = apsw.Connection(str(ledger))
    reader.execute("BEGIN").execute("SELECT count(*) FROM event").fetchall()
    with pytest.raises(LedgerError) as held:
        purge(ProjectHandle(world.ports, world.top), item, value=SECRET)
    assert held.value.hint
    reader.close()
    purge(ProjectHandle(world.ports, world.top), item, value=SECRET)
    assert SECRET.encode() not in own_bytes(world)


def test_what_was_said_beside_the_value_is_read_again_without_it(world: World) -> None:
    """A goal that names the password in passing is still the goal: only the password goes."""
    made = Recorder(world.top, session="5e551011-0000-4000-8000-00000000000f").user(
        f"Fix the tide gauge in src/a.py. The password is {SECRET}."
    )
    made.edit("src/a.py", "a = 1", "a = 2", original="a = 1\n").reply("The tide gauge is mended.").save(world.home)
    item = stated(world, f"Bob's password: {SECRET}")
    with world.desk() as at:
        catch_up(world.ports, at)
        assert any(SECRET in one.text for one in live_state(at, "").items)
    done = purge(ProjectHandle(world.ports, world.top), item, value=SECRET)
    assert ["record"] == [one.role for one in done.left]  # the client's own file
    with world.desk() as at:
        catch_up(world.ports, at)
        texts = [one.text for one in live_state(at, "").items]
    assert any("Fix the tide gauge" in text for text in texts)
    assert not any(SECRET in text for text in texts)
    assert SECRET.encode() not in own_bytes(world)


def test_of_a_redacted_item_no_word_is_written_down_again(world: World) -> None:
    """A reason of one word is in no hash, so it is known by the item that it is about: said by a program that was told
    it before, or carried along by who gives the session to a task meanwhile.
    """
    item = stated(world, "Nobody says zebra aloud")
    with world.desk() as at:
        data = {"item": item, "text": "Nobody says zebra aloud", "why": "hunter2pass"}
        made = at.event("item.edited", data, task="")
        purge(ProjectHandle(world.ports, world.top), item)
        at.append([made])
        again = at.event("item.edited", data, task="")
        at.append([again])
        kept = [event.data for _, event in at.ledger.events(kinds=("item.edited",))]
    assert kept == [{"item": item}] * 2
    assert b"hunter2pass" not in own_bytes(world)


def test_a_kept_text_of_a_stack_that_holds_it_goes(tmp_path: Path) -> None:
    """Its bytes are compressed, so no search of files would find it; another stack's stays."""
    from tests.app.stack.test_build import Stacks

    world = Stacks(tmp_path)
    (world.top / "src/notes.md").write_text(f"The door opens with {SECRET}.\n")
    world.add("files", "src/notes.md")
    world.build()
    kept = read_lock(world.top, "tides")
    with open_project(world.ports, world.top, write=True) as at:
        item = str(state_item(at, "learning", SECRET).data["item"])
    store = world.top / ".git/clew/stacks"
    assert 2 == len(list(store.glob("??/*.zst")))  # the frame and the file
    purge(ProjectHandle(world.ports, world.top), item)
    assert [kept.pieces[0]] == [path.stem for path in store.glob("??/*.zst")]
    assert SECRET not in world.build().text

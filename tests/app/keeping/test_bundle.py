"""Bundles: everything out and in again, no secret with it, nobody's words forged, nothing brought back."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest
from msgspec import structs

from clew.app.keeping.bundle import BundleExport, export, import_
from clew.app.keeping.purge import purge
from clew.app.project.lookup import find_item, live_state
from clew.app.project.opening import ProjectHandle
from clew.app.record.checkpoint import find_checkpoint
from clew.app.resume.catchup import catch_up, checkpoint
from clew.core.errors import InputError, NotAllowed
from clew.core.state.events import timestamp
from clew.ledger.bundle import export_bundle, import_bundle
from clew.ledger.memory import MemoryLedger
from clew.ledger.redaction import TEXT_CHARS_MAX
from tests.app.projects import World, extract_of, open_task, read_item, session_over, state_item
from tests.app.worlds import secrets
from tests.recordings.sessions import Recorder


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project with a task, items, a session and a checkpoint."""
    made = World(tmp_path / "one")
    Recorder(made.top).user("Make the tide ten").reply("The tide in src/a.py is ten now.").save(made.home)
    with made.desk() as at:
        catch_up(made.ports, at)
        task = open_task(at, "Tides")
        state_item(at, "decision", "Ten it is", task=task, locked=True)
        state_item(at, "constraint", "Leave the moon alone")
    checkpoint(ProjectHandle(made.ports, made.top), name="calm")
    return made


@pytest.fixture
def other(tmp_path: Path, world: World) -> World:
    """A clone of the same project on another machine, with a ledger of its own."""
    made = World(tmp_path / "two", ledger=False)
    (made.top / ".clew").mkdir()
    (made.top / ".clew/config.toml").write_bytes((world.top / ".clew/config.toml").read_bytes())
    from clew.app.install.init import init

    init(ProjectHandle(made.ports, made.top))
    return made


def exported(world: World, file: Path, **options: object) -> BundleExport:
    return export(
        ProjectHandle(world.ports, world.top, bool(options.pop("dry_run", False))),
        file,
        write=lambda block: None,
        **options,
    )  # type: ignore[arg-type]


def digits_in(hint: str) -> str:
    """The digits that a refusal offers."""
    found = re.search(r"--allow (\w{6}) --why", hint)
    assert found is not None
    return found[1]


def texts(world: World, task: str = "") -> set[str]:
    with world.desk(write=False) as at:
        return {item.text for item in live_state(at, task).items}


def test_what_goes_out_comes_in_again(world: World, other: World, tmp_path: Path) -> None:
    """A new machine knows what the old one knew, whose words they were included."""
    file = tmp_path / "all.clew"
    done = exported(world, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (done.bytes, done.extracts) == (file.stat().st_size, 1)
    taken = import_(ProjectHandle(other.ports, other.top), file, keep_authors=True)
    assert (taken.events, taken.known, taken.extracts, taken.left_out) == (done.events, 0, 1, 0)
    assert texts(other) == texts(world)
    with other.desk(write=False) as at:
        task = at.tasks()[0]
        assert task.title == "Tides"
        assert {item.text: item.provenance for item in live_state(at, task.id).items}["Ten it is"] == "human"
    again = import_(ProjectHandle(other.ports, other.top), file, keep_authors=True)
    assert (again.events, again.known, again.extracts) == (0, done.events, 0)


def test_a_file_forges_no_person(world: World, other: World, tmp_path: Path) -> None:
    """Anybody can write one; what it says counts as an agent's, and its bindings stay where they were made."""
    file = tmp_path / "all.clew"
    exported(world, file)
    taken = import_(ProjectHandle(other.as_agent, other.top), file)
    assert taken.left_out == 2  # the binding, and the note that a session was imported
    with other.desk(write=False) as at:
        assert at.task() == ""
        assert {item.provenance for item in live_state(at, at.tasks()[0].id).items} == {"agent"}
    for option in ({"keep_authors": True}, {"join": True}):
        with pytest.raises(NotAllowed) as refused:
            import_(ProjectHandle(other.as_agent, other.top), file, **option)
        assert refused.value.code == "E-not-a-person"


def test_another_project_is_refused_until_a_person_joins_them(world: World, tmp_path: Path) -> None:
    """Two projects' decisions in one ledger would contradict each other."""
    stranger = World(tmp_path / "stranger")
    file = tmp_path / "all.clew"
    done = exported(world, file)
    with pytest.raises(InputError) as refused:
        import_(ProjectHandle(stranger.ports, stranger.top), file)
    assert refused.value.code == "E-bundle-project"
    taken = import_(ProjectHandle(stranger.ports, stranger.top), file, join=True)
    assert taken.project == done.project
    assert "Leave the moon alone" in texts(stranger)
    assert import_(ProjectHandle(stranger.as_agent, stranger.top), file).known == taken.events


def test_a_rehearsal_keeps_nothing_and_counts_right(world: World, other: World, tmp_path: Path) -> None:
    """What `--dry-run` promises is what then happens."""
    file = tmp_path / "all.clew"
    assert exported(world, file, dry_run=True).events > 0
    assert not file.exists()
    exported(world, file)
    rehearsed = import_(ProjectHandle(other.ports, other.top, dry_run=True), file, keep_authors=True)
    assert texts(other) == set()
    done = import_(ProjectHandle(other.ports, other.top), file, keep_authors=True)
    assert rehearsed.dry_run and structs.replace(rehearsed, dry_run=False) == done


def test_a_secret_that_slipped_in_does_not_leave(world: World, tmp_path: Path) -> None:
    """A new rule finds what an older one did not; only a person lets it pass, one finding at a time."""
    token = secrets()["github"]
    with world.desk() as at:
        unsafe = session_over(at.ledger, by=at.speaker, at=at.location, clock=world.clock, chance=world.chance)
        state_item(unsafe, "finding", f"The token is {token}")
    file = tmp_path / "all.clew"
    with pytest.raises(NotAllowed) as refused:
        exported(world, file)
    assert refused.value.code == "E-egress-secret"
    assert token not in refused.value.message
    assert not list(tmp_path.glob("*all.clew*"))
    digits = digits_in(refused.value.hint)
    with pytest.raises(NotAllowed):
        export(
            ProjectHandle(world.as_agent, world.top), file, write=lambda block: None, allow=[digits], why="a fixture"
        )
    with pytest.raises(NotAllowed):
        exported(world, file, allow=["000000"], why="a fixture")
    done = exported(world, file, allow=[digits], why="a fixture")
    assert [secret.digits for secret in done.allowed] == [digits]
    with world.desk(write=False) as at:
        kept = [one.event for one in at.ledger.events() if one.event.kind == "secret.allowed"]
    assert [(one.actor, one.data["digits"], one.data["why"]) for one in kept] == [("ada", digits, "a fixture")]
    assert token.encode() in file.read_bytes()


def test_what_comes_in_is_redacted(world: World, other: World, tmp_path: Path) -> None:
    """A bundle from an older clew, or from nobody knows where, may hold what our rules find."""
    token = secrets()["github"]
    with world.desk() as at:
        unsafe = session_over(at.ledger, by=at.speaker, at=at.location, clock=world.clock, chance=world.chance)
        state_item(unsafe, "finding", f"The token is {token}")
    file = tmp_path / "all.clew"
    with pytest.raises(NotAllowed) as refused:
        exported(world, file)
    exported(world, file, allow=[digits_in(refused.value.hint)], why="a fixture")
    import_(ProjectHandle(other.ports, other.top), file, keep_authors=True)
    assert token.encode() not in b"".join(path.read_bytes() for path in (other.top / ".git/clew").glob("*.db*"))
    assert any("[redacted:" in text for text in texts(other))


def test_an_old_bundle_brings_nothing_back_that_was_redacted(world: World, tmp_path: Path) -> None:
    """The backup was made before the person found it."""
    with world.desk() as at:
        item = str(state_item(at, "finding", "The password is correct horse battery staple").data["item"])
        stated = {one.text for one in live_state(at, "").items}
    assert any("horse" in text for text in stated)
    file = tmp_path / "all.clew"
    exported(world, file)
    purge(ProjectHandle(world.ports, world.top), item, value="correct horse battery staple")
    ledger = world.top / ".git/clew/ledger.db"
    done = import_(ProjectHandle(world.ports, world.top), file, keep_authors=True)
    assert (done.events, done.known) == (0, exported(world, tmp_path / "now.clew").events - 1)
    with world.desk(write=False) as at:
        assert find_item(at, item).entry.standing == "redacted"
    assert b"horse battery" not in ledger.read_bytes()


def test_a_checkpoint_that_came_altered_is_found_as_it_was_taken(world: World, other: World, tmp_path: Path) -> None:
    """A file of nobody knows whom brought the checkpoint first, with another message: its id still means one."""
    file = tmp_path / "all.clew"
    exported(world, file)
    with world.desk() as at:
        [taken] = [event for _, event in at.ledger.events(kinds=("checkpoint.taken",)) if event.data["name"] == "calm"]
        forged = MemoryLedger(at.ledger.project)
    forged.append([taken._replace(data={**taken.data, "message": "forged"})])
    altered = tmp_path / "altered.clew"
    altered.write_bytes(b"".join(export_bundle(forged)))
    import_(ProjectHandle(other.as_agent, other.top), altered)
    import_(ProjectHandle(other.ports, other.top), file, keep_authors=True)
    with other.desk(write=False) as at:
        assert "" == find_checkpoint(at, str(taken.data["checkpoint"])).message


def test_what_is_redacted_while_an_import_runs_does_not_come_in(world: World, other: World, tmp_path: Path) -> None:
    """A long import reads what must stay away when it begins; a person redacts in another window meanwhile."""
    with other.desk() as at:
        state_item(at, "finding", "The password is correct horse battery staple")
        extract = at.ledger.extracts()
        words = read_item("finding", "So: correct horse battery staple", timestamp(world.clock()), session="s-9")
        at.ledger.take_in(extract_of(other, words, session="s-9"))
    assert not extract
    exported(other, tmp_path / "all.clew")
    with world.desk() as at:
        item = str(state_item(at, "finding", "It is correct horse battery staple").data["item"])
    with world.desk() as at, (tmp_path / "all.clew").open("rb") as lines:
        running = at.redact.guard(at.ledger)
        purge(ProjectHandle(world.ports, world.top), item, value="correct horse battery staple")
        done = import_bundle(lines, running, ceiling="agent", now=timestamp(world.clock()))
    assert (1, 1) == (done.events, done.extracts)
    with world.desk(write=False) as at:
        assert "battery" not in str([*at.ledger.events(), *at.ledger.extracts()])
        assert "s-9" in at.ledger.taken()


def test_a_bundle_brings_no_inferred_item_that_was_redacted_here(world: World, other: World, tmp_path: Path) -> None:
    """What rules read off a session is in a bundle as well, under the same id."""
    file = tmp_path / "all.clew"
    exported(world, file)
    with world.desk() as at:
        [gone, *others] = at.ledger.extracts()[0].items
    with other.desk() as at:
        at.append([at.event("item.redacted", {"item": gone.id, "hashes": []}, task="")])
    assert import_(ProjectHandle(other.ports, other.top), file, keep_authors=True).extracts == 1
    with other.desk() as at:
        assert [one.id for one in at.ledger.extracts()[0].items] == [one.id for one in others]
    assert others


def test_what_stands_around_the_words_neither_comes_in_nor_leaves(world: World, other: World, tmp_path: Path) -> None:
    """A session's id, a folder's name, a kind from a newer clew: a secret can stand in each of them."""
    token = secrets()["github"]
    with world.desk() as at:
        plain = at.event("item.pinned", {"item": at.new_id("D")}, task="")
        odd = {
            "key": token,
            "session": f"{token}\x1b[2J",
            "worktree": f"/home/{token}",
            "task": token,
            "kind": "new.kind",
        }
        at.ledger.append([plain._replace(**odd, data={token: 1})])  # type: ignore[arg-type]
    file = tmp_path / "all.clew"
    with pytest.raises(NotAllowed) as refused:
        exported(world, file)
    assert refused.value.code == "E-egress-secret"
    exported(world, file, allow=[digits_in(refused.value.hint)], why="a fixture")
    for options in ({}, {"keep_authors": True}):
        import_(ProjectHandle(other.ports, other.top), file, **options)
        with other.desk(write=False) as at:
            kept = [event for _, event in at.ledger.events() if event.kind == "new.kind"]
        assert len(kept) == 1
        assert token not in str(kept)
        assert "\x1b" not in kept[0].session


def test_a_file_that_is_there_stays(world: World, tmp_path: Path) -> None:
    """Yesterday's backup is not replaced by a slip of the keyboard."""
    file = tmp_path / "all.clew"
    file.write_text("yesterday's")
    with pytest.raises(InputError) as refused:
        exported(world, file)
    assert (refused.value.code, file.read_text()) == ("E-export-exists", "yesterday's")
    exported(world, file, force=True)
    assert file.read_bytes().startswith(b'{"clew_bundle"')
    with pytest.raises(InputError) as unwritable:
        exported(world, tmp_path / "no such folder" / "all.clew")
    assert unwritable.value.code == "E-export-unwritable"


def test_stdout_gets_the_same_bytes(world: World, tmp_path: Path) -> None:
    """`clew export | ssh …` is the quick way to another machine."""
    file = tmp_path / "all.clew"
    exported(world, file)
    blocks: list[bytes] = []
    export(ProjectHandle(world.ports, world.top), None, write=blocks.append)
    assert b"".join(blocks) == file.read_bytes()


@pytest.mark.parametrize(
    "content", [b"# Handoff\n\n- Goal: tide\n", b"", b"{}\n", b'{"clew_bundle":1,"project":"x"}\n']
)
def test_what_is_no_bundle_is_said_to_be_none(world: World, tmp_path: Path, content: bytes) -> None:
    """Other documents come later; so long nobody should think that theirs was read."""
    file = tmp_path / "HANDOFF.md"
    file.write_bytes(content)
    with pytest.raises(InputError) as refused:
        import_(ProjectHandle(world.ports, world.top), file)
    assert refused.value.code == "E-import-unknown"
    with pytest.raises(InputError) as missing:
        import_(ProjectHandle(world.ports, world.top), tmp_path / "none")
    assert missing.value.code == "E-import-unreadable"


def test_a_bundle_brings_no_word_about_what_was_redacted_here(world: World, other: World, tmp_path: Path) -> None:
    """Somebody over there reworded the item: of that a tombstone here knows no hash, and still it stays away."""
    file = tmp_path / "all.clew"
    with world.desk() as at:
        item = at.ledger.extracts()[0].items[0].id
        said = at.event("item.edited", {"item": item, "text": "The vault opens at nine"}, task="")
        at.append([said])
    exported(world, file)
    with other.desk() as at:
        at.append([at.event("item.redacted", {"item": item, "hashes": []}, task="")])
    for trusted in (False, True):
        import_(ProjectHandle(other.ports, other.top), file, keep_authors=trusted)
        with other.desk(write=False) as at:
            assert "vault" not in str([*at.ledger.events(), *at.ledger.extracts()])


def test_what_a_redaction_made_longer_still_leaves(world: World, other: World, tmp_path: Path) -> None:
    """A placeholder may be longer than the value: the own bundle would be refused by a colleague for good."""
    with world.desk() as at:
        state_item(at, "finding", "abcdef " + "x" * (TEXT_CHARS_MAX - 7))
        item = str(state_item(at, "finding", "The key is abcdef.").data["item"])
    purge(ProjectHandle(world.ports, world.top), item, value="abcdef")
    assert max(map(len, texts(world))) > TEXT_CHARS_MAX
    exported(world, tmp_path / "all.clew")
    assert import_(ProjectHandle(other.ports, other.top), tmp_path / "all.clew").events

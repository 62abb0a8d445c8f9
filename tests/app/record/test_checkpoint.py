"""Checkpoints: taken, found again, and taken by themselves when something happened that is worth one."""

from __future__ import annotations

from hashlib import sha1
from pathlib import Path

import pytest

from clew.app.project.lookup import live_state
from clew.app.project.opening import ProjectHandle, open_project
from clew.app.record.checkpoint import (
    CompactionMark,
    Spent,
    checkpoint_automatically,
    checkpoints,
    find_checkpoint,
    last_checkpoint,
    take_checkpoint,
)
from clew.app.resume.catchup import catch_up, checkpoint
from clew.core.errors import InputError, NotFound
from clew.core.state.events import timestamp
from clew.wiring import settings
from tests.app.projects import World, extract_of, open_task, read_item, state_item
from tests.recordings.sessions import Recorder


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def take(world: World, name: str = "", **fields: object) -> str:
    """Take a checkpoint; its id."""
    world.clock.tick(60_000)
    with open_project(world.ports, world.top, write=True) as rec:
        return take_checkpoint(rec, name=name, **fields).id  # type: ignore[arg-type]


def test_a_checkpoint_keeps_where_head_was_and_what_the_files_in_play_held(world: World) -> None:
    """Drift is told from these; the state of that moment is the ledger up to its position."""
    with world.desk() as at:
        state_item(at, "decision", "The tide is ten", files=["src/a.py", "src/gone.py"])
        before = at.ledger.position()
    take(world, "calm", message="before the storm", spent=Spent("claude-code", "s-1", 85_000, 1_200))
    with world.desk(write=False) as at:
        found = find_checkpoint(at, "calm")
    blob = world.repo.git("hash-object", "src/a.py")
    assert found.files == ((blob, "src/a.py"), ("", "src/gone.py"))
    assert found.head == world.repo.git("rev-parse", "HEAD")
    assert (found.branch, found.reason, found.message) == ("main", "manual", "before the storm")
    assert (found.context_tokens, found.output_tokens, found.session) == (85_000, 1_200, "s-1")
    assert found.seq == before + 1
    assert found.by == "ada"


def test_last_and_names_and_ids_find_it(world: World) -> None:
    """What a person remembers of it is enough; a name used twice means the newest."""
    first = take(world, "calm")
    second = take(world, "storm")
    third = take(world, "calm")
    with world.desk(write=False) as at:
        assert find_checkpoint(at, "last").id == third
        assert find_checkpoint(at, "calm").id == third
        assert find_checkpoint(at, "storm").id == second
        assert find_checkpoint(at, first[:7]).id == first
        assert find_checkpoint(at, f"[{first.upper()}]").id == first
        with pytest.raises(InputError) as several:
            find_checkpoint(at, "K-")
    assert several.value.code == "E-id-ambiguous"
    assert "calm" in several.value.hint


def test_an_unknown_one_is_answered_with_the_nearest_names(world: World) -> None:
    """A slip of the keyboard is not to be searched for in a list."""
    with world.desk(write=False) as at, pytest.raises(NotFound) as none:
        find_checkpoint(at, "last")
    assert (none.value.code, none.value.hint) == ("E-no-checkpoint", "`clew checkpoint` takes one.")
    take(world, "before-the-storm")
    with world.desk(write=False) as at, pytest.raises(NotFound) as slip:
        find_checkpoint(at, "before-teh-storm")
    assert "before-the-storm" in slip.value.hint


def test_the_task_that_is_bound_here_comes_first(world: World) -> None:
    """Two tasks may call theirs the same; `last` is not another task's."""
    take(world, "done")
    with world.desk() as at:
        task = open_task(at, "Tides")
    mine = take(world, "done")
    world.repo.git("switch", "-q", "-c", "other")
    elsewhere = take(world, "done")
    world.repo.git("switch", "-q", "main")
    with world.desk(write=False) as at:
        assert find_checkpoint(at, "done").id == mine
        assert find_checkpoint(at, "last").id == mine
        assert [one.id for one in checkpoints(at.ledger, task=task)] == [mine]
        assert next(checkpoints(at.ledger)).id == elsewhere


@pytest.mark.parametrize("name", ["last", "LAST", "K-7k2q", "x" * 81, " \t"])
def test_a_name_that_means_something_else_is_refused(world: World, name: str) -> None:
    """It could not be asked for."""
    with pytest.raises(InputError) as refused:
        take(world, name)
    assert refused.value.code == "E-checkpoint-name"
    with world.desk(write=False) as at:
        assert last_checkpoint(at.ledger, None) is None


def test_without_a_name_it_is_called_after_branch_and_time(world: World) -> None:
    """So that a list of them can be read; two of one minute are told apart, since `--at` takes the name."""
    for name in ("main-2026-11-22-0001", "main-2026-11-22-0001-2", "main-2026-11-22-0001-3"):
        take(world)
        world.clock.tick(-60_000)
        with world.desk(write=False) as at:
            assert find_checkpoint(at, "last").name == name


def test_nothing_secret_gets_into_one(world: World) -> None:
    """Names of files and messages are text from outside, too; a file whose name cannot be kept is not compared."""
    from tests.app.worlds import secrets

    token = secrets()["github"]
    with world.desk() as at:
        state_item(at, "finding", "Keys lie about", files=["src/a.py"])
    world.repo.write(f"keys/{token}.txt", "x")
    take(world, "calm", message=f"with {token} " * 20)
    with world.desk(write=False) as at:
        found = find_checkpoint(at, "calm")
    assert token not in str(found)
    assert "[redacted:" in found.message


def test_ten_thousand_of_them_are_thirty_megabytes(world: World) -> None:
    """As many files as there is room for, and every one of them changed since the checkpoint before."""
    with world.desk() as at:
        for number in range(60):
            name = f"src/some_package/with_a/module_{number:03}.py"
            world.repo.write(name, f"x = {number}\n")
            state_item(at, "finding", f"Module {number} is fine", files=[name])
    take(world)
    ledger = world.top / ".git/clew/ledger.db"
    before = ledger.stat().st_size
    with world.desk() as at:
        (event,) = [one.event for one in at.ledger.events(kinds=("checkpoint.taken",))]
        paths = [entry.partition(" ")[2] for entry in event.data["files"]]  # type: ignore[union-attr]
        assert 30 <= len(paths) <= 40
        for number in range(300):
            world.clock.tick(1000)
            files = [f"{sha1(f'{number}{path}'.encode()).hexdigest()} {path}" for path in paths]
            data = {**event.data, "checkpoint": at.new_id("K"), "files": files}
            at.append([at.event("checkpoint.taken", data, task="")])
    assert (ledger.stat().st_size - before) / 300 <= 3000


def test_a_commit_in_a_session_makes_one_and_only_one(world: World) -> None:
    """Intake runs at every command; the same commit is not worth a second checkpoint."""
    now = timestamp(world.clock.tick(1000))
    with world.desk() as at:
        at.ledger.take_in(extract_of(world, read_item("step", "Commit the tide", now, status="committed")))
        world.clock.tick(1000)
        taken = checkpoint_automatically(at)
        assert taken is not None
        assert taken.reason == "committed"
        assert checkpoint_automatically(at) is None
        later = timestamp(world.clock.tick(1000))
        items = (
            read_item("step", "Commit the tide", now, status="committed"),
            read_item("validation", "`pytest -q`", later, status="passed", at=500),
        )
        at.ledger.take_in(extract_of(world, *items, extent=200))
        world.clock.tick(1000)
        again = checkpoint_automatically(at)
        assert again is not None
        assert again.reason == "passed"
        assert len(list(checkpoints(at.ledger))) == 2


def test_a_client_whose_clock_is_ahead_makes_no_checkpoint_at_each_command(world: World) -> None:
    """Its commit stays later than every checkpoint of ours."""
    ahead = timestamp(world.clock() + 3_600_000)
    with world.desk() as at:
        at.ledger.take_in(extract_of(world, read_item("step", "Commit", ahead, status="committed")))
        assert checkpoint_automatically(at) is not None
        assert checkpoint_automatically(at) is None


@pytest.mark.parametrize(
    ("kind", "text", "status", "by"),
    [
        ("validation", "`ruff check .`", "passed", "verified"),
        ("validation", "`pytest -q`", "failed", "verified"),
        ("validation", "`pytest -q`", "passed, before the last edit", "verified"),
        ("step", "I committed it", "committed", "agent"),
        ("decision", "The tide is ten", "", "agent"),
    ],
)
def test_what_proves_nothing_makes_none(world: World, kind: str, text: str, status: str, by: str) -> None:
    """A checkpoint after every reply would bury those that somebody wants to come back to."""
    now = timestamp(world.clock.tick(1000))
    with world.desk() as at:
        item = read_item(kind, text, now, status=status, by=by)  # type: ignore[arg-type]
        at.ledger.take_in(extract_of(world, item))
        assert checkpoint_automatically(at) is None


def test_a_compaction_makes_one(world: World) -> None:
    """What the client dropped is what somebody will look for."""
    with world.desk() as at:
        compacted = [CompactionMark("s-1", 4096, timestamp(world.clock.tick(1000)))]
        world.clock.tick(1000)
        taken = checkpoint_automatically(at, compacted=compacted)
        assert taken is not None
        assert taken.reason == "compacted"
        assert checkpoint_automatically(at, compacted=compacted) is None


def test_where_the_ledger_cannot_be_written_it_waits_in_the_spool(world: World) -> None:
    """A sandboxed shell is where agents work."""
    taken = checkpoint(ProjectHandle(world.read_only(), world.top), name="from the sandbox")
    assert taken.spooled
    assert "spool" in taken.notes[0]
    assert taken.checkpoint.position == 0
    assert checkpoint(ProjectHandle(world.ports, world.top, dry_run=True)).dry_run
    with world.desk() as at:
        assert "waited in the spool" in at.notes[0]
        assert [one.name for one in checkpoints(at.ledger)] == ["from the sandbox"]


def test_taking_one_takes_in_what_sessions_left_first(world: World) -> None:
    """A point to come back to without what was just done is no such point; what it cost so far is told with it."""
    story = Recorder(world.top).user("Make the tide ten").read("src/a.py", "a = 1\n")
    story.edit("src/a.py", "1", "10", original="a = 1\n").reply("The tide is ten now.")
    story.save(world.home)
    taken = checkpoint(world.by_person, name="ten")
    with world.desk(write=False) as at:
        texts = [item.text for item in live_state(at, "", upto=find_checkpoint(at, "ten").seq).items]
    assert any("Make the tide ten" in text for text in texts)
    assert [file.path for file in taken.checkpoint.files] == ["src/a.py"]
    assert taken.checkpoint.context_tokens > 0
    assert taken.checkpoint.session == story.session


def test_catching_up_marks_a_commit_unless_that_is_switched_off(world: World) -> None:
    """`clew resume` and `clew init` begin with it."""
    story = Recorder(world.top, start="2026-11-21T09:00:00").user("Commit it")
    story.run("git commit -qm 'Tide'", "[main 1234abc] Tide\n 1 file changed, 1 insertion(+)").reply("Done.")
    story.save(world.home)
    off = world.ports._replace(environment={**world.ports.environment, "CLEW_CHECKPOINT_AUTO": "off"})
    with open_project(off, world.top, write=True, spool=False) as at:
        assert catch_up(off._replace(settings=lambda root: settings(root, off.environment)), at).checkpoint is None
    story.user("And the moon").run("git commit -qm 'Moon'", "[main 2345abc] Moon\n 1 file changed").reply("Done.")
    story.save(world.home)
    with world.desk() as at:
        mark = catch_up(world.ports, at).checkpoint
        assert mark is not None
        assert mark.reason == "committed"
        assert catch_up(world.ports, at).checkpoint is None

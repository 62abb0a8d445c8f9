"""From clients' session files into the ledger: once, completely, in order, and never over a person's words."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from clew.app.intake import sessions as intaking
from clew.app.intake.ingest import Intake, ingest
from clew.app.intake.sessions import QUOTE_CHARS
from clew.app.ports import runtime_dir
from clew.app.project.lookup import nowhere
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import ProjectSession
from clew.app.record.item import pin, retract
from clew.app.tasks.lifecycle import task_new
from clew.core.errors import NotAllowed
from clew.core.runtime_dir import HEARD
from clew.core.state.carry_over import with_one_next
from clew.core.state.extract import Extract
from clew.core.state.items import Item, Place
from clew.core.state.projection import Known, known, state_of
from clew.distill import version as distilling
from clew.ledger.port import FOREIGN_RULES
from clew.ledger.portable import lower_extract
from tests.app.projects import AGENT, World, extract_of, open_task, read_item, state_item
from tests.app.worlds import secrets
from tests.recordings.sessions import Recorder


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def story(world: World, number: int = 1, *, start: str = "2026-11-22T01:00:00", cwd: Path | None = None) -> Recorder:
    """A session that asked for something, decided something and was told never to do something."""
    session = f"5e55101{number}-0000-4000-8000-000000000001"
    made = Recorder(cwd or world.top, session=session, start=start)
    made.user(f"Fix tide {number}, and never touch the moon {number}")
    return made.reply(f"Decision: keep `moon_{number}()` in src/a.py because loader {number} needs it.")


def taken_in(world: World, **options: object) -> Intake:
    with world.desk() as at:
        return ingest(world.ports, at, **options)  # type: ignore[arg-type]


def extracts(world: World, task: str | None = None) -> tuple[Extract, ...]:
    with world.desk() as at:
        return at.ledger.extracts(task=task)


def live(at: ProjectSession, task: str) -> tuple[Item, ...]:
    return state_of(at.ledger.fold(task).entities, at.ledger.extracts(task=task), nowhere=nowhere(at)).items


def all_known(at: ProjectSession, task: str = "") -> dict[str, Known]:
    return known(at.ledger.fold(task).entities, at.ledger.extracts(task=task))


def decision(items: tuple[Item, ...]) -> Item:
    return next(item for item in items if item.kind == "decision")


# Once and completely


def test_what_clients_recorded_is_in_the_ledger(world: World) -> None:
    """The client's record is the write-ahead log: nobody has to call anything while the agent works (SPEC C4)."""
    story(world, 1).save(world.home)
    story(world, 2).save(world.home)
    done = taken_in(world)
    assert {"5e551011", "5e551012"} == {session[:8] for session in done.taken}
    assert (0, (), ()) == (done.left, done.shrunk, done.notes)
    texts = [item.text for extract in extracts(world) for item in extract.items]
    assert any("moon_1()" in text for text in texts) and any("moon_2()" in text for text in texts)


def test_taking_in_twice_is_taking_in_once(world: World) -> None:
    """It runs before every command: the second time there is nothing to do, and no file is opened."""
    path = story(world).save(world.home)
    taken_in(world)
    before = extracts(world)
    path.chmod(0)
    again = taken_in(world)
    assert ((), ()) == (again.taken, again.notes)
    assert before == extracts(world)


def test_a_session_that_goes_on_replaces_what_was_read_of_it(world: World) -> None:
    """Its items keep their ids: a pin from before still holds."""
    made = story(world)
    made.save(world.home)
    taken_in(world)
    [before] = extracts(world)
    made.user("And the saver, too").reply("Decided to leave `saver()` alone because of the lock.").save(world.home)
    assert 1 == len(taken_in(world).taken)
    [after] = extracts(world)
    assert after.extent > before.extent
    kept = {item.id for item in before.items if item.kind in ("decision", "constraint")}
    assert kept and kept <= {item.id for item in after.items}


def reported(world: World, session: str) -> Path:
    """As the hook of a client that starts leaves it."""
    live = Path(runtime_dir(world.ports, world.top))
    (live / "sessions" / session).mkdir(parents=True)
    (live / "sessions" / session / HEARD).touch()
    (live / "root").write_text(f"{world.top}\n")
    return live


def test_a_session_that_no_hook_reported_has_no_persons_words(world: World) -> None:
    """Anybody can write a file where a client keeps its own. What stands in it is told, and binds nobody."""
    forged = story(world, 1)
    forged.save(world.home)
    heard = story(world, 2, start="2026-11-22T02:00:00")
    heard.save(world.home)
    live = reported(world, heard.session)
    taken_in(world)
    items = {item.text: item for extract in extracts(world) for item in extract.items if item.provenance == "human"}
    other, real = (items[f"Fix tide {number}, and never touch the moon {number}"] for number in (1, 2))
    assert (False, True) == (other.is_persons, real.is_persons)
    agents = world.ports_of(AGENT)
    retract(ProjectHandle(agents, world.top), other.id, why="nobody said it")
    with pytest.raises(NotAllowed, match="a person said it"):
        retract(ProjectHandle(agents, world.top), real.id, why="nobody said it")
    shutil.rmtree(live)  # which is cleared up after some days
    heard.user("And the saver, too").reply("Done.").save(world.home)
    taken_in(world)
    assert all(one.is_persons for extract in extracts(world) for one in extract.items if one.text == real.text)


def test_what_no_hook_reported_does_not_say_what_is_next(world: World) -> None:
    """A stated next action stands, whatever a session that anybody can have written says later."""
    time, place = "2026-11-22T01:00:00.000Z", Place("", -1, "")
    stated = read_item("next", "Fix the tide", time, by="human")._replace(place=place)
    later = read_item("next", "Push to main", "2026-11-22T02:00:00.000Z", by="human")
    for one, kept in ((later, []), (later._replace(unheard=True), [stated])):
        assert kept == with_one_next([stated], [extract_of(world, one)])


def test_a_forked_session_has_the_same_items_under_the_same_ids(world: World) -> None:
    """Clients copy lines into a new file with another session's id: twice the same decision would look like two."""
    made = story(world)
    made.save(world.home)
    fork = story(world)
    fork.lines = [line.replace(made.session, "f0f0f0f0-0000-4000-8000-000000000001") for line in made.lines]
    fork.session = "f0f0f0f0-0000-4000-8000-000000000001"
    fork.save(world.home)
    fork.user("Another way, please").reply("Decided to use `other()` instead because it is shorter.").save(world.home)
    taken_in(world)
    one, other = extracts(world)
    assert decision(one.items).id in {item.id for item in other.items}
    with world.desk() as at:
        items = [entry.item for entry in all_known(at, at.task()).values()]
    assert ["decision"] == [item.kind for item in items if "keep `moon_1" in item.text]


def test_a_fork_whose_lines_keep_the_old_sessions_id_does_not_replace_it(world: World) -> None:
    """Older versions copied lines unchanged: the file's name is the session's id, as for the client."""
    made = story(world)
    made.save(world.home)
    made.write_to(world.home / ".claude" / "projects" / "x").rename(
        next((world.home / ".claude" / "projects").glob("*/5e55*.jsonl")).with_name("f0f0.jsonl")
    )
    taken_in(world)
    assert {"f0f0", made.session} == {extract.origin.session for extract in extracts(world)}


def test_of_a_copied_session_the_longer_file_counts(world: World) -> None:
    """A project folder that was copied has each session twice, and one of the two goes on."""
    made = story(world)
    made.save(world.home)
    made.save(world.home, project="-somewhere-else")
    taken_in(world)
    copy = world.top / "below"
    copy.mkdir()
    longer = made.user("And more").reply("Decided to leave `more()` alone because of the lock.")
    from clew.clients.claude_code.spec import slug

    longer.save(world.home, project=slug(str(copy)))
    assert 1 == len(taken_in(world).taken)
    assert ((), ()) == (taken_in(world).taken, taken_in(world).shrunk)
    assert any("more()" in item.text for item in extracts(world)[0].items)


def test_a_torn_last_line_waits(world: World) -> None:
    """The client writes just now: half a line is neither lost nor taken for the end."""
    made = story(world)
    whole = list(made.lines)
    path = made.user("Never touch the saver either").torn().save(world.home)
    taken_in(world)
    [before] = extracts(world)
    assert not before.origin.ended
    assert ((), 0) == (taken_in(world).taken, taken_in(world).left)
    path.write_text("\n".join([*whole, story(world).user("Never touch the saver either").lines[-1], ""]))
    taken_in(world)
    assert any("saver" in item.text for item in extracts(world)[0].items)


def test_a_file_that_shrank_is_noticed_and_what_was_known_stays(world: World) -> None:
    """Truncated by an editor, or half restored from a backup: what was said there was said."""
    made = story(world)
    made.user("And the saver").reply("Decided to leave `saver()` alone because of the lock.").save(world.home)
    taken_in(world)
    before = extracts(world)
    story(world).save(world.home)
    done = taken_in(world)
    assert (made.session,) == done.shrunk and done.taken == ()
    assert before == extracts(world)


def test_sub_agents_are_kept_apart(world: World) -> None:
    """Their prompts were written by the agent; their files are no sessions."""
    made = story(world).user("Find the cellar", isSidechain=True, agentId="a1")
    path = made.save(world.home)
    path.with_name("agent-a1.jsonl").write_bytes(path.read_bytes())
    assert (made.session,) == taken_in(world).taken
    assert not [item for item in extracts(world)[0].items if "cellar" in item.text]


def test_another_projects_sessions_are_left_alone(world: World, tmp_path: Path) -> None:
    """Folder names of clients are lossy: `tide-2` and `tide/2` look alike."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    from clew.clients.claude_code.spec import slug

    story(world, cwd=elsewhere).save(world.home, project=slug(str(world.top)))
    assert () == taken_in(world).taken


def test_a_session_that_is_taken_away_meanwhile_is_a_note(world: World) -> None:
    """The client cleans up while we read."""
    story(world, 2).save(world.home)
    gone = story(world, 1).save(world.home)
    gone.unlink()
    gone.symlink_to(gone.with_name("nowhere"))
    assert (story(world, 2).session,) == taken_in(world).taken


def test_a_deadline_leaves_the_rest_for_the_next_time(world: World) -> None:
    """The first command after `clew init` must not read a year of sessions; each run takes in at least one."""
    for number in range(1, 5):
        story(world, number).save(world.home, modified=1_795_309_000 + number)
    seconds = iter(range(100))
    done = taken_in(world, deadline_ms=1500, clock=lambda: float(next(seconds)))
    assert [f"5e55101{number}" for number in (4, 3)] == [session[:8] for session in done.taken]
    assert done.left == 2 and "2 session files were left" in done.notes[0]
    late = taken_in(world, deadline_ms=0, clock=lambda: 0.0)
    assert ["5e551012"] == [session[:8] for session in late.taken]
    assert (1, 0) == (len(taken_in(world).taken), taken_in(world).left)


def test_what_holds_nothing_is_looked_into_once(world: World) -> None:
    """Three hundred sessions without a prompt, each time again: nothing else would be imported before the deadline."""
    for number in range(2, 8):
        made = story(world, number)
        made.lines = made.lines[-1:]  # a reply to nothing
        made.save(world.home, modified=1_795_309_000 + number)
    story(world, 1).save(world.home, modified=1_795_309_000)
    seconds = iter(range(1000))
    done = taken_in(world, deadline_ms=2500, clock=lambda: float(next(seconds)))
    assert ((), 4) == (done.taken, done.left)
    done = taken_in(world, deadline_ms=2500, clock=lambda: float(next(seconds)))
    assert ((), 1) == (done.taken, done.left)
    assert 1 == len(taken_in(world).taken)
    with world.desk() as at:
        assert [] == intaking.Sessions(world.ports, at).waiting()
    story(world, 2).save(world.home)
    assert ["5e551012"] == [session[:8] for session in taken_in(world).taken]


def test_a_forged_size_does_not_shut_a_session_out(world: World) -> None:
    """A bundle of others may tell any size; what is read of the file here counts."""
    story(world).save(world.home)
    with world.desk() as at:
        reading = intaking.Sessions(world.ports, at)
        extract = reading.read(reading.waiting()[0]).extract  # type: ignore[union-attr]
        at.ledger.take_in(extract._replace(rules=FOREIGN_RULES, extent=2**62, items=()))
    done = taken_in(world)
    assert (1, ()) == (len(done.taken), done.shrunk)
    assert (extract.items, extract.extent) == (extracts(world)[0].items, extracts(world)[0].extent)


def test_a_forged_extract_does_not_take_a_session_to_another_task(world: World) -> None:
    """Whoever knows a session's name could send what it told out of the task that its work tree is bound to."""
    story(world).save(world.home)
    with world.desk() as at:
        task = open_task(at, "Tides")
        reading = intaking.Sessions(world.ports, at)
        extract = reading.read(reading.waiting()[0]).extract  # type: ignore[union-attr]
        at.ledger.take_in(lower_extract(extract._replace(task="T-2222222222222222"), "agent", extract.items[0].time))
    assert 1 == len(taken_in(world).taken)
    assert [task] == [one.task for one in extracts(world)]


def test_a_task_stays_a_sessions_when_words_were_redacted(world: World) -> None:
    """A session that lost words waits to be read again, like a foreign one; what was chosen for it here holds."""
    made = story(world)
    made.save(world.home)
    taken_in(world)
    with world.desk() as at:
        task = open_task(at, "Tides")
        at.ledger.assign(made.session, "T-2222222222222222")
        at.ledger.purge("F-none", [at.ledger.extracts()[0].items[0].text])
        assert 0 == at.ledger.taken()[made.session].rules
    assert 1 == len(taken_in(world).taken)
    assert ["T-2222222222222222"] == [one.task for one in extracts(world)] != [task]


def test_an_adoption_meanwhile_is_not_undone(world: World) -> None:
    """The session goes on, a command reads it, and somebody gives it to a task in another window."""
    made = story(world)
    made.save(world.home)
    taken_in(world)
    with world.desk() as at:
        task = state_item(at, "risk", "The moon", task="T-2222222222222222").task
        sessions = intaking.Sessions(world.ports, at)
    made.user("Go on").save(world.home)
    with world.desk() as at:
        sessions = intaking.Sessions(world.ports, at)
        reading = sessions.read(sessions.waiting()[0])
        at.ledger.assign(made.session, task)
        assert reading is not None and at.ledger.take_in(reading.extract)
    assert [made.session] == [one.origin.session for one in extracts(world, task)]


def test_better_rules_read_again_and_worse_ones_do_not(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inferred items are no events: what rules infer is replaced, by newer rules only."""
    story(world).save(world.home)
    taken_in(world)
    monkeypatch.setattr(intaking, "RULES_VERSION", distilling.RULES_VERSION + 1)
    assert 1 == len(taken_in(world).taken)
    monkeypatch.setattr(intaking, "RULES_VERSION", distilling.RULES_VERSION)
    assert () == taken_in(world).taken
    assert distilling.RULES_VERSION + 1 == extracts(world)[0].rules


def test_no_secret_gets_into_the_files_of_the_ledger(world: World) -> None:
    """Live keys stand in transcripts that nobody typed (LESSONS 18): not one may be copied, to the cache neither."""
    made = story(world)
    for secret in secrets().values():
        made.user(f"Never print the key {secret} anywhere, the server knows it").run(f"curl -H {secret} x", secret)
        made.write(f"keys/{secret}.env", f"KEY={secret}")
        made.reply(f"Decision: keep {secret} because of the loader.")
    made.save(world.home)
    taken_in(world)
    files = [path for path in (world.top / ".git" / "clew").rglob("*") if path.is_file()]
    assert any(path.suffix == ".records" for path in files)
    for path in files:
        data = path.read_bytes()
        assert not [name for name, secret in secrets().items() if secret.encode() in data], path


def test_of_long_words_a_part_is_kept(world: World) -> None:
    """The record has the rest; a hundred items of one long message would else keep a hundred copies of it."""
    made = story(world).reply("Decision: keep `end()` because of the lock.\n\n" + "Some words. " * 5000)
    made.save(world.home)
    taken_in(world)
    items = extracts(world)[0].items
    assert max(len(item.place.quote) for item in items) <= QUOTE_CHARS
    assert all(item.text[:20] in item.place.quote for item in items if "end()" in item.text)


# Tasks


def test_a_session_counts_for_the_task_that_its_place_is_bound_to(world: World) -> None:
    """Two sessions in one work tree on one branch are one task's; what another work tree does is not."""
    other = world.top.parent / "tide-fix"
    world.repo.git("worktree", "add", "-q", "-b", "fix", str(other))
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
    story(world, 1, start="2026-11-22T01:00:00").save(world.home)
    story(world, 2, start="2026-11-22T03:00:00").save(world.home)
    elsewhere = story(world, 3, start="2026-11-22T02:00:00", cwd=other)
    elsewhere.branch = "fix"
    elsewhere.lines = [line.replace('"gitBranch": "main"', '"gitBranch": "fix"') for line in elsewhere.lines]
    elsewhere.save(world.home)
    taken_in(world)
    assert ["5e551011", "5e551012"] == [one.origin.session[:8] for one in extracts(world, task)]
    with world.desk() as at:
        [thread] = [one.id for one in at.tasks() if one.thread]
        items = live(at, task)
    assert ["5e551013"] == [one.origin.session[:8] for one in extracts(world, thread)]
    texts = [item.text for item in items]
    assert next(item for item in items if item.kind == "next" or item.rank == 0).place.session.startswith("5e55101")
    moons = [index for index, text in enumerate(texts) for number in "12" if f"moon_{number}()" in text]
    assert moons == sorted(moons) and len(moons) == 2
    assert not [text for text in texts if "moon_3" in text]


def test_a_session_stays_with_its_task_when_the_place_is_bound_to_another(world: World) -> None:
    """The next task begins in the same tree; what was done for the last one is not its history."""
    with world.desk() as at:
        first = open_task(at, "Fix the tide")
    story(world, 1, start="2026-11-22T00:10:00").save(world.home)
    taken_in(world)
    world.clock.tick(3_600_000)
    with world.desk() as at:
        second = open_task(at, "Fix the moon")
    made = story(world, 2, start="2026-11-22T02:00:00")
    made.save(world.home)
    story(world, 1, start="2026-11-22T00:10:00").user("One more thing").reply("Done it.").save(world.home)
    taken_in(world)
    assert ["5e551011"] == [one.origin.session[:8] for one in extracts(world, first)]
    assert ["5e551012"] == [one.origin.session[:8] for one in extracts(world, second)]


@pytest.mark.parametrize("taken_in_before", [False, True])
def test_a_task_begins_with_the_session_that_was_going_on(taken_in_before: bool, world: World) -> None:
    """`clew task new` comes when the work has a name: after it began. Last month's sessions are not of it."""
    story(world, 1, start="2026-11-01T00:00:00").save(world.home, modified=1_795_000_000)
    story(world, 2, start="2026-11-21T23:00:00").save(world.home, modified=1_795_300_000)
    other = story(world, 3, start="2026-11-21T23:30:00")
    other.lines = [line.replace('"gitBranch": "main"', '"gitBranch": "fix"') for line in other.lines]
    other.save(world.home, modified=1_795_301_000)
    if taken_in_before:
        taken_in(world)
    world.clock.tick()
    done = task_new(ProjectHandle(world.ports, world.top), "Fix the tide")
    assert done.task is not None
    task, notes = done.task.id, (*done.notes, *taken_in(world).notes)
    assert any("5e551012" in note and "counts from now on" in note for note in notes) is not taken_in_before
    assert any("1 session goes along" in note for note in notes) is taken_in_before
    assert ["5e551012"] == [one.origin.session[:8] for one in extracts(world, task)]
    assert () == taken_in(world).notes
    assert ["5e551012"] == [one.origin.session[:8] for one in extracts(world, task)]


# A person's words


def said(world: World, kind: str, item: Item, **data: object) -> None:
    """A person says something about an inferred item, as the commands do: with the words it is about."""
    world.clock.tick(1000)
    with world.desk() as at:
        about = {"item": item.id, **({} if kind == "item.edited" else {"was": item.text}), **data}
        at.append([at.event(kind, about, task="")])  # type: ignore[arg-type]


@pytest.mark.parametrize("better", [False, True], ids=["the session continues", "rules no longer find it"])
def test_what_a_person_said_of_an_inferred_item_holds_after_a_later_intake(
    better: bool, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Corrected, settled, taken back or pinned once, it stays so: a later reading would else undo a review."""
    made = story(world)
    for number in range(2, 6):
        made.reply(f"Decision: keep `sun_{number}()` in src/a.py because loader {number} needs it.")
    made.save(world.home)
    taken_in(world)
    [extract] = extracts(world)
    edited, settled, retracted, pinned, *_ = [item for item in extract.items if item.kind == "decision"]
    said(world, "item.edited", edited, text="Keep all of src/a.py", was=edited.text)
    said(world, "item.resolved", settled, outcome="shipped")
    said(world, "item.retracted", retracted, reason="wrong")
    said(world, "item.pinned", pinned)

    if better:
        monkeypatch.setattr(intaking, "RULES_VERSION", distilling.RULES_VERSION + 1)
        kept = intaking.obeyed
        monkeypatch.setattr(
            intaking, "obeyed", lambda *given: tuple(one for one in kept(*given) if one.kind != "decision")
        )
    else:
        made.user("Go on").reply("Decided to leave `saver()` alone because of the lock.").save(world.home)
    assert 1 == len(taken_in(world).taken)

    with world.desk() as at:
        everything = all_known(at)
        items = {item.id: item for item in live(at, "")}
    assert ("Keep all of src/a.py", "human") == (items[edited.id].text, items[edited.id].provenance)
    assert ("resolved", "shipped") == everything[settled.id][1:3] and settled.id not in items
    assert ("retracted", "wrong") == everything[retracted.id][1:3] and retracted.id not in items
    assert items[pinned.id].pinned and items[pinned.id].text == pinned.text


def test_what_was_redacted_does_not_come_back(world: World) -> None:
    """The record still holds it: every later reading would bring it back (SPEC C16)."""
    from clew.app.project.tombstones import hashes_of

    made = story(world).user("Never tell the word xylophone7 to anybody, it opens the door")
    made.save(world.home)
    taken_in(world)
    item = next(item for item in extracts(world)[0].items if "xylophone7" in item.text)
    with world.desk() as at:
        event = at.event("item.redacted", {"item": item.id}, task="")
        at.append([event._replace(data={**event.data, "hashes": hashes_of(at.ledger.key, ["xylophone7"])})])
        at.ledger.purge(item.id, ["xylophone7"])
    made.reply("Decision: open the door with xylophone7 because it was said.").save(world.home)
    assert 1 == len(taken_in(world).taken)
    with world.desk() as at:
        told = repr(at.ledger.extracts())
        assert "xylophone7" not in told and item.id not in told
    cache = next((world.top / ".git" / "clew" / "cache").iterdir())
    assert b"xylophone7" not in cache.read_bytes()


def test_what_was_said_of_a_bundles_session_holds_when_its_record_turns_up(world: World) -> None:
    """It had the session in another task. What the person took back there would stand again, and a pin be lost."""
    story(world).save(world.home)
    with world.desk() as at:
        told = state_item(at, "risk", "The moon", task="T-2222222222222222").task
        reading = intaking.Sessions(world.ports, at)
        extract = reading.read(reading.waiting()[0]).extract  # type: ignore[union-attr]
        at.ledger.take_in(lower_extract(extract._replace(task=told), "agent", extract.items[0].time))
        open_task(at, "Tides")
    retract(ProjectHandle(world.ports, world.top), extract.items[0].id)
    pin(ProjectHandle(world.ports, world.top), extract.items[-1].id)
    assert 1 == len(taken_in(world).taken)
    [kept] = extracts(world)
    assert kept.task != told
    with world.desk(write=False) as at:
        known = at.known(kept.task)
        assert ("retracted", True) == (known[extract.items[0].id].standing, known[extract.items[-1].id].item.pinned)
        assert not any(entry.item.pinned for entry in at.known(told).values())


def test_a_task_does_not_begin_with_what_a_bundle_tells(world: World) -> None:
    """A session of which there is no more than a bundle's word would count like one that was read."""
    Recorder(world.top).save(world.home)
    [file] = world.home.rglob("*.jsonl")
    file.write_text("{}\n")
    with world.desk() as at:
        told = extract_of(world, read_item("goal", "forged", "2026-11-22T01:00:00.000Z"), session=file.stem)
        at.ledger.take_in(told._replace(rules=FOREIGN_RULES))
        open_task(at, "Tides")
    taken_in(world)
    assert [("", FOREIGN_RULES)] == [(one.task, one.rules) for one in extracts(world)]

"""Ada works and hands over; Bea goes on from another home and clone, and her answer reaches Ada."""

from __future__ import annotations

import json
import os
import shlex
import sys
from io import BytesIO
from pathlib import Path

import pytest

from clew.app.keeping.purge import purge
from clew.app.look.status import status
from clew.app.project.lookup import find_item, live_state
from clew.app.project.opening import ProjectHandle
from clew.app.record.item import answer, edit
from clew.app.resume.catchup import catch_up
from clew.app.resume.payload import resume
from clew.app.tasks.lifecycle import task_bind
from clew.app.team.side import SyncOptions, SyncResult
from clew.app.team.sync import admit, serve, sync_folder, sync_joined, sync_ssh
from clew.core.errors import InputError, NotAllowed
from clew.ledger.exchange import Hello, encode_message
from tests.app.projects import World, state_item
from tests.app.worlds import secrets
from tests.recordings.sessions import Recorder


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "stick"
    folder.mkdir()
    return folder


def synced(world: World, shared: Path, **options: object) -> SyncResult:
    project = ProjectHandle(world.ports, world.top, bool(options.pop("dry_run", False)))
    return sync_folder(project, shared, SyncOptions(**options))  # type: ignore[arg-type]


def of(world: World) -> ProjectHandle:
    return ProjectHandle(world.ports, world.top)


def live(world: World) -> dict[str, bool]:
    """The live items of the task by their texts, and whether each is locked."""
    with world.desk(write=False) as at:
        (task,) = [one.id for one in at.tasks() if one.title == "Tides"]
        return {item.text: item.locked for item in live_state(at, task).items}


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def question_of(world: World) -> str:
    with world.desk(write=False) as at:
        (task,) = [one.id for one in at.tasks() if one.title == "Tides"]
        return next(item.id for item in live_state(at, task).items if item.kind == "question")


def test_what_ada_hands_over_bea_goes_on_from(ada: World, bea: World, shared: Path) -> None:
    """Locked decisions and open questions are there; nothing of the session's record is; the answer goes back."""
    done = synced(ada, shared)
    assert [(share.title, share.events) for share in done.tasks] == [("Tides", 3)]
    assert b"Make the tide ten" not in everything(shared)
    assert synced(bea, shared).received == done.sent == 3
    assert live(bea) == {"Ten it is": True, "Spring tides as well?": False}
    task_bind(of(bea), "Tides")
    payload = resume(of(bea)).document.text
    assert "Ten it is" in payload and "Spring tides as well?" in payload and "bea" in payload

    answer(of(bea), question_of(bea), "Only at new moon")
    (waits,) = status(of(bea)).exchanges
    assert waits.waiting == 1
    assert synced(bea, shared).sent == 1
    assert synced(ada, shared).received == 1
    with ada.desk(write=False) as at:
        assert find_item(at, question_of(bea)).entry.item.answer == "Only at new moon"
    (stands,) = status(of(ada)).exchanges
    assert (stands.waiting, stands.age_s) == (0, 0)
    assert (synced(ada, shared).sent, synced(ada, shared).received) == (0, 0)


def test_what_one_redacts_goes_everywhere_else_too(ada: World, bea: World, shared: Path) -> None:
    """From the ledger of who was away, the folder, and what is recorded or read there later."""
    value = "blue-heron-17"
    synced(ada, shared)
    synced(bea, shared)
    with bea.desk() as at:
        state_item(at, "finding", f"The door opens with {value} and nothing else", task="")
    synced(bea, shared)
    synced(ada, shared)
    with ada.desk() as at:
        secret = next(item for item in live_state(at, "").items if value in item.text)
    purge(of(ada), secret.id, value=value)
    with bea.desk() as at:  # who is away goes on writing it
        state_item(at, "finding", f"Tried {value} on the back door as well", task="")
    assert value.encode() in everything(shared)
    assert synced(ada, shared).sent == 1
    assert value.encode() not in everything(shared)
    synced(bea, shared)
    Recorder(bea.top).user("Go on").reply(f"The back door takes {value} too, in src/a.py.").save(bea.home)
    with bea.desk() as at:
        catch_up(bea.ports, at)
        state_item(at, "finding", f"And {value} on the roof", task="")
    synced(bea, shared)
    synced(ada, shared)
    for place in (ada.top / ".git/clew", bea.top / ".git/clew", shared):
        assert value.encode() not in everything(place)
    for world in (ada, bea):
        with world.desk(write=False) as at:
            assert any("back door" in item.text for item in live_state(at, "").items)


def test_who_answers_a_device_whose_clock_is_ahead_has_the_last_word(ada: World, bea: World, shared: Path) -> None:
    ada.clock.now_ms += 2 * 86_400_000
    item = question_of(ada)
    edit(of(ada), item, {"text": "Neap tides as well?"})
    synced(ada, shared)
    synced(bea, shared)
    for text in ("Moon", "Sun", "Neap tides, too?"):
        bea.clock.now_ms += 1000
        edit(of(bea), item, {"text": text})
    synced(bea, shared)
    synced(ada, shared)
    assert "Neap tides, too?" in live(ada) and "Neap tides, too?" in live(bea)


def test_two_wordings_of_one_item_both_stay_and_are_asked_about(ada: World, bea: World, shared: Path) -> None:
    synced(ada, shared)
    synced(bea, shared)
    item = question_of(ada)
    bea.ports = bea.ports._replace(actor="bea")
    edit(of(ada), item, {"text": "Neap tides as well?"})
    bea.clock.now_ms += 5000
    edit(of(bea), item, {"text": "Tides at new moon?"})
    synced(bea, shared)
    assert synced(ada, shared).waiting == 1
    synced(ada, shared)
    synced(bea, shared)
    for world in (ada, bea):
        with world.desk(write=False) as at:
            (task,) = [one.id for one in at.tasks() if one.title == "Tides"]
            (asked,) = [one for one in live_state(at, task).items if "reworded on two devices" in one.text]
            assert (asked.owner, find_item(at, item).entry.item.text) == ("ada", "Tides at new moon?")
            assert "Neap tides as well?" in asked.text


def test_words_that_somebody_locked_hold_against_another_wording_said_elsewhere(
    ada: World, bea: World, shared: Path
) -> None:
    """Bea, who did not know, is asked; her words count once Ada lifts the lock."""
    with ada.desk() as at:
        (task,) = [one.id for one in at.tasks() if one.title == "Tides"]
        item = str(state_item(at, "decision", "Spring tides first", task=task).data["item"])
    synced(ada, shared)
    synced(bea, shared)
    bea.ports = bea.ports._replace(actor="bea")
    edit(of(ada), item, {"locked": True})
    bea.clock.now_ms += 5000
    edit(of(bea), item, {"text": "Tides at new moon?"})
    for world in (bea, ada, ada, bea):
        synced(world, shared)
    for world in (ada, bea):
        with world.desk(write=False) as at:
            entry = find_item(at, item).entry
            (asked,) = [one for one in live_state(at, task).items if "was locked or pinned" in one.text]
        assert (entry.item.text, entry.item.locked) == ("Spring tides first", True)
        assert "bea says: Tides at new moon?" in entry.disputed
        assert (asked.owner, "Tides at new moon?" in asked.text) == ("bea", True)
    with pytest.raises(InputError, match="locked in the words of ada"):
        edit(of(bea), item, {"text": "Tides at full moon?"})
    edit(of(ada), item, {"locked": False})
    assert "Tides at new moon?" in live(ada)


def test_of_two_next_actions_the_later_one_is_next_and_the_other_one_is_shown(
    ada: World, bea: World, shared: Path
) -> None:
    """Two people said what is next, each without the other: whose clock is two days ahead is not later by that."""
    synced(ada, shared)
    bea.ports = bea.ports._replace(actor="bea")
    ada.clock.now_ms += 2 * 86_400_000
    with ada.desk() as at:
        (task,) = [one.id for one in at.tasks() if one.title == "Tides"]
        state_item(at, "next", "Sound the harbour", task=task)
    synced(ada, shared)
    synced(bea, shared)
    with bea.desk() as at:
        state_item(at, "next", "Draw the chart", task=task)
    synced(bea, shared)
    synced(ada, shared)
    for world in (ada, bea):
        with world.desk(write=False) as at:
            told = {item.text: (item.kind, item.label) for item in live_state(at, task).items}
        assert told["Draw the chart"] == ("next", "")
        assert told["Sound the harbour"] == ("reminder", "next, says ada")


def test_a_dry_run_tells_what_would_leave_and_writes_nothing(ada: World, shared: Path) -> None:
    before = everything(ada.top / ".git/clew")
    would = synced(ada, shared, dry_run=True)
    assert [(share.title, share.events) for share in would.tasks] == [("Tides", 3)]
    assert (would.sent, would.confirmed_at, list(shared.iterdir())) == (3, "", [])
    assert everything(ada.top / ".git/clew") == before


def test_only_a_person_joins_a_place_and_an_agent_may_use_it_then(ada: World, shared: Path) -> None:
    with pytest.raises(NotAllowed, match="for the first time"):
        sync_folder(ProjectHandle(ada.as_agent, ada.top), shared)
    assert list(shared.iterdir()) == []
    synced(ada, shared)
    assert [done.place for done in sync_joined(ProjectHandle(ada.as_agent, ada.top))] == [str(shared)]


def test_a_secret_does_not_leave_and_its_place_is_told(ada: World, shared: Path) -> None:
    """Such a text got into the ledger before a rule knew it."""
    with ada.desk() as at:
        event = at.event("journal.noted", {"text": "x"}, task="")
        at.ledger.append([event._replace(data={"text": f"Use {secrets()['github']}"})])
    with pytest.raises(NotAllowed, match=f"journal.noted {event.id}") as refused:
        synced(ada, shared)
    assert refused.value.code == "E-egress-secret"
    assert b"journal" not in everything(shared)


def test_a_task_without_a_name_stays_until_somebody_names_it(ada: World, bea: World, shared: Path) -> None:
    """What it is called by itself is what somebody asked an agent."""
    with ada.desk() as at:
        opened = at.event("task.opened", {"task": "T-0123456789abcdef", "title": "x", "thread": True}, task="")
        at.append([opened._replace(visibility="private")])
        state_item(at, "decision", "Moonlight only", task="T-0123456789abcdef")
    assert (synced(ada, shared).sent, synced(ada, shared).unnamed) == (3, 1)
    with ada.desk() as at:
        at.append([at.event("task.renamed", {"task": "T-0123456789abcdef", "title": "Moon"}, task="")])
    assert synced(ada, shared).sent == 3
    synced(bea, shared)
    with bea.desk(write=False) as at:
        assert {(task.title, task.status) for task in at.tasks()} == {("Tides", "open"), ("Moon", "open")}


def test_a_copied_store_is_a_device_of_its_own(ada: World, shared: Path) -> None:
    """A folder that was cloned to another machine keeps its places, and says so."""
    first = synced(ada, shared)
    ledger = ada.top / ".git/clew/ledger.db"
    copy = ledger.with_name("copy.db")
    copy.write_bytes(ledger.read_bytes())
    copy.replace(ledger)
    second = synced(ada, shared)
    assert second.device != first.device
    assert any("device of its own" in note for note in second.notes)


def test_projects_of_two_ids_are_joined_by_a_person(ada: World, shared: Path, tmp_path: Path) -> None:
    """Who ran `clew init` without the other's configuration."""
    synced(ada, shared)
    other = World(tmp_path / "cyd")
    assert any("--join" in note for note in synced(other, shared, dry_run=True).notes)
    synced(other, shared, join=True)
    with other.desk(write=False) as at:
        assert "Tides" in {task.title for task in at.tasks()}


def ssh_to(world: World, log: Path) -> str:
    """A command in the place of ssh: it starts the program for the user whose home is `world`'s."""
    script = log.with_suffix(".sh")
    names = {"HOME": str(world.home), "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
    given = shlex.join(f"{name}={value}" for name, value in names.items())
    home, python, errors = (shlex.quote(str(word)) for word in (world.home, sys.executable, log))
    script.write_text(f'cd {home}\nset -- $2\nshift\nexec env -i {given} {python} -m clew "$@" 2>{errors}\n')
    return f"sh {shlex.quote(str(script))}"


def test_over_ssh_both_sides_hold_the_same_and_nothing_listens(ada: World, bea: World, tmp_path: Path) -> None:
    """The other clew is a process with another home; a device that nobody admitted there gets nothing."""
    ports = ada.ports._replace(environment={**ada.ports.environment, "CLEW_SSH": ssh_to(bea, tmp_path / "log")})
    project = ProjectHandle(ports, ada.top)
    target = f"tide:{bea.top}"
    with pytest.raises(NotAllowed, match="E-sync-admitted") as refused:
        sync_ssh(project, target)
    assert live_titles(bea) == []
    device = refused.value.hint.split("--admit ")[1].split("`")[0]
    with pytest.raises(NotAllowed):
        admit(ProjectHandle(bea.as_agent, bea.top), device)
    admit(of(bea), device)

    would = sync_ssh(project._replace(dry_run=True), target)
    assert ([(share.title, share.events) for share in would.tasks], live_titles(bea)) == ([("Tides", 3)], [])
    done = sync_ssh(project, target)
    assert (done.sent, done.received, live(bea)["Ten it is"]) == (3, 0, True)
    answer(of(bea), question_of(bea), "Only at new moon")
    assert sync_ssh(project, target).received == 1
    again = sync_ssh(project, target)
    assert (again.sent, again.received) == (0, 0)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (b"", b""),
        (b"ls\n", b"E-sync-talk"),
        (b'{"type":"offer","ids":[]}\n', b"E-sync-talk"),
        (
            b'{"type":"hello","version":9,"project":"x","device":"x","name":"","key":"","others":[],"holds":""}\n',
            b"talk",
        ),
    ],
)
def test_what_is_no_exchange_is_refused_and_changes_nothing(ada: World, said: bytes, told: bytes) -> None:
    before = everything(ada.top / ".git/clew")
    with pytest.raises(InputError):
        serve(of(ada), BytesIO(said), sink := BytesIO())
    assert told in sink.getvalue()
    assert len(everything(ada.top / ".git/clew")) - len(before) < 1000  # which device this is


def test_who_has_not_the_key_of_an_admitted_device_is_not_it(ada: World, bea: World, shared: Path) -> None:
    """An agent can read a device's id in a folder, and pipe what it likes into the program."""
    synced(ada, shared)
    device = synced(bea, shared).device
    synced(ada, shared)
    admit(of(ada), device)
    for path in (shared / "clew").rglob(f"{device}.device"):
        path.write_text(json.dumps({"name": "bea", "key": "ab" * 32, "others": []}))
    synced(ada, shared)
    with ada.desk() as at:
        hello = Hello(1, at.ledger.project, device, "bea", "ab" * 32, [], "0.0")
    sink = BytesIO()
    with pytest.raises(NotAllowed):
        serve(of(ada), BytesIO(encode_message(hello)), sink)
    assert b"E-sync-admitted" in sink.getvalue()


def live_titles(world: World) -> list[str]:
    with world.desk(write=False) as at:
        return [task.title for task in at.tasks()]


def test_a_host_that_says_nothing_is_told_so(ada: World) -> None:
    ports = ada.ports._replace(environment={**ada.ports.environment, "CLEW_SSH": "false"})
    project = ProjectHandle(ports, ada.top)
    with pytest.raises(InputError) as refused:
        sync_ssh(project, "tide")
    assert refused.value.code == "E-sync-cut"
    with pytest.raises(InputError, match="names no host"):
        sync_ssh(project, "-oProxyCommand=x")

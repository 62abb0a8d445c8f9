"""Ada runs a hub; Bea joins it from another home and clone. Over real HTTP on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from clew import wiring
from clew.app.keeping.purge import purge
from clew.app.look.status import status
from clew.app.project.device import start_sync
from clew.app.project.lookup import find_item, live_state
from clew.app.project.opening import ProjectHandle
from clew.app.record.item import answer, retract
from clew.app.resume.payload import resume
from clew.app.tasks.lifecycle import task_bind
from clew.app.team import hub_client
from clew.app.team.hub_client import join_hub, sync_hub
from clew.app.team.hub_database import back_up
from clew.app.team.side import SyncOptions
from clew.app.team.sync import share_task, sync_joined
from clew.core.errors import InputError, NotAllowed
from tests.app.projects import World, open_task, state_item
from tests.app.team.hubs import Served, served
from tests.app.team.test_story import everything, live, of, question_of
from tests.ledger.postgres.server import server


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "hub/hub.db") as made:
        yield made


@pytest.fixture
def on_server() -> Iterator[Served]:
    """A hub whose data is in a PostgreSQL database."""
    with served(server().empty("hubs")) as made:
        yield made


@pytest.fixture
def bea(bea: World) -> World:
    bea.ports = bea.ports._replace(actor="bea")
    return bea


@pytest.fixture
def team(hub: Served, ada: World, bea: World) -> Served:
    """Both have joined and hold the same."""
    join_hub(ada.ports, ada.top, f"{hub.url}#{hub.code}", past=True)
    hub.synced(ada)
    hub.lets_in(bea, "Bea")
    hub.synced(bea)
    return hub


def test_what_ada_hands_over_reaches_bea_by_the_hub(hub: Served, ada: World, bea: World) -> None:
    """Joined once, `clew sync` without a word goes there; nothing of the session's record does."""
    join_hub(ada.ports, ada.top, f"{hub.url}#{hub.code}", past=True)
    (sent,) = sync_joined(ProjectHandle(ada.as_agent, ada.top))
    assert (sent.sent, sent.waiting) == (3, 0)
    hub.lets_in(bea, "Bea")
    assert hub.synced(bea).received == 3
    assert live(bea) == {"Ten it is": True, "Spring tides as well?": False}
    task_bind(of(bea), "Tides")
    assert "Ten it is" in resume(of(bea)).document.text
    answer(of(bea), question_of(bea), "Only at new moon")
    assert status(of(bea)).exchanges[0].waiting == 1
    assert (hub.synced(bea).sent, hub.synced(ada).received) == (1, 1)
    with ada.desk(write=False) as at:
        assert find_item(at, question_of(ada)).entry.item.answer == "Only at new moon"
    assert b"Make the tide ten" not in everything(Path(hub.database.place).parent)


def test_the_same_over_postgresql_and_from_there_into_a_file(
    on_server: Served, ada: World, bea: World, tmp_path: Path
) -> None:
    """Exchange, redaction, forgetting; and a copy of it all, which is a hub as well."""
    with ada.desk() as at:
        secret = str(state_item(at, "finding", "The door opens with blue-heron-17").data["item"])
    join_hub(ada.ports, ada.top, f"{on_server.url}#{on_server.code}", past=True)
    on_server.synced(ada)
    on_server.lets_in(bea, "Bea")
    on_server.synced(bea)
    assert "The door opens with blue-heron-17" in live(bea)
    purge(of(bea), secret, value="blue-heron-17")
    on_server.synced(bea)
    on_server.synced(ada)
    assert not [event for event in events_of(on_server) if "heron" in str(event.data)]
    assert b"blue-heron" not in everything(ada.top / ".git/clew")
    back_up(on_server.database, tmp_path / "copy.db")
    with served(tmp_path / "copy.db") as copy:
        assert [str(event) for event in events_of(copy)] == [str(event) for event in events_of(on_server)]
    assert on_server.hub.forget_person("Bea").left == 0


def test_nothing_new_is_one_request(team: Served, ada: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    exchange = team.hub.exchange
    monkeypatch.setattr(team.hub, "exchange", lambda *given: asked.append(given[1]) or exchange(*given))
    done = team.synced(ada)
    assert (done.sent, done.received, len(asked)) == (0, 0, 1)


def test_others_agents_and_people_are_named_and_nobody_speaks_for_somebody_else(
    team: Served, ada: World, bea: World
) -> None:
    """By the key that an event comes with, whatever it says of itself."""
    with bea.desk() as at:
        said = [
            at.event("item.stated", {"item": at.new_id("F"), "kind": "finding", "text": text}, task="")
            for text in ("By Bea", "By her agent", "By a bot", "In Ada's name")
        ]
        agent = {"provenance": "agent"}
        changes: list[dict[str, str]] = [{}, agent, {**agent, "actor": "bot"}, {"actor": "Ada"}]
        at.ledger.append([one._replace(**more) for one, more in zip(said, changes, strict=True)])  # type: ignore[arg-type]
    team.synced(bea)
    team.synced(ada)
    with ada.desk(write=False) as at:
        found = {event.data.get("text"): (event.actor, event.provenance) for _, event in at.ledger.events()}
    assert found["By Bea"] == ("Bea", "human")
    assert found["By her agent"] == ("Bea (agent)", "agent")
    assert found["By a bot"] == ("Bea (bot)", "agent")
    assert found["In Ada's name"] == ("Bea (for Ada)", "agent")


def test_what_somebody_else_ends_is_asked_about(team: Served, ada: World, bea: World) -> None:
    with ada.desk() as at:
        (task,) = [one.id for one in at.tasks() if one.title == "Tides"]
        item = str(state_item(at, "decision", "Neap tides first", task=task).data["item"])
    team.synced(ada)
    team.synced(bea)
    bea.clock.now_ms += 5000
    retract(of(bea), item, why="The moon says no")
    team.synced(bea)
    notes = team.synced(ada).notes
    assert any("Bea retracted" in note and "clew restore" in note for note in notes)
    with ada.desk(write=False) as at:
        (asked,) = [one for one in live_state(at, task).items if "Is that right?" in one.text]
    assert (asked.owner, "The moon says no" in asked.text) == ("Ada", True)


def test_what_was_before_stays_until_it_is_shared(hub: Served, ada: World) -> None:
    """Tasks, and what is of no task; what begins afterwards goes."""
    with ada.desk() as at:
        state_item(at, "learning", "Said before, of no task")
    joined = join_hub(ada.ports, ada.top, f"{hub.url}#{hub.code}")
    assert joined.private == 1
    with ada.desk() as at:
        state_item(at, "finding", "Of the old task, said afterwards", task=at.task())
    first = hub.synced(ada)
    assert (first.sent, first.private, first.waiting) == (0, 1, 0)
    share_task(of(ada), "Tides")
    assert status(of(ada)).exchanges[0].waiting == 4
    assert [(share.title, share.events) for share in hub.synced(ada).tasks] == [("Tides", 4)]
    with ada.desk() as at:
        new = open_task(at, "Moon")
    share_task(of(ada), new, private=True)
    assert (hub.synced(ada).sent, hub.synced(ada).private) == (0, 1)
    with pytest.raises(InputError) as refused:
        share_task(of(ada), "Tides", private=True)
    assert refused.value.code == "E-task-shared"


def test_who_may_only_read_gets_all_and_sends_nothing(team: Served, ada: World, bea: World) -> None:
    project = team.hub.status().projects[0]
    team.hub.grant("bea", project.id, "read")
    with bea.desk() as at:
        state_item(at, "finding", "Seen by Bea")
    with ada.desk() as at:
        state_item(at, "finding", "Seen by Ada")
    team.synced(ada)
    done = team.synced(bea)
    assert (done.sent, done.received, done.waiting) == (0, 1, 1)
    assert team.hub.status().projects[0].events == project.events + 1


def test_a_hub_that_was_put_back_gets_again_what_came_since_by_whoever_said_it(
    team: Served, ada: World, bea: World, tmp_path: Path
) -> None:
    """From whoever has it: what Bea said comes back by Ada as Bea's, whose device is gone."""
    back_up(team.database, tmp_path / "yesterday.db")
    with bea.desk() as at:
        state_item(at, "finding", "Bea saw the moon")
    team.synced(bea)
    team.synced(ada)
    before = {(event.id, event.actor, event.provenance) for event in events_of(team)}
    team.hub.revoke("Bea")
    with served(tmp_path / "yesterday.db") as restored:
        moved(ada, team.url, restored.url)
        done = restored.synced(ada)
        assert done.sent == 1
        assert {(event.id, event.actor, event.provenance) for event in events_of(restored)} == before


def test_a_fork_or_another_spelling_is_asked_about_once(team: Served, bea: World, tmp_path: Path) -> None:
    """Who ran `clew init` without the other's configuration has another id for the same repository."""
    cyd, fork = World(tmp_path / "cyd"), World(tmp_path / "fork")
    for world, name in ((cyd, "Cyd"), (fork, "Ada")):
        world.repo.git("fetch", "-q", str(bea.top), "HEAD")
        world.repo.git("reset", "-q", "--soft", "FETCH_HEAD")
        join_hub(world.ports, world.top, f"{team.url}#{team.hub.invite(name)}")
    team.hub.grant("Cyd", team.hub.status().projects[0].id, "write")
    with pytest.raises(InputError, match="same first commit") as refused:
        team.synced(cyd)
    assert refused.value.code == "E-sync-project"
    assert team.synced(cyd, join=True).received > 0
    assert team.synced(cyd).received == 0
    with pytest.raises(NotAllowed):
        sync_hub(ProjectHandle(fork.as_agent, fork.top), team.url, SyncOptions(apart=True))
    assert (team.synced(fork, apart=True).received, len(team.hub.status().projects)) == (0, 2)


def test_forgetting_is_counted_and_does_not_come_back(team: Served, ada: World, bea: World) -> None:
    """What is left is that there was something; devices keep what they have."""
    with bea.desk() as at:
        state_item(at, "finding", "Bea likes herons")
    team.synced(bea)
    found = team.hub.forget_person("bea")
    assert (found.events, found.devices, found.left) == (1, 1, 0)
    assert [person.name for person in team.hub.status().people] == ["Ada"]
    assert b"herons" not in everything(Path(team.database.place).parent)
    team.synced(ada)
    (task,) = {event.task for event in events_of(team) if event.task}
    gone = team.hub.forget_task(task)
    assert (gone.events, gone.left) == (3, 0)
    again = team.synced(ada)
    assert (again.sent, again.received, "Ten it is" in live(ada)) == (0, 0, True)
    with pytest.raises(NotAllowed) as refused:
        team.synced(bea)
    assert refused.value.code == "E-hub-key"


def events_of(hub: Served) -> list:  # type: ignore[type-arg]
    """All events on the hub."""
    from clew.app.team.hub_ledger import HubLedger

    return [event for one in hub.hub.status().projects for _, event in HubLedger(hub.database, one.id, b"").events()]


def moved(world: World, old: str, new: str) -> None:
    """The hub is at another address now: as if its name were the same."""
    for path in (world.ports.trust_store.with_name("hubs.json"), world.top / ".git/clew/exchange.json"):
        path.write_text(path.read_text().replace(old, new))


def setting(world: World, **values: str) -> World:
    """The user's own settings say so from now on."""
    folder = world.home / ".config/clew"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text("[sync]\n" + "".join(f'{name} = "{value}"\n' for name, value in values.items()))
    environment = {**world.ports.environment, "HOME": str(world.home)}
    world.ports = world.ports._replace(
        environment=environment, settings=lambda root: wiring.settings(root, environment)
    )
    return world


def test_sessions_go_where_a_person_says_so_and_are_others_there(team: Served, ada: World, bea: World) -> None:
    """What rules read off Ada's session is an agent's word at Bea's, and goes no further; its own file stays."""
    assert team.hub.status().projects[0].sessions == 0
    first = team.synced(setting(ada, share="sessions"))
    assert ("Sessions: 1 sent, 0 received." in first.notes, first.sent) == (True, 0)  # nothing goes again
    assert "Sessions: 0 sent, 1 received." in team.synced(setting(bea, share="sessions")).notes
    with bea.desk(write=False) as at:
        (told,) = at.ledger.extracts()
    assert (told.is_foreign, "human" in {item.provenance for item in told.items}) == (True, False)
    assert not [note for world in (ada, bea) for note in team.synced(world).notes if note.startswith("Sessions")]
    team.hub.keep_sessions(team.hub.status().projects[0].id, 30)
    team.clock.now_ms += 31 * 86_400_000
    team.synced(ada)
    assert team.hub.status().projects[0].sessions == 0


def test_sessions_go_several_at_once() -> None:
    large = b"x" * (8 << 20)
    assert list(hub_client._parts([b"a\n", b"b\n", large, b"c\n"])) == [b"a\nb\n", large, b"c\n"]
    assert list(hub_client._parts([])) == []


def test_where_sessions_fail_the_events_are_exchanged_and_it_is_said(
    team: Served, ada: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> list[bytes]:
        raise NotAllowed("no sessions today", code="E-hub-right", hint="Come again.")

    monkeypatch.setattr(team.hub, "sessions", refuse)
    with ada.desk() as at:
        state_item(at, "finding", "Herons return")
    told = team.synced(setting(ada, share="sessions"))
    assert (told.sent, bool(told.confirmed_at)) == (1, True)
    assert "Sessions were not exchanged: no sessions today. Come again." in told.notes
    assert team.synced(ada).sent == 0


@pytest.mark.parametrize("body", [b"", b"<html>Sign in</html>", b"[]", b"{}" * 2_000_000, b'{"similar":'])
def test_an_answer_that_is_no_hubs_is_said(
    team: Served, ada: World, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    """A page to sign in, nothing at all, too much, half of something: with the status of an answer."""

    class Portal(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body) + body.endswith(b":")))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    monkeypatch.setattr(hub_client, "_ANSWER_BYTES_MAX", 1 << 20)
    with HTTPServer(("127.0.0.1", 0), Portal) as portal:
        Thread(target=portal.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{portal.server_port}"
        moved(ada, team.url, url)
        for reach in (lambda: join_hub(ada.ports, ada.top, f"{url}#code"), lambda: sync_joined_at(ada, url)):
            with pytest.raises(InputError) as refused:
                reach()
            assert refused.value.code == "E-hub-away"
        portal.shutdown()


def sync_joined_at(world: World, url: str) -> None:
    sync_hub(ProjectHandle(world.ports, world.top), url)


def test_an_exchange_starts_by_itself_and_nobody_waits_for_it(team: Served, ada: World) -> None:
    """At a session's begin and end, where the user wants that; the process is its own."""
    with ada.desk() as at:
        state_item(at, "finding", "Said in a session")
        file = at.location.exchange_file
    assert not start_sync(ada.ports, ada.top, file)
    before = team.hub.status().projects[0].events
    process = start_sync(setting(ada, auto="sessions").ports, ada.top, file)
    assert process and process.wait(60) == 0
    assert team.hub.status().projects[0].events == before + 1

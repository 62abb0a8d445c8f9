"""What is not let through: at the hub's door, over real HTTP, and by who has a key."""

from __future__ import annotations

import http.client
import json
import os
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec
import pytest

from clew.app.project.tombstones import hashes_of
from clew.app.team.hub_client import checked_url, join_hub
from clew.app.team.hub_wire import JoinRequest, hash_of
from clew.core.errors import ClewError, InputError, NotAllowed
from clew.core.state.events import Event
from clew.core.state.ids import ulid
from clew.ledger.codec import write_line
from clew.ledger.exchange import EventBatch, Hello, Offer, SyncMessage, decode_message, encode_message
from tests.app.projects import World, state_item
from tests.app.team.hubs import Served, served
from tests.app.worlds import secrets

PROJECT = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
NOW = "2026-11-22T01:02:03.004Z"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A hub with a project of Ada's; Mallory has joined, and may do nothing."""
    with served(tmp_path_factory.mktemp("hub") / "hub.db", patience_s=0.5) as made:
        yield made


class Door(NamedTuple):
    """The hub's HTTP, as anybody reaches it; with the key of a device if it has one."""

    url: str
    key: str = ""

    def ask(self, path: str, body: bytes, **headers: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=10)
        shown = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        connection.request("POST", f"/v1/{path}", body, {**shown, **headers})
        answer = connection.getresponse()
        said = answer.status, answer.read()
        connection.close()
        return said

    def tell(self, *messages: SyncMessage, others: tuple[str, ...] = ()) -> list[SyncMessage]:
        hello = Hello(1, PROJECT, ulid(1, b"0123456789"), "x", "ab" * 32, list(others), "0.0")
        status, said = self.ask(f"projects/{PROJECT}/exchange", b"".join(map(encode_message, [hello, *messages])))
        assert status == 200
        return [decode_message(line) for line in said.splitlines(keepends=True)]


def door_of(hub: Served, name: str, *, code: str = "") -> Door:
    """A device of `name`'s."""
    secret = os.urandom(32).hex()
    asked = JoinRequest(code or hub.hub.invite(name), "laptop", name.lower(), hash_of(secret))
    status, said = Door(hub.url).ask("join", msgspec.json.encode(asked))
    assert status == 200
    return Door(hub.url, f"{json.loads(said)['device']}.{secret}")


@pytest.fixture(scope="module")
def ada(hub: Served) -> Door:
    made = door_of(hub, "Ada", code=hub.code)
    asked = json.dumps({"id": PROJECT, "title": "tide"}).encode()
    assert made.ask("projects", asked) == (200, b'{"similar":[]}')
    return made


def event(number: int, text: str, **changes: object) -> Event:
    name = ulid(number, os.urandom(10))
    said = Event(
        id=name,
        key=name,
        project=PROJECT,
        task="",
        session="",
        worktree="",
        actor="ada",
        provenance="human",
        visibility="team",
        said_at=NOW,
        recorded_at=NOW,
        kind="journal.noted",
        v=1,
        data={"text": text},
    )
    return said._replace(**changes)  # type: ignore[arg-type]


def batch(*events: Event, stamps: tuple[str, ...] = (), allowed: tuple[str, ...] = ()) -> EventBatch:
    return EventBatch([msgspec.Raw(write_line(one)) for one in events], list(stamps), list(allowed))


def kept(hub: Served, name: str) -> list[tuple[str, str, str]]:
    """Who said the event of this id, by its line and by the hub's own columns."""
    rows = hub.database.rows("SELECT line, person FROM events WHERE id = ?", name)
    return [(json.loads(line)["actor"], json.loads(line)["provenance"], person) for line, person in rows]


def code_of(answer: list[SyncMessage]) -> str:
    return str(getattr(answer[-1], "code", ""))


def test_without_a_key_that_counts_nothing_is_told(hub: Served, ada: Door) -> None:
    """None, another's id with a guess, half of one: all are answered alike, whatever was asked."""
    device = ada.key.partition(".")[0]
    answers = {
        Door(hub.url, key).ask(path, b"{}")
        for key in ("", device, f"{device}.", f"{device}.{'0' * 64}", "x.y", "'--.x")
        for path in ("projects", f"projects/{PROJECT}/exchange", "projects/x/exchange")
    }
    assert len(answers) == 1
    (only,) = answers
    assert (only[0], b"E-hub-key" in only[1]) == (401, True)


def test_a_code_counts_once_even_for_many_at_once_and_for_fifteen_minutes(hub: Served, ada: Door) -> None:
    code = hub.hub.invite("Mallory")

    def join(number: int) -> int:
        asked = JoinRequest(code, f"thief-{number}", "m", hash_of(str(number)))
        return Door(hub.url).ask("join", msgspec.json.encode(asked))[0]

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(join, range(8))) == [200, *[403] * 7]
    late = hub.hub.invite("Mallory")
    hub.clock.now_ms += 15 * 60_000
    asked = JoinRequest(late, "thief", "m", hash_of("x"))
    assert Door(hub.url).ask("join", msgspec.json.encode(asked))[0] == 403
    hub.hub.revoke("Mallory")


def test_keys_and_codes_are_not_kept(hub: Served, ada: Door) -> None:
    """Who reads the database finds no key that opens it."""
    code = hub.hub.invite("Cyd")
    rows = str([hub.database.rows(f"SELECT * FROM {table}") for table in ("devices", "invites")])
    assert ada.key.partition(".")[2] not in rows and code not in rows


def test_a_project_that_was_not_granted_is_not_there(hub: Served, ada: Door) -> None:
    """The same answer as for one that does not exist, and none can be taken by claiming it."""
    mallory = door_of(hub, "Mallory")
    assert code_of(mallory.tell()) == "E-hub-project"
    unknown = mallory.ask("projects", json.dumps({"id": ulid(5, b"0123456789"), "title": "new"}).encode())
    claimed = mallory.ask("projects", json.dumps({"id": PROJECT, "title": "mine"}).encode())
    assert unknown[0] == claimed[0] == 404
    hub.hub.grant("Mallory", PROJECT, "read")
    assert isinstance(mallory.tell()[-1], Hello)
    assert code_of(mallory.tell(batch(event(9, "written")))) == "E-hub-right"
    hub.hub.grant("Mallory", PROJECT, "none")
    assert code_of(mallory.tell()) == "E-hub-project"


def test_a_body_claims_no_other_author(hub: Served, ada: Door) -> None:
    """Not by a name, not by a stamp of one's own, not by another event's stamp, nor with other words under one."""
    hub.hub.invite("Bea")
    bea = door_of(hub, "Bea")
    hub.hub.grant("Bea", PROJECT, "write")
    real = event(20, "Said by Ada")
    ada.tell(batch(real))
    (sent,) = [one for one in bea.tell(Offer([])) if isinstance(one, EventBatch)]
    stamp = sent.stamps[[msgspec.json.decode(raw)["id"] for raw in sent.events].index(real.id)]
    forgeries = [
        (event(21, "one"), ""),
        (event(22, "two"), stamp),
        (event(23, "three"), f"{stamp.partition('.')[0]}.{'0' * 32}.{'0' * 32}.Ada"),
        (event(24, "four", actor="Ada (agent)", provenance="agent"), "x"),
    ]
    bea.tell(batch(*(one for one, _ in forgeries), stamps=tuple(stamp for _, stamp in forgeries)))
    told = [kept(hub, one.id) for one, _ in forgeries]
    assert told[:3] == [[("Bea (for ada)", "agent", "Bea")]] * 3
    assert told[3] == [("Bea (Ada (agent))", "agent", "Bea")]
    hub.database.rows("DELETE FROM events WHERE id = ?", real.id)
    hub.hub._ledgers.clear()  # the hub was put back to a time before
    bea.tell(batch(event(20, "Said otherwise", id=real.id, key=real.id, actor="Ada"), stamps=(stamp,)))
    assert kept(hub, real.id) == [("Bea (for Ada)", "agent", "Bea")]


def test_a_revoked_key_dies_at_once_and_its_events_stay(hub: Served, ada: Door) -> None:
    dot = door_of(hub, "Dot")
    hub.hub.grant("Dot", PROJECT, "write")
    said = event(30, "Said by Dot", actor="dot")
    dot.tell(batch(said))
    hub.hub.revoke("Dot")
    assert dot.ask(f"projects/{PROJECT}/exchange", b"")[0] == 401
    assert kept(hub, said.id) == [("Dot", "human", "Dot")]


def test_a_beginning_of_several_ids_revokes_none(hub: Served, ada: Door) -> None:
    first, second = door_of(hub, "Fay"), door_of(hub, "Fay")
    start = os.path.commonprefix([one.id for person in hub.hub.status().people for one in person.devices])
    with pytest.raises(InputError, match="devices: ") as raised:
        hub.hub.revoke(start or "0")
    assert "E-hub-device" == raised.value.code
    for door in (first, second):
        assert hub.hub.caller(door.key).person == "Fay"


def test_a_request_that_is_sent_again_changes_nothing(hub: Served, ada: Door) -> None:
    """Nor does one that brings back what was redacted since."""
    stated = event(40, "x", kind="item.stated", data={"item": "F-0123456789abcdef", "kind": "finding", "text": "heron"})
    ada.tell(batch(stated))
    before = hub.database.count("SELECT count(*) FROM events")
    ada.tell(batch(stated))
    gone = event(41, "x", kind="item.redacted", data={"item": "F-0123456789abcdef", "hashes": []})
    ada.tell(batch(gone))
    ada.tell(batch(stated))
    ada.tell(batch(stated._replace(id=ulid(42, b"0123456789"), key="other")))
    assert hub.database.count("SELECT count(*) FROM events") == before + 2
    assert not any("heron" in line for (line,) in hub.database.rows("SELECT line FROM events"))


def test_a_session_with_redacted_words_goes_however_json_writes_them(hub: Served, ada: Door) -> None:
    """Also where they stand in no event."""
    said = 'kr\u00e4he "corvid" seven'
    for name, text in (("hidden", f"so: {said}."), ("other", "so: gull.")):
        line = json.dumps({"items": [{"text": text}]})
        hub.database.rows("INSERT INTO sessions VALUES (?, ?, 'Ada', 'x', '0', 0, ?)", PROJECT, name, line)
    hashes = hashes_of(bytes.fromhex("ab" * 32), [said])
    gone = event(45, "x", kind="item.redacted", data={"item": "F-0123456789abcdee", "hashes": hashes})
    ada.tell(batch(gone))
    assert hub.database.rows("SELECT session FROM sessions") == [("other",)]
    hub.database.rows("DELETE FROM sessions")


def test_what_is_too_large_or_no_exchange_is_refused(hub: Served, ada: Door) -> None:
    assert ada.ask("projects", b"x" * 20_000)[0] == 413
    path = f"projects/{PROJECT}/exchange"
    assert ada.ask(path, b"{}", **{"Content-Length": str(1 << 40)})[0] == 413
    assert b"E-sync-talk" in ada.ask(path, b"ls -l\n" * 100)[1]
    assert b"E-sync-talk" in ada.ask(path, b'{"type":"hello"')[1]
    assert Door(hub.url).ask("join", b"[" * 10_000)[0] == 400
    local = event(50, "x", kind="place.bound", data={"worktree": "/", "branch": "", "task": ""})
    assert code_of(ada.tell(batch(local))) == code_of(ada.tell(batch(event(51, "x", visibility="private"))))
    assert not kept(hub, local.id)


@pytest.mark.parametrize(
    "begin", [b"POST /v1/join HT", b"POST /v1/join HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n{"]
)
def test_who_is_slow_is_cut_off(hub: Served, begin: bytes) -> None:
    """In the middle of the head, and in the middle of the body; others are served meanwhile."""
    host, _, port = urlsplit(hub.url).netloc.partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as slow:
        slow.sendall(begin)
        assert Door(hub.url).ask("join", b"{}")[0] == 400
        answer = b""
        while part := slow.recv(1000):
            answer += part
        assert not answer or b"408" in answer.split(b"\r\n")[0]


def test_a_secret_is_refused_with_its_place_and_passes_where_a_person_let_it(hub: Served, ada: Door) -> None:
    leak = event(60, f"Use {secrets()['github']}")
    answer = ada.tell(batch(leak))
    assert (code_of(answer), f"journal.noted {leak.id}" in answer[-1].message) == (  # type: ignore[union-attr]
        "E-egress-secret",
        True,
    )
    assert not kept(hub, leak.id)
    ada.tell(batch(leak, allowed=(leak.id,)))
    assert kept(hub, leak.id)


def test_only_a_person_joins_and_never_in_the_clear(hub: Served, tmp_path: Path) -> None:
    """A code in an agent's hands is no more than a line of text; the key is the user's alone."""
    world = World(tmp_path / "eve")
    link = f"{hub.url}#{hub.hub.invite('Eve')}"
    with pytest.raises(NotAllowed, match="for the first time"):
        join_hub(world.as_agent, world.top, link)
    join_hub(world.ports, world.top, link)
    path = world.ports.trust_store.with_name("hubs.json")
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(ClewError, match="does not count"):
        join_hub(world.ports, world.top, link)
    for url in ("http://hub.example#x", "ftp://hub", "https://", "https://a@b", "http://127.0.0.1:x"):
        with pytest.raises(InputError) as refused:
            checked_url(url)
        assert refused.value.code == "E-hub-url"
    with world.desk() as at:
        state_item(at, "finding", "x")


def test_keys_of_devices_are_taken_from_writers_and_up_to_a_limit(hub: Served, ada: Door) -> None:
    """More are ignored, and nobody is refused for them; who is forgotten leaves none."""

    def number() -> int:
        return hub.database.count("SELECT count(*) FROM peers")

    gus = door_of(hub, "Gus")
    hub.hub.grant("Gus", PROJECT, "read")
    ada.tell()
    before = number()
    gus.tell(others=(os.urandom(32).hex(),))
    assert number() == before
    hub.hub.grant("Gus", PROJECT, "write")
    for _ in range(2):
        assert isinstance(gus.tell(others=tuple(os.urandom(32).hex() for _ in range(200)))[-1], Hello)
    assert number() == 256
    (hello,) = ada.tell(others=tuple(os.urandom(32).hex() for _ in range(210)))
    assert isinstance(hello, Hello) and len(hello.others) == 256
    hub.hub.forget_person("Gus")
    assert number() == before


def test_a_device_of_another_minor_version_goes_on(hub: Served, ada: Door) -> None:
    """It leaves out what came later, or says more; and what it says of a kind that nobody knows yet is passed on."""
    new = event(70, "new", kind="moon.landed", v=7)
    hello = {"type": "hello", "version": 1, "project": PROJECT, "device": ulid(1, b"0123456789"), "name": "x"}
    old = [{**hello, "key": "ab" * 32, "others": [], "holds": "0.0", "mood": "fine"}]
    old.append({"type": "events", "events": [json.loads(write_line(new))], "extra": 1})
    body = b"".join(json.dumps(line).encode() + b"\n" for line in old)
    assert ada.ask(f"projects/{PROJECT}/exchange", body)[0] == 200
    sent = [one for one in ada.tell(Offer([])) if isinstance(one, EventBatch)]
    told = [msgspec.json.decode(raw) for one in sent for raw in one.events]
    assert [(one["v"], one["data"]) for one in told if one["id"] == new.id] == [(7, {"text": "new"})]

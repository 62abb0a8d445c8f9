"""Random histories of several devices, and what must hold after they exchanged: `python -m tests.app.team.histories`.

A device writes, redacts, is killed at a random moment, is put back from an old copy, has a clock that is days off. It
exchanges by the folder, where files are cut, doubled and lost, or in a talk that breaks off at a random byte; or all
of them by a hub, whose requests break off, and which is put back from old copies.
"""

from __future__ import annotations

import argparse
import copy
import random
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from clew.app.keeping.purge import ledger_texts
from clew.app.project.device import Device, Peer, SyncPlace
from clew.app.project.redaction import LedgerRedaction
from clew.app.project.session import Speaker
from clew.app.project.tombstones import exchange_key, hashes_of
from clew.app.team import sync
from clew.app.team.hub import Caller, Hub, make_hub
from clew.app.team.hub_client import _HubTalk
from clew.app.team.hub_database import back_up, open_database
from clew.app.team.hub_wire import JoinRequest, ProjectRequest, hash_of
from clew.app.team.side import SyncOptions
from clew.app.team.store import LedgerStore
from clew.app.team.sync import SharedFolder, exchange_by_folder
from clew.core.errors import ClewError
from clew.core.state.events import Event
from clew.core.state.fold import fold
from clew.core.state.ids import ulid
from clew.ledger.exchange import (
    Hello,
    Holdings,
    SyncMessage,
    answer_call,
    call,
    decode_message,
    encode_message,
    fingerprint,
)
from clew.ledger.memory import MemoryLedger
from clew.testing.clock import Chance, Clock
from tests.app.projects import session_over

PROJECT = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
DAY_MS = 86_400_000
TASKS = ("", "T-1")


class KilledError(Exception):
    """The process is gone."""


class Machine:
    """A device: a ledger with its clock, and what it knows of the others."""

    def __init__(self, number: int, chance: random.Random) -> None:
        self.chance = chance
        self.id = ulid(number + 1, chance.randbytes(10))
        self.clock = Clock()
        self.clock.now_ms += chance.randint(-2 * DAY_MS, 2 * DAY_MS)
        self.ids = Chance(f"{number} {chance.random()}")
        self.ledger = MemoryLedger(PROJECT, key=chance.randbytes(32))
        self.peers: dict[str, Peer] = {}
        self.known = SyncPlace(PROJECT)
        self.stamps: dict[str, str] = {}
        self.caller = Caller("", "", "", is_owner=False)
        self.fuse = -1
        self.name = f"machine-{number}"

    @property
    def key(self) -> bytes:
        return exchange_key(self.ledger.key)

    @property
    def introduction(self) -> Peer:
        return Peer(self.name, self.key.hex(), [key.hex() for key in Device(peers=self.peers).keys])

    def store(self) -> LedgerStore:
        """This device's side of an exchange, in a process of its own."""
        keys = lambda: Device(peers=self.peers).keys  # noqa: E731
        ledger = _Mortal(self)
        redact = LedgerRedaction(ledger, str, keys)  # type: ignore[arg-type]
        store = LedgerStore(ledger, redact, peer_keys=keys)  # type: ignore[arg-type]
        store.stamps = self.stamps
        return store

    def writes(self, kind: str, data: dict[str, object], /, *, task: str, key: str = "", **changes: object) -> None:
        """Something is recorded here, as a command would: what is redacted is left out."""
        self.clock.now_ms += 1000
        by = Speaker(self.name, "human", "", "", "")
        keys = lambda: Device(peers=self.peers).keys  # noqa: E731
        at = session_over(self.ledger, by=by, clock=self.clock, chance=self.ids)
        at.redact = LedgerRedaction(self.ledger, str, keys)
        event = at.event(kind, data, task=task, key=key)  # type: ignore[arg-type]
        at.redact.append([event._replace(**changes)])  # type: ignore[arg-type]

    def travelling(self) -> list[Event]:
        holdings = Holdings(self.ledger)
        return holdings.events(holdings.travelling())


class _Mortal:
    """A device's ledger, in a process that dies when the fuse has burnt down."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def __getattr__(self, name: str) -> object:
        if name in ("append", "purge"):
            self._machine.fuse -= 1
            if self._machine.fuse == 0:
                raise KilledError
        return getattr(self._machine.ledger, name)


class History:
    """What happens to `count` devices, by the chances of `seed`."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.chance = random.Random(seed)
        self.machines = [Machine(number, self.chance) for number in range(self.chance.randint(2, 5))]
        self.folder = folder
        self.values = [f"heron-{number}{self.chance.randint(1000, 9999)}" for number in range(4)]
        self.gone: set[str] = set()
        self.copies: dict[str, tuple[MemoryLedger, dict[str, Peer], SyncPlace]] = {}
        self.expected: set[str] = set()
        self.redactions: set[str] = set()
        self.hub: Hub | None = self.open_hub() if seed % 3 == 0 else None
        for at in self.machines if self.hub else ():
            at.caller = self.let_in(at)

    def run(self, steps: int) -> None:
        deeds: list[Callable[[Machine], None]] = [
            *([self.state] * 4),
            *([self.edit] * 3),
            self.state_twice,
            self.keep_private,
            self.redact,
            *([self.by_hub] * 8 if self.hub else [*([self.by_folder] * 4), *([self.by_talk] * 4)]),
            self.keep_copy,
            self.put_back,
            self.harm_hub if self.hub else self.harm_folder,
        ]
        for _ in range(steps):
            self.chance.choice(deeds)(self.chance.choice(self.machines))
        self.settle()

    # What people do.

    def state(self, at: Machine) -> None:
        value = f" {self.chance.choice(self.values)}" if self.chance.random() < 0.4 else ""
        item = f"D-{self.chance.randbytes(8).hex()}"
        text = f"The door number {self.chance.randint(0, 999)}{value} is open"
        at.writes("item.stated", {"item": item, "kind": "decision", "text": text}, task=self.chance.choice(TASKS))

    def edit(self, at: Machine) -> None:
        items = [event for event in at.travelling() if event.kind == "item.stated"]
        if not items:
            return
        event = self.chance.choice(items)
        value = self.chance.choice(["", self.chance.choice(self.values)])
        deed = self.chance.choice(["item.edited", "item.resolved", "item.retracted"])
        data = {"text": f"Said anew {value} by {at.name}"} if deed == "item.edited" else {}
        at.writes(deed, {"item": event.data["item"], **data}, task=event.task)

    def state_twice(self, at: Machine) -> None:
        """Two devices say the same thing under a key that both can compute."""
        number = self.chance.randint(0, 2)
        text = f"Both found number {number}, said {at.name}"
        at.writes(
            "item.stated", {"item": f"F-{number:016}", "kind": "finding", "text": text}, task="", key=f"k{number}"
        )

    def keep_private(self, at: Machine) -> None:
        kind, data, changes = self.chance.choice(
            [
                ("journal.noted", {"text": "the-private-word"}, {"visibility": "private"}),
                ("place.bound", {"worktree": "/the-private-word", "branch": "", "task": ""}, {}),
                ("run.ended", {"run": "r", "word": "the-private-word"}, {}),
            ]
        )
        at.writes(kind, data, task="", **changes)
        if self.chance.random() < 0.5:
            at.writes("journal.noted", {"text": "new"}, task="", kind="moon.landed", v=7)

    def redact(self, at: Machine) -> None:
        """As `clew redact --value` does. A value that nobody ever wrote here cannot be redacted here."""
        held = [event for event in at.travelling() if any(one in str(event.data.get("text")) for one in self.values)]
        if not held:
            return
        event = self.chance.choice(held)
        values = [one for one in self.values if one in str(event.data["text"])]
        hashes = [one for key in (at.ledger.key, at.key) for one in hashes_of(key, values)]
        at.writes("item.redacted", {"item": event.data["item"], "hashes": hashes}, task=event.task)
        self.redactions.add(list(at.ledger.events())[-1].event.id)
        at.ledger.purge(str(event.data["item"]), values)
        self.gone.update(values)
        self.values = [one for one in self.values if one not in values] + [
            f"heron-9{self.chance.randint(10**6, 10**7)}"
        ]

    # What happens to machines and disks.

    def keep_copy(self, at: Machine) -> None:
        self.copies[at.name] = copy.deepcopy((at.ledger, at.peers, at.known))

    def put_back(self, at: Machine) -> None:
        """Yesterday's copy is all that is left. What only this device had is lost; nothing else may be."""
        if at.name not in self.copies or any(value in self.texts(self.copies[at.name][0]) for value in self.gone):
            return
        self.note_all()
        before = at.ledger, at.peers, at.known
        at.ledger, at.peers, at.known = copy.deepcopy(self.copies[at.name])
        if self.redactions - self.there():  # it told nobody yet what must go: that nobody can know
            at.ledger, at.peers, at.known = before
        self.forget_lost()

    def harm_folder(self, _: Machine) -> None:
        files = sorted(self.folder.rglob("*.events"))
        if not files:
            return
        self.note_all()
        path = self.chance.choice(files)
        before = path.read_bytes()
        deed = self.chance.randrange(3)
        if deed == 0:
            path.write_bytes(before[: self.chance.randrange(len(before) or 1)])
        elif deed == 1:
            path.unlink()
        else:
            shutil.copy(path, path.with_name(f"{path.stem} (copy){path.suffix}"))
        if self.redactions - self.there():
            path.write_bytes(before)
        self.forget_lost()

    # Exchanges.

    def by_folder(self, at: Machine, *, whole: bool = False) -> None:
        if not whole and self.chance.random() < 0.3:
            at.fuse = self.chance.randint(1, 6)
        cut = self.chance.randint(0, 3000) if not whole and self.chance.random() < 0.2 else -1
        shared = SharedFolder(self.folder / "clew" / PROJECT, PROJECT, at.id)
        kept = sync.replace
        try:
            shared.introduce(at.introduction)
            at.peers |= shared.peers()
            if cut >= 0:
                sync.replace = _cutting(cut)  # type: ignore[assignment]
            store = at.store()
            done, _ = exchange_by_folder(store, shared, at.known)
            assert done.confirmed
            at.known = SyncPlace(PROJECT, "", 0, fingerprint(done.union), shared.sizes())
        except KilledError:
            assert not whole
        finally:
            sync.replace = kept
            at.fuse = -1

    def by_talk(self, at: Machine, *, other: Machine | None = None) -> None:
        whole = other is not None
        other = other or self.chance.choice([one for one in self.machines if one is not at])
        if not whole and self.chance.random() < 0.3:
            self.chance.choice([at, other]).fuse = self.chance.randint(1, 6)
        wire = _Wire(-1 if whole or self.chance.random() < 0.6 else self.chance.randint(0, 4000))
        try:
            done = _talk(at, other, wire)
            assert not whole or done
        except (KilledError, ClewError):
            assert not whole
        finally:
            at.fuse = other.fuse = -1

    def by_hub(self, at: Machine, *, whole: bool = False) -> None:
        if not whole and self.chance.random() < 0.3:
            at.fuse = self.chance.randint(1, 6)
        left = -1 if whole or self.chance.random() < 0.6 else self.chance.randint(0, 4000)
        try:
            side = _HubSide(at)
            talk = _HubTalk(side, _HubLine(self, at, left), SyncOptions(), dry_run=False)  # type: ignore[arg-type]
            assert talk.run().confirmed
        except (KilledError, ClewError):
            assert not whole
        finally:
            at.fuse = -1

    def open_hub(self) -> Hub:
        self.clock = Clock()
        database = open_database(str(self.folder / "hub.db"))
        return make_hub(database, "ada", now_ms=self.clock, chance=Chance(str(self.chance.random())))[0]

    def close_hub(self) -> None:
        assert self.hub
        self.hub._database.close()

    def let_in(self, at: Machine) -> Caller:
        assert self.hub
        joined = self.hub.join(JoinRequest(self.hub.invite(at.name, owner=True), at.name, at.name, hash_of(at.name)))
        caller = self.hub.caller(f"{joined.device}.{at.name}")
        if not self.hub.status().projects:
            self.hub.add_project(caller, ProjectRequest(PROJECT, "tide"))
        self.hub.grant(at.name, PROJECT, "write")
        return caller

    def harm_hub(self, _: Machine) -> None:
        """The hub's data is copied, or yesterday's copy is all that is left of it."""
        assert self.hub
        copy = self.folder / "copy.db"
        if not copy.exists() or self.chance.random() < 0.3:
            copy.unlink(missing_ok=True)
            back_up(self.hub._database, copy)
            return
        self.note_all()
        self.close_hub()
        for path in self.folder.glob("hub.db*"):
            path.unlink()
        copy.rename(self.folder / "hub.db")
        self.hub = self.open_hub()
        self.forget_lost()

    def settle(self) -> None:
        """All meet until nothing is new, by one way or the other."""
        self.note_all()
        if self.hub:
            for at in self.machines * 3:
                self.by_hub(at, whole=True)
            self.check()
            self.close_hub()
            return
        by_folder = self.chance.random() < 0.5
        if not by_folder:  # what is in the folder alone comes to all by one of them
            self.by_folder(self.machines[0], whole=True)
        for _ in range(3):
            for at in self.machines:
                if by_folder:
                    self.by_folder(at, whole=True)
                else:
                    self.by_talk(at, other=self.machines[0] if at is not self.machines[0] else self.machines[1])
        if not by_folder:
            self.by_folder(self.machines[0], whole=True)
        self.check()

    def check(self) -> None:
        states = [{event.id: event._replace(key="") for event in at.travelling()} for at in self.machines]
        for state in states[1:]:
            assert state == states[0]
        assert self.expected <= states[0].keys()
        folds = [
            [fold(event for event in at.travelling() if event.task == task) for task in TASKS] for at in self.machines
        ]
        assert all(one == folds[0] for one in folds)
        everywhere = [*(self.texts(at.ledger) for at in self.machines), self.shared_text()]
        assert not [value for value in self.gone if any(value in text for text in everywhere)]
        assert "the-private-word" not in self.shared_text()
        unknown = [event for event in states[0].values() if event.kind == "moon.landed"]
        assert all(event.v == 7 and event.data == {"text": "new"} for event in unknown)

    # What is where.

    def texts(self, ledger: MemoryLedger) -> str:
        return "\n".join(ledger_texts(ledger))

    def shared_text(self) -> str:
        files = (path for path in self.folder.rglob("*") if path.is_file() and path.name != "copy.db")
        return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files)

    def there(self) -> set[str]:
        """The ids of all that travels, wherever it is."""
        shared = SharedFolder(self.folder / "clew" / PROJECT, PROJECT, "")
        found = {event.id for at in self.machines for event in at.travelling()}
        if self.hub:
            found |= {str(name) for (name,) in self.hub._database.rows("SELECT id FROM events")}
        return found.union(*(shared.read(name) or () for name in shared.sizes()))

    def note_all(self) -> None:
        self.expected |= self.there()

    def forget_lost(self) -> None:
        self.expected &= self.there()


class _HubSide:
    """As much of a `Side` as a talk with a hub needs."""

    def __init__(self, at: Machine) -> None:
        self._at = at
        self.store = at.store()
        self.place = at.known

    def hello(self) -> Hello:
        return _hello(self._at, self.store)

    def meet(self, theirs: Hello) -> None:
        self._at.peers[theirs.device] = Peer(theirs.name, theirs.key, theirs.others)


class _HubLine:
    """Requests to a hub, of which so many bytes get there (-1: all)."""

    def __init__(self, history: History, at: Machine, left: int) -> None:
        self._history, self._at, self._left = history, at, left

    def talk(self, project: str, messages: list[SyncMessage]) -> list[SyncMessage]:
        body = b"".join(map(encode_message, messages))
        is_cut = 0 <= self._left < len(body)
        body, self._left = (body[: self._left], 0) if is_cut else (body, max(-1, self._left - len(body)))
        hub = self._history.hub
        assert hub
        said = hub.exchange(self._at.caller, project, body.splitlines(keepends=True))
        if is_cut:
            raise KilledError
        return [decode_message(line) for line in said]


class _Wire:
    """A stream that carries so many bytes (-1: all)."""

    def __init__(self, left: int) -> None:
        self._left = left

    def carry(self, message: SyncMessage) -> SyncMessage:
        line = encode_message(message)
        if self._left >= 0:
            line, self._left = line[: self._left], max(0, self._left - len(line))
        return decode_message(line)


def _talk(at: Machine, other: Machine, wire: _Wire) -> bool:
    """`at` calls `other`: whether it was confirmed."""
    stores = at.store(), other.store()
    hello = [_hello(one, store) for one, store in zip((at, other), stores, strict=True)]

    def meet(theirs: Hello) -> None:
        at.peers[theirs.device] = Peer(theirs.name, theirs.key, theirs.others)

    def answer(theirs: Hello) -> Hello:
        other.peers[theirs.device] = Peer(theirs.name, theirs.key, theirs.others)
        return hello[1]

    client, server = call(stores[0], hello[0], meet), answer_call(stores[1], answer)
    next(server)
    to_server = next(client)
    try:
        while True:
            to_client: list[SyncMessage] = []
            for message in to_server:
                to_client += _sent(server, wire.carry(message))
            to_server = []
            for message in to_client or [decode_message(b"")]:
                to_server += client.send(wire.carry(message) if to_client else message)
    except StopIteration as end:
        return bool(end.value.confirmed)


def _sent(server: object, message: SyncMessage) -> Iterable[SyncMessage]:
    try:
        return server.send(message)  # type: ignore[attr-defined,no-any-return]
    except StopIteration:
        return [decode_message(b"")]


def _hello(machine: Machine, store: LedgerStore) -> Hello:
    told = machine.introduction
    return Hello(1, PROJECT, machine.id, told.name, told.key, told.others, fingerprint(store.holdings.travelling()))


def _cutting(size: int) -> Callable[..., None]:
    def replace(path: Path, data: bytes, *, mode: int) -> None:
        path.write_bytes(data[:size])
        raise KilledError

    return replace


def run_history(seed: int, steps: int = 40) -> None:
    """One history; raises AssertionError where something does not hold."""
    with tempfile.TemporaryDirectory() as folder:
        History(seed, Path(folder)).run(steps)


def main() -> None:
    """Run many."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--from", dest="first", type=int, default=0)
    chosen = parser.parse_args()
    for seed in range(chosen.first, chosen.first + chosen.rounds):
        try:
            run_history(seed)
        except BaseException:
            print(f"history {seed}")
            raise
    print(f"{chosen.rounds:,} histories: states equal, 0 events lost, 0 redacted values found")


if __name__ == "__main__":
    main()

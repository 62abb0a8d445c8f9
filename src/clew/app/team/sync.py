"""Exchanging a project's events with other devices: by a shared folder, or with a clew at the other end of ssh."""

import os
import shlex
import subprocess
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final, NamedTuple

from clew.app.egress.allowing import note_allowed, permitted
from clew.app.egress.guard import require_clean
from clew.app.keeping.bundle import texts
from clew.app.keeping.purge import obey
from clew.app.project import ProjectSession
from clew.app.project.authority import require_person
from clew.app.project.device import Device, Peer, SyncPlace, are_keys, identify_device, load_device, save_device
from clew.app.project.opening import ProjectHandle
from clew.app.project.tombstones import exchange_key
from clew.app.results import JsonResult
from clew.app.team.shared_folder import SharedFolder, exchange_by_folder, find_projects
from clew.app.team.store import LedgerStore
from clew.core.errors import ClewError, InputError, NotAllowed, NotFound
from clew.core.state.events import Data, Event, timestamp
from clew.core.state.ids import identity
from clew.core.state.items import LETTERS
from clew.core.text.cleaning import shorten
from clew.ledger.exchange import (
    EXCHANGE_VERSION,
    MESSAGE_BYTES_MAX,
    Exchanged,
    Hello,
    Talk,
    answer_call,
    call,
    count_waiting,
    decode_message,
    encode_message,
    fingerprint,
    refusal_of,
)
from clew.ledger.portable import is_ulid
from clew.workspace.atomic import alone
from clew.workspace.times import nanoseconds

SSH_VARIABLE: Final = "CLEW_SSH"
_WORDING_CHARS: Final = 300
_JOIN: Final = "exchange with a place for the first time: what it says counts as said by whom it names"
_ADMIT: Final = "admit a device: what it says counts as said by whom it names"


class TaskShare(NamedTuple):
    """How many events about a task left, or would. `id` is "" for those of no task."""

    id: str
    title: str
    events: int


class SyncResult(JsonResult, frozen=True):
    """What an exchange came to. `place` is as it was typed; `sent` and `received` are numbers of events that were new
    to the other side and to this one. `tasks` says what `sent` was about, `unnamed` counts tasks that stay here until
    somebody names them. `waiting` events came since. `confirmed_at` is the time at which the other side confirmed what
    it holds, "" in a dry run. `device` is this one's id.
    """

    place: str
    device: str
    sent: int
    received: int
    tasks: tuple[TaskShare, ...]
    unnamed: int
    waiting: int
    confirmed_at: str
    notes: tuple[str, ...]
    dry_run: bool


class SyncResults(JsonResult, frozen=True):
    """What became of each place."""

    places: tuple[SyncResult, ...]


class SyncOptions(NamedTuple):
    """How to exchange. `join`: the project over there is this one, though it has another id. A person lets a finding
    leave by its digits in `allow`, and says `why`. `progress` is told what is worked on.
    """

    join: bool = False
    allow: Collection[str] = ()
    why: str = ""
    progress: Callable[[str], None] = lambda _: None


_AS_USUAL: Final = SyncOptions()


def sync_folder(project: ProjectHandle, shared: Path, options: SyncOptions = _AS_USUAL) -> SyncResult:
    """Exchange with all devices that use the folder `shared` (absolute).

    The first time is a person's to say. Raises `NotAllowed`, `NotFound`, `InputError`, `LedgerError`, OSError.
    """
    if not shared.is_dir():
        raise NotFound(
            f"{shared} is no folder",
            code="E-sync-place",
            hint="Make it, or attach its disk; clew makes only what is below it.",
        )
    with _Side.open(project, str(shared), options) as side:
        side.agree(side.place.project or side.choose(find_projects(shared)))
        part = SharedFolder(shared / "clew" / side.place.project, side.place.project, side.device.id)
        for name, peer in part.peers().items():
            side.device.meet(name, peer)
        if not project.dry_run:
            side.save()
            part.introduce(side.introduction)
        done, left = exchange_by_folder(
            side.store, part, side.place, dry_run=project.dry_run, progress=options.progress
        )
        for name in left:
            side.at.note(f"{name} is not whole, or not whole yet: it was passed over.")
        return side.finish(done, part.sizes())


def sync_ssh(project: ProjectHandle, target: str, options: SyncOptions = _AS_USUAL) -> SyncResult:
    """Exchange with the clew at `target`, HOST or HOST:FOLDER: over the input and output
    of `ssh HOST clew sync --stdio`.

    Without a FOLDER it is the same as here, below the home over there if it is below the home here. `CLEW_SSH` is
    another command for ssh. Raises as `sync_folder` does.
    """
    host, _, there = target.partition(":")
    if not host or host.startswith("-"):
        raise InputError(
            f"{target!r} names no host",
            code="E-sync-place",
            hint="Say `clew sync ssh HOST` or `clew sync ssh HOST:FOLDER`.",
        )
    with _Side.open(project, f"ssh {target}", options) as side:
        words = shlex.split(project.ports.environment.get(SSH_VARIABLE, "")) or ["ssh"]
        where = there or _below_home(side.at.location.root, project.ports.environment.get("HOME", ""))
        remote = f"clew sync --stdio {shlex.quote(where)}"
        try:
            process = subprocess.Popen(
                [*words, host, remote],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=dict(project.ports.environment),
            )
        except OSError as error:
            raise InputError(
                f"{words[0]} cannot be started: {error.strerror}",
                code="E-sync-place",
                hint=f"Install ssh, or name another command in {SSH_VARIABLE}.",
            ) from error
        assert process.stdin is not None and process.stdout is not None
        talk = call(side.store, side.hello(), side.meet, dry_run=project.dry_run)
        try:
            done = _run(talk, process.stdout, process.stdin, options.progress)
        finally:
            for stream in (process.stdin, process.stdout):
                with suppress(OSError):
                    stream.close()
            process.wait()
        return side.finish(done, {})


def sync_joined(project: ProjectHandle, options: SyncOptions = _AS_USUAL) -> list[SyncResult]:
    """Exchange with every place that was joined, in turn. Raises `NotFound` where there is none."""
    with project.open(write=False) as at:
        places = list(load_device(at.location.exchange_file).places)
    if not places:
        raise NotFound(
            "this project exchanges with no place yet",
            code="E-sync-place",
            hint="Name one: `clew sync DIR` for a folder that devices share, `clew sync ssh HOST` for another machine.",
        )
    results = []
    for place in places:
        way, _, target = place.partition(" ")
        is_ssh = way == "ssh" and not place.startswith(os.sep)
        results.append(sync_ssh(project, target, options) if is_ssh else sync_folder(project, Path(place), options))
    return results


def serve(project: ProjectHandle, source: IO[bytes], sink: IO[bytes]) -> Exchanged:
    """Be the other end of `sync_ssh`: answer on `sink` to what comes from `source`.

    Only a device that a person here admitted is answered. Raises as `sync_folder` does, after the other side was told.
    """
    try:
        with _Side.open(project, "", SyncOptions()) as side:
            talk = answer_call(side.store, side.answer)
            done = _run(talk, source, sink, lambda _: None)
            side.save()
            return done
    except ClewError as error:
        with suppress(OSError):
            sink.write(encode_message(refusal_of(error)))
            sink.flush()
        raise


def admit(project: ProjectHandle, wanted: str) -> tuple[str, Peer]:
    """Let the device that `wanted` begins the id of exchange by way of `serve`. Only a person may.

    Raises `NotAllowed`, `NotFound` (E-sync-device).
    """
    with project.open(write=True, spool=False) as at, alone(at.location.exchange_file):
        device = load_device(at.location.exchange_file)
        found = [
            one
            for one, peer in device.peers.items()
            if wanted and (one.startswith(wanted.upper()) or peer.name == wanted)
        ]
        if len(found) != 1:
            known = ", ".join(f"{one} ({peer.name})" for one, peer in device.peers.items()) or "none"
            raise NotFound(
                f"{wanted!r} names {'no device' if not found else 'several devices'} that called here",
                code="E-sync-device",
                hint=f"Known are: {known}. A device is known after its first `clew sync ssh`.",
            )
        peer = device.peers[found[0]]
        require_person(project.ports.channel(), "bundle", _ADMIT, about=lambda: f"{peer.name} {found[0]}")
        peer.admitted = True
        save_device(at.location.exchange_file, device)
        return found[0], peer


class _Side:
    """This device in an exchange with one place."""

    def __init__(
        self, project: ProjectHandle, at: ProjectSession, place: str, options: SyncOptions, device: Device
    ) -> None:
        self._ports = project.ports
        self._dry_run = project.dry_run
        self._options = options
        self._name = place
        self.at = at
        self.device = device
        self.place = device.places.get(place) or SyncPlace("")
        self.store = LedgerStore(
            at.ledger,
            at.redact,
            peer_keys=lambda: self.device.keys,
            inspect=self._inspect,
            obey=lambda item, values: obey(project.ports, at, item, values),
        )

    @classmethod
    @contextmanager
    def open(cls, project: ProjectHandle, place: str, options: SyncOptions) -> "Iterator[_Side]":
        """This device, with its ledger open. A place that is new has to be joined by a person."""
        permitted(project.ports, options.allow, options.why)
        with project.open(write=not project.dry_run, spool=False) as at:
            device, told = identify_device(
                at.location.exchange_file,
                at.location.ledger,
                now_ms=project.ports.now_ms(),
                chance=project.ports.chance,
            )
            if told:
                at.note(told)
            if place and place not in device.places and not project.dry_run:
                require_person(project.ports.channel(), "bundle", _JOIN, about=lambda: place)
            side = cls(project, at, place, options, device)
            if not project.dry_run:
                side.save()
                side.open_named()
            yield side

    def open_named(self) -> None:
        """Say of tasks that somebody named that they are open: what said so holds a prompt's words, and stays."""
        tasks = [task for task in self.at.tasks() if task.id in self.store.holdings.unopened]
        opened = [
            self.at.event(
                "task.opened",
                {"task": task.id, "title": task.title},
                task="",
                key=f"shared:{task.id}",
                said_at=task.opened_at,
            )
            for task in tasks
        ]
        self.at.append(opened)
        self.store.holdings.look()

    @property
    def introduction(self) -> Peer:
        """What other devices are told of this one."""
        key = exchange_key(self.at.ledger.key).hex()
        return Peer(self.device.name, key, [other.hex() for other in self.device.keys if other.hex() != key])

    def hello(self) -> Hello:
        """What this device says first."""
        told, project = self.introduction, self.at.ledger.project
        holds = fingerprint(self.store.holdings.travelling())
        return Hello(EXCHANGE_VERSION, project, self.device.id, told.name, told.key, told.others, holds)

    def meet(self, theirs: Hello) -> None:
        """Get to know who answers. Raises `InputError` where it is of another project, or speaks another version."""
        _check_hello(theirs)
        self.agree(theirs.project)
        self.device.meet(theirs.device, Peer(theirs.name, theirs.key, theirs.others))
        if not self._dry_run:
            self.save()

    def answer(self, theirs: Hello) -> Hello:
        """What a device that calls is answered. Raises `NotAllowed` where nobody admitted it."""
        _check_hello(theirs)
        known = self.device.meet(theirs.device, Peer(theirs.name, theirs.key, theirs.others))
        self.save()
        if not known.admitted or known.key != theirs.key:
            raise NotAllowed(
                f"nobody admitted the device {theirs.device} ({theirs.name[:60]}) on {self.device.name}",
                code="E-sync-admitted",
                hint=f"Type `clew sync --admit {theirs.device}` in a terminal there, in the project.",
            )
        return self.hello()

    def choose(self, projects: Sequence[str]) -> str:
        """Which of the projects in a shared folder is this one: it may be new there."""
        ours = self._projects()
        found = [one for one in projects if one in ours]
        if found or not projects:
            return found[0] if found else self.at.ledger.project
        if self._options.join and len(projects) == 1:
            return projects[0]
        self.at.note(
            f"{self._name} also holds {', '.join(projects)}, under other ids than this project has. If one is the same "
            "project, say --join."
        )
        return self.at.ledger.project

    def agree(self, project: str) -> None:
        """Go on with the place's project. Raises `InputError` (E-sync-project) where that is not known to be this."""
        ledger = self.at.ledger
        if project not in self._projects():
            if not self._options.join:
                raise InputError(
                    f"{self._name} holds the project {project}, this ledger {ledger.project}",
                    code="E-sync-project",
                    hint="Nothing was exchanged. If both are one project, a person says so once with --join.",
                )
            require_person(self._ports.channel(), "bundle", "join two projects")
            if not self._dry_run:
                event = self.at.event("project.aliased", {"other": project}, task="", key=f"alias:{project}")
                self.at.append([event])
        self.place.project = project

    def finish(self, done: Exchanged, files: dict[str, int]) -> SyncResult:
        """Remember what the other side confirmed, and tell what was done."""
        about = self.store.holdings.travelling()
        titles = {task.id: task.title for task in self.at.tasks()}
        shares = Counter(about.get(name, "") for name in done.sent)
        now = timestamp(self._ports.now_ms())
        waiting = 0
        if done.confirmed:
            holdings = self.store.holdings
            self.place.confirmed_at, self.place.files = now, files
            self.place.holds = fingerprint(done.union)
            self.place.position = holdings.position_of(done.union)
            self._ask_about_wordings(done)
            waiting = count_waiting(self.at.ledger, self.place.position)
            self.device.places[self._name] = self.place
            self.save()
        return SyncResult(
            self._name,
            self.device.id,
            len(done.sent),
            len(done.received),
            tuple(TaskShare(task, titles.get(task, ""), number) for task, number in sorted(shares.items())),
            len(self.store.holdings.unnamed & titles.keys()),
            waiting,
            now if done.confirmed else "",
            self.at.notes,
            self._dry_run,
        )

    def _ask_about_wordings(self, done: Exchanged) -> None:
        """Where people reworded an item on both sides the later wording holds: ask whoever said the other one."""
        ours, theirs = self._wordings(done.sent), self._wordings(done.received)
        for item in ours.keys() & theirs.keys():
            lost, holds = sorted((ours[item], theirs[item]), key=lambda event: (event.said_at, event.id))
            if lost.data["text"] == holds.data["text"]:
                continue
            question = f"{LETTERS['question']}-{identity('reworded', lost.id, holds.id)}"
            said = [f"“{shorten(str(one.data['text']), _WORDING_CHARS)}” ({one.actor})" for one in (holds, lost)]
            what = f"{self.at.short(item)} was reworded on two devices"
            text = f"{what}: {said[0]} holds, and not {said[1]}. Which is meant?"
            data: Data = {"item": question, "kind": "question", "text": text, "owner": lost.actor}
            self.at.append([self.at.event("item.stated", data, task=lost.task, key=f"reworded:{question}")])
            self.at.note(f"{text} `clew answer {self.at.short(question)}` answers it.")

    def _wordings(self, ids: Collection[str]) -> dict[str, Event]:
        """The last event of each item, among those with these ids, by which a person reworded it."""
        events = self.store.holdings.events(frozenset(ids))
        edits = (event for event in events if event.kind == "item.edited" and event.provenance == "human")
        return {str(event.data["item"]): event for event in edits if "text" in event.data}

    def save(self) -> None:
        """Keep what is known of places and peers, beside what another process found out meanwhile."""
        path = self.at.location.exchange_file
        latest_ms = (nanoseconds(self.store.holdings.latest) or 0) // 1_000_000
        self.device.ahead_ms = max(0, latest_ms + 1 - self._ports.now_ms())
        with alone(path):
            kept = load_device(path)
            if kept.id == self.device.id:
                for name, peer in kept.peers.items():
                    mine = self.device.peers.setdefault(name, peer)
                    mine.admitted |= peer.admitted and peer.key == mine.key
                self.device.places = {**kept.places, **self.device.places}
            save_device(path, self.device)

    def _projects(self) -> list[str]:
        """The ids that this project has: its own, and those that a person joined with it."""
        aliased = self.at.ledger.events(kinds=("project.aliased",))
        return [self.at.ledger.project, *(str(event.data["other"]) for _, event in aliased)]

    def _inspect(self, events: Sequence[Event]) -> None:
        """Raise `NotAllowed` where what is about to leave holds what looks like a secret."""
        named = ((f"{event.kind} {event.id}", text) for event in events for text in texts(dict(event.data)))
        options = self._options
        scanned = require_clean(
            named, self.at.ledger.key, exit="export", allow=options.allow, deep=self._ports.deep_scan
        )
        if not self._dry_run:
            note_allowed(self.at, scanned, exit="export", why=options.why)
        for note in scanned.notes:
            self.at.note(note)


def _run(talk: Talk, source: IO[bytes], sink: IO[bytes], progress: Callable[[str], None]) -> Exchanged:
    """Let a talk go on over two streams until it ends. Raises `ClewError`."""
    progress("with the other side")
    try:
        sending = next(talk)
        while True:
            with suppress(OSError):  # what it said before it went is read below
                sink.writelines(map(encode_message, sending))
                sink.flush()
            sending = talk.send(decode_message(source.readline(MESSAGE_BYTES_MAX)))
    except StopIteration as end:
        done: Exchanged = end.value
        return done


def _check_hello(theirs: Hello) -> None:
    is_whole = are_keys([theirs.key, *theirs.others])
    if not (is_whole and is_ulid(theirs.device) and is_ulid(theirs.project)) or theirs.version != EXCHANGE_VERSION:
        raise InputError(
            f"the other side speaks version {theirs.version} of the exchange, this one version {EXCHANGE_VERSION}",
            code="E-sync-talk",
            hint="Nothing was exchanged. Use the same version of clew on both sides (`clew --version`).",
        )


def _below_home(root: Path, home: str) -> str:
    return str(root.relative_to(home)) if home and root.is_relative_to(home) else str(root)

"""This device in an exchange with one place: who it is, who answers, what leaves, and what came of it."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final, NamedTuple

from clew.app.egress.guard import note_allowed, permitted, require_clean
from clew.app.keeping.bundle import texts
from clew.app.ports import Ports
from clew.app.project.authority import require_person
from clew.app.project.device import Device, Peer, SyncPlace, are_keys, identify_device, load_device, save_device
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import ProjectSession
from clew.app.project.tombstones import exchange_key
from clew.app.results import JsonResult
from clew.app.team.store import LedgerStore
from clew.core.errors import InputError, NotAllowed
from clew.core.state.events import Data, Event, timestamp
from clew.core.state.ids import identity
from clew.core.state.items import LETTERS
from clew.core.text.cleaning import shorten
from clew.ledger.exchange import EXCHANGE_VERSION, Exchanged, Hello, Holdings, fingerprint, unclear
from clew.ledger.portable import is_ulid
from clew.workspace.atomic import alone
from clew.workspace.times import nanoseconds

_WORDING_CHARS: Final = 300
_ENDS: Final = {"item.retracted": "retracted", "item.superseded": "replaced"}
HUB_WAY: Final = "hub"
JOIN_DEED: Final = "exchange with a place for the first time: what it says counts as said by whom it names"


class TaskShare(NamedTuple):
    """How many events about a task left, or would. `id` is "" for those of no task."""

    id: str
    title: str
    events: int


class SyncResult(JsonResult, frozen=True):
    """What an exchange came to. `place` is as it was typed; `sent` and `received` are numbers of events that were new
    to the other side and to this one. `tasks` says what `sent` was about, `unnamed` counts tasks that stay here until
    somebody names them, `private` those that stay until somebody shares them. `waiting` events came since.
    `confirmed_at` is the time at which the other side confirmed what it holds, "" in a dry run. `device` is this one's
    id.
    """

    place: str
    device: str
    sent: int
    received: int
    tasks: tuple[TaskShare, ...]
    unnamed: int
    private: int
    waiting: int
    confirmed_at: str
    notes: tuple[str, ...]
    dry_run: bool


class SyncResults(JsonResult, frozen=True):
    """What became of each place."""

    places: tuple[SyncResult, ...]


class SyncOptions(NamedTuple):
    """How to exchange. `join`: the project over there is this one, though it has another id. A person lets a finding
    leave by its digits in `allow`, and says `why`. `progress` is told what is worked on. `apart`: what a hub has of the
    same repository is another project.
    """

    join: bool = False
    apart: bool = False
    allow: Collection[str] = ()
    why: str = ""
    progress: Callable[[str], None] = lambda _: None


SYNC_AS_USUAL: Final = SyncOptions()


class Side:
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
            holdings=Holdings(at.ledger, self.place.since),
            peer_keys=lambda: self.device.keys,
            inspect=lambda events: self.require_clean(
                (f"{event.kind} {event.id}", text) for event in events for text in texts(dict(event.data))
            ),
            obey=partial(_obey, project.ports, at),
        )

    @classmethod
    @contextmanager
    def open(cls, project: ProjectHandle, place: str, options: SyncOptions) -> "Iterator[Side]":
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
                require_person(project.ports.channel(), "bundle", JOIN_DEED, about=lambda: place)
            side = cls(project, at, place, options, device)
            if not project.dry_run:
                side.save()
                side.open_named()
            yield side

    def open_named(self) -> None:
        """Say of tasks that somebody named that they are open: what said so holds a prompt's words, and stays."""
        unopened = self.store.holdings.reach.unopened
        tasks = [task for task in self.at.tasks() if task.id in unopened] if unopened else []
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
    def environment(self) -> Mapping[str, str]:
        """What git is started with."""
        return self._ports.environment

    def now_ms(self) -> int:
        """The time in milliseconds since 1970."""
        return self._ports.now_ms()

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
        check_hello(theirs)
        self.agree(theirs.project)
        self.device.meet(theirs.device, Peer(theirs.name, theirs.key, theirs.others))
        if not self._dry_run:
            self.save()

    def answer(self, theirs: Hello) -> Hello:
        """What a device that calls is answered. Raises `NotAllowed` where nobody admitted it."""
        check_hello(theirs)
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
        others = [one for one in projects if one not in ours]
        if self._options.join and len(others) == 1:
            return others[0]
        if found or not projects:
            return found[0] if found else self.at.ledger.project
        self.at.note(
            f"{self._name} also holds {', '.join(projects)}, under other ids than this project has. If one is the same "
            f"project, nothing of it came yet: `clew sync {self._name} --join` brings it."
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
        reach = self.store.holdings.reach
        shares = Counter(about.get(name, "") for name in done.sent)
        tasks = () if reach.is_open and not shares else self.at.tasks()
        titles = {task.id: task.title for task in tasks}
        now = timestamp(self._ports.now_ms())
        waiting = 0
        if done.confirmed:
            holdings = self.store.holdings
            self.place.confirmed_at, self.place.files = now, files
            self.place.holds = fingerprint(done.union)
            self.place.position = holdings.position_of(done.union)
            self._ask_about_wordings(done)
            self._ask_about_ends(done)
            holdings.look()
            waiting = len(holdings.travelling().keys() - done.union)
            self.device.places[self._name] = self.place
            self.save()
        return SyncResult(
            self._name,
            self.device.id,
            len(done.sent),
            len(done.received),
            tuple(TaskShare(task, titles.get(task, ""), number) for task, number in sorted(shares.items())),
            len(reach.unnamed & titles.keys()),
            sum(reach.stays(task, self.store.holdings.upto) for task in titles.keys() - reach.unnamed),
            waiting,
            now if done.confirmed else "",
            self.at.notes,
            self._dry_run,
        )

    def _ask_about_wordings(self, done: Exchanged) -> None:
        """Where people reworded an item on both sides the later wording holds, and before it words that somebody else
        locked or pinned: ask whoever said the other one.
        """
        ours, theirs = self._wordings(done.sent), self._wordings(done.received)
        for item in ours.keys() & theirs.keys():
            both = ours[item], theirs[item]
            is_held = both[0].actor != both[1].actor
            lost, holds = sorted(both, key=lambda one: (is_held and _is_hold(one), one.said_at, one.id))
            if _words(lost) == _words(holds):
                continue
            question = f"{LETTERS['question']}-{identity('reworded', lost.id, holds.id)}"
            said = [f"“{shorten(_words(one), _WORDING_CHARS)}” ({one.actor})" for one in (holds, lost)]
            did = "locked or pinned on one device and reworded on another"
            what = f"{self.at.short(item)} was {did if _is_hold(holds) else 'reworded on two devices'}"
            text = f"{what}: {said[0]} holds, and not {said[1]}. Which is meant?"
            data: Data = {"item": question, "kind": "question", "text": text, "owner": lost.actor}
            self.at.append([self.at.event("item.stated", data, task=lost.task, key=f"reworded:{question}")])
            self.at.note(f"{text} `clew answer {self.at.short(question)}` answers it.")

    def _ask_about_ends(self, done: Exchanged) -> None:
        """Where somebody over there ended what a person here said, that person is asked: nothing ends in silence."""
        events = self.store.holdings.events(frozenset(done.received), tuple(_ENDS))
        ends = {str(one.data["item"]): one for one in events if one.provenance == "human"}
        said = self.at.ledger.events(kinds=("item.stated",)) if ends else ()
        for _, event in said:
            end = ends.get(str(event.data["item"]))
            mine = event.provenance == "human" and event.actor == self.at.speaker.actor
            if end is None or not mine or end.actor == event.actor:
                continue
            item = str(event.data["item"])
            question = f"{LETTERS['question']}-{identity('ended', end.id)}"
            why = f": {shorten(reason, _WORDING_CHARS)}" if (reason := str(end.data.get("reason", ""))) else ""
            words = shorten(str(event.data["text"]), _WORDING_CHARS)
            text = f"{end.actor} {_ENDS[end.kind]} {self.at.short(item)} (“{words}”){why}. Is that right?"
            data: Data = {"item": question, "kind": "question", "text": text, "owner": event.actor}
            self.at.append([self.at.event("item.stated", data, task=event.task, key=f"ended:{question}")])
            self.at.note(f"{text} `clew restore {self.at.short(item)}` brings it back.")

    def _wordings(self, ids: Collection[str]) -> dict[str, Event]:
        """The last event of each item, among those with these ids, by which a person reworded, locked or pinned it."""
        events = self.store.holdings.events(frozenset(ids), ("item.edited", "item.pinned"))
        said = (event for event in events if event.provenance == "human")
        return {str(event.data["item"]): event for event in said if "text" in event.data or _is_hold(event)}

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

    def require_clean(self, named: Iterable[tuple[str, str]]) -> None:
        """Raise `NotAllowed` where one of the texts, each with its place, holds what looks like a secret."""
        options = self._options
        scanned = require_clean(
            named, self.at.ledger.key, exit="export", allow=options.allow, deep=self._ports.deep_scan
        )
        if not self._dry_run:
            note_allowed(self.at, scanned, exit="export", why=options.why)
        self.store.allowed |= {leak.where.rpartition(" ")[2] for leak in scanned.allowed}
        for note in scanned.notes:
            self.at.note(note)


def _obey(ports: Ports, at: ProjectSession, item: str, values: Sequence[str]) -> None:
    from clew.app.keeping.purge import obey  # here: it loads all that keeps texts, and most exchanges redact nothing

    obey(ports, at, item, values)


def _is_hold(event: Event) -> bool:
    """Whether somebody held an item's words fast by it."""
    return event.kind == "item.pinned" or event.data.get("locked") is True


def _words(event: Event) -> str:
    """The words of the item that an event gives it, or holds fast."""
    return str(event.data.get("text") or event.data.get("was", ""))


def check_hello(theirs: Hello) -> None:
    """Raises `InputError` (E-sync-talk) where who says it speaks another version, or says no keys."""
    is_whole = are_keys([theirs.key, *theirs.others])
    if not (is_whole and is_ulid(theirs.device) and is_ulid(theirs.project)) or theirs.version != EXCHANGE_VERSION:
        raise unclear(f"it is of version {theirs.version} of the exchange, and this side speaks {EXCHANGE_VERSION}")

"""The exchange of events between devices: what travels, what two sides hold, and the talk in which each gets what it
lacks. Pure: a talk yields what is to be sent and is given what came. Format: docs/reference/sync.md.

An event is known by its id: ledgers are put together as sets, so anything may be sent twice, in any order. A ledger's
own order of arrival (`seq`) never leaves it.
"""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Final, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec

from clew.core.errors import ClewError, InputError, NotAllowed
from clew.core.state.events import KINDS, Event, checked, is_activity
from clew.ledger.codec import read_event, write_line
from clew.ledger.port import Ledger
from clew.ledger.redaction import REDACTION

EXCHANGE_VERSION: Final = 1
MESSAGE_BYTES_MAX: Final = 64 << 20
# Of so many events, and so many bytes, a message is made: the other side keeps them in one transaction.
_EVENTS_MAX: Final = 1000
_EVENTS_BYTES_MAX: Final = 8 << 20
# What is about this machine: its paths, its processes, its keys. It says nothing to another one.
_LOCAL: Final = frozenset(("place.bound", "project.aliased", "secret.allowed", "session.set_aside", "task.shared"))
_LOCAL_PREFIXES: Final = ("run.", "work.")
_TASK_KINDS: Final = ("task.opened", "task.renamed", "task.shared")


class TaskReach:
    """Which tasks stay on this machine, by what is said of them (events of `_TASK_KINDS`, by arrival).

    A task that opened by itself is called what a prompt said: it stays until somebody names it (`unnamed`). Of what
    came to the ledger up to the position `since`, before the place was joined, only tasks travel that somebody shares.
    """

    def __init__(self, since: int) -> None:
        self._since = since
        self._named: set[str] = set()
        self._opened: set[str] = set()
        self._by_itself: set[str] = set()
        self._before: set[str] = set()
        self._told: dict[str, bool] = {}

    def look(self, seq: int, event: Event) -> str:
        """Take in an event; which task it is about."""
        about = str(event.data.get("task", "")) if event.kind in _TASK_KINDS else ""
        if about and event.kind == "task.shared":
            self._told[about] = event.data["shared"] is True
        elif about:
            (self._named if event.visibility == "team" else self._by_itself).add(about)
            if seq <= self._since:
                self._before.add(about)
            if event.kind == "task.opened" and event.visibility == "team":
                self._opened.add(about)
        return about or event.task

    @property
    def unnamed(self) -> frozenset[str]:
        """The tasks that stay since nobody named them."""
        return frozenset(self._by_itself - self._named)

    @property
    def unopened(self) -> frozenset[str]:
        """The tasks that somebody named, and of which nothing that travels says that they were opened."""
        return frozenset(self._by_itself & self._named - self._opened)

    @property
    def is_open(self) -> bool:
        """Whether no task stays."""
        return not (self._by_itself or self._before or False in self._told.values())

    def stays(self, task: str, seq: int) -> bool:
        """Whether an event of `task` ("" none) at this position stays."""
        if not task:
            return seq <= self._since
        is_unnamed = task in self._by_itself and task not in self._named
        return is_unnamed or not self._told.get(task, task not in self._before)


class Holdings:
    """Which events a ledger has, and which of them travel: those for the team, of tasks that do (`reach`)."""

    def __init__(self, ledger: Ledger, since: int = 0) -> None:
        self._ledger = ledger
        self.upto = 0
        self.latest = ""  # of all times that events bear
        self.keys: dict[str, str] = {}
        self.ids: set[str] = set()
        self.reach = TaskReach(since)
        self._for_team: dict[str, tuple[int, str]] = {}
        self.look()

    def look(self) -> None:
        """Take in what came to the ledger since the last look."""
        for seq, event in self._ledger.events(after=self.upto):
            self.upto = seq
            self.latest = max(self.latest, event.said_at)
            self.ids.add(event.id)
            self.keys[event.key] = event.id
            about = self.reach.look(seq, event)
            if is_for_team(event):
                self._for_team[event.id] = seq, about

    def travelling(self, upto: int | None = None) -> dict[str, str]:
        """The ids of the events (up to a position) that travel, in the order in which they came, with the task that
        each is about.
        """
        last, stays = self.upto if upto is None else upto, self.reach.stays
        return {name: task for name, (seq, task) in self._for_team.items() if seq <= last and not stays(task, seq)}

    def position_of(self, known: Collection[str]) -> int:
        """The position up to which every event that travels is among `known`."""
        others = [self._for_team[name][0] for name in self.travelling() if name not in known]
        return min(others, default=self.upto + 1) - 1

    def events(self, ids: Collection[str], kinds: Collection[str] | None = None) -> list[Event]:
        """The events with these ids (of these kinds) as they are now: redactions first, else in the order in which they
        came.
        """
        found = [event for _, event in self._ledger.events(kinds=kinds) if event.id in ids] if ids else []
        return sorted(found, key=lambda event: event.kind != REDACTION)


def is_for_team(event: Event) -> bool:
    """Whether an event may travel, if its task does. One of an unknown kind may: it is kept and passed on."""
    is_local = event.kind in _LOCAL or event.kind.startswith(_LOCAL_PREFIXES)
    return event.visibility == "team" and not is_local and not (event.kind in KINDS and is_activity(event.kind))


def count_waiting(ledger: Ledger, position: int, since: int) -> int:
    """How many events travel that the other side had not at `position` (`since`: `TaskReach`). Costs what came since,
    and all there is where a task was shared or named meanwhile.
    """
    before, now = TaskReach(since), TaskReach(since)
    about = set()
    for seq, event in ledger.events(kinds=_TASK_KINDS):
        about.add(now.look(seq, event))
        if seq <= position:
            before.look(seq, event)
    new = {task for task in about if before.stays(task, position) and not now.stays(task, position)}
    count = 0
    for seq, event in ledger.events(after=0 if new else position):
        task = now.look(seq, event)
        is_new = seq > position or task in new
        count += is_new and is_for_team(event) and not now.stays(task, seq)
    return count


def fingerprint(ids: Iterable[str]) -> str:
    """What stands for a set of events, in whatever order: their number and a sum over the hashes of their ids."""
    total = count = 0
    for name in ids:
        total += int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest(), "big")
        count += 1
    return f"{count}.{total % (1 << 128):032x}"


class Hello(msgspec.Struct, tag="hello"):
    """The first word of each side. `key` (hexadecimal) is what the device hashes redacted values under, and by which
    it is known again; `others` are such keys of devices that it knows. `holds` is the fingerprint of what travels.
    `keeps_nothing`: the one who calls may read there, and not write.
    """

    version: int
    project: str
    device: str
    name: str
    key: str
    others: list[str]
    holds: str
    keeps_nothing: bool = False


class Offer(msgspec.Struct, tag="offer"):
    """The ids of all events of the one who called, redactions included that were sent before."""

    ids: list[str]


class EventBatch(msgspec.Struct, tag="events"):
    """Some events, as `codec.write_line` writes them. `stamps` are a hub's word on who said each (`Store`), in their
    order; `allowed` are the ids of those of which a person let findings pass.
    """

    events: list[msgspec.Raw]
    stamps: list[str] = []
    allowed: list[str] = []


class Want(msgspec.Struct, tag="want"):
    """Which of the events on offer the one who was called lacks. All that it had to send came before."""

    ids: list[str]


class SendingEnd(msgspec.Struct, tag="done"):
    """The one who called sent all that was wanted."""


class HoldingsReceipt(msgspec.Struct, tag="receipt"):
    """What the one who was called now holds of all events that either side had: their fingerprint."""

    holds: str


class SyncRefusal(msgspec.Struct, tag="refusal"):
    """Why a side ended the talk: an error's code, message and hint."""

    code: str
    message: str
    hint: str


class Closed(msgspec.Struct, tag="closed"):
    """The other side has gone. It is not said, but read off the stream."""


SyncMessage: TypeAlias = Hello | Offer | EventBatch | Want | SendingEnd | HoldingsReceipt | SyncRefusal | Closed
Talk: TypeAlias = Generator[list[SyncMessage], SyncMessage, "Exchanged"]
_Kind = TypeVar("_Kind", bound=msgspec.Struct)
_decoder: Final[msgspec.json.Decoder[SyncMessage]] = msgspec.json.Decoder(SyncMessage)


class Exchanged(NamedTuple):
    """What a talk came to: the ids that were sent, and those that came and were new. `union` are all that both sides
    hold now. Without `confirmed` it was tried out only (`dry_run`).
    """

    sent: tuple[str, ...]
    received: tuple[str, ...]
    union: frozenset[str]
    confirmed: bool


class Store(Protocol):
    """One side of an exchange: a ledger with what is obeyed on the way in and looked at on the way out.

    `stamps` is what a hub said, by the id of an event, about who said it; `allowed` are the events that leave although
    something was found in them.
    """

    stamps: dict[str, str]
    allowed: set[str]

    @property
    def holdings(self) -> Holdings:
        """What the ledger has."""
        ...

    def take(self, events: Sequence[Event]) -> tuple[str, ...]:
        """Keep events of the other side, and obey redactions among them; the ids that were new."""
        ...

    def give(self, ids: Collection[str]) -> list[Event]:
        """The events with these ids, seen through for secrets. Raises `NotAllowed`."""
        ...


def encode_message(message: SyncMessage) -> bytes:
    """One line, with its end."""
    return msgspec.json.encode(message) + b"\n"


def decode_message(line: bytes) -> SyncMessage:
    """The message that a line is; `Closed` for one that is not whole. Raises `InputError` (E-sync-talk)."""
    if not line.endswith(b"\n"):
        return Closed()
    try:
        return _decoder.decode(line)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise unclear(str(error)) from None


def call(store: Store, hello: Hello, meet: Callable[[Hello], None], *, dry_run: bool = False) -> Talk:
    """The talk of the one who begins. `meet` is told who answers, and raises what it refuses. Raises `ClewError`: what
    the other side refused, E-sync-unconfirmed.
    """
    first = yield [hello]
    theirs = _expect(first, Hello)
    meet(theirs)
    mine = store.holdings.travelling()
    if theirs.holds == hello.holds:
        return Exchanged((), (), frozenset(mine), confirmed=not dry_run)
    redactions = [] if dry_run or theirs.keeps_nothing else store.holdings.events(mine, (REDACTION,))
    answer = yield [*_chunked(store, redactions), Offer(list(mine))]
    received: list[str] = []
    came: set[str] = set()
    while isinstance(answer, EventBatch):
        events = _events_in(store, answer)
        came |= {event.id for event in events}
        received += [event.id for event in events] if dry_run else store.take(events)
        answer = yield []
    wanted = [name for name in _expect(answer, Want).ids if name in mine]
    union = frozenset(came | mine.keys())
    if theirs.keeps_nothing:
        return Exchanged((), tuple(received), union.difference(wanted), confirmed=not dry_run)
    if dry_run:
        return Exchanged(tuple(wanted), tuple(received), union, confirmed=False)
    last = yield [*_chunked(store, store.give(wanted)), SendingEnd()]
    store.holdings.look()
    if _expect(last, HoldingsReceipt).holds != fingerprint(union) or not union <= store.holdings.ids:
        raise InputError(
            "the two sides do not hold the same after the exchange",
            code="E-sync-unconfirmed",
            hint="Nothing is lost here. Run it again; `clew doctor` on both sides tells what is damaged.",
        )
    return Exchanged(tuple(wanted), tuple(received), union, confirmed=True)


def answer_call(store: Store, hello: Callable[[Hello], Hello]) -> Talk:
    """The talk of the one who is called: at first it yields nothing and is given the other's hello, which `hello`
    answers or refuses by raising. Who called may go at any time: only they say whether it worked.
    """
    first = yield []
    theirs = _expect(first, Hello)
    ours = hello(theirs)
    mine = store.holdings.travelling()
    received: list[str] = []
    message = yield [ours]
    while isinstance(message, EventBatch):
        received += store.take(_events_in(store, message))
        message = yield []
    if isinstance(message, Closed):
        return Exchanged((), tuple(received), frozenset(mine), confirmed=theirs.holds == ours.holds)
    offered = dict.fromkeys(_expect(message, Offer).ids)
    store.holdings.look()
    wanted = [name for name in offered if name not in store.holdings.ids]
    sending = [name for name in mine if name not in offered]
    message = yield [*_chunked(store, store.give(sending)), Want(wanted)]
    while isinstance(message, EventBatch):
        received += store.take(_events_in(store, message))
        message = yield []
    store.holdings.look()
    union = frozenset(offered | mine)
    held = store.holdings.ids & union
    if isinstance(message, SendingEnd):
        yield [HoldingsReceipt(fingerprint(held))]
    return Exchanged(
        tuple(sending), tuple(received), frozenset(held), confirmed=isinstance(message, SendingEnd) and held == union
    )


def read_events(message: EventBatch) -> list[Event]:
    """The events of a message. Raises `InputError` (E-sync-talk)."""
    try:
        return [checked(read_event(one)) for one in message.events]
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise unclear(str(error)) from None
    except InputError as error:
        raise unclear(error.message) from None


def refusal_of(error: ClewError) -> SyncRefusal:
    """How an error is told to the other side."""
    return SyncRefusal(error.code, error.message, error.hint)


def _events_in(store: Store, message: EventBatch) -> list[Event]:
    events = read_events(message)
    store.stamps.update((event.id, stamp) for event, stamp in zip(events, message.stamps, strict=False) if stamp)
    store.allowed.update(message.allowed)
    return events


def _chunked(store: Store, events: Iterable[Event]) -> Iterator[EventBatch]:
    chunk = EventBatch([])
    size = 0
    for event in events:
        raw = write_line(event)
        if chunk.events and (len(chunk.events) >= _EVENTS_MAX or size + len(raw) > _EVENTS_BYTES_MAX):
            yield chunk
            chunk, size = EventBatch([]), 0
        chunk.events.append(msgspec.Raw(raw))
        chunk.stamps.append(store.stamps.get(event.id, ""))
        chunk.allowed += [event.id] if event.id in store.allowed else []
        size += len(raw)
    if chunk.events:
        yield chunk


def _expect(message: SyncMessage, kind: type[_Kind]) -> _Kind:
    if isinstance(message, kind):
        return message
    if isinstance(message, SyncRefusal):
        raise NotAllowed(
            f"the other side refused: {message.message[:1000]} [{message.code[:40]}]",
            code="E-sync-refused",
            hint=message.hint[:1000],
        )
    if isinstance(message, Closed):
        raise InputError(
            "the other side broke off before it confirmed the exchange",
            code="E-sync-cut",
            hint="What came whole is kept, and nothing is lost. Run it again; `ssh HOST clew --version` tells whether "
            "clew is found over there.",
        )
    raise unclear(f"{type(message).__name__} came where {kind.__name__} was expected")


def unclear(why: str) -> InputError:
    """What to raise of a message that is none."""
    return InputError(
        f"what the other side said cannot be understood: {why[:300]}",
        code="E-sync-talk",
        hint="Nothing of that message was kept. See that both sides run the same version of clew (`clew --version`).",
    )

"""What a ledger offers: an append-only store of events, and beside it the extracts that rules read off sessions.

Members: `memory.py` (the reference), `sqlite/` and `postgres/`. `clew.testing.ledgers` is the conformance
suite that each passes.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from clew.core.state.crowd import Room, Selected
from clew.core.state.events import Event, Recorded
from clew.core.state.extract import Extract
from clew.core.state.fold import Entity
from clew.core.state.items import Item, Kind

# The rules of an extract that a bundle of somebody else's told: older than all others, 0 (to be read again) included.
FOREIGN_RULES: Final = -1
# So many ids `Ledger.ids` tells at most.
IDS_MAX: Final = 100


class Folded(NamedTuple):
    """What is known of one task's entities when everything up to the position `seq` is folded."""

    seq: int
    entities: Mapping[str, Entity]


class SessionExtent(NamedTuple):
    """How far a session was imported: for which task, by which rules, how many bytes (see `core.extract.Extract`)."""

    task: str
    rules: int
    extent: int


class Ledger(Protocol):
    """An append-only ledger of one project. Every method that changes it is one transaction: all of it or nothing.

    What a call has returned from survives the end of the process (`kill -9`) at any later moment. Positions (`seq`)
    grow by arrival and become visible in order: whoever has seen `n` never finds a new event below it.
    Raises `LedgerError` where the store cannot be used (full, read-only, corrupt, written by a newer clew).
    """

    @property
    def project(self) -> str:
        """The project's ULID."""
        ...

    @property
    def key(self) -> bytes:
        """32 bytes of chance, made with the ledger: its keyed hashes mean nothing elsewhere. Never leaves the file."""
        ...

    @property
    def writable(self) -> bool:
        """Whether `append` and the other changes can work."""
        ...

    def append(self, events: Sequence[Event], *, unless_redacted_after: int | None = None) -> tuple[int, ...]:
        """Keep `events`, all or none; their positions. An event whose key exists already is not kept again: its
        position is that of the first one. Raises `InputError` if one of them cannot be kept (`core.events.checked`).

        None is kept, and () is given back, when something was redacted after the position `unless_redacted_after`: the
        events were made before, and may hold what must not come back.
        """
        ...

    def position(self) -> int:
        """The position of the newest event, 0 in an empty ledger."""
        ...

    def events(
        self, *, task: str | None = None, kinds: Collection[str] | None = None, after: int = 0, upto: int | None = None
    ) -> Iterator[Recorded]:
        """Events with `after` < seq <= `upto`, by arrival: of one task ("" the project's own) and kinds, or of all."""
        ...

    def fold(self, task: str, *, upto: int | None = None) -> Folded:
        """What the events of `task` up to `upto` fold to. Costs what came since the last call, not the history."""
        ...

    def fold_of(self, task: str, names: Collection[str]) -> Mapping[str, Entity]:
        """Of what the events of `task` fold to the items and tasks with these ids, as far as there are such. Costs what
        was said of them.
        """
        ...

    def select(self, task: str, room: Room, also: Collection[str] = (), *, newest: bool = False) -> Selected:
        """Of what the events of `task` fold to a part (`core.state.crowd.select`): of items that are alike as many as
        there is `room` for, of the others all; those with the ids `also` are told apart. Costs what it tells.
        Of those that are alike it is the first ones, with `newest` the last.
        """
        ...

    def take_in(self, extract: Extract, *, unless_redacted_after: int | None = None) -> bool:
        """Keep `extract` in place of the one that is there for its session, if its stamp is greater: whether it was.

        A session that counts for a task goes on counting for it, whatever `extract` says: only `assign` changes that,
        and somebody may have done so since the caller looked. But the task that only a foreign extract (of the rules
        `FOREIGN_RULES`) gave it does not stay; and of two foreign ones with the same stamp and different tasks the
        later one counts. What it replaces stays visible to `extracts(upto=…)` when a checkpoint was taken while it
        counted.

        It is refused when something was redacted after the position `unless_redacted_after`, since it was read before.
        """
        ...

    def taken(self) -> Mapping[str, SessionExtent]:
        """How far each session was imported, by its id. Costs no look at the items."""
        ...

    def extracts(
        self,
        *,
        task: str | None = None,
        session: str | None = None,
        upto: int | None = None,
        items: bool = True,
        holding: Collection[str] | None = None,
    ) -> tuple[Extract, ...]:
        """The extracts of a task's sessions ("" those of none; None of all), or of one, the one that ended last at the
        end, as they were at the position `upto` (None now). Only the positions of checkpoints are seen exactly: in
        between an extract may already have been replaced. Without `items` they hold none: it costs no look at those.
        `holding`: only those, as they are now, that hold an item with one of these ids.
        """
        ...

    def read_off(self, kinds: Collection[Kind], most: int) -> Mapping[str, tuple[Item, ...]]:
        """The items of these kinds in the extracts as they are now, by session and without their ranks: of each kind at
        most so many, of the sessions that ended last. Foreign sessions are left out. Costs what there is of the kinds,
        however many sessions there are.
        """
        ...

    def versions(self) -> Iterator[tuple[int, Extract]]:
        """Every version of every extract that is kept, by the position from which on it counts: for an export."""
        ...

    def assign(self, session: str, task: str) -> bool:
        """Let the extract of `session` count for `task` from now on, also when the session is read again: whether there
        is such an extract. A foreign one is from then on one of our own, of the rules 0.
        """
        ...

    def ids(self, prefix: str = "") -> tuple[str, ...]:
        """Ids of items, tasks and checkpoints that begin with `prefix` (any case), sorted: at most 100."""
        ...

    def shortest(self, ids: Collection[str]) -> dict[str, str]:
        """Each id with the shortest prefix (see `core.ids`) that no other id of this ledger, or of `ids`, shares."""
        ...

    def task_of(self, entity: str) -> str | None:
        """The task that the item `entity` belongs to: that of the event by which a person states it, else of the
        session whose extract holds it now, else of a person's first word about it, else of the event that states it,
        else of the first one that speaks of it; None: an unknown id. A foreign extract comes behind a person's words
        and behind what states the item: it could take it to another task. And of several what was read here comes
        before what waits to be read again.
        """
        ...

    def purge(self, item: str, values: Collection[str]) -> int:
        """Take the item's words and every occurrence of `values` out of events, extracts and snapshots, and make the
        file forget them: how many rows changed. Envelopes, ids and keys stay. The one change to what was kept. An
        extract that lost something has the rules 0 from then on, so that any reading of its session is a better one; a
        foreign one stays foreign.
        """
        ...

    def prune(self, before: str) -> int:
        """Drop activity recorded before the time `before`: how many events. State events are never dropped."""
        ...

    def damage(self) -> str:
        """What is damaged in the store, "" if nothing is found. Reads all of it, every row: for a check-up."""
        ...

    def passed_over(self) -> tuple[str, ...]:
        """What this object met so far that is not what was written, and went on without: "event 17", "session ID"."""
        ...

    def close(self) -> None:
        """Let go of the store. Closing twice is once."""
        ...

"""A session of work on a project: the one object by which use cases read a ledger and record in it."""

import copy
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from clew.app.project.authority import require_person
from clew.app.project.location import ProjectLocation
from clew.app.project.reading import ProjectReading
from clew.app.project.redaction import LedgerRedaction, Safe
from clew.app.results import EventRow, JsonResult, KnownRow, TaskRow
from clew.core.errors import InputError, LedgerError
from clew.core.state.events import KINDS, Data, Event, Visibility, timestamp
from clew.core.state.extract import Extract
from clew.core.state.ids import drawn, ulid
from clew.core.state.items import Authority, Provenance, State
from clew.core.state.projection import Known
from clew.core.state.tasks import Task
from clew.core.text.cleaning import clean, one_line
from clew.ledger.port import Ledger
from clew.ledger.redaction import find_overlong, safe_event

_CHANCE_BYTES: Final = 10


class Identities:
    """Draws identities. `now_ms` is the time in milliseconds since 1970, `chance(n)` n random bytes.

    What is drawn later is later: of two in one millisecond, or when the clock goes back, the second is the greater (the
    monotonic way of the ULID's specification).
    """

    def __init__(self, now_ms: Callable[[], int], chance: Callable[[int], bytes]) -> None:
        self._now_ms = now_ms
        self._chance = chance
        self._last_ms = 0
        self._last_chance = bytes(_CHANCE_BYTES)

    def short(self, letter: str) -> str:
        """Of an item (the letter of its kind), a task (T) or a checkpoint (K)."""
        return f"{letter}-{drawn(self._chance(_CHANCE_BYTES))}"

    def next(self) -> tuple[int, str]:
        """Of an event: when it is (milliseconds since 1970), and its ULID."""
        now_ms = max(self._now_ms(), self._last_ms)
        if now_ms > self._last_ms:
            self._last_ms, self._last_chance = now_ms, self._chance(_CHANCE_BYTES)
        else:
            following = int.from_bytes(self._last_chance, "big") + 1
            self._last_chance = (following % (1 << 8 * _CHANCE_BYTES)).to_bytes(_CHANCE_BYTES, "big")
        return now_ms, ulid(now_ms, self._last_chance)


READ_ONLY: Final = "E-ledger-readonly"
AWAY: Final = "E-ledger-away"
_WAITS: Final = "this is kept in the spool and taken in by the next command that can write to it, as an agent's words."
_HIDDEN: Final = "Possible secrets were redacted before saving."


class Speaker(NamedTuple):
    """Who records, and from where. `provenance` is what the channel allows (docs/reference/authority.md).

    `worktree` is the top of the work tree ("" outside one), `branch` what is checked out there. `reason` tells why
    it is that class, as a clause ("" where nobody asked), `prove` is the channel's (`Authority`).
    """

    actor: str
    provenance: Provenance
    session: str
    worktree: str
    branch: str
    reason: str = ""
    prove: Callable[[str, str], str] = Authority("agent", "").prove

    def by(self, authority: Authority) -> "Speaker":
        """The same speaker, with what the channel allows."""
        return self._replace(provenance=authority.provenance, reason=authority.reason, prove=authority.prove)


class Outcome(JsonResult, frozen=True):
    """What a recording command did.

    `changed`: something was (or would be) recorded, or assigned. `said` tells it in a sentence, `next` is a command
    that may come next ("" none, as for what waits in the spool). `notes` are sentences about what the person may not
    expect. `item` is the item that it is about and `task` the task, as they stand now (None: it is about none).
    `events` are what was recorded, in order. `spooled`: they wait in the spool. `dry_run`: nothing was written, it
    would be so.
    """

    changed: bool
    said: str
    next: str
    notes: tuple[str, ...]
    item: KnownRow | None
    task: TaskRow | None
    events: tuple[EventRow, ...]
    spooled: bool
    dry_run: bool


class ProjectSession(ProjectReading):
    """An open project: its ledger, its location, and who speaks. Nothing unredacted gets past it.

    `keep` is for what somebody says: within bounds, and in the spool where the ledger cannot be written. `append`,
    `assign` and `take_in` are a ledger's business: they raise `LedgerError` there. In a dry run none of them does
    anything but `append`. `notes` are sentences to be told with the outcome.
    """

    def __init__(
        self,
        ledger: Ledger,
        location: ProjectLocation,
        speaker: Speaker,
        *,
        now_ms: Callable[[], int],
        chance: Callable[[int], bytes],
        redact: Callable[[str], str],
        chosen: str | None = None,
    ) -> None:
        """`redact` is what rules replace under the ledger's key. Times and chance: `Identities`."""
        self.ledger = ledger
        self.location = location
        self.speaker = speaker
        self.chosen = chosen
        self.is_kept = True  # whether the ledger outlives the session
        self.dry_run = False
        self.refusal: LedgerError | None = None  # why the ledger cannot be written
        self.spools = True  # whether what cannot be recorded waits; else it is an error
        # Obeys what people redact by hand, also while the session is open.
        self.redact: LedgerRedaction = LedgerRedaction(ledger, redact, location.peer_keys)
        self._identities = Identities(now_ms, chance)
        self._notes: list[str] = []
        self._agreed: list[Callable[[], None]] = []
        self.recorded: list[Event] = []  # what was kept, for who is told of it
        self._last_id = self._stale_upto = ""
        self._stones = self.redact.stones
        # The part of a state that was shown last, with what it is of (`lookup.py`).
        self.shown: tuple[object, State] | None = None
        # The extracts of a task that were read last, with what they depend on (`lasting.py`).
        self.lasting: tuple[object, list[Extract], str] | None = None

    def elsewhere(self, location: ProjectLocation) -> "ProjectSession":
        """The same session, from another work tree of the project."""
        there = copy.copy(self)
        there.location = location
        return there

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be told so far."""
        return tuple(self._notes)

    @property
    def is_person(self) -> bool:
        """Whether what is recorded here is a person's word."""
        return self.speaker.provenance == "human"

    def require_person(
        self,
        deed: str,
        says: str = "",
        instead: str = "",
        *,
        about: Callable[[], str] = str,
        of: str = "",
        code: bool = True,
    ) -> None:
        """As `authority.require_person`, of who speaks here; in a dry run nobody is asked. What the deed is `about`
        (of the task `of` its title) is looked at once more right before the next thing is kept.
        """
        if of:
            about = lambda: found.title if (found := self.task_of(of)) else ""  # noqa: E731
        said = Authority(self.speaker.provenance, self.speaker.reason, self.speaker.prove)
        is_asked = code and not self.dry_run
        self._agreed.append(require_person(said, deed, says, instead, about=about, code=is_asked))

    def _check_agreed(self) -> None:
        """Raise `NotAllowed` where something that a person agreed to is no longer what was shown."""
        agreed, self._agreed = self._agreed, []
        for check in agreed:
            check()

    def note(self, sentence: str) -> None:
        """Tell the person this with the outcome, once."""
        if sentence not in self._notes:
            self._notes.append(sentence)

    def safe(self, text: str) -> str:
        """`text` on one line as it may be kept and shown. A secret that was replaced is told with the outcome."""
        return one_line(self.safe_lines(one_line(text)))

    def safe_lines(self, text: str) -> str:
        """The same for a text of several lines."""
        tidy = clean(text)
        kept = self.redact(tidy) if tidy else ""
        if kept != tidy:
            self.note(_HIDDEN)
        return kept

    def new_id(self, letter: str) -> str:
        """A fresh identity: of an item (the letter of its kind), a task (T) or a checkpoint (K)."""
        return self._identities.short(letter)

    def event(
        self, kind: str, data: Data, *, task: str, key: str = "", visibility: Visibility = "team", said_at: str = ""
    ) -> Event:
        """An event of this speaker, now. `said_at` (clamped to now) is when it was said, if that was earlier."""
        self._stale()
        now_ms, identity = self._identities.next()
        now = timestamp(now_ms)
        self._last_id = identity
        speaker = self.speaker
        said = Event(
            id=identity,
            key=key or identity,
            project=self.ledger.project,
            task=task,
            session=speaker.session,
            worktree=speaker.worktree,
            actor=speaker.actor,
            provenance=speaker.provenance,
            visibility=visibility,
            said_at=min(said_at, now) if said_at else now,
            recorded_at=now,
            kind=kind,
            v=KINDS[kind].v,
            data=data,
        )
        return safe_event(said, self.redact)

    def keep(self, events: Sequence[Event]) -> None:
        """Record `events`, all or none, unless this is a dry run. Raises `InputError` for a text that is too long, and
        `LedgerError` where nothing can be written.
        """
        for event in events:
            long = find_overlong(event, but=("was",))  # which says again what is kept already
            if long:
                raise InputError(
                    f"the {long}",
                    code="E-item-field",
                    hint="Shorten it, and put the rest into a file that the item names (--file).",
                )
        if self.dry_run or not events:
            return
        if self.refusal is None:
            try:
                self.append(events)
                return
            except LedgerError as error:
                if error.code not in (READ_ONLY, AWAY) or not self.spools:
                    raise
                self.refusal = error
        from clew.ledger.spool import put

        # Keys are a ledger's business: one that others can compute is not imported from a file.
        waiting = [event._replace(key=event.id) for event in events]
        put(self.location.spool, waiting, key=self.ledger.key)
        away = self.refusal.code == AWAY
        self.note(f"The ledger {'is on a server that is away' if away else 'cannot be written from here'}: {_WAITS}")

    def append(self, events: Sequence[Event], safe: Safe = safe_event) -> tuple[int, ...]:
        """Keep `events` of this session in the ledger, all or none; their positions. Where something was redacted since
        they were made it is what `safe` makes of them that is kept.
        """
        self._check_agreed()
        stale = self._stale()
        kept = [safe(one, self.redact) if one.id <= stale else one for one in events]
        positions = self.redact.append(kept, safe)
        self.recorded += kept
        return positions

    def assign(self, session: str, task: str, events: Sequence[Event]) -> None:
        """Let a session count for a task, and keep the events that go with that, unless this is a dry run."""
        if self.dry_run:
            return
        self._require_writable()
        self._check_agreed()
        if events:
            self.append(events)
        self.ledger.assign(session, task)

    def take_in(self, extract: Extract, *, unless_redacted_after: int, along: Sequence[Event] = ()) -> bool:
        """Keep what was read of a session, and `along` the events that go with it: whether it is new. In a dry run
        nothing is kept, and it counts as new.
        """
        if self.dry_run:
            return True
        self._require_writable()
        is_new = self.ledger.take_in(extract, unless_redacted_after=unless_redacted_after)
        if is_new and along:
            self.append(along)
        return is_new

    def task_row(self, task: str) -> TaskRow | None:
        """The task with this id as it is told; None if there is none."""
        found = self.task_of(task)
        return TaskRow.of(found, short_id=self.short(task)) if found is not None else None

    def outcome(
        self,
        said: str,
        then: str = "",
        *,
        events: Sequence[Event | EventRow] = (),
        shown: str = "",
        item: Known | None = None,
        task: Task | None = None,
    ) -> Outcome:
        """What was done, with all that is to be told."""
        spooled = bool(events) and self.refusal is not None and not self.dry_run
        notes = (*self._notes, *self.passed_over())
        if spooled:
            then = ""  # which no id leads to until it is imported
        about_item = KnownRow.known(item, short_id=shown) if item is not None else None
        about_task = TaskRow.of(task, short_id=shown) if task is not None else None
        rows = EventRow.each(events)
        return Outcome(bool(events), said, then, notes, about_item, about_task, rows, spooled, self.dry_run)

    def _require_writable(self) -> None:
        if self.refusal is not None:
            raise self.refusal

    def _stale(self) -> str:
        """The id of the last event that was made before a redaction which `redact` has seen since, "" for none."""
        if self.redact.stones is not self._stones:
            self._stones, self._stale_upto = self.redact.stones, self._last_id
        return self._stale_upto

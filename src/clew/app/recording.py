"""Recording: what every command that adds to a ledger shares. Where it writes, who may, and what it tells afterwards.

To the ledger; where that cannot be written (a sandboxed shell), to the spool of the work tree (docs/ledger.md).
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from clew.app.authority import require_person
from clew.app.desk import Desk, desk
from clew.app.notes import rows_passed_over
from clew.app.ports import Ports
from clew.app.spot import spool_of
from clew.app.told import safe_errors
from clew.core.errors import InputError, LedgerError
from clew.core.events import Data, Event
from clew.core.extract import Extract
from clew.core.items import Authority
from clew.core.tasks import Task
from clew.core.text import clean, one_line
from clew.core.tuples import NamedTuple
from clew.core.view import Known
from clew.ledger.bounds import too_long

READ_ONLY: Final = "E-ledger-readonly"
_WAITS: Final = (
    "The ledger cannot be written from here: this is kept in the spool and taken in by the next command that can write "
    "to it, as an agent's words."
)
_COUNTS_AS_AGENTS: Final = "the ledger cannot be written from here, and what waits in the spool counts as an agent's"
_HIDDEN: Final = "What looked like a secret was replaced before anything was kept."


class Outcome(NamedTuple):
    """What a recording command did.

    `said` tells it in a sentence, `then` is a command that may come next ("" none, as for what waits in the spool).
    `notes` are sentences about what the person may not expect. `events` are what was recorded, in order. `item` is the
    item that it is about and `task` the task, as they stand now (None: it is about none); `shown` the id in its
    shortest form. `spooled`: the events wait in the spool. `dry_run`: nothing was written, it would be so. `changed`:
    something was (or would be) recorded, or assigned.
    """

    said: str
    then: str
    notes: tuple[str, ...]
    events: tuple[Event, ...]
    shown: str = ""
    item: Known | None = None
    task: Task | None = None
    spooled: bool = False
    dry_run: bool = False
    changed: bool = False


class Recorder:
    """A desk at which something is recorded."""

    def __init__(self, at: Desk, *, dry_run: bool = False, refusal: LedgerError | None = None) -> None:
        """`refusal`: why the ledger cannot be written; what is kept then goes to the spool."""
        self.desk = at
        self.dry_run = dry_run
        self._refusal = refusal
        self._notes: list[str] = []

    @property
    def is_person(self) -> bool:
        """Whether what is recorded here is a person's word."""
        return self.desk.writer.speaker.provenance == "human"

    def require_person(self, deed: str, instead: str) -> None:
        """Nothing, if a person speaks, who shows it now (not in a dry run). Else raises `NotAllowed`: only a person may
        do the `deed`; the hint is what can be done `instead`.
        """
        speaker = self.desk.writer.speaker
        said = Authority(speaker.provenance, speaker.reason)
        require_person(said if self.dry_run else said._replace(prove=speaker.prove), deed, instead)

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
        kept = self.desk.redact(tidy) if tidy else ""
        if kept != tidy:
            self.note(_HIDDEN)
        return kept

    def event(self, kind: str, data: Data, *, task: str, key: str = "") -> Event:
        """An event of this speaker, now."""
        return self.desk.writer.event(kind, data, task=task, key=key)

    def keep(self, events: Sequence[Event]) -> None:
        """Record `events`, all or none, unless this is a dry run. Raises `InputError` for a text that is too long, and
        `LedgerError` where nothing can be written.
        """
        for event in events:
            long = too_long(event, but=("was",))  # which says again what is kept already
            if long:
                raise InputError(
                    f"the {long}",
                    code="E-item-field",
                    hint="Say it shorter, and keep the rest in a file that the item names (--file).",
                )
        if self.dry_run or not events:
            return
        if self._refusal is None:
            try:
                self.desk.writer.append(events)
                return
            except LedgerError as error:
                if error.code != READ_ONLY:
                    raise
                self._refusal = error
        from clew.ledger.spool import put

        # Keys are a ledger's business: one that others can compute is not taken in from a file.
        waiting = [event._replace(key=event.id) for event in events]
        put(spool_of(self.desk.spot), waiting, key=self.desk.ledger.key)
        self.note(_WAITS)

    def assign(self, session: str, task: str, events: Sequence[Event]) -> None:
        """Let a session count for a task, and keep the events that go with that, unless this is a dry run.

        Only a ledger can: raises `LedgerError` where it cannot be written.
        """
        if self.dry_run:
            return
        if self._refusal is not None:
            raise self._refusal
        if events:
            self.desk.writer.append(events)
        self.desk.ledger.assign(session, task)

    def take_in(self, extract: Extract, *, unless_redacted_after: int, along: Sequence[Event] = ()) -> bool:
        """Keep what was read of a session, and `along` the events that go with it: whether it is new. In a dry run
        nothing is kept, and it counts as new.

        Only a ledger can: raises `LedgerError` where it cannot be written.
        """
        if self.dry_run:
            return True
        if self._refusal is not None:
            raise self._refusal
        is_new = self.desk.ledger.take_in(extract, unless_redacted_after=unless_redacted_after)
        if is_new and along:
            self.desk.writer.append(along)
        return is_new

    def outcome(
        self,
        said: str,
        then: str = "",
        *,
        events: Sequence[Event] = (),
        shown: str = "",
        item: Known | None = None,
        task: Task | None = None,
    ) -> Outcome:
        """What was done, with all that is to be told."""
        spooled = bool(events) and self._refusal is not None and not self.dry_run
        notes = (*self._notes, *rows_passed_over(self.desk.ledger))
        if spooled:
            then = ""  # which no id leads to until it is taken in
        return Outcome(said, then, notes, tuple(events), shown, item, task, spooled, self.dry_run, bool(events))


@contextmanager
def recorder(ports: Ports, folder: Path, *, dry_run: bool = False) -> Iterator[Recorder]:
    """A recorder for the project that `folder` (absolute) is in. A dry run only reads.

    Raises `NotFound` where no ledger is kept, `LedgerError` where it can be neither written nor read. What errors say
    is redacted on the way out.
    """
    with safe_errors(ports.redact), ExitStack() as stack:
        yield _recorder(ports, folder, dry_run, stack)


@contextmanager
def looking(ports: Ports, folder: Path) -> Iterator[Desk]:
    """A desk to look at only. Raises as `recorder`."""
    with safe_errors(ports.redact), desk(ports, folder, write=False) as at:
        yield at


def _recorder(ports: Ports, folder: Path, dry_run: bool, stack: ExitStack) -> Recorder:
    if dry_run:
        at = stack.enter_context(desk(ports, folder, write=False))
        at.writer.speaker = at.writer.speaker.by(ports.channel())
        return Recorder(at, dry_run=True)
    try:
        at = stack.enter_context(desk(ports, folder, write=True))
    except LedgerError as error:
        if error.code != READ_ONLY:
            raise
        at = stack.enter_context(desk(ports, folder, write=False))  # which speaks as an agent
        at.writer.speaker = at.writer.speaker._replace(reason=_COUNTS_AS_AGENTS)
        return Recorder(at, refusal=error)
    made = Recorder(at)
    for sentence in at.notes:
        made.note(sentence)
    return made

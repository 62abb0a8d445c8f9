"""The one boundary: what goes into a ledger is redacted here, by rules and by what people redacted by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from clew.app.project.tombstones import forgetting, obeyed, tombstones
from clew.core.errors import ClewError
from clew.core.state.events import Event
from clew.core.state.extract import Extract
from clew.core.text.cleaning import clean
from clew.ledger.port import Ledger
from clew.ledger.redaction import REDACTION, purge_event, safe_event

# What is kept of an event, by what redacts a text.
Safe: TypeAlias = Callable[[Event, Callable[[str], str]], Event]

# Of texts that were made safe, so many are remembered, and none that is longer.
_REMEMBERED_MAX: Final = 1_000
_REMEMBERED_CHARS_MAX: Final = 10_000


class LedgerRedaction:
    """Redacts what is recorded, and keeps nothing that was made before a later redaction.

    Called with a text it gives back what may be kept of it; what it gave back once stays as it is, until somebody
    redacts. `stones` is what was redacted up to the position `upto`.
    """

    def __init__(
        self, ledger: Ledger, redact: Callable[[str], str], peer_keys: Callable[[], tuple[bytes, ...]] = tuple
    ) -> None:
        """`redact` is what the rules replace. `peer_keys`: `tombstones`."""
        self._ledger = ledger
        self._peer_keys = peer_keys
        self._rules = redact
        self._safe: set[str] = set()
        self.upto = 0
        self._look()

    def __call__(self, text: str) -> str:
        if text in self._safe:
            return text
        safe = self._forget(text)
        if len(safe) <= _REMEMBERED_CHARS_MAX and len(self._safe) < _REMEMBERED_MAX:
            self._safe.add(safe)
        return safe

    def look_again(self) -> bool:
        """Whether something was redacted after `upto`; it is obeyed from now on."""
        if not any(self._ledger.events(kinds=(REDACTION,), after=self.upto)):
            return False
        self._look()
        return True

    def append(self, events: Sequence[Event], safe: Safe = safe_event) -> tuple[int, ...]:
        """Append `events`, all or none, which are safe as of `upto`; their positions. If something was redacted since,
        what `safe` makes of each is appended in its place. Of one about a redacted item no words are kept.
        """
        positions = self._ledger.append(self._wordless(events), unless_redacted_after=self.upto)
        while events and not positions:
            self.look_again()
            events = [safe(event, self) for event in events]
            positions = self._ledger.append(self._wordless(events), unless_redacted_after=self.upto)
        self.upto = max(self.upto, *positions, 0)
        if any(event.kind == REDACTION for event in events):
            self._look()
        return positions

    def guard(self, ledger: Ledger) -> Ledger:
        """`ledger`, whose `append` and `take_in` redact every text first: for what was not written here."""
        return cast("Ledger", _Guarded(ledger, self))

    def _wordless(self, events: Sequence[Event]) -> Sequence[Event]:
        """`events`, those about redacted items without words: a word alone is in no hash."""
        if not self.stones.items:
            return events
        about = ((event, str(event.data.get("item", ""))) for event in events)
        return [purge_event(event, item, ()) if item in self.stones.items else event for event, item in about]

    def _look(self) -> None:
        self._safe.clear()
        self.upto = self._ledger.position()
        self.stones = tombstones(self._ledger, self._peer_keys)
        self._forget = forgetting(self._rules, self.stones)


class _Guarded:
    def __init__(self, ledger: Ledger, redact: LedgerRedaction) -> None:
        self._ledger = ledger
        self._redact = redact

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def append(self, events: Sequence[Event]) -> tuple[int, ...]:
        return self._redact.append([safe_event(event, self._redact) for event in events])

    def take_in(self, extract: Extract) -> bool:
        while True:
            safe = cast("Extract", self._safe(extract))
            safe = safe._replace(items=obeyed(safe.items, self._redact.stones))
            if self._ledger.take_in(safe, unless_redacted_after=self._redact.upto):
                return True
            if not self._redact.look_again():
                return False

    def _safe(self, value: Any) -> Any:
        """`value` with every text in it redacted."""
        if isinstance(value, str):
            return self._redact(clean(value)) if value else ""
        if isinstance(value, tuple) and hasattr(value, "_make"):
            return value._make(self._safe(part) for part in value)
        return type(value)(self._safe(part) for part in value) if isinstance(value, (list, tuple)) else value


if TYPE_CHECKING:
    from clew.core.records.files import Drift, FileCommit, FileDrift

Redact = Callable[[str], str]


def redacted_name(name: str, redact: Redact) -> str:
    """`name` as it is unless it holds a secret: names without one stay what they are looked up by."""
    tidy = clean(name)
    safe = redact(tidy) if tidy else ""
    return name if safe == tidy else safe


@contextmanager
def safe_errors(redact: Redact) -> Iterator[None]:
    """What a `ClewError` says is redacted on its way out of the block: it names files, and what git answered."""
    try:
        yield
    except ClewError as error:
        error.message = redacted_name(error.message, redact)
        error.hint = redacted_name(error.hint, redact)
        error.args = (error.message,)
        raise


def redacted_drift(drift: Drift, redact: Redact) -> Drift:
    """`drift` with every text in it redacted."""

    def plain(text: str) -> str:
        return redacted_name(text, redact)

    def commits(found: tuple[FileCommit, ...]) -> tuple[FileCommit, ...]:
        return tuple(one._replace(subject=plain(one.subject), author=plain(one.author)) for one in found)

    def file(found: FileDrift) -> FileDrift:
        return found._replace(path=plain(found.path), moved_to=plain(found.moved_to), commits=commits(found.commits))

    tree = drift.tree
    # Thousands of untracked files are looked at in one go: hardly ever is there anything to replace.
    names = "\n".join(tree.dirty)
    dirty = tree.dirty if plain(names) == names else tuple(map(plain, tree.dirty))
    told = tree._replace(
        root=plain(tree.root), branch=plain(tree.branch), head_subject=plain(tree.head_subject), dirty=dirty
    )
    return drift._replace(tree=told, files=tuple(map(file, drift.files)), commits_since=commits(drift.commits_since))

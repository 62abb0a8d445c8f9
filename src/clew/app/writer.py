"""Recording: who says what from where, as events. The one way by which a use case adds to a ledger.

Nothing unredacted gets past it: every text of an event is cleaned and redacted here.
"""

from collections.abc import Callable, Sequence
from typing import Final

from clew.app.tombstones import Forgetting, Safe
from clew.core.events import KINDS, Data, Event, Visibility, timestamp
from clew.core.ids import drawn, ulid
from clew.core.items import Authority, Provenance
from clew.core.tuples import NamedTuple
from clew.ledger.port import Ledger
from clew.ledger.redaction import safe_event

_CHANCE_BYTES: Final = 10


class Speaker(NamedTuple):
    """Who records, and from where. `provenance` is what the channel allows (docs/authority.md).

    `worktree` is the top of the work tree ("" outside of one), `branch` what is checked out there. `reason` tells why
    it is that class, as a clause ("" where nobody asked), `prove` is the channel's (`Authority`).
    """

    actor: str
    provenance: Provenance
    session: str
    worktree: str
    branch: str
    reason: str = ""
    prove: Callable[[str], str] = Authority("agent", "").prove

    def by(self, authority: Authority) -> "Speaker":
        """The same speaker, with what the channel allows."""
        return self._replace(provenance=authority.provenance, reason=authority.reason, prove=authority.prove)


class Writer:
    """Makes events and appends them. `now_ms` is the time in milliseconds since 1970, `chance(n)` n random bytes.

    What one writer says later is later: of two events in one millisecond, or when the clock goes back, the second has
    the greater id (the monotonic way of the ULID's specification).
    """

    def __init__(
        self,
        ledger: Ledger,
        speaker: Speaker,
        now_ms: Callable[[], int],
        chance: Callable[[int], bytes],
        redact: Callable[[str], str],
    ) -> None:
        self.ledger = ledger
        self.speaker = speaker
        self.now_ms = now_ms
        self.chance = chance
        # Obeys what people redact by hand, also while this writer is open.
        self.redact = Forgetting(ledger, redact)
        self._last_ms = 0
        self._last_chance = bytes(_CHANCE_BYTES)
        self._last_id = self._stale_upto = ""
        self._stones = self.redact.stones

    def new_id(self, letter: str) -> str:
        """A fresh identity: of an item (the letter of its kind), a task (T) or a checkpoint (K)."""
        return f"{letter}-{drawn(self.chance(_CHANCE_BYTES))}"

    def event(
        self, kind: str, data: Data, *, task: str, key: str = "", visibility: Visibility = "team", said_at: str = ""
    ) -> Event:
        """An event of this speaker, now. `said_at` (clamped to now) is when it was said, if that was earlier."""
        self._stale()
        now_ms = max(self.now_ms(), self._last_ms)
        now = timestamp(now_ms)
        identity = self._last_id = ulid(now_ms, self._chance_at(now_ms))
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

    def append(self, events: Sequence[Event], safe: Safe = safe_event) -> tuple[int, ...]:
        """Keep `events` of this writer, all or none; their positions. Where something was redacted since they were made
        it is what `safe` makes of them that is kept.
        """
        stale = self._stale()
        return self.redact.append([safe(one, self.redact) if one.id <= stale else one for one in events], safe)

    def _stale(self) -> str:
        """The id of the last event that was made before a redaction which `redact` has seen since, "" for none."""
        if self.redact.stones is not self._stones:
            self._stones, self._stale_upto = self.redact.stones, self._last_id
        return self._stale_upto

    def _chance_at(self, now_ms: int) -> bytes:
        """Ten bytes of chance; within one millisecond those of before and one more."""
        if now_ms > self._last_ms:
            self._last_ms, self._last_chance = now_ms, self.chance(_CHANCE_BYTES)
        else:
            following = int.from_bytes(self._last_chance, "big") + 1
            self._last_chance = (following % (1 << 8 * _CHANCE_BYTES)).to_bytes(_CHANCE_BYTES, "big")
        return self._last_chance

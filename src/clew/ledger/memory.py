"""A ledger in memory: the reference that other members are compared with, and a quick one for tests.

Plain to read rather than quick: it folds from the first event on and searches all there is.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from clew.core.state.crowd import Room, Selected, select
from clew.core.state.events import Event, Recorded, checked, is_activity
from clew.core.state.extract import Extract
from clew.core.state.fold import Entity, fold
from clew.core.state.ids import canonical, shortest_prefixes
from clew.core.state.items import Item, Kind
from clew.ledger import codec
from clew.ledger.codec import about
from clew.ledger.port import IDS_MAX, Folded, SessionExtent
from clew.ledger.redaction import REDACTION, is_purged, purge_event, purge_origin, search_forms


class _Version(NamedTuple):
    """An extract that counts at the positions n with `since` <= n < `until` (None: until now)."""

    extract: Extract
    since: int
    until: int | None


class MemoryLedger:
    """One project's ledger, gone with the process. Each method: `Ledger`."""

    def __init__(self, project: str, *, key: bytes = b"", writable: bool = True) -> None:
        """`writable`: whether it says so; one that stands for a ledger that is away does not."""
        self.project = project
        self.key = key
        self.writable = writable
        self._events: list[Recorded] = []
        self._positions: dict[str, int] = {}
        self._versions: list[_Version] = []

    def append(self, events: Sequence[Event], *, unless_redacted_after: int | None = None) -> tuple[int, ...]:
        # What is kept went through the columns and back, so that it shares no list with the caller's.
        kept = [codec.event_of(codec.event_columns(checked(event))) for event in events]
        if unless_redacted_after is not None and any(self.events(kinds=(REDACTION,), after=unless_redacted_after)):
            return ()
        for event in kept:
            if event.key not in self._positions:
                self._positions[event.key] = self.position() + 1
                self._events.append(Recorded(self.position() + 1, event))
        return tuple(self._positions[event.key] for event in kept)

    def position(self) -> int:
        return self._events[-1].seq if self._events else 0

    def events(
        self, *, task: str | None = None, kinds: Collection[str] | None = None, after: int = 0, upto: int | None = None
    ) -> Iterator[Recorded]:
        end = self.position() if upto is None else upto
        return iter(
            [
                one
                for one in self._events
                if after < one.seq <= end
                and task in {None, one.event.task}
                and (kinds is None or one.event.kind in kinds)
            ]
        )

    def fold(self, task: str, *, upto: int | None = None) -> Folded:
        end = self.position() if upto is None else min(upto, self.position())
        return Folded(end, fold(event for _, event in self.events(task=task, upto=end)))

    def fold_of(self, task: str, names: Collection[str]) -> Mapping[str, Entity]:
        return {name: entity for name, entity in self.fold(task).entities.items() if name in names}

    def select(self, task: str, room: Room, also: Collection[str] = (), *, newest: bool = False) -> Selected:
        folded = self.fold(task)
        return select(folded.seq, folded.entities, room, also, newest=newest)

    def take_in(self, extract: Extract, *, unless_redacted_after: int | None = None) -> bool:
        if unless_redacted_after is not None and any(self.events(kinds=(REDACTION,), after=unless_redacted_after)):
            return False
        before = self._now(extract.origin.session)
        codec.extract_columns(extract)
        better = extract if before is None else extract.in_place_of(before.extract.task, before.extract.stamp)
        if better is not None:
            self._replace(before, better)
        return better is not None

    def taken(self) -> dict[str, SessionExtent]:
        now = [version.extract for version in self._versions if _counts(version, None)]
        return {one.origin.session: SessionExtent(one.task, one.rules, one.extent) for one in now}

    def extracts(
        self,
        *,
        task: str | None = None,
        session: str | None = None,
        upto: int | None = None,
        items: bool = True,
        holding: Collection[str] | None = None,
    ) -> tuple[Extract, ...]:
        found = [version.extract for version in self._versions if _counts(version, upto)]
        found = [extract for extract in found if session in {None, extract.origin.session}]
        found.sort(key=lambda extract: (extract.origin.last_time, extract.origin.session))
        found = [extract for extract in found if task in {None, extract.task}]
        if holding is not None:
            found = [extract for extract in found if any(item.id in holding for item in extract.items)]
        return tuple(found if items else [extract._replace(items=()) for extract in found])

    def read_off(self, kinds: Collection[Kind], most: int) -> Mapping[str, tuple[Item, ...]]:
        now = [one for one in reversed(self.extracts()) if not one.is_foreign]
        items = [(one.origin.session, item._replace(rank=0)) for one in now for item in reversed(one.items)]
        found: dict[str, tuple[Item, ...]] = {}
        for kind in kinds:
            for session, item in [pair for pair in items if pair[1].kind == kind][:most]:
                found[session] = (*found.get(session, ()), item)
        return found

    def versions(self) -> Iterator[tuple[int, Extract]]:
        found = [(version.since, version.extract) for version in self._versions]
        return iter(sorted(found, key=lambda one: (one[0], one[1].origin.session)))

    def assign(self, session: str, task: str) -> bool:
        before = self._now(session)
        if before is None:
            return False
        extract = before.extract
        if extract.task != task or extract.rules < 0:
            self._replace(before, extract._replace(task=task, rules=max(extract.rules, 0)))
        return True

    def ids(self, prefix: str = "") -> tuple[str, ...]:
        return tuple(name for name in sorted(self._names()) if name.startswith(canonical(prefix)))[:IDS_MAX]

    def shortest(self, ids: Collection[str]) -> dict[str, str]:
        return shortest_prefixes(ids, self._names())

    def task_of(self, entity: str) -> str | None:
        said: list[list[str]] = [[], [], [], []]  # the tasks where somebody speaks of it, by worth (`names.py`)
        for _, event in self._events:
            if entity and about(event) == entity:
                said[2 * (event.provenance == "human") + (event.kind == "item.stated")].append(event.task)
        now = [extract for extract in self.extracts() if any(item.id == entity for item in extract.items)]
        now.sort(key=lambda extract: -min(extract.rules, 1))
        own = [extract.task for extract in now if not extract.is_foreign]
        for task in (*said[3], *own, *said[2], *said[1], *(extract.task for extract in now), *said[0]):
            return task
        then = [version for version in self._versions if any(item.id == entity for item in version.extract.items)]
        then.sort(key=lambda version: (-(version.until or 0), version.extract.origin.session))
        return then[0].extract.task if then else None

    def purge(self, item: str, values: Collection[str]) -> int:
        values = search_forms(values)
        events = [Recorded(seq, purge_event(event, item, values)) for seq, event in self._events]
        versions = [version._replace(extract=_without(version.extract, item, values)) for version in self._versions]
        changed = sum(new != old for new, old in zip(events, self._events, strict=True))
        changed += sum(new != old for new, old in zip(versions, self._versions, strict=True))
        self._events, self._versions = events, versions
        return changed

    def prune(self, before: str) -> int:
        dropped = [event for _, event in self._events[:-1] if is_activity(event.kind) and event.recorded_at < before]
        for event in dropped:
            del self._positions[event.key]
        self._events = [one for one in self._events if one.event.key in self._positions]
        return len(dropped)

    def passed_over(self) -> tuple[str, ...]:
        """None: memory does not decay."""
        return ()

    def damage(self) -> str:
        """None: there is no file."""
        return ""

    def close(self) -> None:
        """Nothing to let go of."""

    def _now(self, session: str) -> _Version | None:
        return next(
            (one for one in self._versions if one.until is None and one.extract.origin.session == session), None
        )

    def _replace(self, before: _Version | None, extract: Extract) -> None:
        since = self.position() + 1
        if before is not None:
            self._versions.remove(before)
            if any(event.kind == "checkpoint.taken" for _, event in self.events(after=before.since - 1)):
                self._versions.append(before._replace(until=since))
        self._versions.append(_Version(extract, since, None))

    def _names(self) -> set[str]:
        said = {about(event) for _, event in self._events} - {""}
        return {*said, *(item.id for version in self._versions for item in version.extract.items)}


def _counts(version: _Version, upto: int | None) -> bool:
    if upto is None or version.until is None:
        return version.until is None and (upto is None or version.since <= upto)
    return version.since <= upto < version.until


def _without(extract: Extract, item: str, values: Collection[str]) -> Extract:
    items = tuple(one for one in extract.items if not is_purged(one, item, values))
    left = extract._replace(origin=purge_origin(extract.origin, values), items=items)
    return left if left == extract else left._replace(rules=min(left.rules, 0))

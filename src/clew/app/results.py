"""What a use case gives back where that is also what `--json` prints (docs/reference/json.md), and how it is printed.

A result's fields are the fields of its document. Fields are added, never renamed or removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any, Self

import msgspec

from clew.core.errors import ClewError
from clew.core.plan.plan import Phase, PhaseStatus
from clew.core.records.files import Drift, FileCommit, FileDrift
from clew.core.state.events import Event, Value
from clew.core.state.items import Item, Kind, Provenance
from clew.core.state.projection import Known, source_of
from clew.core.state.tasks import Status, Task, TaskPlace


class JsonResult(msgspec.Struct, frozen=True):
    """A result whose fields are the fields of the JSON document, under their names and in their order."""

    @classmethod
    def of(cls, source: Any, /, **more: Any) -> Self:
        """The result made of the attributes of `source`, but for those that `more` gives."""
        return cls(**{name: more[name] if name in more else getattr(source, name) for name in cls.__struct_fields__})


def to_json(found: JsonResult | Mapping[str, Any], *, indent: int = 2) -> str:
    """A result as a JSON document; with `indent` -1 on one line."""
    text = msgspec.json.encode(_plain(found))
    return (msgspec.json.format(text, indent=indent) if indent >= 0 else text).decode()


def _plain(value: Any) -> Any:
    """Any value as what JSON can say. Texts that are no UTF-8, as paths may be, have replacement characters."""
    if isinstance(value, (str, PurePath)):
        text = str(value)
        return text if text.isascii() else text.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, ClewError):
        return _plain({"code": value.code, "message": value.message, "hint": value.hint})
    for names in ("__struct_fields__", "_fields", "__dataclass_fields__"):
        if hasattr(value, names):
            return {name: _plain(getattr(value, name)) for name in getattr(value, names)}
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


class ItemRow(JsonResult, frozen=True):
    """An item (`core.state.items.Item`), with the session and the byte it was read off and the words there."""

    id: str
    short_id: str
    kind: Kind
    label: str
    text: str
    why: str
    status: str
    provenance: Provenance
    files: tuple[str, ...]
    rank: int
    time: str
    session: str
    byte: int
    quote: str
    pinned: bool
    locked: bool
    blocking: bool
    owner: str
    answer: str
    actor: str
    draft: str
    verdict: str
    evidence: str

    @classmethod
    def of(cls, source: Item, /, **more: Any) -> Self:
        """The row of an item; without a `short_id` it has its whole id."""
        place = source.place
        own = {"short_id": source.id, "session": place.session, "byte": place.at, "quote": place.quote}
        return super().of(source, **own | more)


class KnownRow(ItemRow, frozen=True):
    """An item with how it stands (`core.state.projection.Known`); "" where that is not known."""

    standing: str
    because: str

    @classmethod
    def known(cls, entry: Known, /, **more: Any) -> Self:
        """The row of an item that is known of a task."""
        return cls.of(entry.item, standing=entry.standing, because=entry.because, **more)


class SourcedRow(KnownRow, frozen=True):
    """An item with all that is known of it: the line of an imported file that it was read off, and an agent's word
    against a person's, which does not count ("" none).
    """

    source: str
    disputed: str

    @classmethod
    def known(cls, entry: Known, /, **more: Any) -> Self:
        return super().known(entry, source=source_of(entry), disputed=entry.disputed, **more)


class TaskRow(JsonResult, frozen=True):
    """A task (`core.state.tasks.Task`)."""

    id: str
    short_id: str
    title: str
    type: str
    status: Status
    outcome: str
    opened_at: str
    changed_at: str
    thread: bool
    stack: str
    places: tuple[TaskPlace, ...]

    @classmethod
    def of(cls, source: Task, /, **more: Any) -> Self:
        """The row of a task; without a `short_id` it has its whole id."""
        return super().of(source, **{"short_id": source.id} | more)


class BoundTaskRow(TaskRow, frozen=True):
    """A task, and whether it is the one that this work tree and branch are bound to."""

    bound: bool


class EventRow(JsonResult, frozen=True):
    """What was recorded (`core.state.events.Event`)."""

    id: str
    kind: str
    task: str
    provenance: Provenance
    data: Mapping[str, Value]

    @classmethod
    def each(cls, events: Iterable[Event | EventRow]) -> tuple[Self, ...]:
        """The rows of events, in their order."""
        return tuple(map(cls.of, events))


class OriginRow(JsonResult, frozen=True):
    """The session that a state was read off (`core.state.items.Origin`)."""

    client: str
    session: str
    branch: str
    first_time: str
    last_time: str
    ended: bool


class StepRow(JsonResult, frozen=True):
    """A step of a phase (`core.plan.plan.Step`)."""

    id: str
    text: str
    ticked: bool


class PlanPhase(JsonResult, frozen=True):
    """A phase of a plan (`core.plan.plan.Phase`)."""

    number: int
    id: str
    title: str
    status: PhaseStatus
    attempt: int
    steps: tuple[StepRow, ...]
    validate: tuple[str, ...]
    budget_tokens: int
    tier: str
    depends: tuple[int, ...]
    files: tuple[str, ...]
    outcome: str
    cause: str
    failure: str
    commit: str
    started_at: str
    ended_at: str
    spent_tokens: int
    failed_claims: int

    @classmethod
    def of(cls, source: Phase, /, **more: Any) -> Self:
        """The row of a phase."""
        return super().of(source, **{"steps": tuple(map(StepRow.of, source.steps))} | more)


class DriftRow(JsonResult, frozen=True):
    """How files stand to the disk (`core.records.files.Drift`)."""

    root: str
    branch: str
    head: str
    dirty: tuple[str, ...]
    files: tuple[FileDrift, ...]
    commits_since: tuple[FileCommit, ...]

    @classmethod
    def of(cls, source: Drift, /, **more: Any) -> Self:
        """The row of a drift, with the work tree that was looked at."""
        tree = source.tree
        own = {"root": tree.root, "branch": tree.branch, "head": tree.head, "dirty": tree.dirty}
        return super().of(source, **own | more)

"""Drafts as the ledger has them: all of a session, the newest one, the one with an id."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, Self

from clew.app.project import ProjectSession
from clew.app.project.reading import newest_first
from clew.app.results import JsonResult
from clew.core.errors import InputError, NotFound
from clew.core.state.draft import KIND, LETTER, STANDING
from clew.core.state.events import Event
from clew.core.state.projection import number_of, text_of
from clew.core.text.cleaning import clean, one_line
from clew.ledger.port import Ledger

_CANDIDATES_MAX: Final = 5


class Told(NamedTuple):
    """A claim of a draft with what became of it: its verdict, why, and the `item` that was made of it ("" struck)."""

    kind: str
    text: str
    verdict: str
    reason: str
    item: str
    line: int

    @property
    def stands(self) -> bool:
        """Whether it may get into a payload."""
        return self.verdict in STANDING


class Draft(NamedTuple):
    """A draft as it was kept. `source`: see `core.draft.Source`. `client` and `model` wrote it, "" unknown. `extent` is
    how many bytes its session's record had; `prompt` the mark of what it was asked with, "" for one that was not asked
    for by `clew draft --ask`. `time` is when it was true: RFC 3339 UTC. `by` is who handed it in.
    """

    id: str
    text: str
    source: str
    client: str
    model: str
    session: str
    task: str
    time: str
    by: str
    extent: int
    prompt: str
    claims: tuple[Told, ...]


class ClaimRow(JsonResult, frozen=True):
    """An entry of a draft as it is told (`Told`)."""

    kind: str
    text: str
    verdict: str
    reason: str
    item: str
    line: int
    stands: bool


class DraftRow(JsonResult, frozen=True):
    """A draft as it is told."""

    id: str
    short_id: str
    session: str
    task: str
    time: str
    source: str
    client: str
    model: str
    by: str
    extent: int
    text: str
    claims: tuple[ClaimRow, ...]

    @classmethod
    def of(cls, source: Draft, /, **more: Any) -> Self:
        """The row of a draft; without a `short_id` it has its whole id."""
        return super().of(source, **{"short_id": source.id, "claims": tuple(map(ClaimRow.of, source.claims))} | more)


class DraftResult(JsonResult, frozen=True):
    """One draft."""

    draft: DraftRow


def drafts(ledger: Ledger, *, session: str | None = None, task: str | None = None) -> Iterator[Draft]:
    """The drafts of one session (None: of all) that were kept for `task` (None: any), the one that came last first."""
    for recorded in newest_first(ledger, (KIND,), task=task):
        if session is None or recorded.event.session == session:
            yield _draft(recorded.event)


def newest(ledger: Ledger, *, session: str | None = None, task: str | None = None) -> Draft | None:
    """The draft that tells of the latest moment; of several the one that came last."""
    return max(reversed([*drafts(ledger, session=session, task=task)]), key=lambda one: one.time, default=None)


def find_draft(at: ProjectSession, wanted: str) -> Draft:
    """The draft whose id is or begins `wanted`. Raises `NotFound`, and `InputError` for the beginning of several."""
    asked = one_line(clean(wanted)).strip("[]").lower()
    found = {one.id: one for one in drafts(at.ledger) if one.id.lower().startswith(asked)}
    if len(found) > 1 and asked not in (name.lower() for name in found):
        shown = at.ledger.shortest([*found][:_CANDIDATES_MAX])
        raise InputError(
            f"{wanted} is the beginning of {len(found)} ids",
            code="E-id-ambiguous",
            hint=f"Choose one of: {', '.join(shown.values())}",
        )
    if not asked.startswith(f"{LETTER.lower()}-") or not found:
        raise NotFound(
            f"there is no draft {one_line(clean(wanted))}", code="E-no-draft", hint="`clew draft` shows the newest one."
        )
    return next(iter(found.values()))


def packed(told: Told) -> str:
    """A claim as a draft's event keeps it."""
    return json.dumps(told._asdict(), ensure_ascii=False, separators=(",", ":"))


def words_of(event: Event, item: str) -> list[str]:
    """The words of an entry as the draft's own event has them: its lines as they were written, without their marks, its
    text as it stands in a claim, and what the reason of its verdict quotes.
    """
    draft = _draft(event)
    lines = draft.text.split("\n")
    found = []
    for told, after in zip(draft.claims, (*draft.claims[1:], None), strict=False):
        if told.item == item:
            end = after.line - 1 if after is not None and after.line > told.line else len(lines)
            rows = (row.strip(" \t-*+>").strip() for row in lines[max(0, told.line - 1) : end])
            found += [row for row in rows if row and not row.startswith("#")]
            found.append(json.dumps(told.text, ensure_ascii=False)[1:-1])
            found += [part.partition("”")[0] for part in told.reason.split("“")[1:]]
    return found


def _draft(event: Event) -> Draft:
    data = event.data
    claims = data.get("claims")
    return Draft(
        text_of(data.get("draft")),
        text_of(data.get("text")),
        text_of(data.get("source")),
        text_of(data.get("client")),
        text_of(data.get("model")),
        event.session,
        event.task,
        event.said_at,
        event.actor,
        number_of(data.get("extent")),
        text_of(data.get("prompt")),
        tuple(map(_told, claims)) if isinstance(claims, list) else (),
    )


def _told(row: str) -> Told:
    """A claim as it was kept; of another program's row what can be read of it."""
    try:
        given = json.loads(row)
    except ValueError:
        given = {}
    given = given if isinstance(given, dict) else {}
    kind, text, verdict, reason, item = (text_of(given.get(name)) for name in Told._fields[:5])
    return Told(kind, text, verdict, reason, item, number_of(given.get("line")))

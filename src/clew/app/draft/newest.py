"""Drafts as the ledger has them: all of a session, the newest one, the one with an id."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.app.intake.find import session_named
from clew.app.project.opening import ProjectHandle
from clew.app.project.reading import newest_first
from clew.app.project.session import ProjectSession
from clew.app.results import JsonResult
from clew.core.errors import InputError, NotFound
from clew.core.state.draft import KIND, LETTER, STANDING
from clew.core.state.events import Event
from clew.core.state.projection import number_of, text_of
from clew.core.text.cleaning import clean, one_line
from clew.ledger.port import Ledger

_CANDIDATES_MAX: Final = 5
_TEXTS: Final = ("text", "source", "client", "model", "prompt")


class DraftClaim(JsonResult, frozen=True):
    """A claim of a draft with what became of it: its verdict, why, and the `item` that was made of it ("" struck).
    `stands`: it may get into a payload.
    """

    kind: str
    text: str
    verdict: str
    reason: str
    item: str
    line: int
    stands: bool


class Draft(JsonResult, frozen=True):
    """A draft as it was kept; `short_id` is its whole id where nobody asked for a shorter one. `source`: see
    `core.draft.Source`. `client` and `model` wrote it, "" unknown. `extent` is how many bytes its session's record had;
    `prompt` the mark of what it was asked with, "" for one that was not asked for by `clew draft --ask`. `time` is when
    it was true: RFC 3339 UTC. `by` is who handed it in.
    """

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
    prompt: str
    text: str
    claims: tuple[DraftClaim, ...]


class DraftResult(JsonResult, frozen=True):
    """One draft."""

    draft: Draft


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


def newest_here(project: ProjectHandle, session: str = "") -> DraftResult:
    """The newest draft of `session` (its id, or a beginning of it), else of the task that is bound in `folder` (also of
    a session that came to it later).

    Raises `NotFound`, and `InputError` for the beginning of several sessions.
    """
    with project.open(write=False) as at:
        asked = one_line(clean(session))
        if session:  # the one with a draft that is meant
            session = session_named(asked, dict.fromkeys(one.session for one in drafts(at.ledger))) or session
        found = newest(at.ledger, session=session) if session else _of_task(at, at.task())
        if found is None:
            what = f"session {asked}" if session else "what is worked on here"
            raise NotFound(
                f"there is no hand-off for {what}",
                code="E-no-draft",
                hint="`clew draft --ask CLIENT` has one written; `clew resume` works without one.",
            )
        return DraftResult(msgspec.structs.replace(found, short_id=at.short(found.id)))


def _of_task(at: ProjectSession, task: str) -> Draft | None:
    ours = {name for name, taken in at.ledger.taken().items() if task and taken.task == task}
    found = [one for one in drafts(at.ledger) if one.task == task or one.session in ours]
    return max(reversed(found), key=lambda one: one.time, default=None)


def packed(claim: DraftClaim) -> str:
    """A claim as a draft's event keeps it."""
    told = msgspec.structs.asdict(claim)
    del told["stands"]
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


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
    name, claims = text_of(data.get("draft")), data.get("claims")
    text, source, client, model, prompt = (text_of(data.get(key)) for key in _TEXTS)
    return Draft(
        name,
        name,
        event.session,
        event.task,
        event.said_at,
        source,
        client,
        model,
        event.actor,
        number_of(data.get("extent")),
        prompt,
        text,
        tuple(map(_claim, claims)) if isinstance(claims, list) else (),
    )


def _claim(row: str) -> DraftClaim:
    """A claim as it was kept; of another program's row what can be read of it."""
    try:
        given = json.loads(row)
    except ValueError:
        given = {}
    given = given if isinstance(given, dict) else {}
    kind, text, verdict, reason, item = (text_of(given.get(name)) for name in DraftClaim.__struct_fields__[:5])
    return DraftClaim(kind, text, verdict, reason, item, number_of(given.get("line")), verdict in STANDING)

"""What a restart costs: what a session used until it changed the first file; and what clew itself cost: what it gave to
sessions, and the hand-offs that it had written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple

from clew.app.intake.find import newest, project_at
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.results import JsonResult
from clew.clients.port import Reader, Transcript
from clew.core.cost.prices import Prices, Tokens
from clew.core.cost.uses import UsageFold
from clew.core.errors import NotFound
from clew.core.records.transcript import Call, Edit, Read, Search, Usage
from clew.core.text.tokens import estimate
from clew.sessions.log import SessionLog
from clew.workspace.times import nanoseconds


class TokenCounts(JsonResult, frozen=True):
    """Tokens of some responses (`core.cost.prices.Tokens`)."""

    input: int
    cache_write: int
    cache_write_long: int
    cache_read: int
    output: int
    total: int


class Restart(NamedTuple):
    """One session up to its first edit on the main chain. `given`: clew gave it what was left. `reads` are files that
    it opened or searched. `usd` is None where a price is unknown.
    """

    client: str
    session: str
    given: bool
    tokens: TokenCounts
    reads: int
    minutes: float
    usd: float | None


class Middle(NamedTuple):
    """Of several sessions those in the middle (medians)."""

    sessions: int
    tokens: int
    reads: int
    minutes: float


class Restarts(JsonResult, frozen=True):
    """Sessions that edited something, the newest first, and the middle of those with and without a payload."""

    sessions: tuple[Restart, ...]
    with_payload: Middle | None
    without_payload: Middle | None


def restarts(
    project: ProjectHandle, prices: Prices, *, limit: int, tell: Callable[[str], None] = lambda _: None
) -> Restarts:
    """The newest `limit` sessions of the project that `folder` is in."""
    given = sessions_given(project)
    found = []
    for item, reader in islice(
        newest(project.ports.locators, project.ports.readers, project_at(project.folder), excluded=""), limit
    ):
        tell(item.session)
        try:
            one = _restart(item, reader, prices, given=item.session in given)
        except OSError:
            continue
        if one is not None:
            found.append(one._replace(session=project.ports.redact(one.session)))
    return Restarts(
        tuple(found), _middle(one for one in found if one.given), _middle(one for one in found if not one.given)
    )


def sessions_given(project: ProjectHandle) -> set[str]:
    """The ids of the sessions that clew gave a payload."""
    if not locate(project.folder).has_ledger:
        return set()
    with project.open(write=False) as at:
        return {str(one.event.data.get("session")) for one in at.ledger.events(kinds=("payload.given",))}


def _restart(item: Transcript, reader: Reader, prices: Prices, *, given: bool) -> Restart | None:
    """None for a session that edited nothing."""
    fold = UsageFold()
    reads, first, last, is_over = 0, "", "", False
    for record in SessionLog(item.path, reader):
        first = first or record.time
        if isinstance(record, Call) and not record.agent:
            if isinstance(record.action, Edit):
                is_over, last = True, record.time
            reads += isinstance(record.action, (Read, Search))
        # The tokens of the response that edits stand behind its call: it is the last one that counts.
        fold.add([record])
        if is_over and isinstance(record, Usage):
            break
    if not is_over:
        return None
    tokens, usd = Tokens(), 0.0
    priced = True
    for use in fold.responses.values():
        tokens = tokens.plus(use.tokens)
        price = prices.cost(use.model, use.tokens, day=use.time[:10])
        priced = priced and price is not None
        usd += price or 0.0
    return Restart(
        item.client, item.session, given, TokenCounts.of(tokens), reads, _minutes(first, last), usd if priced else None
    )


def _minutes(first: str, last: str) -> float:
    start, end = nanoseconds(first) if first else None, nanoseconds(last) if last else None
    return round((end - start) / 60e9, 1) if start is not None and end is not None and end > start else 0.0


def _middle(found: Iterable[Restart]) -> Middle | None:
    several = list(found)
    if not several:
        return None
    middle = (len(several) - 1) // 2
    return Middle(
        len(several),
        sorted(one.tokens.total for one in several)[middle],
        sorted(one.reads for one in several)[middle],
        sorted(one.minutes for one in several)[middle],
    )


class GivenText(NamedTuple):
    """How often something was given, and the tokens of it all."""

    source: str
    times: int
    tokens: int


class Overhead(JsonResult, frozen=True):
    """`given`: the most first. Hand-offs are those that agents wrote when they were asked."""

    given: tuple[GivenText, ...]
    given_tokens: int
    sessions: int
    drafts: int
    draft_tokens: int


def overhead(project: ProjectHandle) -> Overhead:
    """What clew gave and had written in the project that `folder` is in. Raises `NotFound` where no ledger is kept."""
    if not locate(project.folder).has_ledger:
        raise NotFound(
            "clew is not initialised here, so it gave nothing to any session",
            code="E-no-ledger",
            hint="Run `clew init`.",
        )
    times: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    sessions: set[str] = set()
    drafts = written = 0
    with project.open(write=False) as at:
        for recorded in at.ledger.events(kinds=("payload.given", "draft.written")):
            data = recorded.event.data
            if recorded.event.kind == "draft.written":
                drafts += 1
                written += estimate(str(data.get("text", "")))
                continue
            source, size = str(data.get("source", "")), data.get("tokens")
            times[source] += 1
            tokens[source] += size if isinstance(size, int) else 0
            sessions.add(str(data.get("session", "")))
    rows = tuple(GivenText(source, times[source], total) for source, total in tokens.most_common())
    return Overhead(rows, sum(tokens.values()), len(sessions), drafts, written)

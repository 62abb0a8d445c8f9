"""What some sessions have spent since a moment: the figure that budgets and runs go by."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from clew.app.cost.cost import of_project, priced, with_usage
from clew.app.cost.index import UsageIndex, UsageRow, gather
from clew.app.cost.phases import phases_in, second_of
from clew.app.cost.prices import known_prices
from clew.app.ports import Ports
from clew.app.project.session import ProjectSession
from clew.core.cost.prices import Prices
from clew.core.errors import Unavailable
from clew.core.plan.plan import Phase


@dataclass(frozen=True, slots=True)
class Spend:
    """`tokens` are all that went in and came out; `fresh` are those of them that no cache gave, by which plans count.
    `cents` are of a dollar, for the tokens whose price is known; `unpriced` are the other tokens.
    """

    tokens: int = 0
    cents: float = 0.0
    unpriced: int = 0
    fresh: int = 0

    def __add__(self, other: Spend) -> Spend:
        return Spend(
            self.tokens + other.tokens,
            self.cents + other.cents,
            self.unpriced + other.unpriced,
            self.fresh + other.fresh,
        )


def spent(
    ports: Ports,
    sessions: Collection[str],
    since: str = "",
    *,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
) -> Spend:
    """What the `sessions` (whole ids) used with their sub-agents since `since` (RFC 3339, "" ever), by what clients
    wrote up to now. Of Codex a sub-agent is a session of its own.

    Raises `Unavailable` where the index cannot be kept, `InputError` for prices of a person's own that are none.
    """
    return sum(spent_each(ports, sessions, since, tell=tell).values(), Spend())


def spent_each(
    ports: Ports,
    sessions: Collection[str],
    since: str = "",
    *,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
) -> dict[str, Spend]:
    """As `spent`, by session; those that used nothing are left out."""
    if not sessions:
        return {}
    prices = known_prices(*ports.price_tables()).prices

    def used(index: UsageIndex) -> list[UsageRow]:
        gather(ports, index, tell)
        bounds = prices.bounds(index.models())
        return list(
            index.rows(since=second_of(since), until=0, folders=None, sessions=sessions, step_s=1, bounds=bounds)
        )

    found: dict[str, Spend] = {}
    for row in with_usage(ports, used)[0]:
        found[row.session] = found.get(row.session, Spend()) + _spend(prices, row)
    return found


def spent_on(ports: Ports, at: ProjectSession, phase: Phase) -> int:
    """The tokens, without those from a cache, that the attempt at `phase` which is under way used so far, by the rows
    that `clew cost --by phase` adds up.
    """
    since = second_of(phase.started_at)

    def used(index: UsageIndex, changed_ns: int = 0) -> list[UsageRow]:
        gather(ports, index, changed_ns=changed_ns)
        return list(index.rows(since=since, until=0, folders=of_project(index, at.location.root), step_s=1))

    try:
        rows = with_usage(ports, used)[0]
    except Unavailable:  # in a sandbox nothing can be kept: what was written since is counted
        index = UsageIndex(":memory:")
        try:
            rows = used(index, since * 1_000_000_000)
        finally:
            index.close()
    phases, fresh = phases_in(at), 0
    for row in rows:
        attempt = phases.of(row.session, row.folder, row.at)
        if attempt is not None and attempt.phase == phase.id:
            fresh += row.tokens.total - row.tokens.cache_read
    return fresh


def _spend(prices: Prices, row: UsageRow) -> Spend:
    usd, total = priced(prices, row, "", time.strftime("%Y-%m-%d", time.gmtime(row.at))), row.tokens.total
    return Spend(total, (usd or 0.0) * 100, total if usd is None else 0, total - row.tokens.cache_read)

"""`clew cost`: what sessions cost, by what one asks for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeVar, get_args

from msgspec import structs

from clew.app.cost.index import INDEX_NAME, QUARTER_S, UsageIndex, UsageRow, UsageUpdate, gather
from clew.app.cost.phases import Phases, phases_of
from clew.app.cost.prices import KnownPrices
from clew.app.intake.find import holds, project_at, project_of
from clew.app.ports import Ports
from clew.app.project.cache_database import with_cache
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.redaction import safe_errors
from clew.app.results import JsonResult
from clew.core.cost.prices import Prices, Tokens
from clew.core.errors import InputError
from clew.core.text.cleaning import clean, one_line

T = TypeVar("T")
By = Literal["session", "task", "model", "agent", "tool", "day", "client", "project", "phase"]
WAYS: Final = get_args(By)
HOURS: Final = 8
_NO_TOOL: Final = "(no tool)"
_NO_TASK: Final = "(no task)"
_NO_PHASE: Final = "(no phase)"
_MAIN: Final = "(main chain)"
_UNKNOWN: Final = "(unknown)"


class CostPart(JsonResult, frozen=True):
    """What one name cost; tokens are as in `core.cost.prices.Tokens`. `usd` is of the tokens whose price is known;
    `unpriced_tokens` are the others.

    `responses` and tokens of a tool are its share: a response that called two tools is half of each one's. `by_day` are
    days with what they cost: USD, or tokens where no price is known.
    """

    name: str
    about: str
    responses: float
    input: int
    cache_write: int
    cache_write_long: int
    cache_read: int
    output: int
    total: int
    usd: float
    unpriced_tokens: int
    by_day: tuple[tuple[str, float], ...] = ()


class DayCost(NamedTuple):
    """What a day cost."""

    day: str
    usd: float


class CostReport(JsonResult, frozen=True):
    """What sessions cost, `parts` with the dearest first (days in their order).

    `days` are (day, USD) in order. `hours` are those in which something was answered, by quarters; `per_session_usd` is
    what a session of eight such hours costs. `scope` is the project's top folder, "" all. `unknown` are models without
    a price. `model` is the one that everything is priced as, "" its own.
    """

    by: str
    parts: tuple[CostPart, ...]
    total: CostPart
    days: tuple[DayCost, ...]
    hours: float
    per_session_usd: float
    scope: str
    model: str
    unknown: tuple[str, ...]
    prices: str
    files: int
    changed: int
    notes: tuple[str, ...]


class CostRequest(NamedTuple):
    """What is asked. `since` and `until` are seconds since 1970, 0 no limit; `session` may be the beginning of an id.
    `day` gives the day of a second, as the person counts days.
    """

    by: By
    day: Callable[[int], str]
    everywhere: bool = False
    since: int = 0
    until: int = 0
    client: str = ""
    session: str = ""
    model: str = ""


def cost(
    project: ProjectHandle,
    asked: CostRequest,
    known: KnownPrices,
    *,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
) -> CostReport:
    """What the sessions of the project that `folder` is in cost, or those of all projects. What clients wrote since the
    last time is counted first. Raises `Unavailable` where the index cannot be kept, `InputError` for a client that is
    not known and for a model without a price to price everything as.
    """
    project.ports.readers.require(asked.client)
    if asked.model and not known.prices.of(asked.model):
        raise InputError(
            f"the price of {one_line(clean(asked.model))} is unknown",
            code="E-price-unknown",
            hint="`clew cost --refresh-prices` gets the newest list; your own prices go into config.toml ([prices]).",
        )
    with safe_errors(project.ports.redact):

        def asked_of(index: UsageIndex) -> tuple[UsageUpdate, list[UsageRow]]:
            looked = gather(project.ports, index, tell)
            folders = None if asked.everywhere else of_project(index, project.folder)
            bounds = known.prices.bounds([asked.model] if asked.model else index.models())
            rows = list(
                index.rows(
                    since=asked.since,
                    until=asked.until,
                    folders=folders,
                    client=asked.client,
                    session=asked.session,
                    step_s=1 if asked.by == "phase" else QUARTER_S,
                    tools=asked.by == "tool",
                    bounds=bounds,
                )
            )
            return looked, rows

        (looked, rows), said = with_usage(project.ports, asked_of)
        names = CostNames.of_project(project.ports, project.folder, asked.by)
        scope = "" if asked.everywhere else str(project_at(project.folder).folders[0])
        return _told(project.ports, rows, asked, known, names, scope, looked, (*said, *_notes(looked)))


def with_usage(ports: Ports, use: Callable[[UsageIndex], T]) -> tuple[T, tuple[str, ...]]:
    """What `use` makes of the user's index, and notes. Raises `Unavailable` where it cannot be kept."""
    return with_cache(ports.cache_folder / INDEX_NAME, UsageIndex, use, code="E-usage-index")


def of_project(index: UsageIndex, folder: Path) -> list[str]:
    """The folders in which sessions of the project that `folder` is in ran."""
    project = project_at(folder)
    return [one for one in index.folders() if one and holds(project, one, "")]


def _notes(looked: UsageUpdate) -> tuple[str, ...]:
    return tuple(f"{one_line(clean(str(path)))} cannot be read, so it is not counted." for path in looked.unread[:3])


class _Sum:
    """Adds rows up."""

    def __init__(self) -> None:
        self.responses = 0.0
        self.tokens = [0.0] * 5
        self.usd = 0.0
        self.unpriced = 0.0
        self.days: dict[str, list[float]] = {}

    def add(self, row: UsageRow, usd: float | None, share: float, day: str) -> None:
        on = self.days.setdefault(day, [0.0, 0.0])
        on[0] += (usd or 0.0) * share
        on[1] += row.tokens.total * share
        self.responses += row.responses * share
        for at, value in enumerate(row.tokens):
            self.tokens[at] += value * share
        if usd is None:
            self.unpriced += row.tokens.total * share
        else:
            self.usd += usd * share

    def part(self, name: str, about: str) -> CostPart:
        tokens = Tokens(*map(round, self.tokens))
        kind = 0 if self.usd else 1
        by_day = tuple((day, round(amounts[kind], 6)) for day, amounts in sorted(self.days.items()) if day)
        usd, unpriced = round(self.usd, 6), round(self.unpriced)
        return CostPart(name, about, round(self.responses, 2), *tokens, tokens.total, usd, unpriced, by_day)


def _told(
    ports: Ports,
    rows: Iterable[UsageRow],
    asked: CostRequest,
    known: KnownPrices,
    names: CostNames,
    scope: str,
    looked: UsageUpdate,
    notes: tuple[str, ...],
) -> CostReport:
    sums: dict[tuple[str, str], _Sum] = {}
    days: dict[str, float] = defaultdict(float)
    quarters: set[tuple[str, int]] = set()
    total, unknown = _Sum(), set()
    day_of = cache(asked.day)
    for row in rows:
        day = day_of(row.at) if row.at else ""
        usd = priced(known.prices, row, asked.model, day)
        total.add(row, usd, 1.0, day)
        if usd is None:
            unknown.add(row.model or _UNKNOWN)
        days[day] += usd or 0.0
        quarters.add((row.session, row.at // QUARTER_S))
        given = list(names.of(row, day))
        for name in given:
            sums.setdefault(name, _Sum()).add(row, usd, 1 / len(given), day)
    parts = [one.part(*name) for name, one in sums.items()]
    ordered = sorted(parts, key=lambda one: (-one.usd, -one.total, one.name))
    hours = len(quarters) * QUARTER_S / 3600
    if asked.by != "day":  # a day is no text of anybody's
        ordered = [
            structs.replace(one, name=ports.redact(clean(one.name)), about=ports.redact(clean(one.about)))
            for one in ordered
        ]
    return CostReport(
        by=asked.by,
        parts=tuple(sorted(ordered, key=lambda one: one.name) if asked.by == "day" else ordered),
        total=total.part("total", ""),
        days=tuple(sorted(DayCost(day, round(usd, 6)) for day, usd in days.items() if day)),
        hours=hours,
        per_session_usd=round(total.usd / hours * HOURS, 6) if hours else 0.0,
        scope=scope,
        model=asked.model,
        unknown=tuple(sorted(ports.redact(clean(one)) for one in unknown)),
        prices=known.source,
        files=looked.files,
        changed=looked.changed,
        notes=notes,
    )


def priced(prices: Prices, row: UsageRow, model: str, day: str) -> float | None:
    """USD of a row at the prices of a `day`, as if `model` ("" its own) had answered; None unknown."""
    price = prices.price(model or row.model, day=day, context=row.above + 1 if row.above else 0)
    return None if price is None else price.of(row.tokens)


class CostNames(NamedTuple):
    """What rows are added up by. `tasks` are title and short id of the task of each session."""

    by: By
    tasks: dict[str, tuple[str, str]]
    phases: Phases

    @classmethod
    def of_project(cls, ports: Ports, folder: Path, by: By) -> CostNames:
        """Those of the project that `folder` is in."""
        tasks = tasks_of(ProjectHandle(ports, folder)) if by == "task" else {}
        return cls(by, tasks, phases_of(ProjectHandle(ports, folder)) if by == "phase" else Phases((), {}))

    def of_session(self, session: str, client: str, folder: str, at: int) -> tuple[str, str]:
        """The name that a second of a session counts for (by session, task or phase), and what it is about."""
        if self.by == "phase":
            attempt = self.phases.of(session, folder, at)
            return (attempt.name, attempt.about) if attempt else (_NO_PHASE, "")
        return self.tasks.get(session, (_NO_TASK, "")) if self.by == "task" else (session or _UNKNOWN, client)

    def of(self, row: UsageRow, day: str) -> Iterator[tuple[str, str]]:
        """The names that a row counts for, each with what it is about."""
        if self.by == "tool":
            yield from ((tool, "") for tool in row.tools or (_NO_TOOL,))
        elif self.by in ("session", "task", "phase"):
            yield self.of_session(row.session, row.client, row.folder, row.at)
        elif self.by == "agent":
            yield row.agent or _MAIN, row.session if row.agent else ""
        elif self.by == "project":
            yield project_of(row.folder) if row.folder else _UNKNOWN, ""
        elif self.by == "client":
            yield row.client, ""
        elif self.by == "model":
            yield row.model or _UNKNOWN, ""
        else:
            yield day or _UNKNOWN, ""


def tasks_of(project: ProjectHandle) -> dict[str, tuple[str, str]]:
    """The title and the short id of the task that each session counts for."""
    if not locate(project.folder).has_ledger:
        return {}
    with project.open(write=False) as at:
        titles = {one.id: one.title for one in at.tasks()}
        short = at.ledger.shortest(list(titles))
        return {
            one.origin.session: (titles[one.task], short[one.task])
            for one in at.ledger.extracts(items=False)
            if one.task in titles
        }

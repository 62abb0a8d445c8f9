"""The rows and captions of what sessions cost: for a terminal and for the page."""

from __future__ import annotations

from collections.abc import Callable

from clew.app.cost.cost import CostPart, CostReport
from clew.app.cost.curve import ContextCurve
from clew.app.health.finding import count
from clew.core.text.cleaning import clean, one_line, shorten

NAME_CHARS = 48


def has_days(found: CostReport) -> bool:
    """Whether a picture of each part by day says something."""
    return len(found.days) > 1 and found.by != "day"


def per_day(found: CostReport, one: CostPart) -> list[float]:
    """What a part cost on each of the whole's days."""
    amounts = dict(one.by_day)
    return [amounts.get(day, 0.0) for day, _ in found.days]


def first_of(found: CostReport, limit: int) -> tuple[CostPart, ...]:
    """The `limit` parts that are told: the dearest; of days the last ones."""
    return found.parts[-limit:] if found.by == "day" else found.parts[:limit]


def heads_of(found: CostReport) -> tuple[str, ...]:
    """What stands above the columns."""
    heads = (found.by, "responses", "input", "cached", "written", "output", "cost")
    return (*heads, "by day") if has_days(found) else heads


def below(found: CostReport) -> list[str]:
    """What is told below the table."""
    lines = []
    if found.hours:
        eight = money(found.per_session_usd) if found.total.usd or not found.total.unpriced_tokens else "–"
        model = f", priced as {one_line(clean(found.model))}" if found.model else ""
        lines.append(f"{found.hours:,.1f} hours of work; {eight} for eight of them{model}")
    if found.prices:
        lines.append(f"prices: {one_line(clean(found.prices))}")
    return lines


def row_of(by: str, one: CostPart, number: Callable[[int], str], session: str = "") -> tuple[str, ...]:
    """A part as cells; a `number` of tokens is told so, and the id of a session in short where it is given."""
    tokens = one
    name = session or (one.name if by == "project" else shorten(one.name, NAME_CHARS))
    name = f"{name}  {one.about}" if one.about and by != "project" else name
    usd = money(one.usd)
    if one.unpriced_tokens:
        usd = "price unknown" if not one.usd else f"{usd} + {one.unpriced_tokens:,} tokens"
    figures = (tokens.input, tokens.cache_read, tokens.cache_write, tokens.output)
    return (name, f"{one.responses:,.0f}", *map(number, figures), usd)


def money(usd: float) -> str:
    """An amount for people: cents, and of less than a cent what is there."""
    return f"${usd:,.2f}" if usd >= 0.01 or not usd else f"${usd:.4f}"


def curve_caption(found: ContextCurve) -> str:
    """One line on what the curve shows."""
    if not found.tokens:
        return f"Session {found.session[:16]} reports no tokens."
    compacted = f", {count(len(found.compactions), 'compaction')} (▲)" if found.compactions else ""
    when = f"{day_and_time(found.began)} to {day_and_time(found.ended)}"
    size = f"context of {count(len(found.tokens), 'response')}, at most {max(found.tokens):,} tokens"
    return one_line(clean(f"{found.client} {found.session[:16]}, {when}: {size}{compacted}"))


def day_and_time(moment: str) -> str:
    """A time for people, to the minute; "?" unknown."""
    return moment[:16].replace("T", " ") or "?"

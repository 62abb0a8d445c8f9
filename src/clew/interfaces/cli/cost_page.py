"""What `clew cost` tells as one HTML page."""

from __future__ import annotations

from clew.app.cost.cost import Cost
from clew.app.cost.curve import ContextCurve
from clew.interfaces.cli.cost_rows import (
    below,
    curve_caption,
    day_and_time,
    first_of,
    has_days,
    heads_of,
    money,
    per_day,
    row_of,
)
from clew.interfaces.cli.picture_page import Bars, Block, Curve, Table, Words, page, save

__all__ = ["cost_page", "curve_page", "save"]


def cost_page(found: Cost, limit: int) -> str:
    """The table with all its pictures; of parts `limit`."""
    shown = (*first_of(found, limit), found.total)
    rows = [row_of(found.by, one, "{:,}".format) for one in shown]
    bars = [per_day(found, one) for one in shown] if has_days(found) else []
    blocks: list[Block] = [Table(heads_of(found), rows, bars, has_total=True)]
    if len(found.parts) > limit:
        blocks.append(Words(f"{len(found.parts) - limit:,} more."))
    if len(found.days) > 1:
        values = [usd for _, usd in found.days]
        ends = found.days[0][0], found.days[-1][0]
        blocks.append(Bars("Cost of each day with work", values, money(max(values)), *ends))
    blocks += map(Words, below(found))
    if found.unknown:
        blocks.append(Words(f"Price unknown: {', '.join(found.unknown)}; those tokens are not in the cost."))
    return page(f"Cost of {found.scope or 'all projects'} by {found.by}", blocks)


def curve_page(found: ContextCurve) -> str:
    """The curve of one session's context."""
    top = f"{max(found.tokens, default=0):,} tokens"
    ends = day_and_time(found.began), day_and_time(found.ended)
    drawn = Curve(curve_caption(found), found.tokens, found.compactions, top, *ends)
    return page(f"Context of {found.client} {found.session[:16]}", [drawn])

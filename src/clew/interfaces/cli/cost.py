"""`clew cost`: what sessions cost, in tokens and money."""

from __future__ import annotations

import time
from pathlib import Path

import click
from click.core import ParameterSource

from clew import wiring
from clew.app.cost import prices
from clew.app.cost.cost import CostReport, CostRequest, cost
from clew.app.cost.curve import ContextCurve, context_curve
from clew.app.cost.restarts import Overhead, Restarts, overhead
from clew.app.cost.restarts import restarts as find_restarts
from clew.app.egress.output_file import write_page
from clew.core.context.pressure import thousands
from clew.core.errors import InputError
from clew.core.state.ids import shortest_sessions
from clew.core.text.cleaning import clean, one_line, shorten
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import count, find_project, here, present, remark, say_notes
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.picture import curve, figure, joined, sparkline
from clew.interfaces.cli.screen import show_table
from clew.interfaces.cli.serve import require_web
from clew.interfaces.cli.waiting import Waiting
from clew.interfaces.cost_rows import (
    NAME_CHARS,
    below,
    curve_caption,
    first_of,
    has_days,
    heads_of,
    money,
    per_day,
    row_of,
)

__all__ = ["command", "money"]

_WAYS = ("session", "task", "phase", "model", "agent", "tool", "day", "client", "project")
_DAYS_SHOWN = 30
_DAYS_OF_A_ROW = 12
_CURVE_SIZE = (72, 8)
# What does not go with every option, and those that it heeds.
_GOES_WITH = {
    "curved": {"curved", "session", "page", "refresh_prices", "as_json"},
    "own": {"own", "refresh_prices", "as_json"},
    "restarts": {"restarts", "limit", "refresh_prices", "as_json"},
}


@click.command("cost", cls=CliCommand)
@click.option("--by", type=click.Choice(_WAYS), default="session", help="What to add up by.")
@click.option("--all", "everywhere", is_flag=True, help="In all projects of this user, not only in this one.")
@click.option("--client", metavar="CLIENT", default="", help="Only this client's sessions: claude-code, codex, …")
@click.option("--session", metavar="S", default="", help="Only the session whose id begins with this.")
@click.option("--since", metavar="DATE", default="", help="From this day on: 2026-11-01.")
@click.option("--until", metavar="DATE", default="", help="Before this day.")
@click.option(
    "--as", "model", metavar="MODEL", default="", help="Price the tokens as if this model had answered everything."
)
@click.option("--restarts", is_flag=True, help="What the newest sessions cost before their first edit.")
@click.option("--self", "own", is_flag=True, help="What clew itself added to sessions, and had them write.")
@click.option(
    "--curve", "curved", is_flag=True, help="Draw how the context of one session grew: the newest, or --session S."
)
@click.option(
    "--html",
    "page",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=None,
    help="Write one HTML page; - is stdout.",
)
@click.option("--limit", metavar="N", type=click.IntRange(min=1), default=20, help="Maximum number of rows.")
@click.option("--refresh-prices", is_flag=True, help="Download the newest price list first.")
@json_option()
def command(
    by: str,
    everywhere: bool,
    client: str,
    session: str,
    since: str,
    until: str,
    model: str,
    restarts: bool,
    own: bool,
    curved: bool,
    page: Path | None,
    limit: int,
    refresh_prices: bool,
) -> None:
    """Show what the sessions of this project cost, each response counted once.

    New client records are read first. For a model without a known price only the tokens are shown.
    """
    _check_options()
    ports = wiring.ports()
    data = ports.trust_store.parent
    if refresh_prices:
        with Waiting("Getting prices"):
            remark(f"prices: {prices.refresh(data)}")
    if curved:
        _say_curve(session, page)
        return
    known = prices.known_prices(*ports.price_tables())
    if own:
        present(overhead(find_project()), _show_own)
        return
    if restarts:
        with Waiting("Reading sessions") as waiting:
            found_restarts = find_restarts(find_project(), known.prices, limit=limit, tell=waiting.at)
        present(found_restarts, _show_restarts)
        return
    asked = CostRequest(
        by=by,  # type: ignore[arg-type] # one of them, as click has seen to
        day=lambda at: time.strftime("%Y-%m-%d", time.localtime(at)),
        everywhere=everywhere,
        since=_second("--since", since),
        until=_second("--until", until),
        client=client,
        session=session,
        model=model,
    )
    with Waiting("Counting tokens") as waiting:
        found = cost(find_project(), asked, known, tell=lambda done, all_: waiting.at(f"in file {done} of {all_}"))
    say_notes(found.notes)
    if page is not None:
        _write(page, cost=found, limit=limit)
        return
    narrowed = bool(client or session or since or until)
    present(found, lambda _: _say(found, limit, narrowed=narrowed))


def _check_options() -> None:
    """What was typed goes together: nothing is left unheeded."""
    ctx = click.get_current_context()
    typed = {
        name: next(one.opts[0] for one in ctx.command.params if one.name == name)
        for name in (str(one.name) for one in ctx.command.params)
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    if {"page", "as_json"} <= typed.keys():
        raise click.UsageError("--html does not go with --json")
    for first, others in _GOES_WITH.items():
        for name, option in typed.items():
            if first in typed and name not in others:
                raise click.UsageError(f"{typed[first]} does not go with {option}")


def _second(option: str, date: str) -> int:
    """The first second of a day, as the machine counts days; 0 for ""."""
    if not date:
        return 0
    try:
        return int(time.mktime(time.strptime(date, "%Y-%m-%d")))
    except (ValueError, OverflowError):
        raise InputError(
            f"{option} {one_line(clean(date))} is not a date", code="E-cost-date", hint="As 2026-11-01."
        ) from None


def _say(found: CostReport, limit: int, *, narrowed: bool) -> None:
    if not found.parts:
        where = "of any project" if not found.scope else "of this project (`--all`: of all)"
        remark(f"No session {where} tells of tokens{' that you asked for' if narrowed else ''}.")
        return
    shown = (*first_of(found, limit), found.total)
    ids = shortest_sessions(one.name for one in found.parts) if found.by == "session" else {}
    rows = [row_of(found.by, one, figure, ids.get(one.name, "")) for one in shown]
    if has_days(found):
        rows = [
            (*row, sparkline(joined(per_day(found, one), _DAYS_OF_A_ROW))) for row, one in zip(rows, shown, strict=True)
        ]
    show_table(heads_of(found), rows, styles=("cyan",), spare=(7, 1, 4, 3, 2))
    if len(found.parts) > limit:
        remark(f"{len(found.parts) - limit:,} more (`--limit`).")
    if len(found.days) > 1:
        days = found.days[-_DAYS_SHOWN:]
        last = f"the last {_DAYS_SHOWN} days" if len(found.days) > _DAYS_SHOWN else "each day"
        print(f"{days[0][0]} {sparkline([usd for _, usd in days])} {days[-1][0]}  (cost of {last} with work)")
    for line in below(found):
        print(line)
    if found.unknown:
        names = ", ".join(one_line(shorten(name, NAME_CHARS)) for name in found.unknown[:5])
        remark(f"note: price unknown: {names}; {found.total.unpriced_tokens:,} tokens are not in the cost.")


def _say_curve(session: str, page: Path | None) -> None:
    with Waiting("Reading the session"):
        found = context_curve(find_project(), session)
    if page is not None:
        _write(page, curve=found)
        return
    present(found, _show_curve)


def _show_curve(found: ContextCurve) -> None:
    width, height = _CURVE_SIZE
    for line in curve(found.tokens, found.compactions, width=width, height=height, told=thousands):
        print(line)
    print(curve_caption(found))


def _write(page: Path, *, cost: CostReport | None = None, curve: ContextCurve | None = None, limit: int = 0) -> None:
    """The page of costs, or of a curve, into its file; of "-" onto stdout."""
    require_web("--html")
    from clew.interfaces.web.pages import page_of

    text = page_of(cost, curve, limit)
    if str(page) == "-":
        print(text)
        return
    write_page(here() / page, text)
    print(f"Wrote {one_line(clean(str(page)))}.")


def _show_own(found: Overhead) -> None:
    for source, given, tokens in found.given:
        print(f"{source:<10} {given:>6,} times  {tokens:>9,} tokens")
    share = f", {found.given_tokens / found.sessions:,.0f} a session" if found.sessions else ""
    print(f"given to {count(found.sessions, 'session')}: {found.given_tokens:,} tokens{share}")
    print(f"written by agents: {count(found.drafts, 'hand-off')}, {found.draft_tokens:,} tokens")


def _show_restarts(found: Restarts) -> None:
    ids = shortest_sessions(one.session for one in found.sessions)
    rows = [
        (
            ids[one.session],
            "yes" if one.given else "no",
            f"{one.tokens.total:,}",
            f"{one.reads:,}",
            f"{one.minutes:,.0f}",
            money(one.usd) if one.usd is not None else "price unknown",
        )
        for one in found.sessions
    ]
    heads = ("session", "payload", "tokens", "reads", "minutes", "cost")
    show_table(heads, rows, styles=("cyan",), spare=(3, 4))
    for name, middle in (("with", found.with_payload), ("without", found.without_payload)):
        if middle is not None:
            print(
                f"{name} a payload, {count(middle.sessions, 'session')}: in the middle {middle.tokens:,} tokens, "
                f"{count(middle.reads, 'read')}, {count(round(middle.minutes), 'minute')} before the first edit"
            )
    if not found.sessions:
        remark("No session of this project edited a file.")

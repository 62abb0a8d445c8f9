"""`clew budget`: what sessions may use, what they used, and raising it."""

from __future__ import annotations

import time

import click

from clew import wiring
from clew.app.cost.budgets import Budget, budgets, raise_budget
from clew.core.cost.budget import shown
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.encode import encoded
from clew.interfaces.cli.group import Command, Group
from clew.interfaces.cli.here import here, remark
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.screen import show_table

_SESSIONS_SHOWN = 10


@click.group("budget", cls=Group)
@json_option()
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show what was used of today's budget and of those of this project's sessions, as hooks counted it.

    `clew settings set budget.session_tokens N` (or `budget.session_cents`, `budget.day_tokens`, `budget.day_cents`)
    sets one: a session that has used it up can change nothing more until a person raises it.
    """
    if ctx.invoked_subcommand is not None:
        return
    found = budgets(wiring.ports(), here(), _today())
    if as_json:
        print(encoded("budget", found))
        return
    if not found.is_set:
        remark("No budget is set: `clew settings set budget.session_tokens N` sets one.")
        return
    rows = [_row(one) for one in found.budgets[: 1 + _SESSIONS_SHOWN]]
    heads = ("budget", "tokens", "cost", "")
    show_table(heads, rows, ("\t".join(row).rstrip() for row in rows), styles=("cyan", "", "", "red"))


@command.command("raise", cls=Command)
@click.option("--session", metavar="S", default="", help="Of the session whose id begins so.")
@click.option("--day", "of_day", is_flag=True, help="Of today, for all sessions.")
@click.option("--tokens", metavar="N", type=click.IntRange(min=1), default=None, help="By so many tokens.")
@click.option("--cents", metavar="N", type=click.IntRange(min=1), default=None, help="By so many cents of a dollar.")
@json_option()
def raise_(session: str, of_day: bool, tokens: int | None, cents: int | None, as_json: bool) -> None:
    """Raise a budget that is used up (a person): by as much again, or by what you say. The session goes on where it
    was stopped.
    """
    if bool(session) == of_day:
        raise click.UsageError("say --session S or --day")
    done = raise_budget(wiring.ports(), here(), _today(), session=session, tokens=tokens or 0, cents=cents or 0)
    if as_json:
        print(encoded("budget_raised", done))
        return
    name = "today" if of_day else f"session {done.after.name[:8]}"
    more = " and ".join(shown(kind, by) for kind, by in zip(("tokens", "dollars"), done.by, strict=True) if by)
    print(one_line(clean(f"The budget of {name} is raised by {more}.")))
    if done.after.stands == "stopped":
        remark("It is still used up: raise it further.")


def _today() -> str:
    return time.strftime("%Y-%m-%d")


def _row(one: Budget) -> tuple[str, ...]:
    name = "today" if one.scope == "day" else one.name[:8]
    cells = [
        f"{shown(kind, used)} of {shown(kind, most)}" if most else shown(kind, used)
        for kind, used, most in zip(("tokens", "dollars"), one.used, one.most, strict=True)
    ]
    return (name, *cells, one.stands)

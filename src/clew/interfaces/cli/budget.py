"""`clew budget`: what sessions may use, what they used, and raising it."""

from __future__ import annotations

import time

import click

from clew.app.cost.budgets import USD, Budget, Budgets, Raised, budgets, count_before, raise_budget
from clew.core.cost.budget import shown
from clew.core.settings.table import CENTS_MOST, TOKENS_MOST
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import CliCommand, Group
from clew.interfaces.cli.here import find_project, present, remark
from clew.interfaces.cli.options import TokenOption, json_option
from clew.interfaces.cli.screen import show_table
from clew.interfaces.cli.waiting import Waiting

_SESSIONS_SHOWN = 10


@click.group("budget", cls=Group)
@json_option()
@click.pass_context
def command(ctx: click.Context) -> None:
    """Show the budgets that apply here and what was used of them: for today, the task, the current phase, and this
    project's sessions, as counted by hooks.

    `clew settings set budget.session_tokens N` sets one (`budget.session_cents`, and for `day`, `task` and `phase`):
    what has used up its budget cannot change anything until a person raises it.
    """
    if ctx.invoked_subcommand is not None:
        return
    with Waiting("Counting tokens") as waiting:
        count_before(find_project(), lambda done, all_: waiting.at(f"in file {done} of {all_}"))
        found = budgets(find_project(), _today())
    present(found, _list)


def _list(found: Budgets) -> None:
    if not found.is_set:
        remark("No budget is set: `clew settings set budget.session_tokens N` sets one.")
        return
    others = sum(one.scope != "session" for one in found.budgets)
    rows = [_row(one) for one in found.budgets[: others + _SESSIONS_SHOWN]]
    heads = ("budget", "tokens", "cost", "")
    show_table(heads, rows, styles=("cyan", "", "", "red"))
    idle = next((one for one in found.budgets if one.stands == "idle"), None)
    if idle is not None:
        how = f"its budget holds again once it goes on (`clew phase reopen {idle.called}`)"
        remark(f"{_name(idle).capitalize()} was stopped: {how}.")
    unpriced = max((one.unpriced_tokens for one in found.budgets), default=0)
    if unpriced:
        remark(f"note: price unknown of {unpriced:,} tokens, which are not in the cost (`clew cost --by model`).")


@command.command("raise", cls=CliCommand)
@click.option("--session", metavar="S", help="The session whose id begins with this.")
@click.option("--task", metavar="T", help="The task that is bound here, by its id.")
@click.option("--phase", metavar="N", help="The phase that is under way here, by its number.")
@click.option("--day", "of_day", is_flag=True, help="Today's budget, for all sessions.")
@click.option(
    "--tokens",
    metavar="N",
    type=TokenOption(1, TOKENS_MOST),
    default=None,
    help="Raise by this many tokens: 600k, 1.5m.",
)
@click.option("--cents", metavar="N", type=click.IntRange(1, CENTS_MOST), help="Raise by this many US cents.")
@json_option()
def raise_(of_day: bool, tokens: int | None, cents: int | None, **named: str | None) -> None:
    """Raise a used-up budget (a person): by the same amount again, or by what you name. Sessions continue where they
    were stopped.
    """
    wanted = [(scope, name) for scope, name in named.items() if name] + ([("day", "")] if of_day else [])
    if len(wanted) != 1:
        raise click.UsageError("choose one of --session S, --task T, --phase N, --day")
    ((scope, name),) = wanted
    done = raise_budget(find_project(), _today(), scope, name, tokens=tokens or 0, cents=cents or 0)
    present(done, _tell)


def _tell(done: Raised) -> None:
    more = " and ".join([shown("tokens", done.tokens)] * bool(done.tokens) + [_dollars(done.usd)] * bool(done.usd))
    print(one_line(clean(f"The budget of {_name(done.after)} is raised by {more}.")))
    if done.after.stands == "stopped":
        remark("It is still used up: raise it further.")


def _today() -> str:
    return time.strftime("%Y-%m-%d")


def _name(one: Budget) -> str:
    return "today" if one.scope == "day" else f"{one.scope} {one.called if one.title else one.name[:16]}"


def _dollars(usd: float) -> str:
    return shown("dollars", round(usd * USD))


def _row(one: Budget) -> tuple[str, ...]:
    cells = [
        shown("tokens", one.used_tokens) + (f" of {shown('tokens', one.most_tokens)}" if one.most_tokens else ""),
        ("–" if one.used_usd is None else _dollars(one.used_usd))
        + (f" of {_dollars(one.most_usd)}" * (one.most_usd > 0)),
    ]
    stands = "phase stopped" if one.stands == "idle" else one.stands
    return (_name(one), *cells, " ".join(filter(None, (stands, one.title))))

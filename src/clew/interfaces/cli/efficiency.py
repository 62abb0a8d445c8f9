"""`clew efficiency`: what came of the tokens."""

from __future__ import annotations

import click

from clew.app.cost.efficiency import SESSIONS, WAYS, Efficiency, NameOutput, Way, efficiency
from clew.core.state.ids import shortest_sessions
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import find_project, present, remark, say_notes
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.picture import figure, sparkline
from clew.interfaces.cli.screen import show_table
from clew.interfaces.cli.waiting import Waiting

_TREND = 20


@click.command("efficiency", cls=CliCommand)
@click.option("--by", type=click.Choice(WAYS), default="session", help="What to group by.")
@click.option("--limit", metavar="N", type=click.IntRange(1, 1000), default=SESSIONS, help="The newest sessions.")
@json_option()
def command(by: Way, limit: int) -> None:
    """Show what the tokens of this project's newest sessions bought: lines that were added and are still in the work
    tree, and checks that passed after a change, per 1,000 tokens, with the trend from session to session.

    Reads the clients' own records and the files here; nothing is written. Files written by shell commands are not
    counted.
    """
    with Waiting("Reading sessions") as waiting:
        found = efficiency(find_project(), by=by, limit=limit, tell=waiting.at)
    say_notes(found.notes)
    present(found, _tell)


def _tell(found: Efficiency) -> None:
    if not found.total.sessions:
        remark("No session of this project is there to be read.")
        return
    ids = shortest_sessions(one.name for one in found.parts) if found.by == "session" else {}
    rows = [_row(one, ids.get(one.name, "")) for one in (*found.parts, found.total)]
    heads = (found.by, "tokens", "checks", "added", "stayed", "checks/1k", "lines/1k", "trend")
    show_table(heads, rows, styles=("cyan",), spare=(7, 3, 2))


def _row(one: NameOutput, session: str = "") -> tuple[str, ...]:
    name = f"{session or one.name} ({one.about})" if one.about else session or one.name
    counts = (one.passes, one.lines_added, one.lines)
    return (
        one_line(clean(name)),
        figure(one.tokens),
        *(f"{one:,}" for one in counts),
        f"{one.passes_per_1k:.4f}",
        f"{one.lines_per_1k:.3f}",
        sparkline(one.trend[-_TREND:]) if len(one.trend) > 1 else "",
    )

"""`clew bench`: what clew is good for, measured on the user's own records."""

from __future__ import annotations

from typing import Final

import click

from clew.app.cost.continuity import FIRST_CALLS, Continuity, continuity
from clew.core.state.ids import shortest_sessions
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import count, find_project, present, remark
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.screen import show_table
from clew.interfaces.cli.waiting import Waiting

_ROWS_MAX: Final = 20


@click.group("bench", cls=Group)
def command() -> None:
    """Measure on your own sessions. It asks no model, and nothing leaves this machine."""


@command.command("continuity", short_help="Count what new sessions did again although an earlier one had it.")
@click.option("--days", metavar="N", type=click.IntRange(min=1), default=30, help="Sessions of the last N days.")
@json_option()
def continuity_command(days: int) -> None:
    """Count what new sessions of this project read, ran and asked again in their first 20 calls although an earlier
    session had it and nothing had been edited since; of sessions with and without a payload.
    """
    with Waiting("Reading sessions") as waiting:
        found = continuity(find_project(), days=days, tell=waiting.at)
    present(found, _say)


def _say(found: Continuity) -> None:
    ids = shortest_sessions(one.session for one in found.sessions)
    rows = [
        (
            ids[one.session],
            one.began[:10],
            "yes" if one.given else "no",
            *(f"{number:,}" for number in (one.calls, one.reread, one.rerun, one.reasked, one.tokens)),
        )
        for one in found.sessions[:_ROWS_MAX]
    ]
    heads = ("session", "began", "payload", "calls", "read again", "ran again", "asked again", "tokens")
    show_table(heads, rows, styles=("cyan",), spare=(1, 3))
    if len(found.sessions) > _ROWS_MAX:
        remark(f"{len(found.sessions) - _ROWS_MAX:,} older sessions are not shown; `--json` has all.")
    for name, mean in (("with", found.with_payload), ("without", found.without_payload)):
        if mean is not None:
            print(
                f"{name} a payload, {count(mean.sessions, 'session')}: {mean.share:.0%} of the first {FIRST_CALLS} "
                f"calls did again what an earlier session had; on average {mean.reread:.1f} reads, "
                f"{mean.rerun:.1f} commands, {mean.reasked:.1f} questions, {mean.tokens:,} tokens"
            )
    if not found.sessions:
        remark(f"No two sessions of this project were recorded in the last {count(found.days, 'day')}.")

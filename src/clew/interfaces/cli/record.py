"""`clew record`: what a session left, in short, for whoever goes on with its work."""

from __future__ import annotations

import click

import clew
from clew.documents.digest import BUDGET_TOKENS
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import present
from clew.interfaces.cli.options import check_session, json_option


@click.command("record", cls=CliCommand, doing="Reading the record")
@click.argument("session", metavar="[SESSION]", required=False, callback=check_session)
@click.option("--budget", metavar="N", type=int, default=BUDGET_TOKENS, help="At most N tokens (estimated).")
@json_option()
def command(session: str | None, budget: int) -> None:
    """Print a digest of SESSION (its file, its id, or the beginning of its id; default: the newest session of this
    project other than the one that asks).

    It contains the user's words, answers and refusals; what the agent wrote down and said; commands that commit, push,
    open, check or failed, with the end of their output; edits. If there is not room for all, the newest is kept. It is
    longer than the output of `clew resume`, and meant for whoever continues the work when no hand-off was written.
    Nothing is saved.
    """
    found = clew.digest(session, budget_tokens=budget)
    present(found, lambda one: print(one.text, end=""))

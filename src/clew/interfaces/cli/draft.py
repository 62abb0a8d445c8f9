"""`clew draft`: the newest hand-off with what became of its entries; or one that a client is asked to write."""

from __future__ import annotations

import click

from clew.app.draft.newest import DraftResult, newest_here
from clew.documents.draft import REQUEST
from clew.interfaces.cli.drafting import written
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import find_project, present
from clew.interfaces.cli.options import json_option, wants_json
from clew.interfaces.show_text import draft_text


@click.command("draft", cls=CliCommand)
@click.argument("session", metavar="[SESSION]", required=False, default="")
@click.option("--ask", metavar="CLIENT", help="Have this client write one, headless.")
@click.option("--model", metavar="M", default="", help="Use this model; default: the client's own.")
@click.option("--fork", is_flag=True, help="Use a copy of the session itself instead of clew's digest.")
@click.option("--dry-run", is_flag=True, help="Show what it would cost and the prompt; ask nobody.")
@click.option("--yes", is_flag=True, help="Ask the client without confirmation.")
@click.option("--request", is_flag=True, help="Print the request that agents get, and nothing else.")
@json_option()
def command(session: str, ask: str | None, model: str, fork: bool, dry_run: bool, yes: bool, request: bool) -> None:
    """Show the newest hand-off of SESSION (its id or a beginning of it; default: of the task that is bound here), entry
    by entry: proved (✓), anchored in the record (·), or rejected (✗) with the reason. Rejected entries are in no
    payload.

    With --ask CLIENT one is written first, also for a session that was killed: your own client is given clew's record
    of the session in short (`clew record`), in one turn, without tools and hooks. It costs tokens, so you are told
    how many and asked; the same again costs nothing.
    """
    if ask is None and (model or fork or dry_run or yes):
        raise click.UsageError("--model, --fork, --dry-run and --yes go with --ask")
    if request:
        if session or wants_json() or ask is not None:
            raise click.UsageError("--request cannot be combined with other options")
        print(REQUEST)
        return
    if ask is not None:
        found = written(ask, session=session, model=model, forks=fork, dry_run=dry_run, yes=yes)
        if found is None:
            return
        shown = DraftResult(found.draft)
    else:
        shown = newest_here(find_project(), session)
    present(shown, lambda one: print(draft_text(one.draft), end=""))

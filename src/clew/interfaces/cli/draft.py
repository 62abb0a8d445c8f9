"""`clew draft`: the newest hand-off with what became of its entries; or one that a client is asked to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.core.text import clean, one_line
from clew.interfaces.cli.here import here
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.parser import Command, Parser, UsageError

if TYPE_CHECKING:
    from clew.app.draft.newest import Draft

_MARKS = {"proved": "✓", "anchored": "·", "unsupported": "✗", "contradicted": "✗"}


def _arguments(parser: Parser) -> None:
    parser.add_argument("session", nargs="?", metavar="[SESSION]", default="")
    parser.add_argument("--ask", metavar="CLIENT", help="Have this client write one, with nobody at it.")
    parser.add_argument("--model", metavar="M", default="", help="By this model; default: the client's own.")
    parser.add_argument(
        "--fork", action="store_true", help="From a copy of the session itself, not clew's record of it."
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="Say what it would cost and print the prompt; ask nobody."
    )
    parser.add_argument("--yes", action="store_true", help="Ask the client without a question.")
    parser.add_argument("--request", action="store_true", help="Print what an agent is asked for, and nothing else.")
    json_option(parser)


def run(
    session: str,
    ask: str | None,
    model: str,
    fork: bool,
    dry_run: bool,
    yes: bool,
    request: bool,
    as_json: bool,
) -> None:
    """Show the newest hand-off of SESSION (its id or a beginning of it; default: of the task that is bound here), entry
    by entry: proved (✓), anchored in the record (·), or struck (✗) with the reason. Struck entries are in no payload.

    With --ask CLIENT one is written first, also for a session that was killed: your own client is given clew's record
    of the session in short (no output of tools), in one turn, without tools and hooks. It costs tokens, so you are told
    how many and asked; the same again costs nothing.
    """
    if ask is None and (model or fork or dry_run or yes):
        raise UsageError("--model, --fork, --dry-run and --yes go with --ask")
    if request:
        if session or as_json or ask is not None:
            raise UsageError("--request stands alone")
        from clew.documents.draft import REQUEST

        print(REQUEST)
        return
    from clew import wiring
    from clew.app.draft.shown import newest_here

    if ask is not None:
        from clew.interfaces.cli.drafting import written

        found = written(ask, session=session, model=model, forks=fork, dry_run=dry_run, yes=yes)
        if found is None:
            return
        draft, shown = found.draft, found.shown
    else:
        draft, shown = newest_here(wiring.ports(), here(), session)
    if as_json:
        from clew.interfaces.cli.shapes.draft import drafted

        print(drafted(draft, shown))
    else:
        print(report(draft, shown), end="")


def report(draft: Draft, shown: str) -> str:
    """A draft for people: where it comes from, then its entries with their verdicts."""
    by = " ".join(part for part in (draft.client, draft.model) if part) or draft.by
    lines = [
        f"draft    {shown}",
        f"session  {draft.session}",
        f"written  {draft.time[:19].replace('T', ' ')} by {by} ({draft.source})",
        "",
    ]
    for claim in draft.claims:
        reason = claim.reason if claim.verdict == "proved" else f"{claim.verdict}: {claim.reason}"
        told = f" ({reason})" if claim.verdict != "anchored" and reason else ""
        lines.append(f"{_MARKS.get(claim.verdict, '?')} {claim.kind}: {claim.text}{told}")
    return "".join(f"{one_line(clean(line))}\n" if line else "\n" for line in lines)


command = Command("Show the newest hand-off with its verdicts, or have one written.", run, _arguments)

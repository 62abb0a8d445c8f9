"""`clew search`: where something was said, decided or written down."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import click

from clew.app.search.index import Filters, FoundPlace
from clew.app.search.search import LIMIT, FoundPlaces, search
from clew.core.errors import InputError
from clew.core.state.ids import shortest_sessions
from clew.core.text.cleaning import clean, in_columns, one_line, shorten
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import count, find_project, present, say_notes
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.screen import painted
from clew.interfaces.cli.waiting import Waiting

_TITLE_CHARS: Final = 100
_OPEN, _CLOSE = "\x02", "\x03"


@click.command("search", cls=CliCommand)
@click.argument("words", nargs=-1, required=True)
@click.option("--all", "everywhere", is_flag=True, help="In all projects of this user, not only in this one.")
@click.option("--client", metavar="CLIENT", default="", help="Only in this client's sessions: claude-code, codex, …")
@click.option("--kind", metavar="KIND", default="", help="session, document, or a kind of item: decision, …")
@click.option("--file", metavar="PATH", default="", help="Only where this part of a path or command occurs.")
@click.option("--task", metavar="TASK", default="", help="Only items of this task (its whole id).")
@click.option("--since", metavar="DATE", default="", help="Not before this date (2026-11-01), or date and time.")
@click.option("--until", metavar="DATE", default="", help="Before this date.")
@click.option("--limit", metavar="N", type=click.IntRange(min=1, max=1000), default=LIMIT)
@json_option()
def command(
    words: tuple[str, ...],
    everywhere: bool,
    client: str,
    kind: str,
    file: str,
    task: str,
    since: str,
    until: str,
    limit: int,
) -> None:
    """Find sessions, items and documents of this project that contain WORDS.

    Results with every word in one place come first, then those with the rarest words. New records are indexed first.
    `clew show ID` shows an item or a place (SESSION@BYTE), `clew resume --from SESSION` continues from a session.
    """
    for name, value in (("--since", since), ("--until", until)):
        if value and not value[:4].isdigit():
            raise InputError(
                f"{name} {one_line(clean(value))} is not a date", code="E-search-date", hint="As 2026-11-01."
            )
    filters = Filters(client=client, since=since, until=until, file=file, kind=kind, task=task)
    with Waiting("Reading sessions") as waiting:
        found = search(
            find_project(),
            " ".join(words),
            filters=filters,
            everywhere=everywhere,
            limit=limit,
            tell=lambda done, all_: waiting.at(f"{done} of {all_}"),
        )
    present(found.unmarked(), lambda _: _tell(found, everywhere=everywhere))


def _tell(found: FoundPlaces, *, everywhere: bool) -> None:
    sessions = shortest_sessions(hit.session for hit in found.hits if hit.session)
    for hit in found.hits:
        print("\n".join(_lines(hit, everywhere, sessions.get(hit.session, ""))))
    say_notes(found.notes)
    if not found.hits:
        where = "in any project" if everywhere else "in this project (`--all` looks in all of them)"
        say_notes([f"Nothing holds these words {where}."])


def _lines(hit: FoundPlace, everywhere: bool, session: str) -> list[str]:
    """A find for people: what it is, and the words there."""
    moment = hit.time[:16].replace("T", " ")
    if hit.sort == "session":
        more = f", {count(hit.passages, 'passage')}" if hit.passages > 1 else ""
        head = (f"{session}@{hit.at}", f"{hit.client} session{more}")
    elif hit.sort == "item":
        head = (hit.item[:6], f"{hit.kind} ({hit.standing})" if hit.standing else hit.kind)
    else:
        head = (f"{Path(hit.file).name}:{hit.at}", "document")
    place = in_columns(moment, hit.project if everywhere and hit.project else hit.branch)
    title = shorten(one_line(clean(hit.title)), _TITLE_CHARS)
    lines = [painted(in_columns(*head), "cyan", sys.stdout) + (f"  {place}" if place else "")]
    snippet = _marked(hit.snippet)
    if title and title not in hit.snippet.replace(_OPEN, "").replace(_CLOSE, ""):
        lines.append(f"    {title}")
    return [*lines, f"    {snippet}"]


def _marked(snippet: str) -> str:
    """A snippet on one line, what matched in colour where there is colour."""
    pieces = []
    for number, piece in enumerate(snippet.replace(_CLOSE, _OPEN).split(_OPEN)):
        told = clean(piece.replace("\n", " "))
        pieces.append(painted(told, "yellow", sys.stdout) if number % 2 else told)
    return " ".join("".join(pieces).split())

"""`clew secrets`: what looks like a secret in all that is kept."""

from __future__ import annotations

import click

from clew.app.keeping.secret_scan import Secret, StoreScan, scan_store
from clew.core.errors import ClewError
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import count, find_project, present, say_notes
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.waiting import Waiting


@click.group("secrets", cls=Group)
def command() -> None:
    """Look for possible secrets in what clew stores. (In new texts they are redacted at once.)"""


@command.command("scan", short_help="Scan everything that is stored.")
@json_option()
def scan_command() -> None:
    """Scan everything that clew stores here, and your archive, by the current rules: the ledger, archived sessions,
    drafts, the files in .clew, memory.

    It changes nothing. It names rule, digits and place, never the value, and says what to do. Exits with 1 if it finds
    something.
    """
    with Waiting("Looking through") as waiting:
        done = scan_store(find_project(), tell=waiting.at)
    present(done, _tell)
    say_notes(f"{one} could not be read." for one in done.unread)
    if done.found:
        raise SystemExit(ClewError.exit_code)


def _tell(done: StoreScan) -> None:
    for one in done.found:
        print(_told(one))
    seen = f"{count(done.texts, 'text')}, {count(done.characters, 'character')}, looked at by {done.engine}"
    found = count(len(done.found), "finding") if done.found else "Nothing that looks like a secret"
    print(f"{found}: {seen}.")
    say_notes(done.advice)


def _told(one: Secret) -> str:
    place = f"{one.where}, line {one.line}" if one.line else one.where
    about = f", {one.id}" if one.id else ""
    return one_line(clean(f"{one.rule} {one.digits}  {one.role}: {place}{about}"))

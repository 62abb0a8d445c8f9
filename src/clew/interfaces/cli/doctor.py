"""`clew doctor`: what works, what does not, and how to fix it."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from functools import partial

import click

from clew import wiring
from clew.app.health.doctor import Examination, doctor
from clew.app.health.storage import Repair, repair_ledger
from clew.core.errors import ClewError
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import count, find_project, present
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.screen import painted
from clew.interfaces.cli.waiting import Waiting

_MARKS = {"fine": ("ok", "green"), "info": ("--", "blue"), "warn": ("warn", "yellow"), "wrong": ("WRONG", "red")}
# Most names of checks are not longer.
_CHECK_COLUMNS = 22


@click.command("doctor", cls=CliCommand)
@click.option("--repair", is_flag=True, help="Save the intact part of a damaged ledger into a new one; keep the old.")
@click.option("--dry-run", is_flag=True, help="With --repair: show what is damaged; change nothing.")
@click.option("-v", "--verbose", is_flag=True, help="Also list the checks that passed.")
@json_option()
def command(repair: bool, dry_run: bool, verbose: bool) -> None:
    """Run the installed hooks in a temporary folder, and report for each thing that clew needs whether it works and how
    to fix it. Nothing is changed, and the network is not used.

    With --repair only the ledger is checked: what is intact in a damaged one is saved into a new file in its place, the
    old file is kept beside it, and losses are listed.

    Exits with 1 if something is wrong or was lost.
    """
    if repair:
        _repair(dry_run=dry_run)
        return
    if dry_run:
        raise click.UsageError("--dry-run needs --repair: `clew doctor` changes nothing otherwise")
    there = {one.name for one in wiring.installers() if one.present(shutil.which)}
    clients = [one for one in wiring.configurations() if one.name in there]
    with Waiting("Trying the hooks"):
        found = doctor(find_project(), wiring.machine(), clients, find_program=shutil.which, serves=True)
    present(found, partial(_tell, every=verbose))
    if found.wrong:
        raise SystemExit(ClewError.exit_code)


def _tell(found: Examination, *, every: bool) -> None:
    """A line a finding; of what is fine only the versions, which come first, unless `every` is to be told."""
    shown = [one for at, one in enumerate(found.findings) if every or not at or one.level != "fine"]
    for one in shown:
        mark, style = _MARKS[one.level]
        padded = painted(f"{mark:<5}", style, sys.stdout)
        print(f"{padded}  {one.check:<{_CHECK_COLUMNS}}  {one_line(clean(one.said))}")
        if one.mend and one.level != "fine":
            print(f"{'':<5}  {'':<{_CHECK_COLUMNS}}  → {one_line(clean(one.mend))}")
    if folded := len(found.findings) - len(shown):
        print(f"{painted('ok   ', 'green', sys.stdout)}  {count(folded, 'more check')} (-v lists them)")
    levels = Counter(one.level for one in found.findings)
    wrong, warned = levels["wrong"], levels["warn"]
    told = f"{count(wrong, 'thing')} wrong, {count(warned, 'warning')}" if wrong or warned else "Nothing is wrong"
    print(f"{told}.")


def _repair(*, dry_run: bool) -> None:
    done = repair_ledger(find_project(dry_run=dry_run))
    present(done, _tell_repair)
    if done.lost or (done.damage and dry_run):
        raise SystemExit(ClewError.exit_code)


def _tell_repair(done: Repair) -> None:
    if not done.damage:
        print(f"{done.ledger} is whole: nothing to repair.")
    elif not done.kept:
        print(f"{done.ledger} is damaged: {one_line(done.damage)}.\nNothing was changed.")
    else:
        print(f"Saved {count(done.events, 'event')} and what was read off {count(done.sessions, 'session')}.")
        print(f"The old file is kept: {done.kept}")
        for one in done.lost:
            print(f"lost  {one_line(clean(one))}")

"""`clew doctor`: what works, what does not, and how to fix it."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterable

import click

from clew import wiring
from clew.app.health.doctor import doctor, examined
from clew.app.health.finding import HealthFinding
from clew.app.health.storage import Repair, repair_ledger
from clew.app.results import to_json
from clew.core.errors import ClewError
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import count, find_project, present
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.screen import painted
from clew.interfaces.cli.waiting import Waiting

_MARKS = {"fine": ("ok", "green"), "info": ("--", "blue"), "warn": ("warn", "yellow"), "wrong": ("WRONG", "red")}
# Most names of checks are not longer; they come one by one, so no column is measured.
_CHECK_COLUMNS = 22


@click.command("doctor", cls=CliCommand)
@click.option("--repair", is_flag=True, help="Save the intact part of a damaged ledger into a new one; keep the old.")
@click.option("--dry-run", is_flag=True, help="With --repair: show what is damaged; change nothing.")
@click.option("-v", "--verbose", is_flag=True, help="Also list the checks that passed.")
@json_option()
def command(as_json: bool, repair: bool, dry_run: bool, verbose: bool) -> None:
    """Run the installed hooks in a temporary folder, and report for each thing that clew needs whether it works and how
    to fix it. Nothing is changed, and the network is not used.

    With --repair only the ledger is checked: what is intact in a damaged one is saved into a new file in its place, the
    old file is kept beside it, and losses are listed.

    Exits with 1 if something is wrong or was lost.
    """
    if repair:
        _repair(as_json=as_json, dry_run=dry_run)
        return
    if dry_run:
        raise click.UsageError("--dry-run needs --repair: `clew doctor` changes nothing otherwise")
    there = {one.name for one in wiring.installers() if one.present(shutil.which)}
    clients = [one for one in wiring.configurations() if one.name in there]
    _ports, machine = wiring.ports(), wiring.machine()
    if as_json:
        done = doctor(find_project(), machine, clients, find_program=shutil.which, serves=True)
        print(to_json(done))
        is_wrong = done.wrong
    else:
        found = examined(find_project(), machine, clients, find_program=shutil.which, serves=True)
        is_wrong = _tell(found, every=verbose)
    if is_wrong:
        raise SystemExit(ClewError.exit_code)


def _tell(found: Iterable[HealthFinding], *, every: bool) -> bool:
    """A line a finding, as soon as it is known; of what is fine only the versions, unless `every` is to be told.
    Whether something is wrong.
    """
    levels: Counter[str] = Counter()
    folded = 0
    with Waiting("Checking") as waiting:
        for one in found:
            waiting.at(one.check)
            levels[one.level] += 1
            if one.level == "fine" and not every and levels.total() > 1:
                folded += 1
                continue
            mark, style = _MARKS[one.level]
            padded = painted(f"{mark:<5}", style, sys.stdout)
            print(f"{padded}  {one.check:<{_CHECK_COLUMNS}}  {one_line(clean(one.said))}")
            if one.mend and one.level != "fine":
                print(f"{'':<5}  {'':<{_CHECK_COLUMNS}}  → {one_line(clean(one.mend))}")
            sys.stdout.flush()
    if folded:
        print(f"{painted('ok   ', 'green', sys.stdout)}  {count(folded, 'more check')} (-v lists them)")
    wrong, warned = levels["wrong"], levels["warn"]
    told = f"{count(wrong, 'thing')} wrong, {count(warned, 'warning')}" if wrong or warned else "Nothing is wrong"
    print(f"{told}.")
    return bool(wrong)


def _repair(*, as_json: bool, dry_run: bool) -> None:
    done = repair_ledger(find_project(dry_run=dry_run))
    present(done, as_json, _tell_repair)
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

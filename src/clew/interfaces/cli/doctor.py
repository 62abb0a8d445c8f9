"""`clew doctor`: what works, what does not, and how to mend it."""

from __future__ import annotations

import shutil

import click

from clew.core.errors import ClewError
from clew.core.text import clean, one_line
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.here import count, here
from clew.interfaces.cli.options import json_option

_MARKS = {"fine": "ok", "info": "--", "warn": "warn", "wrong": "WRONG"}


@click.command("doctor", cls=Command)
@click.option("--repair", is_flag=True, help="Save what is whole of a damaged ledger into a new one; keep the old.")
@click.option("--dry-run", is_flag=True, help="With --repair: say what is damaged; change nothing.")
@json_option()
def command(as_json: bool, repair: bool, dry_run: bool) -> None:
    """Run the hooks as they are installed, in a place made for it, and say of each thing that clew needs whether it is
    as it should be, and how to mend it. Nothing is changed and nothing is asked of the network.

    With --repair only the ledger is looked at: what is whole of a damaged one goes into a new file in its place, the
    old one is kept beside it, and what was lost is listed.

    Exit code 1 if something is wrong, or was lost.
    """
    if repair:
        _repair(as_json=as_json, dry_run=dry_run)
        return
    if dry_run:
        raise click.UsageError("--dry-run goes with --repair: nothing else of `clew doctor` changes anything")
    from clew import wiring
    from clew.app.doctor import doctor

    present = {one.name for one in wiring.installers() if one.present(shutil.which)}
    clients = [one for one in wiring.configurations() if one.name in present]
    ports, machine = wiring.ports(), wiring.machine()
    found = doctor(ports, machine, clients, here(), find_program=shutil.which, serves=wiring.serves())
    if as_json:
        from clew.interfaces.cli.encode import encoded

        print(encoded("doctor", found))
    else:
        width = max(len(one.check) for one in found.findings)
        for one in found.findings:
            print(f"{_MARKS[one.level]:<5}  {one.check:<{width}}  {one_line(clean(one.said))}")
            if one.mend and one.level != "fine":
                print(f"{'':<5}  {'':<{width}}  → {one_line(clean(one.mend))}")
        levels = [one.level for one in found.findings]
        wrong, warned = levels.count("wrong"), levels.count("warn")
        told = f"{count(wrong, 'thing')} wrong, {count(warned, 'warning')}" if wrong or warned else "Nothing is wrong"
        print(f"{told}.")
    if found.wrong:
        raise SystemExit(ClewError.exit_code)


def _repair(*, as_json: bool, dry_run: bool) -> None:
    from clew import wiring
    from clew.app.health.repair import repair_ledger

    done = repair_ledger(wiring.ports(), here(), dry_run=dry_run)
    if as_json:
        from clew.interfaces.cli.encode import encoded

        print(encoded("repair", done))
    elif not done.damage:
        print(f"{done.path} is whole: nothing to repair.")
    elif done.kept is None:
        print(f"{done.path} is damaged: {one_line(done.damage)}.\nNothing was changed.")
    else:
        print(f"Saved {count(done.events, 'event')} and what was read off {count(done.sessions, 'session')}.")
        print(f"The old file is kept: {done.kept}")
        for one in done.lost:
            print(f"lost  {one_line(clean(one))}")
    if done.lost or (done.damage and dry_run):
        raise SystemExit(ClewError.exit_code)

"""`clew trust`: shows a person what came with the repository and would be run or read, and records what is trusted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import click

from clew import wiring
from clew.app.project import trust as trusting
from clew.app.project.authority import require_person
from clew.app.project.gate_state import refresh_everywhere
from clew.app.project.location import locate
from clew.app.project.trust import Thing, TrustedLogins, TrustedProject, TrustResult, TrustStatus
from clew.app.results import to_json
from clew.core.state.events import timestamp
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.asking import confirmed
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import aside, count, here, present, say_notes
from clew.interfaces.cli.options import json_option, wants_json

_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,98}[A-Za-z0-9])?")
_SORTS = {
    "command": "validation command",
    "stack": "command of a stack",
    "program": "setting that names a program",
    "memory": "memory, given to sessions",
    "handoff": "handoff, given to sessions",
    "login": "who edits issues",
}


@click.group("trust", cls=Group)
@click.option("--list", "only_list", is_flag=True, help="Only list them, and show what is trusted already.")
@click.option("--revoke", is_flag=True, help="Stop trusting anything of this project.")
@click.option("--yes", is_flag=True, help="Do not ask (only at a person's terminal).")
@click.option("--dry-run", is_flag=True, help="Show everything, record nothing.")
@json_option("As JSON (docs/reference/json.md); asks nothing, so it lists without --yes.")
@click.pass_context
def command(ctx: click.Context, only_list: bool, revoke: bool, yes: bool, dry_run: bool) -> None:
    """Show what this repository wants clew to run or to give to sessions, and record what you trust.

    You trust exactly what was shown: a command or document that changes has to be trusted again. Until then it is
    neither run nor given to a session. Only a person can do this, at a terminal.
    """
    if ctx.invoked_subcommand is not None:
        return
    if revoke and only_list:
        raise click.UsageError("--list and --revoke exclude each other")
    store = wiring.trust_store()
    project = trusting.project_at(locate(here()).root)
    if revoke:
        _revoke(store, project, yes=yes, dry_run=dry_run)
        return
    found = trusting.standings(store, project)
    if only_list or (wants_json() and not yes):
        present(TrustResult.told(project.root, found), _list)
        return
    _trust(store, project, found, yes=yes, dry_run=dry_run)


@command.command("login", short_help="Let a login's edits in issues count as a person's.")
@click.argument("names", metavar="[LOGIN…]", nargs=-1)
@click.option("--host", metavar="HOST", default="github.com", help="The server of the login.")
@click.option("--revoke", is_flag=True, help="Stop trusting the login.")
@click.option("--dry-run", is_flag=True, help="Show what would be recorded; record nothing.")
@json_option("The trusted logins as JSON.")
def login(names: tuple[str, ...], host: str, revoke: bool, dry_run: bool) -> None:
    """Let what LOGIN writes by hand in this project's issues count as a person's word; without LOGIN, list the trusted
    logins.

    A server reports which account edited an issue, not who used it: an agent that has the account's token edits in its
    name. Trust the login of somebody whose token no agent has. Only a person can do this, at a terminal.
    """
    store = wiring.trust_store()
    project = trusting.project_at(locate(here()).root)
    ports = wiring.ports()
    for name in names:
        if not _LOGIN.fullmatch(name):
            raise click.UsageError(f"{one_line(clean(name))!r} is not a login")
        thing = trusting.login_thing(host, name)
        if dry_run:
            print(f"Dry run, nothing was recorded. It would {'take back' if revoke else 'trust'} {thing.name}.")
        elif revoke:
            gone = trusting.forget_login(store, project, thing, said=ports.channel())
            print(f"{'Taken back' if gone else 'It was not trusted'}: {thing.name}")
        else:
            new = trusting.trust(store, project, [thing], said=ports.channel(), time=timestamp(ports.now_ms()))
            print(f"{'Trusted' if new else 'It is trusted already'}: {thing.name}")
    if names:
        return
    found = TrustedLogins(host, tuple(sorted(trusting.trusted_logins(store, project, host))))
    present(found, _list_logins)


def _list_logins(found: TrustedLogins) -> None:
    for one in found.logins:
        print(f"{found.host}/{one}")
    if not found.logins:
        aside(f"No login on {found.host} is trusted here: whoever edits an issue there counts as nobody in particular.")


def _list(found: TrustResult) -> None:
    for thing in found.things:
        state = "trusted" if thing.trusted else f"refused: {thing.problem}" if thing.problem else "not trusted"
        where = "" if thing.name == thing.place else f"  {thing.place}"
        print(f"{thing.sort:<8} {one_line(clean(f'{thing.name}{where}  ({state})'))}")
    if not found.things:
        aside("This project brings nothing that clew would run or give to a session.")


def _trust(store: Path, project: TrustedProject, found: Sequence[TrustStatus], *, yes: bool, dry_run: bool) -> None:
    ports = wiring.ports()
    say_notes(f"{one.thing.name} cannot be trusted: {one.thing.problem}" for one in found if one.thing.problem)
    waiting = [one.thing for one in found if not one.trusted and not one.thing.problem]
    if not waiting and not wants_json():
        print("There is nothing to trust that is not trusted already.")
        return
    said = ports.channel()
    if not dry_run:
        require_person(said, "content", code=False)
    chosen = []
    for number, thing in enumerate(waiting, start=1):
        if not wants_json():
            _show(thing, f"{number} of {len(waiting)}")
        if not dry_run and (yes or confirmed("Trust this?")):
            chosen.append(thing)
    new = () if dry_run else trusting.trust(store, project, chosen, said=said, time=timestamp(ports.now_ms()))
    if new:
        refresh_everywhere(ports)  # a trusted command passes while a plan is open
    if wants_json():
        print(to_json(TrustResult.told(project.root, trusting.standings(store, project), recorded=len(new))))
    elif dry_run:
        print("Nothing was recorded.")
    else:
        print(f"Trusted: {len(new)} of {count(len(waiting), 'thing')}. `clew trust --revoke` undoes it.")


def _show(thing: Thing, number: str) -> None:
    """All of it, each line marked, so that no text can pass for a line of ours."""
    where = "" if thing.name == thing.place else f", in {thing.place}"
    print(one_line(clean(f"{number}: {_SORTS[thing.sort]}: {thing.name}{where}")))
    for row in thing.text.rstrip("\n").split("\n"):
        print(f"  | {row}")
    if thing.hidden:
        print(f"  {count(thing.hidden, 'character')} of it cannot be seen and will be left out when it is used.")


def _revoke(store: Path, project: TrustedProject, *, yes: bool, dry_run: bool) -> None:
    said = wiring.ports().channel()
    gone = trusting.kept(store, project)
    if not dry_run:
        require_person(said, "revoke", code=False)
        if gone and not yes and not confirmed(f"Trust nothing of {project.root} any more?"):
            raise click.Abort
        gone = trusting.revoke(store, project, said=said)
        refresh_everywhere(wiring.ports())
    if wants_json():
        left = trusting.standings(store, project)
        print(to_json(TrustResult.told(project.root, left, revoked=0 if dry_run else gone)))
    else:
        verb = "Would be taken back" if dry_run else "Taken back"
        print(f"{verb}: {count(gone, 'trusted content')}.")

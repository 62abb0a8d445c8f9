"""`clew uninstall`: take clew out of the clients' settings again."""

from __future__ import annotations

import click

from clew import wiring
from clew.app.install.entries import hook_command
from clew.app.install.uninstall import Uninstallation, leave_project, uninstall
from clew.core.errors import InputError
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.changes import told
from clew.interfaces.cli.encode import encoded
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.here import count, here, say_notes
from clew.interfaces.cli.options import json_option


@click.command("uninstall", cls=Command)
@click.option("--dry-run", is_flag=True, help="Say what would be taken out, with the exact changes; change nothing.")
@click.option("--project", is_flag=True, help="Only end it for the project that you are in; settings stay.")
@click.option("--settings", is_flag=True, help="Only out of your settings; a plugin, and where it acts, stay.")
@json_option("What was done, as JSON (docs/reference/json.md).")
def command(dry_run: bool, project: bool, settings: bool, as_json: bool) -> None:
    """Take hooks, skill and slash commands out of your clients: each settings file is as it was before `clew init`, or,
    if somebody changed it since, without our entries.

    Only a person can: the gates end with the hooks. Ledgers stay, with all that is recorded in them, and so do your
    settings of clew and what you trust.
    """
    if project and settings:
        raise click.UsageError("--project leaves settings alone: name one of the two")
    ports, machine = wiring.ports(), wiring.machine()
    if project:
        done = leave_project(machine, here(), said=ports.channel(), dry_run=dry_run)
    else:
        known = tuple(one.user(hook_command(machine)) for one in wiring.installers())
        done = uninstall(
            machine, known, said=ports.channel(), settings=settings, dry_run=dry_run, environment=ports.environment
        )
    say_notes(done.stay)
    if as_json:
        print(encoded("uninstall", done))
    else:
        for line in told(done.changes, would=dry_run, redact=ports.redact):
            print(line)
        for line in _ended(done, project=project):
            print(one_line(clean(line)))
    if done.failed:
        raise InputError(
            "our entries are still in: " + "; ".join(done.failed),
            code="E-uninstall-left",
            hint="They do nothing any more. Mend the file and run `clew uninstall` again.",
        )


def _ended(done: Uninstallation, *, project: bool) -> list[str]:
    if done.lives:
        verb = "Would end" if done.dry_run else "Ended"
        return [f"{verb} it in {count(len(done.lives), 'place')}; what is recorded there stays."]
    if project or not done.changes:
        return ["Nothing is installed here." if project else "Nothing is installed."]
    return []

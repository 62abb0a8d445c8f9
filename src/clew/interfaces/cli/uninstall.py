"""`clew uninstall`: take clew out of the clients' settings again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import click

from clew import wiring
from clew.app.install.entries import SettingsChange, hook_command
from clew.app.install.uninstall import Uninstallation, UninstallResult, leave_project, uninstall
from clew.core.errors import InputError
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import count, here, present, say_notes
from clew.interfaces.cli.options import json_option


def told(changes: Iterable[SettingsChange], *, would: bool, redact: Callable[[str], str]) -> Iterator[str]:
    """A line for each change; with `would` the whole difference of each settings file as well."""
    for change in changes:
        verb = ("make", "made") if change.before is None else ("remove", "removed") if change.after is None else None
        first, second = verb or ("change", "changed")
        yield one_line(clean(f"{'Would ' + first if would else second.capitalize()} {change.path}"))
        if would and change.settings:
            yield from (clean(line).rstrip("\n") for line in change.diff(redact))


@click.command("uninstall", cls=CliCommand)
@click.option("--dry-run", is_flag=True, help="Show what would be removed, with the exact changes; change nothing.")
@click.option("--project", is_flag=True, help="Only switch it off for this project; settings stay.")
@click.option("--settings", is_flag=True, help="Only remove it from your settings; where it is active stays.")
@json_option("What was done, as JSON (docs/reference/json.md).")
def command(dry_run: bool, project: bool, settings: bool) -> None:
    """Remove hooks, skill and slash commands from your clients: each settings file is restored as it was before `clew
    init`, or, if somebody changed it since, only our entries are removed.

    Only a person can, because the gates end with the hooks. Ledgers with all their records, your clew settings and what
    you trust stay.
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

    def tell(_: UninstallResult) -> None:
        for line in told(done.changes, would=dry_run, redact=ports.redact):
            print(line)
        for line in _ended(done, project=project):
            print(one_line(clean(line)))

    present(done.result(), tell)
    if done.failed:
        raise InputError(
            "our entries are still in: " + "; ".join(done.failed),
            code="E-uninstall-left",
            hint="They do nothing any more. Fix the file and run `clew uninstall` again.",
        )


def _ended(done: Uninstallation, *, project: bool) -> list[str]:
    if done.places:
        verb = "Would end" if done.dry_run else "Ended"
        return [f"{verb} it in {count(len(done.places), 'place')}; what is recorded there stays."]
    if project or not done.changes:
        return ["Nothing is installed here." if project else "Nothing is installed."]
    return []

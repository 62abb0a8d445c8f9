"""`clew gate`: what gates hold here, tools that a person lets pass, and files put back that were changed behind one."""

from __future__ import annotations

from pathlib import Path

import click

from clew import wiring
from clew.app.project.gate_state import GateState, Rule, gate_state, let_pass, put_back
from clew.app.project.location import locate
from clew.app.record.item import make_gate
from clew.core.text.cleaning import clean, in_columns, one_line, shorten
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import count, find_project, here, present, say, say_notes
from clew.interfaces.cli.options import json_option, recording_options

_TITLE_CHARS = 40


@click.group("gate", cls=Group)
@json_option()
@click.pass_context
def command(ctx: click.Context) -> None:
    """Show the gates that apply here, with each rule, who stated it and when; the plan that waits for approval, and
    changes that violate a gate.
    """
    if ctx.invoked_subcommand is None:
        present(gate_state(wiring.ports(), here()), _show)


def _show(found: GateState) -> None:
    for name, level in found.levels.items():
        print(f"{name:<10} {level}")
    for rule in found.rules:
        print(in_columns(rule.level, rule.id, one_line(clean(_told(rule)))))
    if found.plan:
        print(one_line(f"Only reading passes until a person approves the plan “{clean(found.plan)}”."))
        for command_line in found.commands:
            print(one_line(f"Passes as well: {clean(command_line)}"))
    for tool in found.tools:
        print(one_line(f"Only reads, a person said: {clean(tool)}"))
    for one in found.breaches:
        whose = one.command if one.during else "somebody else, or something left running"
        print(in_columns(one.at[:16].replace("T", " "), f"{one.gate}: {', '.join(one.files)} changed by {whose}"))
    if found.changed:
        say_notes([f"{count(len(found.changed), 'file')} changed; `clew gate restore` puts back what was there"])


def _told(rule: Rule) -> str:
    names = f"{', '.join(rule.names)}: " if rule.names and rule.names != (rule.text,) else ""
    task = f", in “{shorten(rule.task, _TITLE_CHARS)}”" if rule.task else ""
    return f"{names}{rule.text} ({rule.by}, {rule.since[:10]}{task})"


@command.command("deny", short_help="Turn a prohibition that only warns into a denial (a person).")
@click.argument("item", metavar="ID")
@click.option("--lift", is_flag=True, help="Go back to a warning.")
@recording_options
def deny(item: str, lift: bool, dry_run: bool) -> None:
    """Let gates deny what the constraint ID names ("Don't touch src/a.py"), and not only warn."""
    say(make_gate(find_project(dry_run=dry_run), item, lift=lift))


@command.command("allow", short_help="State that a tool only reads (a person).")
@click.argument("tool", metavar="TOOL")
def allow(tool: str) -> None:
    """State that TOOL, as the denial named it (`mcp__server__tool`), only reads, so that it passes while a plan is
    open.

    Only a person can do this, at a terminal. `clew trust --revoke` undoes it.
    """
    is_new = let_pass(wiring.ports(), locate(here()), tool)
    print(one_line(clean(f"{tool} {'passes' if is_new else 'passed already'} while a plan is open.")))


@command.command("restore", short_help="Restore files whose change violates a gate.")
@click.argument("paths", metavar="[PATH]…", nargs=-1)
@click.option("--dry-run", is_flag=True, help="Show what would be restored; change nothing.")
def restore(paths: tuple[str, ...], dry_run: bool) -> None:
    """Restore watched files as they were when the watch began: PATHs from the top of the work tree, or all of them.

    The current versions are moved aside, not lost (docs/reference/hooks.md, `replaced/`).
    """
    found = put_back(wiring.ports(), locate(here()), [Path(path).as_posix() for path in paths], dry_run=dry_run)
    for one in found:
        deed = (
            "cannot be put back: it was too large to be kept"
            if not one.known
            else "taken away"
            if one.before is None
            else "put back"
        )
        print(one_line(clean(f"{one.path}: {'would be ' if dry_run and one.known else ''}{deed}")))
    if not found:
        print("Every watched file is as it was.")

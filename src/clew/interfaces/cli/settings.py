"""`clew settings`: every setting with its value and who set it; `clew settings set` writes one."""

from __future__ import annotations

import os

import click

from clew import wiring
from clew.app.cost.budgets import count_before
from clew.app.project.gate_state import refresh_everywhere
from clew.app.project.gates import HEEDED
from clew.app.project.location import PROJECT_FOLDER, locate
from clew.app.project.settings import PROJECT_FILE, SettingList, change, is_ignored, list_settings
from clew.core.errors import NotFound
from clew.core.settings import shown
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import find_project, here, present, say_notes
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.screen import show_table


@click.group("settings", cls=Group)
@json_option()
@click.pass_context
def command(ctx: click.Context) -> None:
    """List every setting with its value and where that comes from (docs/reference/settings.md).

    Built-in < project's file < user's file < environment < option of a command.
    """
    if ctx.invoked_subcommand is not None:
        return
    root = locate(here()).root
    found = list_settings(wiring.settings(root), wiring.settings_files(root))
    say_notes(found.notes)
    present(found, _list)


def _list(found: SettingList) -> None:
    rows = [(row.name, f"{shown(row.value)} {row.unit}".strip(), row.place or row.source) for row in found.settings]
    show_table(("setting", "value", "set by"), rows, styles=("bold", "", "dim"), spare=(2,))


@command.command("set", short_help="Write a setting to the user's file, or the project's.")
@click.argument("name", metavar="NAME")
@click.argument("value", metavar="VALUE")
@click.option("--project", is_flag=True, help="Set it in the project's file, for everybody who works on it.")
def set_(name: str, value: str, project: bool) -> None:
    """Set NAME to VALUE for you, in all projects; with --project, for this project.

    Comments and order of the file stay. Only a person may set gates and programs.
    """
    _change(name, value, project=project)


@command.command("unset", short_help="Remove a setting from the user's file, or the project's.")
@click.argument("name", metavar="NAME")
@click.option("--project", is_flag=True, help="Remove it from the project's file.")
def unset(name: str, project: bool) -> None:
    """Remove NAME from your file, or with --project from the project's; the next source then applies.

    Comments and order of the file stay. Only a person may set gates and programs.
    """
    _change(name, None, project=project)


def _change(name: str, value: str | None, *, project: bool) -> None:
    root = locate(here()).root
    if project and not (root / PROJECT_FOLDER).is_dir():
        raise NotFound(f"{root} is not a project of clew", code="E-no-ledger", hint="Run `clew init` there.")
    changed = change(
        wiring.settings_files(root),
        name,
        value,
        project=project,
        said=wiring.ports().channel(),
        reload=lambda: wiring.settings(root),
    )
    if changed.setting.kind == "gate" or name in HEEDED or name.startswith("pressure."):
        refresh_everywhere(wiring.ports())
    if name.startswith(("budget.task_", "budget.phase_")):
        count_before(find_project())
    place = os.fspath(changed.file)
    if changed.value is None:
        held = shown(changed.held) if changed.held is not None else "nothing"
        holds = f"{held} ({changed.place or changed.source}) holds"
        print(one_line(clean(f"{changed.setting.name} is not set any more in {place}: {holds}")))
        return
    print(one_line(clean(f"{changed.setting.name} = {shown(changed.value)}, in {place}")))
    if project and is_ignored(root, os.environ):
        say_notes([f"git ignores .clew, so it holds for you alone; `git add -f {PROJECT_FILE}` shares it with a team"])
    if changed.held is not None and changed.held != changed.value:
        say_notes([f"{changed.place or changed.source} says {shown(changed.held)}, and that holds here"])

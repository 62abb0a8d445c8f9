"""`clew settings`: every setting with its value and who set it; `clew settings set` writes one."""

from __future__ import annotations

import os

from clew.core.text import clean, one_line
from clew.interfaces.cli.here import here, say_notes
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.parser import Command, Parser


def _arguments(parser: Parser) -> None:
    json_option(parser)


def run(as_json: bool) -> None:
    """List every setting with its value and where that comes from (docs/settings.md).

    Built-in < project's file < user's file < environment < option of a command.
    """
    from clew import wiring
    from clew.app.project import locate
    from clew.core.settings import shown

    root = locate(here()).root
    found = wiring.settings(root)
    say_notes(found.notes)
    if as_json:
        from clew.interfaces.cli.shapes.settings import listing

        print(listing(found, wiring.settings_files(root)))
        return
    rows = [
        (row.setting.name, f"{shown(row.value)} {row.setting.unit}".strip(), row.place or row.source)
        for row in found.rows
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    for name, value, source in rows:
        print(f"{name:<{widths[0]}}  {value:<{widths[1]}}  {one_line(clean(source))}")


def _of_set(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("value", metavar="VALUE")
    parser.add_argument("--project", action="store_true", help="In the project's file, for everybody who works on it.")


def set_(name: str, value: str, project: bool) -> None:
    """Set NAME to VALUE for you, in all projects; with --project, for this project.

    Comments and order of the file stay. Gates and programs are a person's to set.
    """
    from clew import wiring
    from clew.app.gates import HEEDED, refresh_everywhere
    from clew.app.project import PROJECT_FOLDER, locate
    from clew.app.settings import PROJECT_FILE, change, is_ignored
    from clew.core.errors import NotFound
    from clew.core.settings import shown

    root = locate(here()).root
    if project and not (root / PROJECT_FOLDER).is_dir():
        raise NotFound(f"{root} is no project of clew", code="E-no-ledger", hint="Run `clew init` there.")
    changed = change(
        wiring.settings_files(root),
        name,
        value,
        project=project,
        said=wiring.ports().channel(),
        reload=lambda: wiring.settings(root),
    )
    if changed.setting.kind == "gate" or name in HEEDED:
        refresh_everywhere(wiring.ports())
    written = f"{changed.setting.name} = {shown(changed.value)}"
    print(one_line(clean(f"{written}, in {os.fspath(changed.file)}")))
    if project and is_ignored(root, os.environ):
        say_notes([f"git ignores .clew, so it holds for you alone; `git add -f {PROJECT_FILE}` shares it with a team"])
    if changed.held != changed.value:
        say_notes([f"{changed.place or changed.source} says {shown(changed.held)}, and that holds here"])


command = Command(
    "List every setting and where it comes from, or set one.",
    run,
    _arguments,
    commands={
        "set": Command("Write a setting to the user's file, or the project's.", set_, _of_set),
    },
)

"""`clew show`: one item with its evidence, or the list of all."""

from __future__ import annotations

import click

import clew
from clew.app.look.sessions import SessionPassage, is_place, passage
from clew.app.look.show import Showing
from clew.core.text.cleaning import clean, one_line, shorten
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import find_project, present
from clew.interfaces.cli.options import json_option, session_option
from clew.interfaces.show_text import show_text

_EXCERPT_CHARS = 1200


@click.command("show", cls=CliCommand, doing="Looking it up")
@click.argument("item", metavar="[ID]", required=False)
@session_option("Look in this session file, or in the session with this id.")
@json_option()
def command(item: str | None, transcript: str | None) -> None:
    """Show all about the item ID: its full text, who said it, where, the words there, what became of it.

    ID is the id printed in a document, or any unique beginning of it; after `clew init` also the id of a task, a
    checkpoint or a draft. Without ID: a line for each item. A place that `clew search` printed (SESSION@BYTE) shows
    what was said there.
    """
    if item is not None and is_place(item):
        present(passage(find_project(), item), _passage)
    else:
        present(clew.show(item, transcript=transcript), _show)


def _show(found: Showing) -> None:
    for one in found.items:
        over = "" if one.standing in ("", "live") else f"({one.standing}) "
        print(f"{one.short_id}  {one.kind:<10}  {over}{one_line(clean(one.text))}")
    if not found.items:
        print(show_text(found), end="")


def _passage(found: SessionPassage) -> None:
    """A turn for people: who said what, and what tools did."""
    lines = []
    for entry in found.entries:
        outcome = f" ({entry.outcome})" if entry.outcome not in ("", "ok") else ""
        lines.append(one_line(clean(f"{entry.time[11:16]} {entry.title}{outcome}")).strip())
        lines += [f"    {clean(line)}" for line in shorten(entry.text, _EXCERPT_CHARS).splitlines()]
    print("\n".join([*lines, *(["…"] if found.more else [])]))

"""`clew note` and its aliases: state something that the next session has to know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from clew import wiring
from clew.app.record.fields import NOTED, TAGS
from clew.app.record.note import Note, note
from clew.core.state.items import Kind
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.here import here
from clew.interfaces.cli.options import Decorator, recording_options
from clew.interfaces.cli.recorded import say, text_of

_OPTIONS: dict[str, Decorator] = {
    "--why": click.option(
        "--why", metavar="TEXT", default="", help="The reason: why so, why it failed, what would tell."
    ),
    "--file": click.option(
        "--file",
        "files",
        metavar="PATH[:LINES]",
        type=click.Path(),
        multiple=True,
        help="A file that it speaks of; may be given again.",
    ),
    "--owner": click.option("--owner", metavar="NAME", default="", help="Who is to answer, or to see to it."),
    "--blocking": click.option("--blocking", is_flag=True, help="Work cannot go on before the question is answered."),
    "--lock": click.option("--lock", "locked", is_flag=True, help="Only a person changes it from now on."),
    "--until": click.option("--until", metavar="WHEN", default="", help="Put off until then, in your words."),
    "--status": click.option("--status", metavar="WORD", default="", help="Of a file or a hypothesis: how it stands."),
    "--tag": click.option(
        "--tag",
        "tags",
        type=click.Choice(TAGS, case_sensitive=False),
        multiple=True,
        help="What kind of learning; may be given again.",
    ),
    "--guard": click.option(
        "--guard",
        metavar="PATTERN",
        multiple=True,
        help="A command, path or import by which one would try it again; who does is warned (docs/reference/gates.md).",
    ),
    "--task": click.option("--task", metavar="T", help="The task that it belongs to (default: the one bound here)."),
    "--key": click.option("--key", metavar="KEY", default="", help="With the same KEY it is kept once: for programs."),
}


def noting(*names: str) -> Decorator:
    """The text and the options of `names`, those of every note, and those of recording."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        command = recording_options(command)
        for name in reversed(("--why", "--file", *names, "--task", "--key")):
            command = _OPTIONS[name](command)
        return click.argument("text", metavar="TEXT…", nargs=-1, required=True)(command)

    return add


def keep(kind: Kind, text: tuple[str, ...], *, dry_run: bool, as_json: bool, **fields: Any) -> None:
    """Keep a note of `kind` and say what came of it. `fields` are those of `app.note.Note`."""
    wanted = Note(kind, text_of(text), **fields)
    say(note(wiring.ports(), wanted, folder=here(), dry_run=dry_run), as_json=as_json)


@click.command("note", cls=Command)
@click.argument("kind", metavar="KIND", type=click.Choice(list(NOTED)))
@noting("--owner", "--blocking", "--lock", "--until", "--status", "--tag", "--guard")
def command(kind: Kind, text: tuple[str, ...], **fields: Any) -> None:
    """Record TEXT as an item of KIND; TEXT - is read from stdin.

    KIND is goal, decision, deferral, failed (an approach), hypothesis, constraint, reminder, assumption, finding,
    question, risk, blocker, file (TEXT is its path), next (action) or learning. The first line is the item, further
    ones join its reason. A new goal or next action takes the place of the one before. The same note twice is one item.
    """
    keep(kind, text, **fields)

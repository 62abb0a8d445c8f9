"""`clew note` and its aliases: state something that the next session has to know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clew.app.fields import NOTED, TAGS
from clew.core.items import Kind
from clew.interfaces.cli.here import here
from clew.interfaces.cli.options import recording_options
from clew.interfaces.cli.parser import Command, Parser
from clew.interfaces.cli.recorded import say, text_of

_OPTIONS: dict[str, dict[str, Any]] = {
    "--why": {"metavar": "TEXT", "default": "", "help": "The reason: why so, why it failed, what would tell."},
    "--file": {
        "dest": "files",
        "metavar": "PATH[:LINES]",
        "action": "append",
        "default": [],
        "help": "A file that it speaks of; may be given again.",
    },
    "--owner": {"metavar": "NAME", "default": "", "help": "Who is to answer, or to see to it."},
    "--blocking": {"action": "store_true", "help": "Work cannot go on before the question is answered."},
    "--lock": {"dest": "locked", "action": "store_true", "help": "Only a person changes it from now on."},
    "--until": {"metavar": "WHEN", "default": "", "help": "Put off until then, in your words."},
    "--status": {"metavar": "WORD", "default": "", "help": "Of a file or a hypothesis: how it stands."},
    "--tag": {
        "dest": "tags",
        "action": "append",
        "default": [],
        "type": str.upper,
        "choices": TAGS,
        "help": "What kind of learning; may be given again.",
    },
    "--guard": {
        "metavar": "PATTERN",
        "action": "append",
        "default": [],
        "help": "A command, path or import by which one would try it again; who does is warned (docs/gates.md).",
    },
    "--task": {"metavar": "T", "help": "The task that it belongs to (default: the one bound here)."},
    "--key": {"metavar": "KEY", "default": "", "help": "With the same KEY it is kept once: for programs."},
}


def noting(*names: str) -> Callable[[Parser], None]:
    """The text and the options of `names`, those of every note, and those of recording."""

    def add(parser: Parser) -> None:
        parser.add_argument("text", nargs="+", metavar="TEXT…")
        for name in ("--why", "--file", *names, "--task", "--key"):
            parser.add_argument(name, **_OPTIONS[name])
        recording_options(parser)

    return add


def keep(kind: Kind, text: tuple[str, ...], *, dry_run: bool, as_json: bool, **fields: Any) -> None:
    """Keep a note of `kind` and say what came of it. `fields` are those of `app.note.Note`."""
    from clew import wiring
    from clew.app.note import Note, note

    wanted = Note(kind, text_of(text), **fields)
    say(note(wiring.ports(), wanted, folder=here(), dry_run=dry_run), as_json=as_json)


def _arguments(parser: Parser) -> None:
    parser.add_argument("kind", choices=list(NOTED), metavar="KIND")
    noting("--owner", "--blocking", "--lock", "--until", "--status", "--tag", "--guard")(parser)


def run(kind: Kind, text: tuple[str, ...], **fields: Any) -> None:
    """Record TEXT as an item of KIND; TEXT - is read from stdin.

    KIND is goal, decision, deferral, failed (an approach), hypothesis, constraint, reminder, assumption, finding,
    question, risk, blocker, file (TEXT is its path), next (action) or learning. The first line is the item, further
    ones join its reason. A new goal or next action takes the place of the one before. The same note twice is one item.
    """
    keep(kind, text, **fields)


command = Command("Record something that the next session has to know.", run, _arguments)

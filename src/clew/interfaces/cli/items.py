"""Commands that record an item, and those that say something about one: a row of a table each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

import click

from clew.app.record import item as items
from clew.app.record.note import NewNote, note
from clew.app.record.verbs import NOTED, TAGS
from clew.core.state.items import Kind
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import find_project, say, text_of
from clew.interfaces.cli.memory import remember
from clew.interfaces.cli.options import Decorator, recording_options


def _text_option(name: str, text: str, metavar: str = "TEXT", **more: Any) -> Decorator:
    return click.option(name, metavar=metavar, help=text, **{"default": "", **more})


_OPTIONS: Final[Mapping[str, Decorator]] = {
    "--why": _text_option("--why", "The reason: why so, why it failed, what would tell."),
    "--file": click.option(
        "--file",
        "files",
        metavar="PATH[:LINES]",
        type=click.Path(),
        multiple=True,
        help="A file that it speaks of; may be given again.",
    ),
    "--owner": _text_option("--owner", "Who is to answer, or to see to it.", "NAME"),
    "--blocking": click.option("--blocking", is_flag=True, help="Work cannot go on before the question is answered."),
    "--lock": click.option("--lock", "locked", is_flag=True, help="Only a person changes it from now on."),
    "--until": _text_option("--until", "Put off until then, in your words.", "WHEN"),
    "--status": _text_option("--status", "Of a file or a hypothesis: how it stands.", "WORD"),
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
    "--task": _text_option("--task", "The task that it belongs to (default: the one bound here).", "T", default=None),
    "--key": _text_option("--key", "With the same KEY it is kept once: for programs.", "KEY"),
    "--by": _text_option("--by", "The item that takes its place, instead of a new one.", "ID"),
    "--reason": _text_option("--why", "The reason."),
}
_TEXT: Final = click.argument("text", metavar="TEXT…", nargs=-1, required=True)
_ITEM: Final = click.argument("item", metavar="ID")


def _make(name: str, run: Callable[..., None], text: str, *parameters: Decorator) -> click.Command:
    """The command `name` with these parameters and those of recording; `text` is its help."""
    done = recording_options(partial(run))  # a method takes no parameters of click's
    for parameter in reversed(parameters):
        done = parameter(done)
    return click.command(name, cls=CliCommand, help=text)(done)


def _noting(*names: str) -> list[Decorator]:
    return [_TEXT, *(_OPTIONS[name] for name in ("--why", "--file", *names, "--task", "--key"))]


def _note(kind: Kind, text: tuple[str, ...], *, dry_run: bool, as_json: bool, **fields: Any) -> None:
    """Keep a note of `kind` and say what came of it. `fields` are those of `NewNote`."""
    say(
        note(find_project(dry_run=dry_run), NewNote(kind, text_of(text), **fields)),
        as_json=as_json,
    )


class Short(NamedTuple):
    """A command that is `clew note KIND` in one word, with some of its options."""

    kind: Kind
    options: tuple[str, ...]
    help: str

    def run(self, text: tuple[str, ...], **fields: Any) -> None:
        _note(self.kind, text, **fields)


_SHORT: Final[Mapping[str, Short]] = {
    "decide": Short(
        "decision",
        ("--lock",),
        "Record that TEXT was decided, --why it was, and with --lock that only a person may change it.",
    ),
    "reject": Short(
        "failed",
        ("--guard",),
        "Record that TEXT was tried and failed, and --why (best the real error): nobody is to try it again.",
    ),
    "ask": Short(
        "question",
        ("--owner", "--blocking"),
        "Record the question TEXT, whose it is to answer (--owner), and whether work waits for it (--blocking).",
    ),
    "next": Short(
        "next",
        (),
        "Record TEXT as the next action, best with its --file PATH:LINES; it takes the place of the one before.",
    ),
}


class ItemCommand(NamedTuple):
    """A command that says something about an item: by the verb `do`, with its text, if it takes one, as `words`."""

    do: Callable[..., Any]
    help: str
    words: str = ""
    parameters: tuple[Decorator, ...] = ()

    def run(self, item: str, dry_run: bool, as_json: bool, text: tuple[str, ...] = (), **given: Any) -> None:
        if self.do is items.supersede and bool(given["by"]) == bool(text):
            raise click.UsageError("give either TEXT or --by ID")
        given |= {self.words: text_of(text)} if self.words else {}
        say(self.do(find_project(dry_run=dry_run), item, **given), as_json=as_json)


_CHANGES: Final[Mapping[str, ItemCommand]] = {
    "answer": ItemCommand(
        items.answer,
        "Answer the question ID; TEXT - is read from stdin.\n\n"
        "An agent may answer what waits for no person; its answer is shown as a claim.",
        "text",
        (_TEXT,),
    ),
    "resolve": ItemCommand(
        items.resolve,
        "Say that the item ID is over, and what came of it; OUTCOME - is read from stdin.",
        "outcome",
        (click.argument("text", metavar="[OUTCOME…]", nargs=-1),),
    ),
    "supersede": ItemCommand(
        items.supersede,
        "Put a new item of the same kind, TEXT, in the place of the item ID, or with --by one that is there.\n\n"
        "The new one takes over what the old one was about: its files, owner, lock and pin. TEXT - is read from stdin.",
        "text",
        (click.argument("text", metavar="[TEXT…]", nargs=-1), _OPTIONS["--by"], _OPTIONS["--reason"]),
    ),
    "retract": ItemCommand(
        items.retract,
        "Take the item ID back: it was wrong, or should not have been recorded. `clew log` still tells it.\n\n"
        "What must not be kept at all (a secret) goes by `clew redact`.",
        parameters=(_OPTIONS["--reason"],),
    ),
    "restore": ItemCommand(items.restore, "Bring back the item ID, which was retracted, superseded or resolved."),
    "pin": ItemCommand(
        items.pin, "Pin the item ID: no document shortens it or leaves it out. Only a person takes a pin off."
    ),
    "unpin": ItemCommand(items.unpin, "Take the pin off the item ID. Only a person may."),
}


def _learn(text: tuple[str, ...], topic: str, is_users: bool, always: bool, **fields: Any) -> None:
    if not (topic or is_users):
        if always:
            raise click.UsageError("--always goes with --topic or --user")
        _note("learning", text, **fields)
        return
    if fields["files"] or fields["tags"] or fields["task"] is not None or fields["key"]:
        raise click.UsageError("--topic and --user go with --why alone: files are found in the text")
    given = {name: fields[name] for name in ("why", "dry_run", "as_json")}
    remember(text, topic=topic or "user", is_users=is_users, pinned=always, **given)


def _edit(item: str, text: tuple[str, ...], dry_run: bool, as_json: bool, **fields: Any) -> None:
    given = {name: value for name, value in fields.items() if value is not None}
    given |= {"text": text_of(text)} if text else {}
    if not given:
        raise click.UsageError("give TEXT or an option")
    say(items.edit(find_project(dry_run=dry_run), item, given), as_json=as_json)


COMMANDS: Final[Mapping[str, click.Command]] = {
    "note": _make(
        "note",
        _note,
        "Record TEXT as an item of KIND; TEXT - is read from stdin.\n\n"
        "KIND is goal, decision, deferral, failed (an approach), hypothesis, constraint, reminder, assumption, "
        "finding, question, risk, blocker, file (TEXT is its path), next (action) or learning. The first line is the "
        "item, further ones join its reason. A new goal or next action takes the place of the one before. The same "
        "note twice is one item.",
        click.argument("kind", metavar="KIND", type=click.Choice(list(NOTED))),
        *_noting("--owner", "--blocking", "--lock", "--until", "--status", "--tag", "--guard"),
    ),
    **{name: _make(name, row.run, row.help, *_noting(*row.options)) for name, row in _SHORT.items()},
    "learn": _make(
        "learn",
        _learn,
        "Record a fact that other tasks can use, TEXT, with a --tag that says what kind it is. It waits until it is "
        "triaged (`clew memory triage`); with --topic or --user it is in memory at once.",
        _text_option("--topic", "Put it straight into memory, under this topic.", "TOPIC"),
        click.option("--user", "is_users", is_flag=True, help="Into your own memory, which holds for all projects."),
        click.option("--always", is_flag=True, help="Give it to every session (with --topic or --user)."),
        *_noting("--tag"),
    ),
    **{name: _make(name, row.run, row.help, _ITEM, *row.parameters) for name, row in _CHANGES.items()},
    "edit": _make(
        "edit",
        _edit,
        "Let the item ID say TEXT, or hold what the options give. It stays the same item, and `clew log` tells both."
        "\n\nWhen something else was decided, `clew supersede` is meant. TEXT - is read from stdin.",
        _ITEM,
        click.argument("text", metavar="[TEXT…]", nargs=-1),
        _text_option("--why", "Another reason.", default=None),
        _text_option("--owner", "Another owner.", "NAME", default=None),
        _text_option("--until", "Put off until then.", "WHEN", default=None),
        _text_option("--status", "Of a file or a hypothesis: how it stands now.", "WORD", default=None),
        click.option("--blocking/--no-blocking", default=None, help="Whether work waits for the answer."),
        click.option("--lock/--unlock", "locked", default=None, help="Whether only a person may change it."),
    ),
}

"""Commands that record an item, and those that say something about one: a row of a table each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

import click

from clew.app.project.session import Outcome
from clew.app.record import item as items
from clew.app.record.note import NewNote, note
from clew.app.record.verbs import NOTED, TAGS
from clew.core.state.items import Kind
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import find_project, say, text_of
from clew.interfaces.cli.options import Decorator, recording_options


def _text_option(name: str, text: str, metavar: str = "TEXT", **more: Any) -> Decorator:
    return click.option(name, metavar=metavar, help=text, **{"default": "", **more})


_OPTIONS: Final[Mapping[str, Decorator]] = {
    "--why": _text_option("--why", "The reason: why, why it failed, or what would show it."),
    "--file": click.option(
        "--file",
        "files",
        metavar="PATH[:LINES]",
        type=click.Path(),
        multiple=True,
        help="A file that it is about; repeatable.",
    ),
    "--owner": _text_option("--owner", "Who should answer it or take care of it.", "NAME"),
    "--blocking": click.option("--blocking", is_flag=True, help="Work cannot go on before the question is answered."),
    "--lock": click.option("--lock", "locked", is_flag=True, help="From now on only a person may change it."),
    "--until": _text_option("--until", "Put off until then, in your words.", "WHEN"),
    "--status": _text_option("--status", "The status of a file or a hypothesis.", "WORD"),
    "--tag": click.option(
        "--tag",
        "tags",
        type=click.Choice(TAGS, case_sensitive=False),
        multiple=True,
        help="What kind of learning; repeatable.",
    ),
    "--guard": click.option(
        "--guard",
        metavar="PATTERN",
        multiple=True,
        help="A command, path or import that means trying it again: it gets a warning (docs/reference/gates.md).",
    ),
    "--task": _text_option("--task", "The task that it belongs to (default: the one bound here).", "T", default=None),
    "--key": _text_option("--key", "For programs: record only once per KEY.", "KEY"),
}
_TEXT: Final = click.argument("text", metavar="TEXT…", nargs=-1, required=True)
_TEXT_OR_NONE: Final = click.argument("text", metavar="[TEXT…]", nargs=-1)
_REASON: Final = _text_option("--why", "The reason.")
_ITEM: Final = click.argument("item", metavar="ID")


class ItemCommand(NamedTuple):
    """A command about items; `made` when it is asked for, since each has a dozen options."""

    run: Callable[..., None]
    help: str
    parameters: tuple[Decorator, ...]

    def made(self, name: str) -> click.Command:
        """The command, with the options of recording."""
        run = recording_options(partial(self.run))
        for parameter in reversed(self.parameters):
            run = parameter(run)
        return click.command(name, cls=CliCommand, help=self.help)(run)


def _note(kind: Kind, text: tuple[str, ...], *, dry_run: bool, **fields: Any) -> None:
    """Keep a note of `kind` and say what came of it. `fields` are those of `NewNote`."""
    say(note(find_project(dry_run=dry_run), NewNote(kind, text_of(text), **fields)))


def _learn(text: tuple[str, ...], topic: str, is_users: bool, always: bool, **fields: Any) -> None:
    if not (topic or is_users):
        if always:
            raise click.UsageError("--always needs --topic or --user")
        _note("learning", text, **fields)
        return
    if fields["files"] or fields["tags"] or fields["task"] is not None or fields["key"]:
        raise click.UsageError("--topic and --user go with --why alone: files are found in the text")
    from clew.interfaces.cli.memory import remember  # here: few facts are learned, and it loads the readers of files

    given = {name: fields[name] for name in ("why", "dry_run")}
    remember(text, topic=topic or "user", scope="user" if is_users else "project", pinned=always, **given)


def _change(do: Callable[..., Outcome], words: str, item: str, *, dry_run: bool, **given: Any) -> None:
    """Say something about an item by the verb `do`, which takes the text as `words` ("": it takes none)."""
    if words:
        text = given.pop("text")
        if do is items.supersede and bool(given["by"]) == bool(text):
            raise click.UsageError("give either TEXT or --by ID")
        given[words] = text_of(text)
    say(do(find_project(dry_run=dry_run), item, **given))


def _edit(item: str, text: tuple[str, ...], *, dry_run: bool, **fields: Any) -> None:
    given = {name: value for name, value in fields.items() if value is not None}
    given |= {"text": text_of(text)} if text else {}
    if not given:
        raise click.UsageError("give TEXT or an option")
    say(items.edit(find_project(dry_run=dry_run), item, given))


def _parameters(*names: str) -> tuple[Decorator, ...]:
    return (_TEXT, *(_OPTIONS[name] for name in ("--why", "--file", *names, "--task", "--key")))


def _noting(kind: Kind, text: str, *names: str) -> ItemCommand:
    """`clew note KIND` in one word, with some of its options."""
    return ItemCommand(partial(_note, kind), text, _parameters(*names))


def _changing(do: Callable[..., Outcome], text: str, *parameters: Decorator, words: str = "") -> ItemCommand:
    return ItemCommand(partial(_change, do, words), text, (_ITEM, *parameters))


COMMANDS: Final[Mapping[str, ItemCommand]] = {
    "note": ItemCommand(
        _note,
        "Record TEXT as an item of KIND; TEXT - is read from stdin.\n\n"
        "KIND is goal, decision, deferral, failed (an approach), hypothesis, constraint, reminder, assumption, "
        "finding, question, risk, blocker, file (TEXT is its path), next (action) or learning. The first line is the "
        "item, further lines are added to its reason. A new goal or next action replaces the previous one. Recording "
        "the same note again adds nothing.",
        (
            click.argument("kind", metavar="KIND", type=click.Choice(list(NOTED))),
            *_parameters("--owner", "--blocking", "--lock", "--until", "--status", "--tag", "--guard"),
        ),
    ),
    "decide": _noting(
        "decision",
        "Record the decision TEXT, with --why the reason; with --lock only a person may change it.",
        "--lock",
    ),
    "reject": _noting(
        "failed",
        "Record that TEXT was tried and failed, with --why (ideally the actual error), so that nobody tries it again.",
        "--guard",
    ),
    "learn": ItemCommand(
        _learn,
        "Record a fact that other tasks can use, TEXT, with a --tag for its kind. It waits for "
        "triage (`clew memory triage`); with --topic or --user it goes into memory at once.",
        (
            _text_option("--topic", "Put it into memory at once, under this topic.", "TOPIC"),
            click.option(
                "--user", "is_users", is_flag=True, help="Put it into your own memory, which applies to all projects."
            ),
            click.option("--always", is_flag=True, help="Give it to every session (with --topic or --user)."),
            *_parameters("--tag"),
        ),
    ),
    "ask": _noting(
        "question",
        "Record the question TEXT, who should answer it (--owner), and whether it blocks work (--blocking).",
        "--owner",
        "--blocking",
    ),
    "next": _noting(
        "next", "Record TEXT as the next action, ideally with --file PATH:LINES; it replaces the previous one."
    ),
    "answer": _changing(
        items.answer,
        "Answer the question ID; TEXT - is read from stdin.\n\n"
        "An agent may answer a question that does not wait for a person; its answer is shown as a claim.",
        _TEXT,
        words="text",
    ),
    "resolve": _changing(
        items.resolve,
        "Mark the item ID as over, with its outcome; OUTCOME - is read from stdin.",
        click.argument("text", metavar="[OUTCOME…]", nargs=-1),
        words="outcome",
    ),
    "supersede": _changing(
        items.supersede,
        "Replace the item ID with TEXT, a new item of the same kind, or with --by an existing one.\n\n"
        "The new one inherits the old one's files, owner, lock and pin. TEXT - is read from stdin.",
        _TEXT_OR_NONE,
        _text_option("--by", "An existing item to replace it with.", "ID"),
        _REASON,
        words="text",
    ),
    "retract": _changing(
        items.retract,
        "Retract the item ID: it was wrong, or should not have been recorded. `clew log` still shows it.\n\n"
        "To remove something that must not be stored at all (a secret), use `clew redact`.",
        _REASON,
    ),
    "restore": _changing(items.restore, "Bring back the item ID, which was retracted, superseded or resolved."),
    "pin": _changing(
        items.pin, "Pin the item ID: no document shortens it or leaves it out. Only a person can unpin it."
    ),
    "unpin": _changing(items.unpin, "Unpin the item ID. Only a person may."),
    "edit": ItemCommand(
        _edit,
        "Reword the item ID to TEXT, or change what the options name. It stays the same item; `clew log` shows both."
        "\n\nIf the decision itself changed, use `clew supersede`. TEXT - is read from stdin.",
        (
            _ITEM,
            _TEXT_OR_NONE,
            _text_option("--why", "Another reason.", default=None),
            _text_option("--owner", "Another owner.", "NAME", default=None),
            _text_option("--until", "Put off until then.", "WHEN", default=None),
            _text_option("--status", "The new status of a file or a hypothesis.", "WORD", default=None),
            click.option("--blocking/--no-blocking", default=None, help="Whether work waits for the answer."),
            click.option("--lock/--unlock", "locked", default=None, help="Whether only a person may change it."),
        ),
    ),
}

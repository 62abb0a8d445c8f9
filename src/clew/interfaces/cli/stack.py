"""`clew stack`: what a session needs to know, from files, git, commands and memory, in one text within a budget."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from clew import wiring
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import Outcome
from clew.app.stack.build import (
    StackBuild,
    StackChanges,
    StackList,
    StackSources,
    changes,
    list_stacks,
    stack_sources,
    use_stack,
)
from clew.app.stack.build import build as built
from clew.app.stack.build import replay as replayed
from clew.app.stack.stack_file import AddedSource, NewStack, add_source, new_stack, remove_source, stack_text, written
from clew.core.state.events import timestamp
from clew.core.text.cleaning import clean, in_columns, one_line
from clew.interfaces.cli.asking import revise
from clew.interfaces.cli.delivery import Delivery, delivery_options
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import aside, count, find_project, here, present, recording, remark, say_notes, text_of
from clew.interfaces.cli.options import json_option, wants_json
from clew.interfaces.cli.screen import show_table
from clew.interfaces.cli.waiting import Waiting

# The text was made, and something that belongs into it could not be had.
EXIT_PARTIAL = 3

command = Group(
    "stack",
    help="""Put together what a session needs to know: files, diffs, memory, commands, in one text within a budget.

A stack is a file, `.clew/stacks/NAME.toml`; its last output is locked, and can be replayed
(docs/reference/stacks.md).
""",
)


def _set(function: Any) -> Any:
    return click.option("--set", "values", metavar="NAME=VALUE", multiple=True, help="A value for snippets.")(function)


@command.command("new", short_help="Create a stack.")
@click.argument("name")
@click.option("--title", default="", help="What it is about: the heading of its text.")
@click.option("--budget", metavar="N", type=click.IntRange(min=0), default=0, help="At most N tokens.")
@json_option()
def new(name: str, title: str, budget: int) -> None:
    """Create the stack NAME: a file with no source yet."""
    made = new_stack(locate(here()).root, name, title=title, budget=budget)
    present(NewStack(made.name, str(made.path), made.title, made.budget), _tell_new)


def _tell_new(made: NewStack) -> None:
    print(f"Began the stack {made.stack}: {made.path}")
    remark(f"next: clew stack add {made.stack} files README.md 'src/**'")


@command.command("add", short_help="Add a source to a stack.")
@click.argument("name")
@click.argument("kind")
@click.argument("words", nargs=-1)
@click.option(
    "--key",
    "keys",
    metavar="KEY=VALUE",
    multiple=True,
    help="A key of its kind; separate the values of a list with commas.",
)
@click.option("--name", "called", metavar="NAME", default="", help="The source's name.")
@click.option("--budget", metavar="N", type=click.IntRange(min=0), help="At most N tokens of it.")
@click.option("--priority", metavar="N", type=int, help="Higher numbers get room first.")
@click.option(
    "--trim", type=click.Choice(["head", "tail", "outline"]), help="What to keep where all of it is too much."
)
@json_option()
def add(
    name: str,
    kind: str,
    words: tuple[str, ...],
    keys: tuple[str, ...],
    called: str,
    budget: int | None,
    priority: int | None,
    trim: str | None,
) -> None:
    """Add a source of a KIND to the stack NAME: files PATHS, git-diff [BASE], git-log [RANGE], git-show [COMMIT],
    snippet NAME, memory [TOPIC], payload, command LINE, pdf FILE, github ISSUES, notion PAGE, url ADDRESS, text -
    (from stdin, with --key origin=…).
    """
    common = {"name": called, "budget": budget, "priority": priority, "trim": trim}
    said = _pairs(keys, "--key") | {key: str(value) for key, value in common.items() if value not in (None, "")}
    if kind == "text":
        words = (clean(text_of(words)),) if words else ()
        said = {"date": timestamp(wiring.ports().now_ms())[:10], **said}
    stack, entry = add_source(locate(here()).root, name, kind, words, said)
    present(AddedSource(stack.name, len(stack.entries), entry.name, kind, entry.table), _tell_added)


def _tell_added(added: AddedSource) -> None:
    print(f"Added source {added.number} to {added.stack}: {one_line(clean(added.source))}")
    if added.kind == "command":
        remark("note: Nothing runs it before a person trusts it: `clew trust`.")
    remark(f"next: clew stack build {added.stack} --dry-run")


@command.command("edit", short_help="Edit a stack's file in your editor.")
@click.argument("name")
@click.argument("text", metavar="[-]", required=False)
def edit(name: str, text: str | None) -> None:
    """Open the file of the stack NAME in $VISUAL or $EDITOR and keep what is saved. With - it is read from stdin.

    An invalid file is not saved, and neither are your changes if somebody else changed the file meanwhile.
    """
    root = locate(here()).root
    before = stack_text(root, name)
    after = revise(before, text, command=f"clew stack edit {name}", suffix=".toml")
    if after is None:
        remark("note: Nothing was changed.")
        return
    stack = written(root, name, after, before=before)
    print(f"Saved the stack {stack.name}: {count(len(stack.entries), 'source')}")
    remark(f"next: clew stack build {stack.name} --dry-run")


@command.command("remove", short_help="Take a source out of a stack.")
@click.argument("name")
@click.argument("which", metavar="NUMBER|NAME")
def remove(name: str, which: str) -> None:
    """Take the source with this NUMBER or NAME out of the stack NAME."""
    stack, entry = remove_source(locate(here()).root, name, which)
    print(f"Took {one_line(clean(entry.name))} out of {stack.name}: {count(len(stack.entries), 'source')} left.")


@command.command("list", short_help="List the stacks here.")
@json_option()
def list_() -> None:
    """List the stacks of this project, with what their last build took."""
    present(list_stacks(here()), _list)


def _list(found: StackList) -> None:
    rows = []
    for one in found.stacks:
        built = "never built" if one.tokens is None else f"{one.tokens:,} tokens, {one.built_at[:16].replace('T', ' ')}"
        sources = "cannot be used" if one.problem else count(one.sources, "source")
        rows.append((one.name, sources, built, one.problem or one.title))
    show_table(("Stack", "Sources", "Last build", "Title"), rows, spare=(2, 1))
    if not rows:
        remark("note: There is no stack here yet; `clew stack new NAME` creates one.")


@command.command("show", short_help="Show what a stack names.")
@click.argument("name")
@json_option()
def show(name: str) -> None:
    """Show the sources of the stack NAME as its file says, with the tokens of the last build. Fetches nothing."""
    present(stack_sources(here(), name), _show)


def _show(stack: StackSources) -> None:
    rows = []
    for number, one in enumerate(stack.sources, start=1):
        said = [f"at most {one.budget:,}"] * bool(one.budget) + [f"priority {one.priority}"] * bool(one.priority)
        tokens = "-" if one.tokens is None else f"{one.tokens:,}"
        rows.append((str(number), tokens, ", ".join([*said, one.trim, *["off"] * one.off]), one.name))
    aside(
        f"{in_columns(stack.title)}: at most {f'{stack.budget:,} tokens' if stack.budget else 'stack.budget_tokens'}."
    )
    show_table(("No.", "Tokens", "Held to", "Source"), rows, spare=(2,))


@command.command("build", short_help="Build a stack's text.")
@click.argument("name")
@click.option("--budget", metavar="N", type=click.IntRange(min=1), help="At most N tokens.")
@_set
@click.option("--dry-run", is_flag=True, help="Show what it would contain; print and save nothing.")
@delivery_options(file=True)
def build(to: Delivery, name: str, budget: int | None, values: tuple[str, ...], dry_run: bool) -> None:
    """Fetch what the stack NAME names, trim it to its budget, look for secrets, and print the text. The report goes to
    stderr. If a secret is found, nothing is printed or saved.

    Exits with 3 if a source was not available; the text says which.
    """
    if dry_run and (to.exit != "stdout" or to.allow):
        raise click.UsageError("--dry-run lets nothing leave: it cannot be combined with a way out or --allow")
    with Waiting("Building the stack:") as waiting:
        found = built(
            find_project(dry_run=dry_run),
            wiring.stacks(),
            name,
            exit=to.exit,
            budget=budget or 0,
            variables=_pairs(values, "--set"),
            allow=to.allow,
            why=to.why,
            at=waiting.at,
        )
    say_notes(found.notes)
    if dry_run:
        present(found, partial(_report, say=print))
    else:
        if not wants_json():
            _report(found, say=aside)
        to.give(found, counted=found.counter, scans=False)
    if found.missing:
        raise SystemExit(EXIT_PARTIAL)


@command.command("replay", short_help="Print the text of the last build again.")
@click.argument("name")
@delivery_options(file=True)
def replay(to: Delivery, name: str) -> None:
    """Print the text of the stack NAME exactly as its lock has it, from stored contents. It is scanned for secrets
    again.
    """
    found = replayed(find_project(), name, exit=to.exit, allow=to.allow, why=to.why)
    say_notes(found.notes)
    to.give(found, counted=found.counter, scans=False)


@command.command("diff", short_help="Show what changed since the last build.")
@click.argument("name")
@_set
@json_option()
def diff(name: str, values: tuple[str, ...]) -> None:
    """Fetch what the stack NAME names; show which sources, and which of their files, differ from the lock."""
    with Waiting("Comparing the stack:") as waiting:
        found = changes(find_project(), wiring.stacks(), name, variables=_pairs(values, "--set"), at=waiting.at)
    present(found, _tell_changes)


def _tell_changes(found: StackChanges) -> None:
    for one in found.sources:
        print(f"{one.what:<8} {in_columns(one.name + (f': {one.said}' if one.said else ''))}")
        for sign, names in (("+", one.added), ("~", one.changed), ("-", one.removed)):
            for part in names:
                print(f"  {sign} {in_columns(part)}")
    changed = sum(one.what != "same" for one in found.sources)
    aside(f"{changed} of {count(len(found.sources), 'source')} changed.")


@command.command("use", short_help="Put a stack before a task's payload.")
@click.argument("name", required=False, default="")
@click.argument("task", required=False, default="")
@click.option("--none", "no_stack", is_flag=True, help="Use none (then the argument is TASK).")
@recording
def use(project: ProjectHandle, name: str, task: str, no_stack: bool) -> Outcome:
    """Put the stack NAME before the payload of TASK, or of the task that is bound here, whenever `clew resume` prints
    it.
    """
    if no_stack:
        name, task = "", name
    elif not name:
        raise click.UsageError("name a stack, or say --none")
    return use_stack(project, name, task)


def _report(found: StackBuild, *, say: Callable[[str], None]) -> None:
    """What is in the text, and what is not."""
    width = max((len(f"{one.tokens:,}") for one in found.sources), default=1)
    for one in found.sources:
        of, told = (f", of {one.whole_tokens:,}", f"({one.trimmed})") if one.trimmed else ("", "")
        say(f"{one.tokens:>{width},}  {in_columns(f'{one.name}{of}', told)}")
    for gone in found.missing:
        say(in_columns("missing", f"{gone.name}: {gone.message}", f"[{gone.code}]"))
    say(f"{found.tokens:,} of {found.budget:,} tokens ({found.counter}); looked for secrets: {found.engine}.")


def _pairs(said: tuple[str, ...], option: str) -> dict[str, str]:
    found = {}
    for one in said:
        name, sign, value = one.partition("=")
        if not sign or not name:
            raise click.UsageError(f"{option} takes NAME=VALUE, not {one!r}")
        found[name] = value
    return found

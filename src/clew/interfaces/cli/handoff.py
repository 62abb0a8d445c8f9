"""`clew handoff`: hand over what is worked on, reviewed by whoever asks."""

from __future__ import annotations

import click

from clew import wiring
from clew.app.handoff.make import Made, make
from clew.core.text.cleaning import clean, one_line
from clew.documents.profiles import PROFILES
from clew.interfaces.cli.encode import encoded
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.here import aside, count, here, remark, say_notes
from clew.interfaces.cli.keys import at_terminal
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.reviewing import by_editor, by_keys
from clew.interfaces.cli.waiting import Waiting


@click.command("handoff", cls=Command)
@click.argument("task", metavar="[TASK]", required=False, default="")
@click.option("--to", "receiver", metavar="NAME", default="", help="To whom it goes; the profile is `team` then.")
@click.option("--profile", type=click.Choice(sorted(PROFILES)), help="Which document (default: handoff, or team).")
@click.option("--budget", metavar="N", type=int, help="At most N tokens (estimated; the profile has a default).")
@click.option("--edit", is_flag=True, help="Review it in your editor (EDITOR), and not key by key.")
@click.option("--yes", is_flag=True, help="Without a review; the text says that nobody reviewed it.")
@click.option("--commit", is_flag=True, help="Commit exactly the files that were made.")
@click.option("--dry-run", is_flag=True, help="Review and print it; keep and write nothing.")
@json_option()
def command(
    task: str,
    receiver: str,
    profile: str | None,
    budget: int | None,
    edit: bool,
    yes: bool,
    commit: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Hand over TASK, or what is worked on here: from the newest hand-off that an agent wrote and clew proved, else
    from what rules read off the record.

    At a terminal you review it first: each entry with the verdict of its proof, one key for each that is to change.
    What you cut, edit, pin or add is recorded as your word. Then it lies in `.clew/HANDOFF.md`, and is archived in
    `.clew/handoffs` (docs/reference/handoffs.md).
    """
    if edit and yes:
        raise click.UsageError("--edit reviews it, and --yes does not")
    curate = by_editor if edit else by_keys if at_terminal() and not (yes or as_json) else None
    ports = wiring.ports()
    with Waiting("Making the hand-off") if curate is None else Waiting("", after_s=1e9):
        made = make(
            ports,
            here(),
            profile=profile or ("team" if receiver else "handoff"),
            task=task,
            receiver=receiver,
            budget_tokens=budget,
            curate=curate,
            commit=commit,
            dry_run=dry_run,
        )
    if made is None:
        aside("Nothing was made.")
        return
    if as_json:
        print(encoded("handoff", made))
        return
    print(made.handoff.text, end="")
    _say(made)


def _say(made: Made) -> None:
    """What was made, for the person, on stderr: what a pipe reads is the hand-off."""
    say_notes(made.notes)
    for one in made.findings:
        remark(f"lint: {one.line}: {one.rule}: {one_line(clean(one.message))}")
    did = {name: sum(one.did == name for one in made.changes) for name in ("cut", "edited", "pinned", "added")}
    changed = ", ".join(f"{number} {name}" for name, number in did.items() if number)
    began = f"began with the draft {made.handoff.draft[:6]}" if made.handoff.draft else "made by rules"
    who = f"reviewed by {made.handoff.reviewer}" if made.handoff.reviewer else "unreviewed"
    told = f"{made.kept} kept" + (f", {changed}" if changed else "")
    if made.dry_run:
        aside(f"Dry run, nothing was kept: {made.tokens} tokens (estimated), {began}, {told}.")
        return
    aside(f"Handed over as {made.shown}: {made.tokens} tokens (estimated), {began}, {told}; {who}.")
    written = count(sum(one.did != "same" for one in made.placed), "file")
    aside(f"It is in .clew/HANDOFF.md and {made.path}; {written} written.")
    if made.commit:
        aside(f"Committed: {made.commit[:10]}.")

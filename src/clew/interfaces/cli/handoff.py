"""`clew handoff`: hand over what is worked on, reviewed by whoever asks."""

from __future__ import annotations

from collections.abc import Sequence

import click

from clew.app.handoff.make import Draftlike, Made, make
from clew.app.handoff.review import KEYS, Choice, ReviewState, Row, edits_in
from clew.core.text.cleaning import clean, one_line, shorten
from clew.documents.profiles import PROFILES
from clew.documents.read_back import profile_in
from clew.interfaces.cli.asking import ask_each, at_terminal, edited, typed
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import aside, count, find_project, present, remark, say_notes
from clew.interfaces.cli.options import json_option, wants_json
from clew.interfaces.cli.waiting import Waiting

_PROOF_CHARS = 60
_KEYS = "[a]ccept [c]ut [e]dit [p]in [g]ate [A]ll the rest [u]ndo [q]uit"


def by_keys(draft: Draftlike) -> list[Choice] | None:
    """What the person chose, key by key; None if they left."""
    review = ReviewState(draft.rows)
    _show_rows(draft.rows)
    if not draft.rows:
        return []
    aside(f"{len(draft.rows)} entries. A number selects one; A accepts all the rest and writes it; ? lists the keys.")

    def press(key: str) -> str:
        meant = review.press(key)
        if meant == "chosen":
            aside("")
        return review.edited(typed(f"{review.row.number}:", review.row.item.text)) if meant == "edit" else meant

    if not ask_each(lambda: f"{_question(review.row)}  {_KEYS}: ", press, KEYS):
        return None
    aside(f"Reviewed with {review.keys} keys.")
    return review.result()


def by_editor(draft: Draftlike) -> list[Choice] | None:
    """What the person did in an editor to the hand-off with its ids; None if it was not saved, or is empty."""
    text = edited(draft.with_ids.text)
    if text is None or not text.strip():
        return None
    shape = profile_in(draft.with_ids.text) or PROFILES["handoff"]
    return edits_in(draft.with_ids, text, shape, draft.found.state.items)


def _show_rows(rows: Sequence[Row]) -> None:
    """The entries with their numbers and verdicts, under their headings."""
    heading = ""
    for row in rows:
        if row.heading != heading:
            heading = row.heading
            aside(f"\n{heading}")
        aside(_row_line(row))
    aside("")


def _row_line(row: Row) -> str:
    why = f" — {row.item.why}" if row.item.why else ""
    proof = shorten(one_line(row.proof), _PROOF_CHARS)
    return one_line(clean(f"{row.number:>3} {row.mark} {row.item.kind}: {row.item.text}{why} ({proof})"))


def _question(row: Row) -> str:
    return shorten(f"{row.number} {row.mark} {one_line(clean(row.item.text))}", 70)


@click.command("handoff", cls=CliCommand)
@click.argument("task", metavar="[TASK]", required=False, default="")
@click.option("--to", "receiver", metavar="NAME", default="", help="Who it is for; the profile is then `team`.")
@click.option("--profile", type=click.Choice(sorted(PROFILES)), help="Which document (default: handoff, or team).")
@click.option("--budget", metavar="N", type=int, help="At most N tokens (estimated; the profile has a default).")
@click.option("--edit", is_flag=True, help="Review it in your editor (EDITOR) instead of key by key.")
@click.option("--yes", is_flag=True, help="Skip the review; the text says that nobody reviewed it.")
@click.option("--commit", is_flag=True, help="Commit exactly the files that were written.")
@click.option("--dry-run", is_flag=True, help="Review and print it; write nothing.")
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
) -> None:
    """Hand over TASK, or the current work: from the newest hand-off that an agent wrote and clew checked, else from
    what rules extract from the record.

    At a terminal you review it first: each entry with its verdict, one key for each that you want to change.
    What you cut, edit, pin or add is recorded as your word. Then it is written to `.clew/HANDOFF.md`, and archived in
    `.clew/handoffs` (docs/reference/handoffs.md).
    """
    if edit and yes:
        raise click.UsageError("--edit reviews it, and --yes does not")
    curate = by_editor if edit else by_keys if at_terminal() and not (yes or wants_json()) else None
    with Waiting("Making the hand-off") if curate is None else Waiting("", after_s=1e9):
        made = make(
            find_project(dry_run=dry_run),
            profile=profile or ("team" if receiver else "handoff"),
            task=task,
            receiver=receiver,
            budget_tokens=budget,
            curate=curate,
            commit=commit,
        )
    if made is None:
        aside("Nothing was made.")
        return
    present(made, _say)


def _say(made: Made) -> None:
    """The hand-off, and on stderr, for the person, what was made: what a pipe reads is the hand-off."""
    print(made.handoff.text, end="")
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
    aside(f"Handed over as {made.handoff.short_id}: {made.tokens} tokens (estimated), {began}, {told}; {who}.")
    written = count(sum(one.did != "same" for one in made.files), "file")
    aside(f"It is in .clew/HANDOFF.md and {made.path}; {written} written.")
    if made.commit:
        aside(f"Committed: {made.commit[:10]}.")

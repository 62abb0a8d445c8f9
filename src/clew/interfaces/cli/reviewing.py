"""Reviewing a hand-off at the terminal: the list of its entries, then one key for each that is to change."""

from __future__ import annotations

from collections.abc import Sequence

from clew.app.handoff.make import Draftlike
from clew.app.handoff.review import KEYS, Choice, Review, Row, edits_in
from clew.core.text.cleaning import clean, one_line, shorten
from clew.documents.profiles import PROFILES
from clew.documents.read_back import profile_in
from clew.interfaces.cli.here import aside
from clew.interfaces.cli.keys import edited, pressed, typed

_PROOF_CHARS = 60


def by_keys(draft: Draftlike) -> list[Choice] | None:
    """What the person chose, key by key; None if they left."""
    review = Review(draft.rows)
    show(draft.rows)
    if not draft.rows:
        return []
    aside(f"{len(draft.rows)} entries. A number chooses one; A accepts all the rest and makes it; ? tells the keys.")
    while True:
        key = pressed(f"{_asked(review.row)}  [a]ccept [c]ut [e]dit [p]in [g]ate [A]ll the rest [u]ndo [q]uit: ")
        meant = review.press(key)
        if meant == "edit":
            meant = review.edited(typed(f"{review.row.number}:", review.row.item.text))
        if meant == "quit":
            return None
        if meant == "done":
            aside(f"Reviewed with {review.keys} keys.")
            return review.result()
        if meant == "help":
            aside("\n".join(f"  {name}  {words}" for name, (_, words) in KEYS.items()))
        elif meant == "chosen":
            aside("")
        elif not meant:
            aside("That key means nothing here; ? tells the keys.")


def by_editor(draft: Draftlike) -> list[Choice] | None:
    """What the person did in an editor to the hand-off with its ids; None if it was not saved, or is empty."""
    text = edited(draft.with_ids.text)
    if text is None or not text.strip():
        return None
    shape = profile_in(draft.with_ids.text) or PROFILES["handoff"]
    return edits_in(draft.with_ids, text, shape, draft.found.state.items)


def show(rows: Sequence[Row]) -> None:
    """The entries with their numbers and verdicts, under their headings."""
    heading = ""
    for row in rows:
        if row.heading != heading:
            heading = row.heading
            aside(f"\n{heading}")
        aside(_told(row))
    aside("")


def _told(row: Row) -> str:
    why = f" — {row.item.why}" if row.item.why else ""
    proof = shorten(one_line(row.proof), _PROOF_CHARS)
    return one_line(clean(f"{row.number:>3} {row.mark} {row.item.kind}: {row.item.text}{why} ({proof})"))


def _asked(row: Row) -> str:
    return shorten(f"{row.number} {row.mark} {one_line(clean(row.item.text))}", 70)

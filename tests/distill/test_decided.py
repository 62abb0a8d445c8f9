"""What the user decided about a proposal: told without that, it would be carried out as it was put forward."""

from __future__ import annotations

from clew.core.items import Item
from tests.builders import Piece, ask, delegate, distilled, edit, prompt, reply

LAST = reply("The receipt in `receipt.py` prints what was agreed on, and nothing beside that is open.")


def holding(text: str, *pieces: Piece) -> list[Item]:
    return [item for item in distilled(*pieces).items if text in item.text]


def test_a_point_that_the_user_gave_another_figure_is_gone() -> None:
    """Seen: "Session id: the first 8 characters only" stood beside "let's do 5..5 characters for the session"."""
    asked = prompt("How should `receipt.py` look?")
    points = "- Receipt number: the first 8 digits of `receipt_id` only\n- Label width: 40 columns in `label.py`"
    proposal = reply(f"I suggest:\n\n{points}")
    said = ask("Does this look good?", ("Yes", "No"), "let's print 5 digits of the receipt number")
    assert not holding("first 8 digits", asked, proposal, said, LAST)
    assert holding("40 columns", asked, proposal, said, LAST), "nobody spoke of the width"
    for same in (
        "the number of the receipt has 8 digits, yes",
        "go on with 5 of them",
        "take the digits of the receipt number like that, and ship it as 2.0",
        "Yes, print the receipt number digits as in 2.0",
    ):
        said = ask("Does this look good?", ("Yes", "No"), same)
        assert holding("first 8 digits", asked, proposal, said, LAST), same


def test_what_stands_under_an_option_that_was_not_taken_is_declined() -> None:
    """Torn off its heading a line of it reads as advice."""
    report = """Here are the options.

## Option A: paper roll
Use the `Roll` that is there:
- Keep the `Roll` printer as it is now

## Option B: electronic receipt
Send it with the `Mailer` instead of printing, which is slow:
- Take the `Mailer` that the shop has had for years
"""
    labels = ("Paper roll", "Electronic receipt (recommended)")
    pieces = (prompt("Which receipt?"), delegate("Explore", report), ask("Which one?", labels, "Paper roll"), LAST)
    (taken,) = holding("Keep the `Roll`", *pieces)
    (other,) = holding("Take the `Mailer`", *pieces)
    assert ("", "declined") == (taken.status, other.status)


def test_what_was_made_is_not_declined_by_a_later_choice_of_what_comes_next() -> None:
    """Finished work would be told as turned down because its title is that of an option."""
    made = edit("labels.py")
    report = reply("Done.\n\n## Label printer\nThe module `labels.py` rounds to cents because `total` did so twice.")
    choice = ask("What next?", ("Label printer", "Rename the module"), "Rename the module")
    for between in ((prompt("thanks. what else is there"), reply("Several things.")), (edit("cart.py"),)):
        (found,) = holding("rounds to cents", prompt("Build the shop"), made, report, *between, choice, LAST)
        assert found.status != "declined"

"""What the agent itself wrote down as its state: found, checked against what came after it, marked as found."""

from __future__ import annotations

import pytest

from clew.core.state.items import Item
from tests.builders import Piece, distilled, edit, plan, prompt, reply, run, summary

NOTES = """# Where the cart stands

## Decisions
- `Cart.total` rounds once, at the end of the bill

## Next
- Give the `Mailer` a retry of its own

## Verified
- `make test` passed with the new rows

## Open questions
- Whether `LabelPrinter` may wait for the till
"""
ASKED, END = prompt("Write a handoff doc and then we clear the session"), reply("It is written down.")


def found(*pieces: Piece, under: str) -> dict[str, Item]:
    """The lines that came from the text of a name, by what they say."""
    return {item.text: item for item in distilled(*pieces).items if item.label.startswith(under)}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("NOTES.md", "NOTES.md"),
        ("docs/cart.md", "docs/cart.md"),
        ("/home/ada/shop-handoff.md", "../shop-handoff.md"),
        ("/home/ada/.notes/status.md", "status.md"),
    ],
)
def test_a_document_of_the_state_is_read_by_its_sections(path: str, name: str) -> None:
    """By its name, or because the request asked for one; each point is told as what its heading calls it. No path of a
    machine stands in front of it.
    """
    lines = found(ASKED, edit(path, NOTES), END, under=f"From {name} (found, 10:00 UTC)")
    assert {text: item.kind for text, item in lines.items()} == {
        "`Cart.total` rounds once, at the end of the bill": "decision",
        "Give the `Mailer` a retry of its own": "next",
        "`make test` passed with the new rows": "note",
        "Whether `LabelPrinter` may wait for the till": "question",
    }
    assert {item.provenance for item in lines.values()} == {"agent"}


def test_what_came_after_a_document_takes_its_points_away() -> None:
    """The writer could not know it."""
    later = (prompt("Go on"), edit("mailer.py", "class Mailer:\n    retry = 3\n", "class Mailer: ..."), END)
    lines = found(ASKED, edit("cart.py"), edit("NOTES.md", NOTES), END, *later, under="From NOTES.md")
    assert "Give the `Mailer` a retry of its own" not in lines
    assert "Whether `LabelPrinter` may wait for the till" in lines


def test_a_document_that_much_work_came_after_is_old() -> None:
    """Its state is that of another day."""
    work = [piece for n in range(3) for piece in (prompt(f"Now write part {n} of it"), edit(f"p{n}.py"), END)]
    assert not found(ASKED, edit("NOTES.md", NOTES), END, *work, under="From NOTES.md")


def test_documents_of_the_product_are_none_of_the_state() -> None:
    """They tell its users what it does."""
    assert not found(prompt("Describe it"), edit("README.md", NOTES), END, under="From README.md")
    assert not found(prompt("Describe it"), edit("docs/cart.md", NOTES), END, under="From docs/cart.md")


def test_the_goal_never_comes_from_a_summary() -> None:
    """The user's own words are on record."""
    told = summary("1. Primary Request:\n   Rewrite the whole shop\n\n7. Pending Tasks:\n   - Print both `columns`")
    state = distilled(prompt("Print the receipt in two columns"), edit("r.py"), told, reply("I go on with `columns`."))
    assert [item.text for item in state.items if item.kind == "goal"] == ["Print the receipt in two columns"]
    assert not any("Rewrite the whole shop" in item.text for item in state.items)


def test_of_a_plan_that_was_carried_out_stays_what_nobody_did() -> None:
    """Its other steps would be done a second time."""
    steps = "# Round once\n\n1. Round in `Cart.total` at the end\n2. Try `LabelPrinter` by hand with a long bill"
    pieces = (prompt("Plan it"), plan(steps), edit("cart.py", "class Cart:\n    def total(self): ..."), END)
    assert list(found(*pieces, under="Of the plan, not seen done")) == ["Try `LabelPrinter` by hand with a long bill"]


def test_the_body_of_a_pull_request_is_told_where_the_last_message_is_short() -> None:
    """It is the best report of the work; a full last message says it again."""
    command = "gh pr create --title 'Round once' --body 'The `Cart.total` rounds at the end of the whole bill.'"
    opened = run(command, "https://example.org/pull/3\n")
    under = "The pull request's description"
    assert found(prompt("Open it"), opened, reply("Opened it."), under=under)
    full = reply("The shop rounds at the end of the bill now. " * 20)
    assert not found(prompt("Open it"), opened, full, under=under)


def test_a_reason_given_on_the_way_is_a_decision() -> None:
    """It outlives its session; what was only seen does not."""
    why = "The `Mailer` keeps its own queue, because the `till` must not wait for it."
    seen = "The `Mailer` has two classes of messages at the moment."
    state = distilled(prompt("Mend it"), run("ls"), reply(why), run("ls"), reply(seen), run("ls"), END)
    assert [(item.kind, item.text) for item in state.items if "Mailer" in item.text] == [("decision", why)]

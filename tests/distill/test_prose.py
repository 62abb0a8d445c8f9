"""In what role a message is quoted: what was agreed to, what was only put forward."""

from __future__ import annotations

from tests.builders import Piece, distilled, edit, prompt, reply

LAST = reply("The receipt in `receipt.py` prints what was agreed on, and nothing beside that is open.")


def statuses(text: str, *pieces: Piece) -> list[str]:
    return [item.status for item in distilled(*pieces).items if text in item.text]


def test_a_yes_to_another_question_is_no_yes_to_the_first_proposal() -> None:
    """A rewrite that nobody wanted would be told as planned."""
    proposal = reply("We could rewrite `cart.py` in Rust, which I recommend. Want me to?\n\n- Move `total` first.")
    yes, asks = prompt("yes please"), prompt("what does the cache do?")
    other = reply("It keeps `total` per row. Shall I add a page about it in `docs/cache.md`?")
    same = reply("It keeps `total` per row, and stays as it is.")
    pieces = (prompt("Build the shop"), proposal, asks)
    assert statuses("rewrite `cart.py`", *pieces, other, yes, edit("docs/cache.md"), LAST) == ["proposed"]
    assert statuses("rewrite `cart.py`", *pieces, same, yes, edit("cart.rs"), LAST) == ["was planned"]

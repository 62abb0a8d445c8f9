"""What an agent thought and did not say: told where there is room, as thought."""

from __future__ import annotations

from clew.core.items import FILL_RANK
from clew.core.records import Thought
from tests.builders import Piece, distilled, edit, items, prompt, refused, reply, texts, thought

ASKED = prompt("Why does the sum stop?")
LAST = reply("`total` goes on behind a row without a price, and says which row that was.")


def thoughts(*pieces: Piece) -> list[str]:
    """What is told of a thought: one from before an edit as how things were then."""
    state = distilled(*pieces)
    mine = {record.text for piece in pieces for record in piece if isinstance(record, Thought)}
    return [item.text for item in state.items if item.status.endswith("thought") and item.place.quote in mine]


def test_what_was_wrong_often_stands_in_a_thought_alone() -> None:
    """The message at the end says what was done; why it had to be done is lost."""
    state = distilled(ASKED, thought("`total` stops without a word at a row without a price."), edit("sum.py"), LAST)
    found = [item for item in state.items if item.status == "earlier thought"]
    assert [item.text for item in found] == ["`total` stops without a word at a row without a price."]
    assert [(item.kind, item.provenance, item.rank >= FILL_RANK) for item in found] == [("finding", "agent", True)]


def test_what_is_thought_behind_the_last_edit_is_told_as_thought() -> None:
    """Nothing has overtaken it, and nobody was told of it."""
    state = distilled(ASKED, edit("sum.py"), thought("`Ledger.rows` reads the whole table into memory first."), LAST)
    assert [item.status for item in state.items if "into memory" in item.text] == ["thought"]


def test_what_a_thought_takes_back_is_not_told() -> None:
    """It was wrong when it was thought."""
    wrong = "`total` closes the table before its rows are read."
    right = "`rows` reads the whole table into memory first."
    for turned in (f"{wrong} Actually, no. {right}", f"{wrong}\n\nWait: {right} That is fine.\n\n{right}"):
        told = thoughts(ASKED, thought(turned), edit("sum.py"), LAST)
        assert (wrong in told, right in told) == (False, True), turned


def test_doubts_plans_and_the_users_words_are_not_told() -> None:
    """A thought that is taken back in the next one would be a false statement."""
    unsure = (
        "Maybe `total` rounds. Wait, `total` is exact. The user wants `total` to go on. "
        "Let me read `sum.py`. Does `total` skip rows? I think `tax` is wrong. It is likely that `rows` ends early. "
        "If `rows` ends early then `total` stops with it."
    )
    assert thoughts(ASKED, thought(unsure), edit("sum.py"), LAST) == []


def test_a_thought_is_no_decision_and_no_question() -> None:
    """By its words it would be one; nobody was told of it."""
    pieces = (
        ASKED,
        thought("The sum is in `Decimal` rather than in floats because `total` is money."),
        edit("sum.py"),
        LAST,
    )
    assert items(distilled(*pieces), "decision") == []
    assert thoughts(*pieces) == ["The sum is in `Decimal` rather than in floats because `total` is money."]


def test_what_was_said_is_not_told_as_thought_too() -> None:
    """An agent that thinks in the words of its answer would fill the room with them."""
    said = "`total` goes on behind a row without a price, and says which row that was."
    assert thoughts(ASKED, thought(said), edit("sum.py"), LAST) == []
    assert said in texts(distilled(ASKED, thought(said), edit("sum.py"), LAST))


def test_thoughts_of_what_was_refused_are_left_out() -> None:
    """The user said why it is wrong."""
    idea = thought("`total` has to raise at a row without a price.")
    for words in ((idea,), (idea, reply("Let me change that.")), (reply("I change `total` to raise there."), idea)):
        pieces = (ASKED, *words, refused(edit("sum.py"), "No, go on."), LAST)
        assert thoughts(*pieces) == []
        assert "change `total`" not in " ".join(texts(distilled(*pieces)))

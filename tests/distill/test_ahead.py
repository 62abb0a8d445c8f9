"""The one next action."""

from __future__ import annotations

import pytest

from tests.builders import Piece, distilled, edit, prompt, reply, run, texts

WORK: tuple[Piece, ...] = (prompt("Rename the metric in metrics.py"), edit("metrics.py"), run("make test", "ok\n"))


def next_texts(*pieces: Piece) -> list[str]:
    return texts(distilled(*pieces), "next")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Renamed.\n\n**Next:** update the board in ops/board.json.", "Next: update the board in ops/board.json."),
        ("All is renamed. Next: update the board in `board.json`.", "Next: update the board in `board.json`."),
        ("Renamed.\n\nWhat remains: the board in `board.json`.", "What remains: the board in `board.json`."),
        ("Renamed.\n\n## Next steps\n- Update `board.json`\n- Tell `ops` about it", "Update `board.json`"),
        ("Renamed.\n\n## Remaining\n\n- Update `board.json` for ops", "Update `board.json` for ops"),
        ("Renamed all. The board is not committed yet.", "Renamed all. The board is not committed yet."),
        ("Still to do for the board: `ops` and alarms.", "Still to do for the board: `ops` and alarms."),
        ("One thing before you install it: set `OPS_URL`.", "One thing before you install it: set `OPS_URL`."),
        ("Renamed.\n\nWant me to update `board.json` too?", "Want me to update `board.json` too?"),
        ("Renamed.\n\nIf you want, I can update `board.json` too.", "If you want, I can update `board.json` too."),
    ],
)
def test_what_the_last_message_calls_next_is_next(said: str, expected: str) -> None:
    """A document that says "none" sends the next session asking for what was said."""
    assert [expected] == next_texts(*WORK, reply(said))


@pytest.mark.parametrize(
    "said",
    [
        "All pushed. The only remaining change is `.mcp.json`, which has nothing to do with it.",
        "The next version of `metrics.py` reads both names.",
        "Nothing is left in `metrics.py`.",
    ],
)
def test_what_only_speaks_of_it_is_not_next(said: str) -> None:
    """Finished work would be begun again."""
    assert [] == next_texts(*WORK, reply(said))


def test_of_a_list_one_is_next_and_the_others_are_to_be_done() -> None:
    """Two next actions are none."""
    state = distilled(*WORK, reply("Renamed.\n\n## Next steps\n- Update `board.json`\n- Tell `ops` of the new name"))
    assert (texts(state, "next"), texts(state, "step")[-1:]) == (
        ["Update `board.json`"],
        ["Tell `ops` of the new name"],
    )


def test_an_offer_that_was_answered_is_not_next() -> None:
    """It was taken up or turned down."""
    offer = reply("Renamed.\n\nWant me to update `board.json` too?")
    assert [] == next_texts(*WORK, offer, prompt("no, leave the board alone"), reply("Left as it is."))


def test_a_question_at_the_end_is_what_waits() -> None:
    """Only the user can answer it, and nothing else can be done before."""
    state = distilled(
        *WORK, reply("Both names are read for now.\n\nWhich of the two names is to stay in `metrics.py`?")
    )
    assert ["Which of the two names is to stay in `metrics.py`?"] == texts(state, "next")


def test_a_request_that_stayed_unfinished_is_next() -> None:
    """Whoever goes on would ask the user for what the record tells."""
    committed = run("git commit -am x", "[main 1a2b3c4] Rename it\n 1 file changed\n")
    begun = prompt("Now rename it on the board of ops, too"), edit("board.json"), reply("Renamed there, it is green.")
    unfinished = "The latest request that is unfinished (edited): “Now rename it on the board of ops, too”"
    assert [unfinished] == next_texts(*WORK, committed, reply("Renamed."), *begun)
    assert [] == next_texts(*WORK, reply("Renamed."), *begun, committed, reply("Committed.")), "all is done"


def test_a_pull_request_that_is_open_is_next() -> None:
    """It waits for somebody, and nothing else does."""
    opened = run("gh pr create --title 'Rename it' --body x", "https://example.org/o/r/pull/7\n")
    committed = run("git commit -am x", "[main 1a2b3c4] Rename it\n 1 file changed\n")
    [text] = next_texts(*WORK, committed, opened, reply("It is up for review."))
    assert "https://example.org/o/r/pull/7" in text and "open" in text
    assert [] == next_texts(*WORK, committed, opened, run("gh pr merge 7", "Merged"), reply("It is merged."))

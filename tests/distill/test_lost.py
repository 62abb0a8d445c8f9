"""What a summary lost of the live items."""

from __future__ import annotations

from clew.core.items import Item, Kind, Place
from clew.distill.lost import lost


def item(kind: Kind, text: str, *, pinned: bool = False, answer: str = "") -> Item:
    place = Place("", -1, "")
    return Item(f"D-{text}", kind, text, "", "", "agent", (), place, 0, "", pinned=pinned, answer=answer)


def test_rules_reminders_and_pins_are_always_told_again() -> None:
    """A rule half remembered is a rule broken: whatever the summary says, they come back."""
    told = [
        item("constraint", "Keep the public API of till.refunds"),
        item("reminder", "Tell Ada before the release"),
        item("finding", "The cache is cold after a deploy", pinned=True),
    ]
    summary = " ".join(one.text for one in told)
    assert tuple(told) == lost(told, summary)


def test_a_decision_is_told_again_only_when_the_summary_lost_it() -> None:
    """What the summary holds is not said twice: room is what compaction is about."""
    kept = item("decision", "Amounts in till/refunds.py are integer cents")
    gone = item("decision", "The odd cent goes to the largest part, see split_odd")
    other = item("failed", "math.ceil on a float share")
    summary = "We decided that amounts in `till/refunds.py` are integer cents. Then the tests were mended."
    assert (gone, other) == lost([kept, gone, other], summary)


def test_a_name_alone_tells_nothing() -> None:
    """The file is named, what was decided about it is not."""
    decision = item("decision", "Round half even in till/refunds.py before totals are compared")
    assert (decision,) == lost([decision], "Edited till/refunds.py.")


def test_what_the_disk_and_the_last_messages_tell_is_left_out() -> None:
    """Files, checks and findings would fill the room that the compaction made; an answered question is over."""
    told = [
        item("file", "till/a.py"),
        item("finding", "It is slow"),
        item("question", "Which one?", answer="the first"),
    ]
    assert () == lost(told, "Nothing.")

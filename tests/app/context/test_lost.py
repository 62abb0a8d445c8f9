"""What a summary lost of the live items."""

from __future__ import annotations

from clew.app.context.compact import lost
from clew.core.state.items import Item, Kind, Place


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


def test_what_the_summary_tells_in_other_words_is_not_said_twice() -> None:
    """Line numbers are old and quotes are dress: what counts is whether the names and the words are there."""
    planned = item("decision", "`till/refunds.py:120-130`: set `CentSplit.largest_first` when shares are rounded")
    assert () == lost([planned], "refunds.py now sets largest_first on CentSplit while rounding the shares.")


def test_a_summary_that_holds_half_of_the_names_has_lost_the_rest() -> None:
    """One of two names alone would send the next session the wrong way."""
    planned = item("decision", "Resume through `SessionRef`, which `write_session` takes")
    assert (planned,) == lost([planned], "Sessions resume with what write_session takes.")


def test_what_clew_made_of_the_end_of_the_record_is_not_told_again() -> None:
    """The client keeps its last messages: "go on where the record stops" says nothing to a session that goes on."""
    made = item("next", "Go on where the record stops; last act: make test")._replace(provenance="inferred")
    said = item("next", "Fix the rounding in split_odd")
    assert (said,) == lost([made, said], "Nothing.")

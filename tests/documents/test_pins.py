"""Pins, locks and answers: what a person set by hand comes out of a document as it was set."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.errors import BudgetError
from clew.core.state.items import LETTERS, Item, Kind
from clew.core.text.tokens import estimate
from clew.documents.entry import NOWHERE
from clew.documents.parse import parse
from clew.documents.profiles import PROFILES, REHYDRATE, Profile
from clew.documents.read_back import parse_own
from clew.documents.render import BUDGET_TOKENS_MIN, View, render
from tests.documents.states import ORIGIN, item, view, views

LONG = "Keep the public API as it is, " + "and every parameter of it, " * 12 + "whatever the cart needs"


def crowded(*pinned: Item) -> View:
    """A state of which a small budget holds a part."""
    others = [item("decision", f"Decision {n} about the tide and its gauge", at=n, rank=1) for n in range(60)]
    return view(*others, *(one._replace(pinned=True) for one in pinned))


def test_a_pinned_item_is_neither_shortened_nor_left_out() -> None:
    """A pin that a small budget ignores is no pin."""
    document = render(crowded(item("constraint", LONG, at=99, rank=50)), REHYDRATE, 320)
    assert LONG in document.text
    assert estimate(document.text) <= 320


@given(views(), st.integers(BUDGET_TOKENS_MIN, 1500), st.data())
def test_pins_stand_in_full_or_the_error_names_them(of: View, budget: int, data: st.DataObject) -> None:
    """Whatever else is there and however small the budget."""
    items = of.state.items
    chosen = data.draw(st.sets(st.integers(0, max(len(items) - 1, 0)), max_size=4))
    marked = tuple(one._replace(pinned=index in chosen) for index, one in enumerate(items))
    shown_kinds = {kind for section in REHYDRATE.sections for kind in section.kinds}
    pinned = {one.id for one in marked if one.pinned and one.kind in shown_kinds}
    try:
        document = render(of._replace(state=of.state._replace(items=marked)), REHYDRATE, budget)
    except BudgetError as error:
        assert pinned and "E-pins-over-budget" == error.code
        return
    assert pinned <= set(document.shown)
    assert estimate(document.text) <= budget


def test_pins_that_do_not_fit_are_named() -> None:
    """Which one to unpin is the first thing that people want to know."""
    pinned = item("constraint", LONG * 3, at=99)
    with pytest.raises(BudgetError) as caught:
        render(crowded(pinned), REHYDRATE, 200)
    assert "E-pins-over-budget" == caught.value.code
    assert pinned.id[:6] in caught.value.message


def test_a_question_tells_whom_to_ask_or_what_was_answered() -> None:
    """An agent that does not know whom to ask takes a default."""
    asked = item("question", "Which currency?", at=1)._replace(owner="Mia", blocking=True)
    text = render(view(asked), REHYDRATE, 1000).text
    assert "- blocking, no default, ask Mia: Which currency?" in text
    text = render(view(asked._replace(answer="CHF")), REHYDRATE, 1000).text
    assert "- Which currency? → CHF" in text


def test_a_locked_decision_says_so_and_nobody_elses_text_does() -> None:
    """Only a person locks; what an agent calls locked is its word."""
    locked = item("decision", "Page by cursor", "rows move", at=1)._replace(locked=True)
    claimed = item("decision", "locked: page by offset", at=2)
    text = render(view(locked, claimed), REHYDRATE, 1000).text
    assert "- locked: Page by cursor — rows move" in text
    assert "- … locked: page by offset" in text


def test_a_task_without_a_session_says_so() -> None:
    """Notes can come before any session."""
    origin = ORIGIN._replace(client="", session="", last_time="")
    assert (
        "No session on record" in render(view(item("decision", "Page by cursor"), origin=origin), REHYDRATE, 400).text
    )


def test_ids_are_those_of_the_ledger() -> None:
    """An id that is unique in the document may be another item's in the project."""
    long = item("decision", LONG, at=1)
    document = render(crowded()._replace(state=view(long).state, ids={long.id: long.id[:9]}), REHYDRATE, 160)
    assert f"[{long.id[:9]}]" in document.text


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize("kind", LETTERS)
def test_no_profile_leaves_out_what_is_pinned(kind: Kind, profile: Profile) -> None:
    """Whoever pins something trusts that every document says it, also one that is not for that kind of thing."""
    one = item(kind, "src/a.py" if kind == "file" else "Ask Mia first", status="dropped")._replace(pinned=True)
    document = render(view(one), profile, 1000)
    assert document.shown == (one.id,)
    (entry,) = (entry._replace(lines=NOWHERE) for entry in parse_own(document.text, profile, parse).entries)
    assert (entry,) == document.entries

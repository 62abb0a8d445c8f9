"""Values become columns and come back exactly as they were, or are refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.errors import InputError
from clew.core.state.events import Event
from clew.core.state.items import Item, Place
from clew.ledger import codec
from clew.testing import strategies as drawn
from clew.testing.ledgers import extract, item, stated


@settings(max_examples=200)
@given(drawn.events())
def test_an_event_comes_back_as_it_was(event: Event) -> None:
    """A ledger that rounds, normalises or cuts what it keeps is no record."""
    back = codec.event_of(codec.event_columns(event))
    assert event == back
    assert repr(event) == repr(back)  # 1 is not 1.0, nor True


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=200), min_size=3))
def test_what_is_long_comes_back_too(long: list[str]) -> None:
    """Long data is kept in another form."""
    event = stated(1, tags=long)
    assert event == codec.event_of(codec.event_columns(event))


def test_long_data_is_kept_short() -> None:
    """Forty fingerprints a checkpoint, ten thousand checkpoints: what repeats must not be paid for each time."""
    files = [f"{number:040d} src/shop/part_{number}.py" for number in range(40)]
    column = codec.event_columns(stated(1, files=files))[-1]
    assert isinstance(column, bytes)
    assert len(column) < 600


def test_an_extract_that_json_cannot_carry_is_refused() -> None:
    """Better an error when it is said than another value when it is read."""
    for broken in (extract(1, item(text="\ud800")), extract(1)._replace(task="\udfff")):
        with pytest.raises(InputError) as caught:
            codec.extract_columns(broken)
        assert "E-event-invalid" == caught.value.code


@given(st.lists(st.sampled_from(drawn.SECRETS) | st.just("ä"), min_size=2, max_size=2), st.integers(0, 9))
def test_an_item_comes_back_as_it_was(two: list[str], rank: int) -> None:
    """Items are compared by their columns: two that differ must not be one."""
    one = item(text=two[0], rank=rank)
    assert one == codec.item_of(codec.item_column(one), rank)
    assert (one == item(text=two[1], rank=rank)) == (codec.item_column(one) == codec.item_column(item(text=two[1])))


def test_an_item_of_a_newer_clew_is_read_as_far_as_it_is_known() -> None:
    """A field that was added behind the others must not stop an older clew on the same ledger."""
    column = codec.item_column(item())
    newer = column[:-1] + ',"something new"]'
    assert item() == codec.item_of(newer, 0)


def test_an_item_of_an_older_clew_is_read_with_defaults() -> None:
    """Fields that came later are missing in rows from before."""
    older = Item("F-1", "finding", "t", "", "", "inferred", ("a",), Place("s", 1, "q"), 0, "")
    column = '["F-1","finding","t","","","inferred",["a"],["s",1,"q"],0,""]'
    assert older == codec.item_of(column, 0)


def test_an_origin_comes_back_as_it_was() -> None:
    """The session that a state was read off is what `resume` tells first."""
    origin = extract(1).origin._replace(last_act='editing "ä"\n')
    assert origin == codec.origin_of(codec.origin_column(origin))

"""Values become columns or a line, and come back exactly as they were, or are refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.state.events import Event
from clew.core.state.extract import Extract
from clew.core.state.items import Item, Place
from clew.ledger import codec
from clew.ledger.codec import read_event, read_extract, write_line
from clew.testing import strategies as drawn
from clew.testing.ledgers import item, stated
from tests.ledger.given import NOW, read_off


@given(event=drawn.events())
def test_an_event_comes_back_as_it_was(event: Event):
    """Known, unknown and newer ones, as a row and as a line: what rounds, normalises or cuts is no record."""
    back = codec.event_of(codec.event_columns(event))
    assert (event, repr(event)) == (back, repr(back))  # 1 is not 1.0, nor True
    line = write_line(event)
    assert (event, line) == (read_event(line), write_line(read_event(line)))
    assert b"\n" not in line


@given(extract=drawn.extracts())
def test_an_extract_comes_back_as_it_was(extract: Extract):
    """The same for what rules read off a session."""
    assert extract == read_extract(write_line(extract))
    assert isinstance(read_extract(write_line(extract)).items, tuple)


def test_an_extract_of_an_older_clew_gets_the_defaults_of_new_fields():
    """A field that a later version adds must not make older bundles unreadable."""
    extract = read_off("s1", 10, "use pathlib")
    old = json.loads(write_line(extract))
    for name in ("label", "pinned", "locked", "blocking", "owner", "answer", "actor"):
        del old["items"][0][name]
    assert extract == read_extract(json.dumps(old).encode())


def test_long_data_is_kept_short() -> None:
    """Forty fingerprints a checkpoint, ten thousand checkpoints: what repeats must not be paid for each time."""
    files = [f"{number:040d} src/shop/part_{number}.py" for number in range(40)]
    column = codec.event_columns(stated(1, files=files))[-1]
    assert isinstance(column, bytes)
    assert len(column) < 600


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


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"1e999", b'"x"', b"\xff", b"[" * 100_000])
def test_what_is_no_event_is_a_value_error(data: bytes):
    """Whoever reads a file catches one kind of error."""
    for read in (read_event, read_extract):
        with pytest.raises(ValueError, match=r".+"):
            read(data)


@pytest.mark.parametrize(
    ("name", "value"),
    [("id", 1), ("provenance", "god"), ("visibility", "world"), ("v", 1.5), ("v", 2**64), ("data", []),
     ("data", {"a": {}}), ("data", {"a": [1]}), ("data", {"n": 2**64}), ("more", "x"), ("said_at", None)],
)  # fmt: skip
def test_a_wrong_field_is_a_value_error(name: str, value: object):
    """What no ledger could keep, or would keep in another sense, does not get as far."""
    fields = json.loads(write_line(stated(1)._replace(said_at=NOW)))
    with pytest.raises(ValueError, match=r".+"):
        read_event(json.dumps({**fields, name: value}).encode())

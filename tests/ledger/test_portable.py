"""What travels in a file comes back as it was, and is judged by what clew itself writes."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given

from clew.core.state.events import KINDS, Event
from clew.core.state.extract import Extract
from clew.core.state.items import Provenance
from clew.ledger.codec import read_event, read_extract, written
from clew.ledger.portable import lowered, malformed
from clew.testing.strategies import events, extracts
from tests.ledger.given import NOW, happened, named, read_off, stated

SAMPLES = Path(__file__).parent / "samples" / "events.jsonl"


@given(event=events())
def test_an_event_comes_back_as_it_was(event: Event):
    """Known, unknown and newer ones: what a file loses is lost for good."""
    line = written(event)
    assert (event, line) == (read_event(line), written(read_event(line)))
    assert b"\n" not in line


@given(extract=extracts())
def test_an_extract_comes_back_as_it_was(extract: Extract):
    """The same for what rules read off a session."""
    assert extract == read_extract(written(extract))
    assert isinstance(read_extract(written(extract)).items, tuple)


def test_an_extract_of_an_older_clew_gets_the_defaults_of_new_fields():
    """A field that a later version adds must not make older bundles unreadable."""
    extract = read_off("s1", 10, "use pathlib")
    old = json.loads(written(extract))
    for name in ("label", "pinned", "locked", "blocking", "owner", "answer", "actor"):
        del old["items"][0][name]
    assert extract == read_extract(json.dumps(old).encode())


@pytest.mark.parametrize("sample", SAMPLES.read_text(encoding="utf-8").splitlines())
def test_what_every_version_wrote_is_well_formed(sample: str):
    """The judgement must not turn against clew's own events when a kind grows."""
    event = read_event(sample.encode())
    assert "" == malformed(event._replace(data={**event.data}))


def test_every_field_of_every_kind_may_hold_nothing():
    """A field that is not given is null or left out; either is written somewhere."""
    for kind, schema in KINDS.items():
        entity = {"item": named("D", 1), "task": named("T", 1), "checkpoint": named("K", 1), "draft": named("W", 1)}
        entity |= {"phase": named("P", 1), "step": named("S", 1)}
        data = {name: entity.get(name) for name in (*schema.required, *schema.optional)}
        if kind == "item.stated":
            data["kind"] = "decision"
        assert "" == malformed(happened(kind, 1)._replace(data=data)), kind


def test_a_class_is_lowered_and_never_raised():
    """An import that raised a class would forge what it was made to prevent."""
    classes = get_args(Provenance)
    for one, ceiling in product(classes, classes):
        assert lowered(one, ceiling) in (one, ceiling)
        assert lowered(one, "human") == one
        assert lowered(lowered(one, ceiling), ceiling) == lowered(one, ceiling)
    assert ("agent", "agent", "agent", "inferred", "unattributed") == tuple(
        lowered(one, "agent") for one in ("human", "verified", "agent", "inferred", "unattributed")
    )


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
    fields = json.loads(written(stated("x")._replace(said_at=NOW)))
    with pytest.raises(ValueError, match=r".+"):
        read_event(json.dumps({**fields, name: value}).encode())

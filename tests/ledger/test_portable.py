"""What comes in a file is judged by what clew itself writes, and its authority is lowered."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from clew.core.state.events import KINDS
from clew.core.state.items import Provenance
from clew.ledger.codec import read_event
from clew.ledger.portable import find_malformation, lower_provenance
from tests.ledger.given import happened, named

SAMPLES = Path(__file__).parent / "samples" / "events.jsonl"


@pytest.mark.parametrize("sample", SAMPLES.read_text(encoding="utf-8").splitlines())
def test_what_every_version_wrote_is_well_formed(sample: str):
    """The judgement must not turn against clew's own events when a kind grows."""
    event = read_event(sample.encode())
    assert "" == find_malformation(event._replace(data={**event.data}))


def test_every_field_of_every_kind_may_hold_nothing():
    """A field that is not given is null or left out; either is written somewhere."""
    for kind, schema in KINDS.items():
        entity = {"item": named("D", 1), "task": named("T", 1), "checkpoint": named("K", 1), "draft": named("W", 1)}
        entity |= {"phase": named("P", 1), "step": named("S", 1)}
        data = {name: entity.get(name) for name in (*schema.required, *schema.optional)}
        if kind == "item.stated":
            data["kind"] = "decision"
        assert "" == find_malformation(happened(kind, 1)._replace(data=data)), kind


def test_a_class_is_lowered_and_never_raised():
    """An import that raised a class would forge what it was made to prevent."""
    classes = get_args(Provenance)
    for one, ceiling in product(classes, classes):
        assert lower_provenance(one, ceiling) in (one, ceiling)
        assert lower_provenance(one, "human") == one
        assert lower_provenance(lower_provenance(one, ceiling), ceiling) == lower_provenance(one, ceiling)
    assert ("agent", "agent", "agent", "inferred", "unattributed") == tuple(
        lower_provenance(one, "agent") for one in ("human", "verified", "agent", "inferred", "unattributed")
    )

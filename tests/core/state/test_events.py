"""Events: what can be kept, and what is refused before anything of its batch is."""

from __future__ import annotations

import pytest

from clew.core.errors import InputError
from clew.core.state.events import KINDS, Event, checked, is_activity
from clew.core.state.fold import change_of
from tests.core.stories import said, stated

GOOD = stated("D-1", "Page by cursor", 1, files=["cart.py"], locked=True)


def test_an_event_that_can_be_kept_is_given_back() -> None:
    """What a newer clew wrote passes unchanged: ledgers of two versions may meet."""
    assert GOOD == checked(GOOD)
    newer = said("stars.aligned", "S-1", 1, anything="goes")
    assert newer == checked(newer)
    assert change_of(newer) is None
    assert GOOD._replace(v=99, data={}) == checked(GOOD._replace(v=99, data={}))


@pytest.mark.parametrize(
    "event",
    [
        GOOD._replace(id=""),
        GOOD._replace(key=""),
        GOOD._replace(project=""),
        GOOD._replace(kind=""),
        GOOD._replace(said_at="yesterday"),
        GOOD._replace(recorded_at="2026-11-22T09:00:01Z"),
        GOOD._replace(said_at="２026-11-22T09:00:01.000Z"),
        GOOD._replace(data={**GOOD.data, "why": {"deep": 1}}),  # type: ignore[dict-item]
        GOOD._replace(data={**GOOD.data, "files": ["a", 1]}),  # type: ignore[list-item]
        GOOD._replace(data={"item": "D-1"}),
        GOOD._replace(data={**GOOD.data, "why": "\ud800"}),
        GOOD._replace(data={**GOOD.data, "n": float("nan")}),
        GOOD._replace(data={**GOOD.data, "n": 1 << 63}),
        GOOD._replace(data={**GOOD.data, "item": "@/home/ada/shop\0main"}),
        GOOD._replace(actor="\udc80"),
    ],
)
def test_what_could_not_be_read_back_is_refused(event: Event) -> None:
    """An append that takes anything makes every reader guess."""
    with pytest.raises(InputError) as caught:
        checked(event)
    assert "E-event-invalid" == caught.value.code and caught.value.hint


def test_only_activity_may_be_dropped() -> None:
    """Retention that reaches state loses it."""
    assert ["session.seen", "payload.given", "payload.seen", "session.audited"] == [
        kind for kind in KINDS if is_activity(kind)
    ]
    assert not is_activity("stars.aligned")

"""The crowd: of many items a part gives the document that all of them would give."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.core.state.crowd import Sort, parse_sort, room_in, select, sort_of, standing_for, write_sort
from clew.core.state.events import Event
from clew.core.state.fold import fold
from clew.core.state.ids import identity
from clew.core.state.items import LETTERS, Kind, Origin
from clew.core.state.projection import state_of
from clew.documents.profiles import PROFILES
from clew.documents.render import View, render

NOWHERE = Origin("", "", "/w", "main", "", "", True, "")
KINDS: tuple[Kind, ...] = ("decision", "failed", "finding", "question", "file", "next", "step", "hypothesis", "goal")
STATUSES = ("", "done", "in progress", "active")
LATER = ("item.resolved", "item.retracted", "item.pinned", "item.edited")
BUDGET = 200

one = st.tuples(
    st.sampled_from(KINDS),
    st.sampled_from(("agent", "human", "unattributed")),
    st.sampled_from(STATUSES),
    st.sampled_from(("a", "kept in one table, since readers move slowly")),
    st.none() | st.sampled_from(("item.resolved", "item.retracted", "item.edited")),
)


def events(said: list[tuple[Kind, str, str, str, str | None]]) -> list[Event]:
    found = []
    for number, (kind, by, status, text, later) in enumerate(said):
        item = f"{LETTERS[kind]}-{identity(str(number))}"
        data = {"item": item, "kind": kind, "text": f"{text} {number % 7}", "status": status}
        found.append(event(number, "item.stated", by, {name: value for name, value in data.items() if value}))
        if later:
            words = {"text": "said in other words"} if later == "item.edited" else {}
            found.append(event(number + 1000, later, by, {"item": item, **words}))
    return found


def event(number: int, kind: str, by: str, data: dict[str, str]) -> Event:
    time = f"2026-11-22T01:{number // 60 % 60:02d}:{number % 60:02d}.000Z"
    name = f"E{number:05d}"
    return Event(name, name, "P", "T-1", "", "", "dev", by, "team", time, time, kind, 1, data)  # type: ignore[arg-type]


@given(said=st.lists(one, min_size=1, max_size=120), often=st.integers(1, 4))
def test_a_part_gives_the_same_document(said: list[tuple[Kind, str, str, str, str | None]], often: int) -> None:
    """A payload of a hundred thousand items took nine seconds; nothing in it may depend on which way it was made."""
    entities = fold(events(said * often))
    whole = state_of(entities, (), nowhere=NOWHERE)
    part = select(0, entities, room_in(BUDGET), ())
    some = state_of(part.entities, (), nowhere=NOWHERE)._replace(more=standing_for(part.more))
    ids = {item.id: item.id[:6] for item in whole.items}
    for profile in PROFILES.values():
        told = render(View(whole, None, None, ids), profile, BUDGET)
        assert told.text == render(View(some, None, None, ids), profile, BUDGET).text


def test_a_crowd_is_cut_and_counted() -> None:
    """Otherwise the test above could hold without a part ever being smaller."""
    entities = fold(events([("decision", "agent", "", "a", None)] * 300))
    part = select(0, entities, room_in(BUDGET), ())
    assert (67, {Sort("decision", "agent", "", False, False): 233}) == (len(part.entities), dict(part.more))


def test_what_more_was_said_of_is_in_no_crowd() -> None:
    entities = fold(events([("decision", "agent", "", "a", later) for later in LATER[:3]]))
    assert [None] * 3 == [sort_of(name, entity) for name, entity in entities.items()]


@given(status=st.text(max_size=8), flags=st.tuples(st.booleans(), st.booleans()))
def test_a_sort_is_read_back(status: str, flags: tuple[bool, bool]) -> None:
    sort = Sort("failed", "human", status, *flags)
    assert sort == parse_sort(write_sort(sort))

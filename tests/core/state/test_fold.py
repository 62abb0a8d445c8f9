"""The fold: the same events give the same state, however they come together."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.state.events import KINDS, Event
from clew.core.state.fold import FOLDED_KINDS, fold, merged, place_entity, values
from clew.testing.strategies import ITEMS, PROJECT, TIMES, events

ITEM = ITEMS[0]
QUICK = settings(max_examples=60)
HISTORIES = st.lists(events(), max_size=8)


def said(kind: str, second: int = 0, /, *, who: str = "agent", **data: object) -> Event:
    """An event about `ITEM` at a second, by somebody of a class."""
    about = {"item": ITEM} if kind.startswith("item.") else {}
    identity = f"{kind}:{second}:{who}:{sorted(data.items())}"
    return Event(
        id=identity,
        key=identity,
        project=PROJECT,
        task="T-1",
        session="s1",
        worktree="",
        actor="",
        provenance=who,  # type: ignore[arg-type]
        visibility="team",
        said_at=TIMES[second],
        recorded_at=TIMES[second],
        kind=kind,
        v=1,
        data={**about, **data},  # type: ignore[dict-item]
    )


def stated(second: int = 0, *, who: str = "agent", text: str = "Use SQLite") -> Event:
    return said("item.stated", second, who=who, kind="decision", text=text)


def known(*history: Event) -> dict[str, object]:
    """The fields of `ITEM` after a history."""
    return dict(values(fold(history).get(ITEM, ())))


@QUICK
@given(HISTORIES, HISTORIES, st.integers(0, 8), st.randoms(use_true_random=False))
def test_however_events_come_together_they_fold_to_the_same(
    ours: list[Event], theirs: list[Event], point: int, chance: random.Random
) -> None:
    """Ledgers merge by union, resumed transcripts say everything again, and a snapshot anywhere changes nothing."""
    history = [*ours, *theirs]
    whole = fold(history)
    assert whole == fold(chance.sample(history, len(history)))
    assert whole == fold([*history, *chance.sample(history, len(history) // 2)])
    start = fold(history[:point])
    before = dict(start)
    assert whole == fold(history[point:], start)
    assert before == start  # a snapshot is shared by whoever asks
    one, other = fold(ours), fold(theirs)  # two ledgers that exchange results instead of events
    assert whole == {name: merged(one.get(name, ()), other.get(name, ())) for name in {*one, *other}}
    for entity in whole.values():  # what is edited ten thousand times carries no ten thousand changes
        told = [name for change in entity for name in change.fields]
        assert len(told) == len(set(told)) >= len(entity) > 0


def test_the_latest_wins_field_by_field() -> None:
    """An edit of the text leaves the reason, and one that arrives late counts by when it was said."""
    edit = said("item.edited", 2, text="Use PostgreSQL")
    late = said("item.edited", 1, text="Use files", why="simple")
    assert "Use PostgreSQL" == known(stated(0), edit, late)["text"]
    assert "simple" == known(stated(0), edit, late)["why"]


def test_an_edit_may_come_before_what_it_edits() -> None:
    """Events of another machine arrive in any order."""
    edit = said("item.edited", 3, text="Use PostgreSQL")
    assert "Use PostgreSQL" == known(edit, stated(1))["text"]
    assert "decision" == known(edit, stated(1))["kind"]


def test_only_a_person_redacts_and_unpins() -> None:
    """An agent that could redact could hide what it did; a pin is the user's."""
    assert "redacted" not in known(stated(), said("item.redacted", 1, who="agent"))
    assert known(stated(), said("item.redacted", 1, who="human"))["redacted"] is True
    assert known(stated(), said("item.pinned", 1), said("item.unpinned", 2))["pinned"] is True
    assert known(stated(), said("item.pinned", 1), said("item.unpinned", 2, who="human"))["pinned"] is False


def test_a_task_lives_and_a_place_is_bound() -> None:
    """The life cycle of tasks and which task a folder works on are entities like others."""
    opened = said("task.opened", 0, task="T-1", title="Ship it")
    closed = said("task.closed", 1, task="T-1", outcome="shipped")
    bound = said("place.bound", 2, worktree="/w", branch="main", task="T-1")
    state = fold([closed, bound, opened])
    assert {"title": "Ship it", "status": "closed", "outcome": "shipped"} == values(state["T-1"])
    assert {"task": "T-1"} == values(state[place_entity("/w", "main")])
    reopened = fold([said("task.reopened", 3, task="T-1")], state)
    assert "open" == values(reopened["T-1"])["status"]


def test_what_is_not_known_is_passed_over() -> None:
    """A newer clew's kinds must not break an older one, and thousands of checkpoints are no state."""
    unknown = said("item.frobbed", 0)
    checkpoint = said("checkpoint.taken", 1, checkpoint="K-1", name="", reason="")
    broken = said("item.stated", 2)._replace(data={"item": 5, "kind": "decision", "text": ""})
    assert {} == fold([unknown, checkpoint, broken])


def test_every_kind_that_is_folded_is_one_that_is_written() -> None:
    """A rule for a kind that nobody writes is a misspelt one."""
    assert FOLDED_KINDS <= set(KINDS)


def test_two_events_with_one_id_are_two_changes() -> None:
    """Ids can be forged: under a person's id and time an agent's field would else become the person's word."""
    person = said("item.edited", 1, who="human", why="asked for")
    forged = said("item.retracted", 1, reason="no")._replace(id=person.id, key="other")
    for order in ((person, forged), (forged, person)):
        changes = fold(order)[ITEM]
        assert {("human", ("why",)), ("agent", ("retracted", "retracted_why"))} == {
            (change.provenance, tuple(change.fields)) for change in changes
        }


def test_a_tie_is_broken_the_same_way_everywhere() -> None:
    """Two ledgers that hold the same events tell the same."""
    one, other = (said("item.edited", 1, text=text) for text in ("one", "other"))
    other = other._replace(id="0" + other.id[1:])
    again = one._replace(data={**one.data, "text": "third"})
    assert fold([one, other, again]) == fold([again, other, one]) == fold([other, again, one])

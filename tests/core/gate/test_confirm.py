"""Confirm: what an agent has to say of its goal and next action, and what it is told when it does not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.gate.confirm import ConfirmQuestion, judge, kept, question
from clew.core.state.items import Item, Kind, Place
from clew.core.state.projection import NOWHERE


def item(kind: Kind, text: str, *, name: str = "", files: tuple[str, ...] = (), rank: int = 0) -> Item:
    place = Place("", NOWHERE, "")
    name = name or f"{kind[0].upper()}-0123456789abcdef"
    return Item(name, kind, text, "", "", "human", files, place, rank, "2026-03-02T08:00:00.000Z")


GOAL = item("goal", "Make parse_tide accept negative heights in the tables of Brest")
NEXT = item("next", "Handle the sign in parse_tide", name="N-7k2q9m3c5d6f8g0h", files=("src/tide/parse.py",))
OTHERS = [
    item("decision", "parse_tide stays pure"),
    item("constraint", "heights are in the tables as integers"),
    item("file", "src/tide/parse.py", files=("src/tide/parse.py",)),
]


def state(*items: Item) -> dict[str, Any]:
    asked = question(items)
    assert asked is not None
    return json.loads(json.dumps(kept(asked, "a1b2c3")))


STATE = state(GOAL, NEXT, *OTHERS)

RIGHT = [
    "goal: negative heights for Brest; next: the sign, in src/tide/parse.py",
    "We accept NEGATIVE heights at Brest. Next I edit parse.py.",
    "goal: parse_tide takes negatives; next: N-7k2q",
    "parse_tide( brest ) then `src/tide/parse.py:12`",
]


@pytest.mark.parametrize("answer", RIGHT)
def test_a_right_answer_in_ones_own_words(answer: str) -> None:
    """Nobody is made to recite: a name of the goal, and the place of the next action."""
    assert judge(STATE, answer).fits


MISSED = {
    "": "it names nothing that only this goal is about and it names neither the file nor the id of the next action",
    "goal: parse_tide for Brest": "it names neither the file nor the id of the next action",
    "goal: parse_tide for Brest; next: src/tide/print.py": "it names neither the file nor the id of the next action; "
    "src/tide/print.py is not where the next action is",
    "next: parse.py": "it names nothing that only this goal is about",
}


@pytest.mark.parametrize("answer", MISSED)
def test_what_is_missing_is_said_and_what_would_be_right_is_not(answer: str) -> None:
    """Else the second answer is copied from the first refusal."""
    told = judge(STATE, answer).told
    assert MISSED[answer] == told
    said = told.replace("src/tide/print.py", "")
    assert not any(word in said for word in ("parse", "brest", "N-7k2q"))


def test_what_is_kept_tells_nothing() -> None:
    """The file lies where an agent can read it."""
    text = json.dumps(STATE).lower()
    assert not any(word in text for word in ("parse", "brest", "tide", "7k2q"))
    assert STATE["goal"] != state(GOAL)["goal"] or STATE["step"] != []
    other = kept(ConfirmQuestion(("brest",), ()), "ffffff")
    assert set(other["goal"]).isdisjoint(STATE["goal"])


def test_the_rarest_names_of_the_goal_come_first() -> None:
    """A word that every item has proves nothing."""
    asked = question([GOAL, NEXT, *OTHERS])
    assert asked is not None
    assert ("parse_tide", "negative") == asked.goal
    two = question(
        [item("goal", "Let TideTable.read and parse_tide know of Brest_2"), item("risk", "parse_tide is slow")]
    )
    assert two is not None
    assert {"tidetable.read", "brest_2"} == set(two.goal)


def test_where_there_is_only_one_of_the_two_only_that_is_asked() -> None:
    """And where there is neither, nothing is."""
    assert question(OTHERS) is None
    assert judge(state(NEXT), "parse.py").fits
    assert judge(state(GOAL), "parse_tide for brest, negative").fits
    assert not judge(state(NEXT), "no idea").fits


@given(st.text(), st.lists(st.tuples(st.sampled_from(["goal", "next", "risk"]), st.text(min_size=1)), max_size=4))
def test_any_words_can_be_asked_and_judged(answer: str, said: list[tuple[Kind, str]]) -> None:
    """Items and answers are anybody's; and whoever says all that was asked is right."""
    items = [item(kind, text) for kind, text in said]
    asked = question(items)
    if asked is None:
        return
    found = kept(asked, "a1b2c3")
    judge(found, answer)
    assert judge(found, " ".join((*asked.goal, *asked.step))).fits


@pytest.mark.parametrize("broken", [{}, {"goal": 3}, {"goal": [1], "step": None}, {"mark": [], "goal": ["x"]}])
def test_a_state_that_was_damaged_is_no_fault(broken: dict[str, Any]) -> None:
    """It is a file that anybody can write to."""
    assert judge(broken, "parse.py").told is not None

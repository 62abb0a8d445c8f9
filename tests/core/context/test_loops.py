"""Loops: the same call with the same result, and what is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.context.loops import Loops, Signal
from clew.core.records.transcript import Action, Call, Edit, Other, Read, Result, Run, Search

FAILED = "E   assert 1 == 2\n1 failed in 0.12s"


def came(loops: Loops, action: Action, text: str = "", outcome: str = "ok", tool: str = "Tool") -> bool:
    call = Call(0, "", "", "c", tool, action)
    return loops.returned(call, Result(0, "", "", "c", outcome, None, text, "", (), ""))


def done(*steps: tuple[Action, str, str]) -> Loops:
    loops = Loops()
    for action, text, outcome in steps:
        came(loops, action, text, outcome)
    return loops


def test_a_command_is_known_again_however_its_output_is_cut() -> None:
    """An agent that looks at the same failure through other pipes learns nothing."""
    ways = ("make test 2>&1 | tail -5", "make test | head -20", "make test; echo $?")
    assert Signal("make test; echo $?", 3) == done(*((Run(way), FAILED, "error") for way in ways)).failing
    folders = done(*((Run("make test", folder), FAILED, "error") for folder in "abc"))
    assert folders.failing is None and folders.repeated is None


@pytest.mark.parametrize(
    ("action", "times"),
    [(Read("a.py", 1, 40), 4), (Search("def total", "src"), 4), (Other("query=tides"), 4), (Run("git status"), 5)],
)
def test_what_comes_to_the_same_again_and_again_is_a_loop(action: Action, times: int) -> None:
    """Not once too early."""
    steps = [(action, "the same\nas before", "ok")] * times
    assert done(*steps[:-1]).repeated is None
    found = done(*steps).repeated
    assert found is not None and times == found.times


def test_an_edit_that_is_refused_in_the_same_way_is_a_loop() -> None:
    """Each time with other words, and the same answer."""
    tries = [(Edit("a.py", f"old {n}", "new"), "String to replace not found.", "error") for n in range(3)]
    assert Signal("a.py", 3) == done(*tries).repeated


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("sleep 30 && gh run view 7", "completed"),
        ("gh run view 7", '{"status":"in_progress"}'),
        ("make watch --wait", ""),
    ],
)
def test_waiting_for_a_job_is_no_loop(command: str, text: str) -> None:
    """It will be over some time."""
    found = done(*[(Run(command), text, "ok")] * 9)
    assert found.repeated is None and found.failing is None


def test_what_a_person_refused_counts_for_nothing() -> None:
    """It was never tried."""
    assert done(*[(Run("rm -r build"), "no", "rejected")] * 9).failing is None


ACTIONS = st.one_of(
    st.builds(Run, st.sampled_from(["make", "make | tail -3", "sleep 1", "git commit -m x", "x" * 5000])),
    st.builds(Read, st.sampled_from("ab"), st.just(0), st.just(0)),
    st.builds(Edit, st.sampled_from("ab"), st.sampled_from(["", "x", "y"]), st.sampled_from(["", "x", "y"])),
)
STEPS = st.lists(st.tuples(ACTIONS, st.text(max_size=20), st.sampled_from(["ok", "error", "interrupted"])), max_size=40)


@given(STEPS)
def test_nothing_is_named_that_did_not_happen_so_often(steps: list[tuple[Action, str, str]]) -> None:
    """Whatever comes: a signal never counts more than there were calls of its subject."""
    found = done(*steps)
    for signal in (found.failing, found.repeated, found.undone):
        if signal is not None:
            assert 2 <= signal.times <= len(steps)


@given(STEPS)
def test_a_loop_that_was_left_is_none(steps: list[tuple[Action, str, str]]) -> None:
    """Twenty results of something else are another story."""
    loops = done(*steps)
    for number in range(20):
        came(loops, Read(f"other{number}.py", 0, 0), str(number))
    assert (None, None, None) == (loops.failing, loops.repeated, loops.undone)

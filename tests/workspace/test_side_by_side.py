"""The same work on many things, in several processes or in this one: the same results, in order."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from clew.workspace.side_by_side import side_by_side


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Say how many cores there are."""

    def said(count: int) -> None:
        monkeypatch.setattr("clew.workspace.side_by_side._cores", lambda: count)

    return said


@pytest.mark.parametrize("count", [1, 2, 5, 100])
def test_results_come_in_order(cores: Callable[[int], None], count: int) -> None:
    """However many processes work, and whatever the results are; nothing runs on."""
    cores(count)
    things = [*range(50)]
    assert [(one, b"x" * one * 5000) for one in things] == [
        *side_by_side(lambda one: (one, b"x" * one * 5000), things, many=True)
    ]
    assert [] == [*side_by_side(str, [], many=True)]
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_it_is_done_elsewhere_only_where_that_pays(cores: Callable[[int], None]) -> None:
    """Little work is done in this process."""
    cores(4)
    here = os.getpid()
    assert {here} == {*side_by_side(lambda _: os.getpid(), [1, 2, 3], many=False)}
    there = {*side_by_side(lambda _: os.getpid(), [1, 2, 3, 4, 5], many=True)}
    assert here not in there and 4 == len(there)


def test_what_a_process_owes_that_ended_early_is_done_here(cores: Callable[[int], None]) -> None:
    """Killed, or with a result that cannot be handed on."""
    cores(2)
    here = os.getpid()

    def work(one: int) -> object:
        if one == 4 and os.getpid() != here:
            os._exit(9)
        return (lambda: one) if one == 7 else one

    found = [*side_by_side(work, [*range(10)], many=True)]
    assert 7 == found.pop(7)()  # type: ignore[operator]
    assert [0, 1, 2, 3, 4, 5, 6, 8, 9] == found


def test_who_stops_looking_leaves_nothing_running(cores: Callable[[int], None]) -> None:
    """Also while the others still have much to hand on."""
    cores(3)
    found = side_by_side(lambda one: b"x" * 1_000_000, [*range(30)], many=True)
    next(found)
    found.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)

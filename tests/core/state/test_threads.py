"""Which sessions make a thread, what it is called, and what ends it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.state.events import Event
from clew.core.state.fold import fold
from clew.core.state.items import Item
from clew.core.state.tasks import TaskPlace, bound, ended_by_itself, follows_goal, tasks
from clew.core.state.threads import SessionSpan, did_work, is_idle, title_of
from tests.core.state.test_carry_over import asked, found, session
from tests.core.stories import said

PLACE = TaskPlace("/home/ada/shop", "fee")


def edited(number: int, path: str, status: str = "edited") -> Item:
    return found(number, "file", path, status=status, second=2)


@pytest.mark.parametrize(
    ("items", "works", "idle"),
    [
        ((), False, True),
        ((asked(1, "hello"),), False, True),
        ((asked(1, "What is a fee?"),), False, False),
        ((asked(1, "hello"), found(1, "file", "a.py", status="read")), False, False),
        ((asked(1, "Fix it", status="under way"),), True, False),
        ((asked(1, "hello"), edited(1, "a.py")), True, False),
        ((asked(1, "What is a fee?", status="edited"),), True, False),
        ((found(1, "step", "Fees", status="committed"),), True, False),
    ],
)
def test_what_is_work_and_what_is_nothing(items: tuple[Item, ...], works: bool, idle: bool) -> None:
    """The first opens a thread; the last has no part in one."""
    one = session(1, *items)
    assert (works, idle) == (did_work(one), is_idle(one))


def test_a_thread_is_called_what_is_not_done() -> None:
    """The first request, once it is done, is not a name for what is worked on now."""
    first, second = asked(1, "Fix the cart", status="committed"), asked(2, "Paint it. Red.", status="under way")
    assert title_of([session(1, first)]) == "Fix the cart"
    assert title_of([session(1, first), session(2, second)]) == "Paint it"
    done = second._replace(status="committed")
    assert title_of([session(1, first), session(2, done)]) == "Fix the cart"
    assert title_of([session(1, asked(1, "hello")), session(2, second)]) == "Paint it"
    assert title_of([session(1)]) == ""


def opened(second: int = 1) -> list[Event]:
    """A thread is opened and bound by itself."""
    return [
        said("task.opened", "T-1", second, by="inferred", title="Raise the fee", thread=True),
        binding("T-1", second, by="inferred"),
    ]


def binding(task: str, second: int, *, by: str, branch: str = PLACE.branch) -> Event:
    event = said("place.bound", task, second, by=by)  # type: ignore[arg-type]
    return event._replace(
        id=f"{event.id}{by}{branch}", data={"worktree": PLACE.worktree, "branch": branch, "task": task}
    )


WORDS = [
    *opened(),
    *opened(),
    said("task.renamed", "T-1", 5, by="inferred", title="Raise the night fee"),
    said("task.renamed", "T-1", 3, by="human", title="Fees"),
    said("task.closed", "T-1", 7, by="inferred", outcome="merged"),
    said("task.reopened", "T-1", 6, by="human"),
    said("task.opened", "T-2", 4, by="human", title="Mine"),
    binding("T-2", 4, by="human"),
    binding("T-2", 8, by="human", branch=""),
]


@given(st.permutations(WORDS), st.lists(st.sampled_from(WORDS)))
def test_threads_come_out_the_same_in_whatever_order_and_how_often_they_are_told(
    told: list[Event], again: list[Event]
) -> None:
    """Two processes and two ledgers open the same; a person's words win whenever they come."""
    project = fold([*told, *again])
    assert fold(WORDS) == project
    thread = next(one for one in tasks(project) if one.id == "T-1")
    assert ("Fees", "open", True) == (thread.title, thread.status, thread.thread)
    assert not follows_goal(project, thread)
    assert bound(project, *PLACE) == "T-2"


def test_a_threads_binding_is_about_its_very_branch() -> None:
    """Where no branch was checked out, no branch takes part; and whoever binds any branch means this one, too."""
    detached = fold([opened()[0], binding("T-1", 1, by="inferred", branch="")])
    assert ("T-1", "") == (bound(detached, PLACE.worktree, ""), bound(detached, *PLACE))
    mine = [said("task.opened", "T-2", 2, by="human", title="Mine"), binding("T-2", 2, by="human", branch="")]
    assert bound(fold([*opened(), *mine]), *PLACE) == "T-2"
    assert bound(fold([*opened(), mine[0]]), *PLACE) == "T-1"


def test_what_somebody_ended_did_not_end_by_itself() -> None:
    """Only what did is opened again by itself."""
    over = fold([*opened(), said("task.closed", "T-1", 7, by="inferred", outcome="merged")])
    assert ended_by_itself(over, tasks(over)[0]) == "2026-11-22T09:00:07.000Z"
    mine = fold([*opened(), said("task.closed", "T-1", 7, by="human", outcome="done")])
    assert ended_by_itself(mine, tasks(mine)[0]) == ""


def test_a_span_tells_of_the_other_sessions() -> None:
    """Whether a break came before a session, and whether it was alone at its place, its own times must not answer."""
    here = [session(n, asked(n, "Fix it"))._replace(worktree=PLACE.worktree) for n in (1, 2)]
    span, place = SessionSpan(here), PLACE._replace(branch=here[0].origin.branch)
    first, last = (one.origin for one in here)
    assert (first.first_time, last.first_time) == (span.first_begin, span.last_begin(but="s1"))
    assert (first.first_time, first.last_time) == (span.last_begin(but="s2"), span.last_end(but="s2"))
    assert span.is_at(place, but="s1") and not span.is_at(PLACE, but="")
    span.add(session(3, asked(3, "Go on"))._replace(worktree="/elsewhere"))
    assert span.last_begin(but="") > last.first_time and not span.is_at(place._replace(worktree="/elsewhere"), but="s3")
    assert ("", "", "") == (
        SessionSpan([]).first_begin,
        SessionSpan([]).last_begin(but=""),
        SessionSpan(here[:1]).last_end(but="s1"),
    )

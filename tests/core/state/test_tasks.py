"""Tasks: opened, bound to places, closed or dropped, opened again."""

from __future__ import annotations

from clew.core.state.events import Event
from clew.core.state.fold import fold
from clew.core.state.tasks import Task, TaskPlace, bound, tasks
from tests.core.stories import at, said

SHOP = "/home/ada/shop"


def opened(name: str, second: int) -> Event:
    return about("task.opened", name, second, title=f"Title of {name}", type="feature")


def about(kind: str, name: str, second: int, **data: str) -> Event:
    """An event in the project's own stream."""
    event = said(kind, name, second, by="human", task="", **data)
    return event._replace(data={**event.data, "task": name})


def bind(name: str, branch: str, second: int) -> Event:
    return about("place.bound", name, second, worktree=SHOP, branch=branch)


def test_a_task_has_its_places_and_what_became_of_it() -> None:
    """`clew task list` shows what is open, where, and what came of the rest."""
    first, second = tasks(
        fold(
            [
                opened("T-1", 1),
                bind("T-1", "main", 2),
                opened("T-2", 3),
                bind("T-2", "", 4),
                about("task.closed", "T-1", 5, outcome="released"),
            ]
        )
    )
    assert (
        Task("T-1", "Title of T-1", "feature", "closed", "released", at(1), at(5), (TaskPlace(SHOP, "main"),)) == first
    )
    assert ("T-2", "open", (TaskPlace(SHOP, ""),)) == (second.id, second.status, second.places)


def test_a_place_has_one_task_the_last_that_was_bound() -> None:
    """Two tasks on one branch would mix their states."""
    events = [opened("T-1", 1), opened("T-2", 2), bind("T-1", "main", 3), bind("T-2", "main", 4)]
    assert "T-2" == bound(fold(events), SHOP, "main")
    assert "T-2" == bound(fold(reversed(events)), SHOP, "main")
    assert "" == bound(fold(events), SHOP, "other") == bound(fold(events), "/elsewhere", "main")
    assert "" == bound(fold([*events, bind("", "main", 5)]), SHOP, "main")


def test_a_branch_of_its_own_wins_over_any_branch() -> None:
    """A work tree is bound as a whole, one branch of it apart."""
    events = [opened("T-1", 1), opened("T-2", 2), bind("T-1", "", 3), bind("T-2", "fix", 4)]
    assert ("T-2", "T-1") == (bound(fold(events), SHOP, "fix"), bound(fold(events), SHOP, "main"))


def test_an_agents_word_does_not_end_what_a_person_has_bound() -> None:
    """The command refuses it; a bundle of somebody else's asks nobody, and the person's notes would go elsewhere."""
    agents = said("task.opened", "T-1", 1, task="", title="Fix the tide")
    ended = said("task.closed", "T-1", 3, task="", outcome="done")
    events = [agents, bind("T-1", "main", 2), ended]
    assert "T-1" == bound(fold(events), SHOP, "main")
    assert [("open", "")] == [(one.status, one.outcome) for one in tasks(fold(events))]
    let_go = [*events, bind("", "main", 4)]
    assert ["closed"] == [one.status for one in tasks(fold(let_go))]
    assert ["dropped"] == [one.status for one in tasks(fold([*events, about("task.dropped", "T-1", 4)]))]

"""What the user and the agent settled through tools: plans, refusals, answers, to-dos."""

from __future__ import annotations

import pytest

from clew.distill.work import SessionWork
from tests.builders import ask, ask_all, call, new_task, prompt, read, refused, set_task, todo_list, unanswered, worked


def plans(work: SessionWork) -> list[tuple[str, str, str]]:
    return [(seen.text, seen.status, seen.reason) for seen in work.plans]


def todos(work: SessionWork) -> list[tuple[str, str]]:
    return [(todo.text, todo.status) for todo in work.todos]


# Plans


# Refusals


def refusals(work: SessionWork) -> list[tuple[str, str]]:
    return [(refusal.what, refusal.reason) for refusal in work.refusals]


def test_a_refused_read_counts_with_a_reason_only() -> None:
    """Without one it says nothing about the work."""
    work = worked(refused(read("a.py")), refused(read("a.py"), "It is generated."))
    assert refusals(work) == [("Read", "It is generated.")]


# Answers


def test_several_options_taken() -> None:
    """A question that allows several."""
    (answer,) = worked(ask("Which?", ("Linux", "macOS", "Windows"), "Linux, macOS")).answers
    assert answer.others == ("Windows",)


def test_an_option_inside_another_ones_name_was_not_taken() -> None:
    """ "SQL" was not chosen by choosing "NoSQL"."""
    (answer,) = worked(ask("Which?", ("SQL", "NoSQL"), "NoSQL")).answers
    assert answer.others == ("SQL",)


def test_questions_put_together_are_answered_apart() -> None:
    """One dialog may hold four."""
    work = worked(ask_all(("Cache?", ("Yes", "No"), "No"), ("Log?", ("Yes", "No"), "Yes")))
    assert [(answer.question, answer.answer) for answer in work.answers] == [("Cache?", "No"), ("Log?", "Yes")]


# To-dos


def test_a_whole_list_replaces_the_one_before() -> None:
    """Points that the agent dropped must not come back."""
    work = worked(
        todo_list(("Parse", "pending"), ("Lint", "pending")),
        todo_list(("Parse", "completed"), ("Print", "in_progress")),
    )
    assert todos(work) == [("Parse", "completed"), ("Print", "in_progress")]


@pytest.mark.parametrize("status", ["completed", "deleted", ""])
def test_an_update_of_an_unknown_task_makes_none(status: str) -> None:
    """A file cut at its front: a to-do without words is no line."""
    assert todos(worked(set_task("7", status))) == []


def test_an_update_that_failed_changes_nothing() -> None:
    """The client refused it."""
    failed = call(set_task("1", "completed")[0].action, "No such task", ok=False)  # type: ignore[union-attr]
    assert todos(worked(new_task("Parse", "1"), failed)) == [("Parse", "pending")]


def test_a_list_in_a_record_that_stops_there_counts() -> None:
    """The agent's intent is known, whether or not the client answered."""
    assert todos(worked(prompt("Go"), unanswered(todo_list(("Parse", "pending"))))) == [("Parse", "pending")]

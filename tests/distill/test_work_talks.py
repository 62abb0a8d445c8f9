"""What the user and the agent settled through tools: plans, refusals, answers, to-dos."""

from __future__ import annotations

import pytest

from clew.distill.work import SessionWork
from tests.builders import (
    ask,
    ask_all,
    call,
    edit,
    interrupted,
    new_task,
    plan,
    plan_prompt,
    prompt,
    read,
    refused,
    run,
    set_task,
    todo_list,
    unanswered,
    worked,
)


def plans(work: SessionWork) -> list[tuple[str, str, str]]:
    return [(seen.text, seen.status, seen.reason) for seen in work.plans]


def todos(work: SessionWork) -> list[tuple[str, str]]:
    return [(todo.text, todo.status) for todo in work.todos]


# Plans


def test_a_plan_nobody_answered_is_proposed() -> None:
    """The session ended at the dialog."""
    assert plans(worked(unanswered(plan("# P")))) == [("# P", "proposed", "")]


def test_an_accepted_plan() -> None:
    """In the dialog, or pasted by the client as the first prompt of a fresh context."""
    assert plans(worked(plan("# P"))) == [("# P", "accepted", "")]
    assert plans(worked(plan_prompt("# P"))) == [("# P", "accepted", "")]


def test_a_plan_refused_with_a_reason_is_rejected() -> None:
    """The reason is the user's correction."""
    assert plans(worked(refused(plan("# P"), "No ORM."))) == [("# P", "rejected", "No ORM.")]


def test_a_plan_refused_without_a_word_is_dismissed() -> None:
    """People close the dialog to think, or to go on in a fresh session: that turns nothing down."""
    assert plans(worked(refused(plan("# P")))) == [("# P", "dismissed", "")]


def test_a_plan_that_replaces_a_refused_one_comes_after_it() -> None:
    """Later beats earlier: readers take the last."""
    work = worked(refused(plan("# One"), "No ORM."), plan("# Two"))
    assert [seen.status for seen in work.plans] == ["rejected", "accepted"]


# Refusals


def refusals(work: SessionWork) -> list[tuple[str, str]]:
    return [(refusal.what, refusal.reason) for refusal in work.refusals]


def test_a_refused_command_or_edit_is_told() -> None:
    """The next session would try it again."""
    work = worked(refused(run("npm install x"), "No new packages."), refused(edit("go.mod")))
    assert refusals(work) == [("`npm install x`", "No new packages."), ("Edit go.mod", "")]
    assert work.refusals[1].files == ("go.mod",)


def test_a_refused_read_counts_with_a_reason_only() -> None:
    """Without one it says nothing about the work."""
    work = worked(refused(read("a.py")), refused(read("a.py"), "It is generated."))
    assert refusals(work) == [("Read", "It is generated.")]


def test_an_interrupted_call_is_no_refusal() -> None:
    """Escape in the middle of a long command is not "do not do this"."""
    assert refusals(worked(interrupted(run("make test")))) == []


def test_a_refused_command_did_not_run() -> None:
    """Neither a check, nor a revert, nor a commit."""
    work = worked(edit("sum.py"), refused(run("git checkout sum.py && make test")))
    assert (work.files[0].status, work.checks) == ("edited", [])


# Answers


def test_an_answer_keeps_its_question_and_what_was_not_taken() -> None:
    """ "Yes" alone decides nothing."""
    (answer,) = worked(ask("Which store?", ("SQLite", "Postgres", "Files"), "SQLite")).answers
    assert (answer.question, answer.answer, answer.others) == ("Which store?", "SQLite", ("Postgres", "Files"))


def test_several_options_taken() -> None:
    """A question that allows several."""
    (answer,) = worked(ask("Which?", ("Linux", "macOS", "Windows"), "Linux, macOS")).answers
    assert answer.others == ("Windows",)


def test_an_option_inside_another_ones_name_was_not_taken() -> None:
    """ "SQL" was not chosen by choosing "NoSQL"."""
    (answer,) = worked(ask("Which?", ("SQL", "NoSQL"), "NoSQL")).answers
    assert answer.others == ("SQL",)


def test_a_typed_answer() -> None:
    """In the user's own words, beside all options."""
    (answer,) = worked(ask("Which store?", ("SQLite", "Postgres"), "none, keep it in memory")).answers
    assert (answer.answer, answer.others) == ("none, keep it in memory", ("SQLite", "Postgres"))


def test_questions_put_together_are_answered_apart() -> None:
    """One dialog may hold four."""
    work = worked(ask_all(("Cache?", ("Yes", "No"), "No"), ("Log?", ("Yes", "No"), "Yes")))
    assert [(answer.question, answer.answer) for answer in work.answers] == [("Cache?", "No"), ("Log?", "Yes")]


def test_a_question_without_answer_decides_nothing() -> None:
    """The session ended at the dialog."""
    assert worked(unanswered(ask("Which store?", ("SQLite",), "SQLite"))).answers == []


# To-dos


def test_a_whole_list_replaces_the_one_before() -> None:
    """Points that the agent dropped must not come back."""
    work = worked(
        todo_list(("Parse", "pending"), ("Lint", "pending")),
        todo_list(("Parse", "completed"), ("Print", "in_progress")),
    )
    assert todos(work) == [("Parse", "completed"), ("Print", "in_progress")]


def test_single_updates_find_their_task() -> None:
    """Later clients number tasks and send only what changed."""
    work = worked(new_task("Parse", "1"), new_task("Print", "2"), set_task("1", "completed"))
    assert todos(work) == [("Parse", "completed"), ("Print", "pending")]


def test_a_deleted_task_is_gone() -> None:
    """It was never to be done."""
    work = worked(new_task("Parse", "1"), new_task("Print", "2"), set_task("1", "deleted"))
    assert todos(work) == [("Print", "pending")]


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

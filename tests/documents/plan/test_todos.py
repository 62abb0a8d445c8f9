"""Lists of tasks in JSON become plans."""

from __future__ import annotations

import json

import pytest

from clew.documents.plan.grammar import parse
from clew.documents.plan.todos import text_of_todos

TASKS = [
    {"id": 1, "title": "Chart the bay", "status": "done", "subtasks": [{"id": 1, "title": "Sound it"}]},
    {"id": 2, "title": "Old chart", "status": "cancelled", "subtasks": []},
    {"id": 4, "title": "Mark the rocks", "status": "pending", "dependencies": [1, 2], "subtasks": [
        {"id": 1, "title": "Paint them", "status": "done"}, {"id": 2, "title": "Light them", "status": "pending"}]},
    {"id": 5, "title": "Sell charts", "status": "deferred", "dependencies": [4]},
]  # fmt: skip


@pytest.mark.parametrize(
    "document", [{"tasks": TASKS}, {"side": {"tasks": [{"id": 1, "title": "Else"}]}, "master": {"tasks": TASKS}}]
)
def test_tasks_with_tasks_of_their_own_are_phases(document: object) -> None:
    """What is put off is no work now, and stays in the text; other tags are told."""
    text = text_of_todos(json.dumps(document))
    assert text is not None
    plan = parse(text)
    told = [(one.title, one.label or str(one.number), one.depends) for one in plan.phases]
    assert told == [("Chart the bay", "1", ()), ("Mark the rocks", "4", (1,))]
    assert [[(step.text, step.ticked) for step in one.steps] for one in plan.phases] == [
        [("Sound it", True)],
        [("Paint them", True), ("Light them", False)],
    ]
    assert "## Deferred\n\n- Sell charts\n" in text
    assert ("side: 1 tasks" in text) == ("side" in str(document))


def test_what_is_no_list_of_tasks_is_no_plan() -> None:
    assert text_of_todos('{"name": {"version": 1}}') is None

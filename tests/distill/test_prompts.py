"""The user's words: a request, a rule, a correction, or only a nod."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.distill.prompts import is_nod, picks, plan_body, plan_goal, request, stands_alone


@pytest.mark.parametrize(
    "text",
    [
        "yes", "Yes please", "ok", "okay!", "go on", "go ahead", "continue", "thanks", "thank you.", "lgtm", "ship it",
        "commit and push", "exit", "try again", "Great, thanks!", "", "  ", "[image]", "next",
        "/clear", "/compact", "/model opus", "/exit", "/login",
    ],
)  # fmt: skip
def test_a_nod_asks_for_nothing(text: str) -> None:
    """Seen: the latest request told as "exit"."""
    assert is_nod(text)


@pytest.mark.parametrize(
    "text",
    [
        "yes, but keep the old flag", "no, use SQLite", "continue with the printer", "ok now do the docs",
        "/review the last commit and fix what it finds", "/deploy prod", "push the fix to the release branch",
        "test the parser", "commit the parser only", "run it on Linux too", "1", "B",
        "/initialise the database with the fixtures from last week",
    ],
)  # fmt: skip
def test_a_request_is_no_nod(text: str) -> None:
    """A short word in front does not make the rest worthless; one letter may choose an option."""
    assert not is_nod(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fix the sum", True),
        ("ok, then add some tests for `total`", False),
        ("yes, do it", False),
        ("go on, but leave the rates alone", False),
        ("and in the other hooks?", False),
        ("why does the sum round twice?", False),
        ("no, shorter", False),
        ("please rename them all", False),
        ("delete those, they are stale", False),
    ],
)
def test_a_goal_says_by_itself_what_is_to_be_done(text: str, expected: bool) -> None:
    """ "Rename them" is no goal to a reader who was not there."""
    assert expected == stands_alone(text)


def test_a_pick_is_known_by_letter_or_number() -> None:
    """The option it takes is told with it."""
    assert [picks("Option C please"), picks("go with 2"), picks("do it")] == [["C"], ["2"], []]


def test_a_pasted_log_is_not_the_request() -> None:
    """The user's own line above it is."""
    pasted = "2026-03-04T10:00:00Z start\n2026-03-04T10:00:01Z ERROR boom\n    at run (a.js:1:2)\nFAIL example.org/shop"
    assert request(f"Why does it stop?\n\n{pasted}") == "Why does it stop?"
    assert request("Why does it stop?\n2026/03/04 10:00:00 INFO start") == "Why does it stop?"


def test_a_request_says_where_something_was_left_out() -> None:
    """Else words that stood apart read as one sentence of the user's."""
    assert request("Look at this:\n```\nx = 1\n```\nI am not sure about it") == "Look at this: … I am not sure about it"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\nok  \texample.org/a\t0.1s\npanic: boom\n```", "panic: boom"),
        ("main.go:3: unused variable x (deadcode)", "main.go:3: unused variable x (deadcode)"),
        ('{"a": 1}', '{"a": 1}'),
        ("```\n```", ""),
        ("", ""),
    ],
)
def test_of_a_mere_paste_the_telling_line_is_the_request(text: str, expected: str) -> None:
    """A prompt that is all log asks to mend what it shows."""
    assert expected == request(text)


def test_a_request_of_several_lines_is_one_line() -> None:
    """It becomes a line of a list."""
    assert request("Add a flag.\n\n  Keep the old one.\n") == "Add a flag. Keep the old one."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Plan: Add a cache\n\n## Context\n\nReads are slow.\n\n## Steps\n1. x", "Add a cache: Reads are slow."),
        ("# Add a cache\n\n## Steps\n1. x", "Add a cache"),
        ("# Add a cache\n\n## Approach\n- Keep totals", "Add a cache: Keep totals"),
        ("Implement the following plan:\n\n# Add a cache\n", "Add a cache"),
        ("Add a cache\nand more", "Add a cache"),
        ("", ""),
    ],
)
def test_a_plan_in_one_line(text: str, expected: str) -> None:
    """The goal of a session that began with a pasted plan is its title and why."""
    assert expected == plan_goal(text)


def test_the_clients_lead_is_no_part_of_a_plan() -> None:
    """Nobody wrote it."""
    assert plan_body("Implement the following plan:\n\n# P\n\ndo") == "# P\n\ndo"


@given(st.text(st.characters() | st.sampled_from("\n`#>{}; /")))
def test_any_prompt_can_be_read(text: str) -> None:
    """Whatever was pasted; and what comes out is one line."""
    is_nod(text)
    picks(text)
    stands_alone(text)
    for line in (request(text), plan_goal(text)):
        assert line == " ".join(line.split())

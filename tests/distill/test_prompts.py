"""The user's words: a request, a rule, a correction, or only a nod."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.distill import prompts
from clew.distill.prompts import is_correction, is_nod, is_prose, is_rule, plan_body, plan_goal, request


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
        ("don't touch the public API", True),
        ("Never push to main", True),
        ("use the simplest thing", True),
        ("make sure the old flag works", True),
        ("without new dependencies", True),
        ("add a flag", False),
        ("what does this do?", False),
    ],
)
def test_rules(text: str, expected: bool) -> None:
    """A rule outlives the request that it came with."""
    assert expected == is_rule(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no, the other one", True),
        ("actually, use SQLite", True),
        ("That's not what I meant", True),
        ("why did you remove the test?", True),
        ("please revert that", True),
        ("add a flag", False),
        ("now add the docs", False),
        ("nothing else is open", False),
    ],
)
def test_corrections(text: str, expected: bool) -> None:
    """Where the agent went wrong once, the next one does."""
    assert expected == is_correction(text)


def test_a_pasted_log_is_not_the_request() -> None:
    """The user's own line above it is."""
    pasted = "2026-03-04T10:00:00Z start\n2026-03-04T10:00:01Z ERROR boom\n    at run (a.js:1:2)\nFAIL example.org/shop"
    assert request(f"Why does it stop?\n\n{pasted}") == "Why does it stop?"
    assert request("Why does it stop?\n2026/03/04 10:00:00 INFO start\nDONE 8 tests, 1 failure") == "Why does it stop?"


@pytest.mark.parametrize(
    "line",
    [
        "    at async run (a.js:3:4)",
        "    at new Shop (a.js:3:4)",
        "    at /srv/a.js:10:3",
        "  at shop.Sum.of(Sum.java:12)",
    ],
)
def test_a_stack_trace_is_not_the_request(line: str) -> None:
    """Every language has its own form; "at home (I think)" is none."""
    assert "Why? … at home (I think) it works" == request(f"Why?\n{line}\nat home (I think) it works")


def test_a_list_of_the_users_is_the_request() -> None:
    """Its entries begin like lines that a difference takes out: what the user wants would be left out as pasted."""
    text = "Draw a chart:\n- one line a label\n- a filter for teams"
    assert request(text) == "Draw a chart: - one line a label - a filter for teams"
    assert request("This breaks it:\n- return one\n+ return two\nWhy?") == "This breaks it: … Why?"
    assert request("Plan:\n- read rows\n- skip none\n\n+1 for a help text") == (
        "Plan: - read rows - skip none +1 for a help text"
    )
    assert request("12/05/24 is the deadline\nKeep it stable") == "12/05/24 is the deadline Keep it stable"


def test_pasted_code_is_not_the_request() -> None:
    """Fenced or not."""
    assert (
        request("Make this faster\n```go\nfunc main() {}\n```\nfor (i = 0; i < n; i++) { x(); }") == "Make this faster"
    )


def test_a_quote_is_not_the_request() -> None:
    """What somebody else wrote."""
    assert request("> We should drop the flag.\n\nDo we need this?") == "Do we need this?"


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
    is_rule(text)
    is_correction(text)
    is_prose(text)
    for line in (request(text), plan_goal(text)):
        assert line == " ".join(line.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("na, what about this?", True),
        ("No. Leave it", True),
        ("No problem, go ahead", False),
        ("No need to ask", False),
    ],
)
def test_a_no_that_means_yes_is_no_refusal(text: str, expected: bool) -> None:
    """What the user let the agent do would be told as turned down."""
    assert prompts.is_refusal(text) == expected


def test_the_users_words_in_front_of_a_quote_stay() -> None:
    """They are what the prompt is there for."""
    said = prompts.letters("Move the retry loop out of the client and into the queue, where it can be stopped.")
    line = (
        "Never do this again without asking me: Move the retry loop out of the client and into the queue, where it can"
    )
    cut, own = prompts.parted(f"{line}\nMend it", said)
    assert cut.startswith("Never do this again without asking me: Move the retry loop") and cut.endswith("…\nMend it")
    assert own == "Never do this again without asking me:\nMend it"


def test_a_prompt_that_quotes_nothing_is_all_the_users() -> None:
    """Most are: each line of them would be looked for among all that the agent said."""
    text = "Never do this again without asking me: it broke the till\nMend it"
    assert prompts.parted(text, prompts.letters("Something else was said here, at some length.")) == (text, text)


def test_a_paste_keeps_its_paragraphs() -> None:
    """Seen: the last filter of a list and the request below it as one sentence in the user's quotes."""
    assert prompts.prose_of_paste(text := "Page filters:\n- usage\n\nMake an endpoint.") == text

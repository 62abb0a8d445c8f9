"""What the user wants and does not want, in whole sentences."""

from __future__ import annotations

import pytest

from clew.core.items import FILL_RANK
from clew.distill.demands import demands
from tests.builders import distilled, prompt, reply


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            "What is a lock file? We don't want the lock file in the package.",
            ["We don't want the lock file in the package."],
        ),
        (
            "Nobody outside can reach that server. That is too complex.",
            ["Nobody outside can reach that server. That is too complex."],
        ),
        (
            "The whole point of the cache is to work offline, no?",
            ["The whole point of the cache is to work offline, no?"],
        ),
        ("Why don't want the tests to finish?", []),
        ("Please add a test for the sum.", []),
        ("The page always crashes and never comes back.", []),
    ],
)
def test_only_what_is_wanted_is_a_demand(said: str, expected: list[str]) -> None:
    """A question or a report of a fault told as a demand would bind the next session to nonsense."""
    assert demands(said) == expected


def test_a_demand_in_the_middle_of_a_session_stays_whole() -> None:
    """Cut off, or shown as a question that was answered, it is broken again by the next session."""
    wish = "So what does it do? I don't want the vendored copy, since nobody updates it."
    state = distilled(
        prompt("Set up the build"),
        reply("Done."),
        prompt(wish),
        reply("It copies."),
        prompt("Now the docs"),
        reply("Ok."),
    )
    told = [item.text for item in state.items if item.kind == "constraint"]
    assert told == ["I don't want the vendored copy, since nobody updates it."]


def test_the_rest_of_a_request_fills_room() -> None:
    """Cut off at its limit, a request loses what stands at its end, though the document is half empty."""
    first = "Draw the tides of a week. " + "The axis begins at low water and ends at high water in metres. " * 6
    end = "Neap tides are grey."
    state = distilled(prompt(f"{first}{end}"), reply("Drawn."), prompt("Print it"), reply("Printed."))
    goal = next(item for item in state.items if item.kind == "goal")
    filling = [item for item in state.items if item.text == end]
    assert end not in goal.text
    assert [(item.provenance, item.rank >= FILL_RANK) for item in filling] == [("human", True)]


def test_an_old_demand_does_not_come_back_as_filling() -> None:
    """It was lifted by what was asked since: an agent that reads it as it stands would obey it."""
    first = "Draw the tides of a week. " + "The axis begins at low water and ends at high water in metres. " * 6
    state = distilled(
        prompt(f"{first}Do not commit anything yet."), reply("Drawn."), prompt("Commit all of it"), reply("Committed.")
    )
    assert "Do not commit anything yet." not in [item.text for item in state.items if item.rank >= FILL_RANK]


def test_what_a_request_quotes_is_no_word_of_the_users() -> None:
    """The agent's finding would be told as what the user said."""
    finding = "Move the retry loop out of the client, since it must never run twice in one request."
    asked = (prompt("Review it"), reply(f"- {finding}"), prompt(f"Not this one, thank you very much:\n{finding}"))
    state = distilled(*asked, reply("As you like: it stays in the client."))
    assert not any(item.provenance == "human" and item.text.startswith("Move the retry") for item in state.items)

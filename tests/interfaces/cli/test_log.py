"""`clew log`: lines, filters, and the state at a checkpoint."""

from __future__ import annotations

import json
import re

import pytest

from clew.app.project.opening import open_project
from clew.app.record.checkpoint import take_checkpoint
from tests.interfaces.cli.conftest import Desk


def test_a_line_has_time_id_words_and_who(desk: Desk) -> None:
    """Who said it is what one looks for after something went wrong."""
    one = desk.shop.noted("risk", "The moon")
    two = desk.shop.noted("risk", "The sun", by=desk.shop.bot)
    code, out, err = desk.ada("log")
    moment = "2026-11-22 00:00:00"
    assert (code, err) == (0, "")
    assert out == (
        f"{moment}  {one[:6]}  person ada         noted risk: The moon\n"
        f"{moment}  {two[:6]}  agent claude-code  noted risk: The sun\n"
    )


def test_filters_and_what_is_left_out(desk: Desk) -> None:
    """It is said that there is more, and when there is nothing."""
    for number in range(3):
        desk.shop.noted("risk", f"{number}")
    code, out, err = desk.ada("log", "--limit", "1", "--kind", "risk", "--since", "1h", "--all")
    assert (code, out.count("\n")) == (0, 1)
    assert err == "note: Older events are not listed: these are the newest 1 (`--limit 0` lists all).\n"
    assert desk.ada("log", "--kind", "goal") == (0, "", "note: Nothing of the kind was recorded.\n")


def test_the_state_at_a_checkpoint(desk: Desk) -> None:
    """The items as they were, and when that was."""
    one = desk.shop.noted("risk", "The moon")
    with open_project(desk.shop.ada, desk.shop.top, write=True) as at:
        take_checkpoint(at, name="lunch")
    desk.shop.noted("risk", "The sun")
    code, out, err = desk.ada("log", "--at", "lunch")
    assert (code, out) == (0, f"{one[:6]}  risk        The moon\n")
    assert re.fullmatch(r"note: 1 item as they were at lunch, 2026-11-22 00:00:00 UTC\.\n", err)
    shape = json.loads(desk.ada("log", "--at", "lunch", "--json").out)
    assert set(shape) == {"checkpoint", "name", "time", "task", "items"}
    assert [item["id"] for item in shape["items"]] == [one]
    assert "[E-no-checkpoint]" in desk.ada("log", "--at", "supper").err


def test_json_has_the_events_as_they_are(desk: Desk) -> None:
    """With the words and with the data."""
    name = desk.shop.noted("risk", "The moon")
    shape = json.loads(desk.ada("log", "--json").out)
    assert (shape["more"], shape["task"]) == (False, "")
    (event,) = shape["events"]
    assert (event["subject"], event["kind"], event["data"]["text"]) == (name, "item.stated", "The moon")
    assert (event["words"], event["provenance"], event["position"]) == ("noted risk: The moon", "human", 1)


@pytest.mark.parametrize(
    "arguments",
    [("--task", "T", "--all"), ("--at", "x", "--all"), ("--at", "x", "--since", "1h"), ("--limit", "-1"), ("extra",)],
    ids=" ".join,
)
def test_a_wrong_command_line_is_64(arguments: tuple[str, ...], desk: Desk) -> None:
    """What excludes each other is not guessed at."""
    assert desk.ada("log", *arguments).code == 64
